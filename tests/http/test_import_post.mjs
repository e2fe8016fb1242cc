// SPDX-License-Identifier: GPL-2.0-or-later
// POST /api/v1/import/<format>: foreign files as they are. Figures of hackbench were reckoned by hand: 400 tasks send
// 100 messages of 100 bytes, 3906.25 KiB.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { evil, root } from './lab.mjs';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const enc = encodeURIComponent;
const ID = 'abcdef123456';
const read = (...names) => readFileSync(path.join(root, 'tests', 'data', ...names));
const hackbench = (...times) => times.map((t) => `Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)
Each sender will pass 100 messages of 100 bytes
Time: ${t}\n`).join('');

async function send(format, body, query = {}, headers = {}, server = s) {
	const q = Object.entries(query).map(([k, v]) => `${enc(k)}=${enc(v)}`).join('&');
	const r = await fetch(`${server.url}/api/v1/import/${format}${q ? `?${q}` : ''}`, { method: 'POST', body: Buffer.from(body),
		headers: { ...(headers.authorization === undefined && { authorization: `Bearer ${server.uploadToken()}` }), ...headers } });
	const text = await r.text();
	let json = null;
	try { json = JSON.parse(text); } catch { /* lines */ }
	return { status: r.status, text, json };
}
const box = { 'axis.tbox_group': 'box', commit: ID };
const runOf = async (id) => (await s.json(`/run/${id}.json`)).json;
const total = async (server = s) => (await server.json('/runs.json?limit=1000')).json.runs.length;

test('a file as it is, of any type or none, is stored', async () => {
	const r = await send('hackbench', hackbench('1.25', '2.5'), { ...box, 'axis.kconfig': 'lab', tree: 'mainline' });
	assert.equal(r.status, 201);
	assert.equal(r.json.format, 'hackbench');
	assert.equal(r.json.submissions.length, 1);
	assert.equal(r.json.submissions[0].status, 'created');
	const runs = await Promise.all(r.json.submissions[0].runs.map(runOf));
	assert.deepEqual(runs.map((x) => x.values['hackbench.throughput']), [3125, 1562.5]);
	assert.deepEqual(runs.map((x) => x.values['hackbench.seconds']), [1.25, 2.5]);
	const { axes } = runs[0].series;
	assert.deepEqual([axes.testcase, axes.tbox_group, axes.kconfig], ['hackbench', 'box', 'lab']);
	assert.equal(runs[0].commit.id, ID);
	for (const [i, type] of ['text/plain', 'application/octet-stream', 'application/x-www-form-urlencoded', 'application/json', 'image/png; x=y'].entries())
		assert.equal((await send('hackbench', hackbench(`3.${i}`), box, { 'content-type': type })).status, 201, type);
	assert.equal((await send('hackbench', gzipSync(hackbench('4.5')), box, { 'content-encoding': 'gzip' })).status, 201);
	const zstd = execFileSync('zstd', ['-c'], { input: hackbench('4.75') });
	assert.equal((await send('hackbench', zstd, box, { 'content-encoding': 'zstd' })).status, 201);
});

test('the same again is a duplicate, a true repeat has a source of its own', async () => {
	const first = await send('hackbench', hackbench('5.5'), box);
	const again = await send('hackbench', hackbench('5.5'), box);
	assert.deepEqual([first.status, again.status], [201, 200]);
	assert.equal(again.json.submissions[0].status, 'duplicate');
	assert.deepEqual(again.json.submissions[0].runs, first.json.submissions[0].runs);
	const repeat = await send('hackbench', hackbench('5.5'), { ...box, source: 'night 2' });
	assert.equal(repeat.status, 201);
	assert.match(repeat.json.submissions[0].key, /^night 2#/);
	assert.equal((await send('hackbench', hackbench('5.5'), { ...box, source: 'night 2' })).status, 200);
});

test('packed bytes that do not say so are told what to say', async () => {
	for (const format of ['hackbench', 'auto']) {
		const r = await send(format, gzipSync(hackbench('4.5')), box);
		assert.equal(r.status, 422);
		assert.match(r.json.detail, /packed: send it with "Content-Encoding: gzip"/);
	}
	assert.match((await send('auto', execFileSync('xz', ['-c'], { input: hackbench('4.5') }), box)).json.detail, /packed by xz/);
});

// The body is kept while it is read twice; runs are never all held at once.
test('a table of 40 MiB is taken whole: figures take no more than their text', async () => {
	const names = Array.from({ length: 400 }, (_, i) => `t.counter_${i}`);
	const row = (r) => names.map((_, i) => 100000 + ((i * 7919 + r * 104729) % 899999)).join(',') + '\n';
	const rows = Math.floor(40 * 1048576 / row(0).length);
	const r = await send('csv', `${names}\n` + Array.from({ length: rows }, (_, i) => row(i)).join(''), { ...box, 'axis.testcase': 't', commit: 'abc40abc40' });
	assert.equal(r.status, 201, r.text.slice(0, 300));
	const runs = r.json.submissions.flatMap((x) => x.runs);
	assert.equal(runs.length, rows);
	assert.equal((await runOf(runs[rows - 1])).values['t.counter_399'], 100000 + ((399 * 7919 + (rows - 1) * 104729) % 899999));
});

test('a rig that changes the form of fio goes on in its series', async () => {
	const series = new Set();
	for (const file of ['fio-mixed-both.json', 'fio-mixed-both.txt', 'fio-mixed-both-terse-3.txt', 'fio-mixed.json', 'fio-mixed-terse-5.txt', 'fio-two-jobs.txt']) {
		const r = await send('fio', read('raw', file), { ...box, 'axis.rig': 'fio' });
		assert.equal(r.status, 201, `${file}: ${r.text}`);
		series.add(r.json.submissions[0].series);
	}
	assert.equal(series.size, 1);
});

test('auto says what it was taken for', async () => {
	const wanted = { hackbench: 'hackbench.txt', fio: 'fio-two-jobs.json', 'perf-stat': 'perf-stat.csv', cyclictest: 'cyclictest.json', iperf3: 'iperf3-tcp.json', time: 'time.txt', schbench: 'schbench.txt' };
	for (const [format, file] of Object.entries(wanted)) {
		const r = await send('auto', read('raw', file), box);
		assert.deepEqual([r.status, r.json.format], [201, format], `${file}: ${r.text}`);
	}
	const r = await send('auto', 'nothing that we know', box);
	assert.equal(r.status, 422);
	assert.match(r.json.errors[0].message, /no format of ours fits.* fio /);
});

test('a mail names its commits and machine itself', async () => {
	const r = await send('auto', read('mails', '04-four-columns.txt'));
	assert.deepEqual([r.status, r.json.format, r.json.submissions.length], [201, 'robot-mail', 4]);
	assert.ok(r.json.submissions.every((x) => x.runs.length === 0));
	const { series } = (await s.json('/series.json?axis.testcase=filebench')).json;
	assert.deepEqual(series.map((x) => x.digest), [r.json.submissions[0].series_digest]);
});

test('percentiles come along', async () => {
	const r = await send('fio', read('raw', 'fio-mail.txt'), { ...box, 'axis.tbox_group': 'box-of-the-mail' });
	assert.equal(r.status, 201);
	const runs = await Promise.all(r.json.submissions.map((x) => runOf(x.runs[0])));
	assert.deepEqual(runs.map((x) => x.distributions['fio.read_clat_us'].percentiles['50.00']), [2376, 2868]);
	assert.deepEqual(runs.map((x) => x.values['fio.read_lat_mean_us']), [2913.65, 3496.57]);
});

test('all that is missing or wrong is said, and nothing is stored', async () => {
	const before = await total();
	const r = await send('hackbench', hackbench('9.5'));
	assert.equal(r.status, 422);
	assert.deepEqual(r.json.errors.map((e) => e.path).sort(), ['commit', 'tbox_group']);
	const half = `${read('raw', 'fio-mail.txt')}\n    clat percentiles (usec):\n     | 1.00th=[ x]\n`;
	assert.equal((await send('fio', half, box)).status, 422);
	assert.equal((await send('fio', hackbench('1'), box)).status, 422);
	assert.equal((await send('lkp-stats', '{"a.b": 1}', box)).status, 422); // no test
	assert.equal((await send('hackbench', hackbench('9.5'), { ...box, commit: '..' })).status, 422);
	const bad = { 'axis.': 'x', 'axis.a': '', 'axis.b': 'x\u0007', tree: '', source: '' };
	for (const [name, value] of Object.entries(bad)) {
		const x = await send('hackbench', hackbench('9.5'), { ...box, [name]: value });
		assert.deepEqual([x.status, x.json.errors[0].path], [422, name]);
	}
	assert.equal((await send('lkp-result', 'x', box)).status, 422);
	assert.equal((await send('hackbench', '', box)).status, 422);
	assert.equal(await total(), before);
});

test('an unknown format is 404 and names those that there are', async () => {
	const r = await send('nonsense', 'x', box);
	assert.equal(r.status, 404);
	assert.match(r.json.detail, /there are: auto native .*fio/);
	assert.equal((await s.get('/api/v1/import/fio')).status, 405);
});

test('who may: a token with the scope, and of the machine', async () => {
	const body = hackbench('6.5');
	assert.equal((await send('hackbench', body, box, { authorization: '' })).status, 401);
	assert.equal((await send('hackbench', body, box, { authorization: `Bearer ${s.token('triage')}` })).status, 403);
	const bound = s.token('upload', '--machine', 'other');
	assert.equal((await send('hackbench', body, box, { authorization: `Bearer ${bound}` })).status, 403);
	assert.equal((await send('hackbench', body, { ...box, 'axis.tbox_group': 'other' }, { authorization: `Bearer ${bound}` })).status, 201);
	const first = await Server.start();
	const token = first.token('upload');
	await first.stop();
	const closed = await Server.start({ folder: first.folder, args: ['--read-only'] });
	assert.equal((await send('hackbench', body, box, { authorization: `Bearer ${token}` }, closed)).status, 403);
	await closed.end();
});

test('native behaves as /api/v1/runs', async () => {
	const d = { key: 'n1', axes: { testcase: 't', tbox_group: 'box' }, commit: { id: ID }, runs: [{ 't.x': 1 }] };
	const json = { 'content-type': 'application/json' };
	const r = await send('native', JSON.stringify(d), {}, json);
	assert.deepEqual([r.status, r.json.format, r.json.submissions[0].key], [201, undefined, 'n1']);
	assert.equal((await send('native', JSON.stringify({ ...d, status: 'failed' }), {}, json)).status, 409);
	assert.equal((await send('native', JSON.stringify(d), {}, { 'content-type': 'text/plain' })).status, 415);
	const lines = await send('native', `${JSON.stringify({ ...d, key: 'n2' })}\n{}\n`, {}, { 'content-type': 'application/x-ndjson' });
	assert.deepEqual(lines.text.trim().split('\n').map((l) => JSON.parse(l).status), ['created', 'refused']);
	const auto = await send('auto', JSON.stringify({ ...d, key: 'n3' }));
	assert.deepEqual([auto.status, auto.json.format, auto.json.submissions[0].key], [201, 'native', 'n3']);
});

test('the command makes the same of a file', async () => {
	const other = await Server.start();
	const files = [['fio', 'fio-two-jobs.json'], ['hackbench', 'hackbench.txt'], ['perf-stat', 'perf-stat.csv'], ['sysbench', 'sysbench-cpu.txt']];
	const names = new Set();
	for (const [format, name] of files) {
		const bytes = read('raw', name);
		const file = path.join(other.folder, name);
		writeFileSync(file, bytes);
		other.run(['import', format, file, '--axis', 'tbox_group=pair', '--commit', ID]);
		const { json, status } = await send(format, bytes, { 'axis.tbox_group': 'pair', commit: ID });
		assert.equal(status, 201, name);
		names.add(json.submissions[0].series_digest);
	}
	for (const digest of names) {
		const both = await Promise.all([s, other].map(async (x) => {
			const { runs } = (await x.json(`/runs.json?series=${digest}`)).json;
			return Promise.all(runs.map(async (k) => {
				const { values, distributions, info, commit } = (await x.json(`/run/${k.id}.json`)).json;
				return { values, distributions, info, commit: commit.id };
			}));
		}));
		assert.ok(both[0].length > 0);
		assert.deepEqual(both[0], both[1]);
	}
	await other.end();
});

test('/formats is the list of the command', async () => {
	const { formats } = (await s.json('/formats.json')).json;
	const listed = s.run(['import', '--list']).trim().split('\n').map((l) => /^(\S+)\s+(.*)$/.exec(l).slice(1, 3));
	assert.deepEqual(formats.map((f) => [f.name, f.summary]), listed.filter(([name]) => name !== 'auto'));
	const page = (await s.get('/formats', { accept: 'text/html' })).text;
	for (const f of formats)
		assert.ok(page.includes(`<code>${f.name}</code>`), f.name);
	assert.match((await s.get('/help/upload', { accept: 'text/html' })).text, /href="\/formats"[^]*href="\/paste"/);
});

test('hostile names stay names', async () => {
	const name = evil.replace('\u2028', '');
	const r = await send('hackbench', hackbench('7.5'), { ...box, [`axis.${name}`]: name, source: name });
	assert.equal(r.status, 201);
	const run = await runOf(r.json.submissions[0].runs[0]);
	assert.equal(run.series.axes[name], name);
	const page = (await s.get(`/run/${run.id}`, { accept: 'text/html' })).text;
	assert.ok(page.includes('&lt;script&gt;') && !page.includes('<script>alert'));
});

test('a body has its limit', async () => {
	const small = await Server.start({ args: ['--max-body', '65536'] });
	assert.equal((await send('hackbench', 'x'.repeat(65537), box, {}, small)).status, 413);
	assert.equal((await send('hackbench', hackbench('1.5').repeat(300), box, {}, small)).status, 201);
	await small.end();
	const r = await send('hackbench', Buffer.alloc(64 << 20, 'x'), box);
	assert.equal(r.status, 422);
	assert.match(r.json.errors[0].message, /no figure of hackbench/);
});

await finish();
await s.end();
