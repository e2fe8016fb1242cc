// SPDX-License-Identifier: GPL-2.0-or-later
// The process: command line, configuration, one server a database, overload, stop, read-only, tokens for readers, and
// what it says of itself: log, /metrics, failures of its own.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Server, program } from './server.mjs';
import { Wire, ask } from './wire.mjs';
import { test, finish } from './tap.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline process-'));
const file = (name) => path.join(folder, name);
const cli = (...args) => spawnSync(program, args, { encoding: 'utf8', timeout: 20000, env: { ...process.env, XDG_STATE_HOME: folder, STATE_DIRECTORY: '' } });
const get = (url, headers = '') => `GET ${url} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const doc = (key, metrics = 1) => ({ key, axes: { testcase: 'process', tbox_group: 'b' }, commit: { id: 'a'.repeat(40) },
	runs: [Object.fromEntries([...Array(metrics).keys()].map((i) => [`m${i}`, i + 0.5]))] });
const servers = []; // ended at last also where a test fails
const start = async (options) => {
	const s = await Server.start(options);
	servers.push(s);
	return s;
};
const keys = async (s) => (await s.json('/runs.json?limit=1000')).json.runs.map((r) => r.key);

test('usage: exit 2 and a word on standard error; --help: exit 0 and the usage on standard output', () => {
	for (const args of [[], ['frobnicate'], ['serve', 'x'], ['serve', '--nope'], ['serve', '--listen'], ['serve', '--listen', 'localhost:80'], ['compare'],
		['import'], ['import', 'native'], ['token'], ['token', 'revoke'], ['check', 'x'], ['config', 'x'], ['serve', '--threads', 'many']]) {
		const r = cli(...args);
		assert.equal(r.status, 2, args.join(' '));
		assert.equal(r.stdout, '', args.join(' '));
		assert.match(r.stderr, /plumbline/, args.join(' '));
	}
	for (const args of [['help'], ['--help'], ['-h']]) {
		const r = cli(...args);
		assert.equal(r.status, 0);
		for (const command of ['serve', 'import', 'compare', 'token', 'check', 'config'])
			assert.match(r.stdout, new RegExp(`^ {2}${command} `, 'm'));
	}
	for (const command of ['serve', 'import', 'compare', 'token', 'check', 'config'])
		for (const args of [['--help'], ['-h'], ['a', 'b', '--help']]) {
			const r = cli(command, ...args);
			assert.equal(r.status, 0, `${command} ${args}: ${r.stderr}`);
			assert.match(r.stdout, new RegExp(`^usage: plumbline ${command} `));
			assert.equal(r.stderr, '');
		}
});

test('a configuration file: a fault names file and line; the command line wins', () => {
	const config = (text) => { writeFileSync(file('c.conf'), text); return cli('serve', '--config', file('c.conf')); };
	for (const [text, line, word] of [['# x\n\nlisten = nowhere\n', 3, 'listen'], ['colour = blue\n', 1, 'colour'], ['listen\n', 1, 'key = value'],
		['read_only = no\nmax_body = 99G\n', 2, 'max_body'], [`\n${'x'.repeat(9000)}\n`, 2, 'longer'], ['public_url = perf.example.org', 1, 'public_url'],
		['a\0b = 1\n', 1, '']]) {
		const r = config(text);
		assert.equal(r.status, 1, text);
		assert.ok(r.stderr.includes(`c.conf: line ${line}: `) && r.stderr.includes(word), r.stderr);
		assert.equal(r.stdout, '');
	}
	assert.equal(cli('serve', '--config', file('none')).status, 1);
	assert.equal(cli('serve', '--config', folder).status, 1);
	assert.ok(!existsSync(file('plumbline')), 'nothing was made');
});

test('a second server on a database, and a port in use: exit 1 and why', async () => {
	const s = await start();
	const second = cli('serve', '--listen', '127.0.0.1:0', '--database', s.database);
	assert.equal(second.status, 1);
	assert.match(second.stderr, /another server runs on .*plumbline\.db/);
	assert.equal(second.stdout, '');
	const port = cli('serve', '--listen', `127.0.0.1:${s.port}`, '--database', file('other.db'));
	assert.equal(port.status, 1);
	assert.match(port.stderr, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${s.port}: Address already in use`));
	assert.equal((await s.get('/healthz')).text, 'ok\n');
	assert.deepEqual(await s.end(), { code: 0, signal: null });
	const folderless = cli('serve', '--listen', '127.0.0.1:0', '--database', file('no/such/x.db'));
	assert.equal(folderless.status, 1);
	assert.match(folderless.stderr, /no\/such\/x\.db.*No such file/);
});

test('a full queue: 503 with Retry-After, and nothing is lost or stored twice', async () => {
	const s = await start({ args: ['--queue-jobs', '1'] });
	s.uploadToken();
	let refused = 0;
	const client = async (c) => {
		for (let i = 0; i < 5; i++)
			for (let tries = 0; ; tries++) {
				const r = await s.upload(doc(`q${c}-${i}`, 50));
				if (r.status === 201)
					break;
				assert.equal(r.status, 503, r.text);
				assert.match(r.headers.get('retry-after'), /^[1-9]\d*$/);
				assert.match(r.headers.get('content-type'), /problem\+json/);
				refused++;
				assert.ok(tries < 2000);
			}
	};
	await Promise.all([...Array(30).keys()].map(client));
	assert.ok(refused > 0, 'the queue was never full');
	const stored = await keys(s);
	assert.equal(stored.length, 150);
	assert.equal(new Set(stored).size, 150);
	assert.match((await s.get('/metrics')).text, new RegExp(`^plumbline_busy_total ${refused}$`, 'm'));
	assert.deepEqual(await s.end(), { code: 0, signal: null });
});

for (const times of [1, 3])
	test(`SIGTERM ${times === 1 ? '' : 'three times '}while uploads wait: whoever got 201 is stored, and it ends by itself`, async () => {
		const s = await start();
		s.uploadToken();
		const acknowledged = [];
		let over = 0;
		const client = async (c) => {
			for (let i = 0; ; i++) {
				let r;
				try {
					r = await s.upload(doc(`t${c}-${i}`, 500));
				} catch {
					break; // not answered any more
				}
				if (r.status === 503)
					break;
				assert.equal(r.status, 201, r.text);
				acknowledged.push(`t${c}-${i}`);
				if (acknowledged.length === 40)
					for (let k = 0; k < times; k++)
						s.child.kill('SIGTERM');
			}
			over++;
		};
		const idle = await Wire.open(s.port); // open connections and half a head hold nothing up
		const half = await Wire.open(s.port);
		await half.send('GET /healthz HTTP/1.1\r\nHo');
		const from = Date.now();
		await Promise.all([...Array(16).keys()].map(client));
		assert.equal(over, 16);
		assert.deepEqual(await s.exited, { code: 0, signal: null });
		assert.ok(Date.now() - from < 10000);
		idle.destroy();
		half.destroy();
		assert.match(s.logText(), /event=stop msg=ended\n$/);
		assert.ok(!existsSync(`${s.database}-wal`), 'the log was folded into the file');
		const again = await start({ folder: s.folder });
		const stored = new Set(await keys(again));
		for (const key of acknowledged)
			assert.ok(stored.has(key), `${key} was acknowledged and is lost`);
		assert.equal((await again.end()).code, 0);
	});

test('SIGTERM while large pages are made: every answer that was made arrives whole', async () => {
	const s = await start({ args: ['--page-cache', '0'] });
	for (const id of ['a', 'b'])
		assert.equal((await s.upload({ ...doc(`big-${id}`, 1500), commit: { id: id.repeat(40) } })).status, 201);
	const got = {};
	let sent = 0;
	await Promise.all([...Array(12).keys()].map(async () => {
		const w = await Wire.open(s.port);
		for (let a = { status: 200 }; a?.status === 200;) {
			if (++sent === 40)
				s.child.kill('SIGTERM');
			await w.send(get(`/compare?commits=${'a'.repeat(40)},${'b'.repeat(40)}&changed=0`));
			a = await w.answer(); // null: it ended before it read this one
			if (a)
				got[a.status] = (got[a.status] ?? 0) + 1;
		}
		w.destroy();
	}));
	assert.deepEqual(await s.exited, { code: 0, signal: null });
	const sentWhole = s.logText().split('\n').filter((l) => / route=\/compare /.test(l) && !/ end=/.test(l));
	for (const status of ['200', '503'])
		assert.equal(sentWhole.filter((l) => l.includes(` status=${status} `)).length, got[status] ?? 0, `${status}\n${s.logText().slice(-3000)}`);
	assert.deepEqual(Object.keys(got).filter((k) => k !== '200' && k !== '503'), []);
});

test('a read-only server shows pages and takes nothing', async () => {
	const s = await start();
	assert.equal((await s.upload(doc('r', 3))).status, 201);
	const ro = await start({ folder: s.folder, args: ['--read-only'] });
	const r = await ro.upload(doc('s', 3));
	assert.equal(r.status, 403);
	assert.match(r.json.detail, /read-only/);
	assert.deepEqual(await keys(ro), ['r']);
	assert.equal((await ro.get('/readyz')).status, 200);
	assert.match((await ro.get('/metrics')).text, /^plumbline_runs 1$/m);
	assert.equal((await s.upload(doc('s', 3))).status, 201);
	let seen = [];
	for (let i = 0; i < 500 && seen.length < 2; i++)
		seen = await keys(ro);
	assert.deepEqual(seen.sort(), ['r', 's'], 'it sees what the other server stores');
	assert.deepEqual(await ro.stop(), { code: 0, signal: null });
	await s.end();
	assert.match(cli('serve', '--read-only', '--listen', '127.0.0.1:0', '--database', file('none.db')).stderr, /none\.db: No such file/);
});

test('a read-only server on a folder where it may not write', async () => {
	const s = await start();
	assert.equal((await s.upload(doc('r', 3))).status, 201);
	await s.stop();
	// root may write everywhere, so it is somebody else who serves
	const as = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
	const place = file('read only 100%?');
	const own = path.join(place, 'plumbline');
	mkdirSync(place);
	copyFileSync(program, own);
	copyFileSync(s.database, path.join(place, 'x.db'));
	chmodSync(own, 0o755);
	chmodSync(path.join(place, 'x.db'), 0o444);
	chmodSync(folder, 0o755);
	chmodSync(place, 0o555);
	const args = ['serve', '--read-only', '--listen', '127.0.0.1:0', '--database', path.join(place, 'x.db')];
	const log = openSync(file('ro.log'), 'w');
	const child = spawn(own, args, { ...as, stdio: ['ignore', 'pipe', log] });
	const exited = new Promise((done) => child.on('exit', done));
	const said = () => readFileSync(file('ro.log'), 'utf8');
	try {
		const line = await Promise.race([new Promise((done) => readline.createInterface({ input: child.stdout }).once('line', done)), exited]);
		const port = Number(/^listening on http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)?.[1] ?? assert.fail(said()));
		assert.deepEqual(JSON.parse((await ask(port, get('/runs.json'))).body).runs.map((r) => r.key), ['r']);
		// Somebody who may write does: what would be a mixture of old and new is an error instead.
		chmodSync(place, 0o755);
		writeFileSync(path.join(place, 'x.db-wal'), 'x');
		chmodSync(place, 0o555);
		assert.equal((await ask(port, get('/series.json'))).status, 500);
		assert.match(said(), /level=error event=failure .*(opened as a file that never does|x\.db-wal)/);
	} finally {
		child.kill('SIGTERM');
		closeSync(log);
	}
	assert.equal(await exited, 0);
	chmodSync(place, 0o555);
	const refused = spawnSync(own, args, { ...as, encoding: 'utf8', timeout: 20000 });
	assert.equal(refused.status, 1);
	assert.match(refused.stderr, /x\.db-wal/);
	chmodSync(place, 0o755);
	await s.end();
});

test('readers need a token where the configuration says so, but not for /healthz', async () => {
	const s = await start({ args: ['--readers-need-token'] });
	assert.equal((await s.upload(doc('r'))).status, 201);
	const token = s.token('triage');
	for (const url of ['/', '/series.json', '/metrics', '/status', '/help/reading', '/nothing/here', '/c/aaaaaaaa']) {
		const r = await s.get(url, { accept: 'text/html' });
		assert.ok(r.status === 401 || r.status === 404, `${url}: ${r.status}`);
		assert.doesNotMatch(r.text, /process|plumbline_/, url);
		if (r.status === 401)
			assert.match(r.headers.get('www-authenticate'), /^Bearer/);
	}
	for (const url of ['/', '/series.json', '/metrics']) {
		const r = await s.get(url, { authorization: `Bearer ${token}` });
		assert.equal(r.status, 200, url);
		assert.match(r.headers.get('vary'), /Authorization/);
		assert.equal((await s.get(url, { 'if-none-match': r.headers.get('etag') ?? '*' })).status, 401, 'no 304 without a token');
	}
	for (const url of ['/healthz', '/readyz'])
		assert.equal((await s.get(url)).status, 200);
	const css = /href="(\/static\/[^"]+)"/.exec((await s.get('/', { authorization: `bearer ${token}`, accept: 'text/html' })).text)[1];
	assert.equal((await s.get(css)).status, 200);
	s.run(['token', 'revoke', /^ *(\d+) .*test-triage/m.exec(s.run(['token', 'list']))[1]]);
	assert.equal((await s.get('/series.json', { authorization: `Bearer ${token}` })).status, 401);
	await s.end();
});

// Checks the rules of the text format and returns {name{labels}: value}.
function readMetrics(text) {
	const values = {};
	const types = {};
	let now = null;
	assert.ok(text.endsWith('\n'));
	for (const line of text.slice(0, -1).split('\n')) {
		const help = /^# HELP ([a-z_]+) (.+)$/.exec(line);
		const type = /^# TYPE ([a-z_]+) (counter|gauge)$/.exec(line);
		if (help) {
			assert.ok(!(help[1] in types), `${help[1]} comes twice`);
			now = help[1];
			types[now] = null;
		} else if (type) {
			assert.equal(type[1], now);
			assert.equal(types[now], null);
			types[now] = type[2];
			assert.equal(type[2] === 'counter', now.endsWith('_total'), `${now}: a counter ends in _total`);
		} else {
			const m = /^([a-z_]+)(\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/.exec(line);
			assert.ok(m, line);
			assert.equal(m[1], now, 'values of one metric stand together');
			assert.ok(!(m[1] + (m[2] ?? '') in values), line);
			values[m[1] + (m[2] ?? '')] = Number(m[3]);
			assert.ok(Number(m[3]) >= 0, line);
		}
	}
	return values;
}

test('/metrics keeps the rules of its format and adds up', async () => {
	const s = await start();
	s.uploadToken();
	for (let i = 0; i < 5; i++)
		assert.equal((await s.upload(doc(`m${i}`, 10))).status, 201);
	assert.equal((await s.upload(doc('m1', 10))).status, 200);
	assert.equal((await s.upload({})).status, 422);
	assert.equal((await s.post('/api/v1/runs', '{}', { authorization: 'no' })).status, 401);
	const etag = (await s.get('/series.json')).headers.get('etag');
	let bytes = 0;
	for (let i = 0; i < 7; i++)
		bytes += (await s.get('/series.json')).text.length;
	assert.equal((await s.get('/series.json', { 'if-none-match': etag })).status, 304);
	assert.equal((await ask(s.port, get('/series.json').replace('GET', 'HEAD'), { head: true })).status, 200);
	for (const url of ['/nothing', '/c/fffffff'])
		assert.equal((await s.get(url)).status, 404);
	// The counters are raised when the last byte has left, so the last request may be seen a moment later.
	let v;
	for (let i = 1; i < 200; i++) {
		v = readMetrics((await s.get('/metrics')).text);
		const all = Object.entries(v).reduce((n, [k, x]) => n + (k.startsWith('plumbline_requests_total{') ? x : 0), 0);
		assert.ok(all <= 20 + i - 1);
		if (all === 20 + i - 1 && v.plumbline_suspended_requests === 0 && v.plumbline_writer_queue === 0)
			break;
		assert.ok(i < 199, `${all} requests counted`);
	}
	const count = (method, route, status) => v[`plumbline_requests_total{method="${method}",route="${route}",status="${status}"}`] ?? 0;
	assert.equal(count('POST', '/api/v1/runs', '2xx'), 6);
	assert.equal(count('POST', '/api/v1/runs', '4xx'), 2);
	assert.equal(count('GET', '/series', '2xx'), 9);
	assert.equal(count('GET', '/series', '3xx'), 1);
	assert.equal(count('GET', '/c/*rev', '4xx'), 1);
	assert.equal(count('', '', '4xx'), 1);
	const figure = (name) => v[`plumbline_${name}`];
	assert.equal(figure('uploads_accepted_total'), 6);
	assert.equal(figure('uploads_refused_total'), 2);
	assert.equal(figure('not_modified_total'), 1);
	assert.equal(figure('page_cache_hits_total'), 7);
	assert.equal(figure('page_cache_misses_total'), 3, 'the first, the one without gzip, the unknown commit');
	assert.equal(figure('page_cache_pages'), 2);
	assert.equal(figure('busy_total'), 0);
	assert.equal(figure('submissions'), 5);
	assert.equal(figure('runs'), 5);
	assert.equal(figure('series'), 1);
	assert.equal(figure('commits'), 1);
	assert.equal(figure('metrics'), 10);
	assert.equal(figure('values'), 50);
	assert.equal(figure('writer_queue'), 0);
	assert.equal(figure('writer_jobs_total'), 6);
	assert.equal(figure('suspended_requests'), 0);
	assert.equal(figure('request_body_bytes'), 0);
	assert.ok(Math.abs(figure('start_time_seconds') - Date.now() / 1000) < 60);
	assert.ok(figure('sent_bytes_total') >= bytes);
	assert.ok(v['plumbline_request_seconds_total{method="GET",route="/series"}'] > 0);
	const status = (await s.json('/status.json')).json.figures;
	for (const name of ['runs', 'submissions', 'uploads_accepted_total'])
		assert.equal(status[name], figure(name), name);
	await s.end();
});

const PAIR = / ([a-z_]+)=("(?:[^"\\]|\\.)*"|[^\s"=]+)/y;

function readLog(text) {
	assert.ok(text.endsWith('\n'));
	return text.slice(0, -1).split('\n').map((line) => {
		const event = {};
		PAIR.lastIndex = 0;
		for (let m, at = 0; at < line.length + 1; at = PAIR.lastIndex) {
			m = PAIR.exec(` ${line}`);
			assert.ok(m, line);
			assert.ok(!(m[1] in event), line);
			event[m[1]] = m[2];
		}
		assert.match(event.ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		assert.match(event.level, /^(debug|info|warn|error)$/);
		assert.ok(event.event);
		return event;
	});
}

test('the log: one line an event, logfmt, request numbers, and no token in it', async () => {
	const s = await start();
	const token = s.uploadToken();
	await s.upload(doc('l'));
	await s.upload({ key: 'a\nts=1 level=error' });
	await s.post('/api/v1/runs', '{', { authorization: `Bearer ${token}x` });
	await s.post('/api/v1/runs', '{', { authorization: `Basic ${token}` });
	await s.post('/api/v1/nothing', '{');
	const evil = ['/%0Als%0D', '/"x"', '/a\\b', '/a=b', `/${'ü'.repeat(3000)}`, '/c/%22%0a level=error', "/series?q='\"<>", '/%zz?%zz', '/\u2028'];
	for (const p of evil)
		await ask(s.port, get(p.replaceAll(' ', '%20')));
	await ask(s.port, Buffer.from(`GET /\x01\x1b[31m\x7f\xff HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX: ${token}\r\n\r\n`, 'latin1'));
	await ask(s.port, `BAD\x1b\nx / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
	await ask(s.port, `POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: x\r\n\r\n`);
	const failed = await s.get('/c/fffffff.json');
	assert.equal((await s.stop()).code, 0);
	const text = s.logText();
	assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f]/);
	for (let i = 0; i + 12 <= token.length; i += 4)
		assert.ok(!text.includes(token.slice(i, i + 12)), 'a part of the token');
	const events = readLog(text);
	const requests = events.filter((e) => e.event === 'request');
	assert.ok(requests.length >= 6 + evil.length + 2);
	assert.equal(new Set(requests.map((e) => e.req)).size, requests.length);
	assert.equal(events.filter((e) => e.level === 'error').length, 0);
	const one = requests.find((e) => e.req === JSON.parse(failed.text).request);
	assert.equal(one.status, '404');
	assert.equal(one.path, '/c/fffffff.json');
	assert.equal(requests[0].token, 'test-upload');
	await s.end();
});

test('a failure of ours: the client sees a request number, the log has the text', async () => {
	const s = await start();
	assert.equal((await s.upload({ ...doc('f'), runs: [{ m: 123456.789 }, { m: 987654.321 }] })).status, 201);
	assert.equal((await s.get('/run/1.json')).status, 200);
	await s.stop();
	// The page that holds the samples is spoilt.
	const bytes = readFileSync(s.database);
	const sample = Buffer.alloc(8);
	sample.writeDoubleLE(987654.321);
	const at = bytes.indexOf(sample);
	assert.ok(at > 8192);
	bytes.fill(0, at - at % 8192, at - at % 8192 + 8192);
	writeFileSync(s.database, bytes);
	const again = await start({ folder: s.folder });
	for (const [url, type] of [['/run/1.json', /problem\+json/], ['/run/1', /html/], ['/compare.txt?commits=aaaaaaaa', /plain/], ['/api/v1/run/1', /problem\+json/]]) {
		const r = await again.get(url);
		assert.equal(r.status, 500, url);
		assert.match(r.headers.get('content-type'), type);
		assert.equal(r.headers.get('etag'), null);
		assert.match(r.headers.get('cache-control'), /no-store/);
		assert.doesNotMatch(r.text, /SQLite|malformed|\.db/i, url);
		const id = /request ([0-9a-f]+-\d+)/.exec(r.text)?.[1];
		assert.ok(id, r.text);
		const line = again.logText().split('\n').find((l) => l.includes(` req=${id} `) && l.includes('event=failure'));
		assert.match(line, /level=error .*text=".*malformed/);
	}
	assert.equal((await again.get('/healthz')).status, 200);
	assert.notEqual(spawnSync(program, ['check', '--database', s.database], { timeout: 20000 }).status, 0);
	await again.end();
});

test('public_url and the listening address are what pages name', async () => {
	const s = await start({ args: ['--public-url', 'https://perf.example.org'] });
	assert.match((await s.get('/help/upload', { accept: 'text/html' })).text, /curl -sS https:\/\/perf\.example\.org\/api\/v1\/runs /);
	await s.end();
	const plain = await start();
	assert.ok((await plain.get('/help/upload', { accept: 'text/html' })).text.includes(`curl -sS ${plain.url}/api/v1/runs `));
	await plain.end();
	assert.match(cli('serve', '--public-url', 'https://perf.example.org/').stderr, /without a slash at the end/);
});

await finish();
for (const s of servers)
	await s.end();
rmSync(folder, { recursive: true, force: true });
