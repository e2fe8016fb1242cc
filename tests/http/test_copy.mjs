// SPDX-License-Identifier: GPL-2.0-or-later
// Export and import are each other's inverse: the sample lab, a part of the invented year and everything an upload
// can say, exported, imported into an empty database, and every JSON page of both held against each other. And a
// backup beside a busy writer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline copy-'));
const copied = path.join(folder, 'plumbline.db');
const lines = path.join(folder, 'copy.ndjson');
const on = (database, ...args) => execFileSync(program, [...args, '--database', database], { encoding: 'utf8', maxBuffer: 1 << 29, stdio: ['ignore', 'pipe', 'pipe'] });
const id = (n) => n.toString(16).padStart(40, '0');

// --- what is in it ---

const axes = { testcase: 'hackbench', tbox_group: 'box-ü' };
const full = id(0xabcdef1) .replace(/^0{3}/, 'fed');
const documents = [
	{ key: 'stub', axes, commit: { id: full.slice(0, 12), subject: 'by its prefix' }, runs: [{ m: -0.0, 'hackbench.throughput': 1e300 }] },
	{ key: 'full', axes, commit: { id: full, tree: 'linus/master', message: 'a text\n\nof lines', author: { name: 'Ä', email: 'a@b', date: '2024-01-01T00:00:00Z' },
		committer: { name: 'C' }, date: '2024-01-02T00:00:00Z', label: 'the <fix>', parents: [id(0x51), id(0x52).slice(0, 20)],
		patch: { message_id: 'x@y', version: 2, index: 1, total: 3, base: 'v6.1', diff: '--- a\n+++ b\n' } }, info: { boot: 'b1', hostname: 'h', n: 7 }, started: '2024-02-01T00:00:00Z',
		runs: [{ 'hackbench.throughput': 3.25, other: 4 }, { 'hackbench.throughput': 3.5 }], units: { 'hackbench.throughput': 'KB/s', nowhere: 'ms' } },
	{ key: 'again', axes, commit: { id: full, tree: 'mm/slab', build: { config: 'x86_64', compiler: 'gcc-12', status: 'ok', warnings: [{ file: 'a.c', line: 3, message: 'unused' }] } },
		info: { boot: 'b1' }, matrix: { 'hackbench.throughput': [1, null, 3], z: [null, 2, 1e-7] } },
	{ key: 'built', axes, commit: { id: full, build: { config: 'arm64', status: 'failed', warnings: [{ message: 'no file' }, { file: 'b.c', line: 1, column: 2, message: 'x' }] } } },
	{ key: 'failed', axes, status: 'failed', commit: { id: full }, runs: [{}, { m: 1 }] },
	{ key: 'incomplete', axes, status: 'incomplete', commit: { id: full }, runs: [{ m: 1 }] },
	{ axes, commit: { id: 'v6.1-rc1', tree: 'linus/master' }, runs: [{ m: 5 }] },
	{ axes, commit: { id: 'v6.1-rc1' }, runs: [{ m: 6 }] },
	{ key: 'sum', axes, commit: { id: id(0x51) }, report: { message_id: 'r@x', subject: 'a report', url: 'https://x/', date: '2024-03-01T00:00:00Z' },
		headline: { metric: 'm', base: full, change_pct: -12.5, verdict: 'regression' },
		summary: { m: { mean: -0.0, stddev_pct: 3 }, f: { fails: 1, runs: 6 }, p: { mean: 2, n: 4, min: 1, max: 3, stddev: 0.5, printed: { base: full.slice(0, 10), change_pct: -0.5 } } } },
	{ key: 'claim', axes, commit: { id: id(0x99) }, headline: { metric: 'm' } },
	{ key: 'wrong', axes, commit: { id: id(0x60) }, status: 'failed', info: { k: 'v' }, runs: [{}, { m: 2 }] },
	{ key: 'wrong2', axes, commit: { id: id(0x60) }, runs: [{ m: 3 }], replaces: 'wrong' },
	{ key: 'right', axes, commit: { id: id(0x60) }, runs: [{ m: 4 }], replaces: 'wrong2' },
	{ key: 'wrongsum', axes, commit: { id: id(0x61) }, summary: { m: { mean: 1 } } },
	{ key: 'rightsum', axes, commit: { id: id(0x62) }, summary: { m: { mean: 2 } }, replaces: 'wrongsum' },
	{ key: 'lat', axes: { ...axes, testcase: 'fio' }, commit: { id: id(0x63) }, runs: [{ 'fio.iops': 3 }],
		distributions: { clat: { unit: 'ns', n: 5, percentiles: { '50.00': 1, 99.9: 7.5 }, buckets: [[1, 2], [8, 3]] } } },
	{ key: 'lat2', axes: { ...axes, testcase: 'fio' }, commit: { id: id(0x63) }, distributions: { clat: { mean: 1.5, stddev: 0, min: -0.0, max: 3 } } },
	{ key: 'wide', axes: { ...axes, testcase: 'wide' }, commit: { id: id(0x64) }, matrix: Object.fromEntries(Array.from({ length: 40 },
		(_, m) => [`${'metric-with-a-long-name/'.repeat(6)}${m}`, Array.from({ length: 3000 }, (_, r) => (m * r) % 977)])) },
];

const upload = async (text) => {
	const r = await s.post('/api/v1/runs', text, { 'content-type': 'application/x-ndjson' });
	assert.equal(r.status, 200, r.text);
	for (const l of r.text.trim().split('\n').map((x) => JSON.parse(x))) assert.notEqual(l.status, 'refused', JSON.stringify(l));
	return r;
};

test('the lab is loaded', async () => {
	for (const f of readdirSync('deploy/sample').filter((x) => x.endsWith('.ndjson'))) await upload(readFileSync(path.join('deploy/sample', f), 'utf8'));
	const r = await upload(documents.map((d) => JSON.stringify(d)).join('\n'));
	const run = JSON.parse(r.text.split('\n')[1]).runs[1];
	for (const [name, body] of [['dmesg', 'text '.repeat(1000)], ['blob "<', Buffer.from([0, 1, 255])], ['same', 'text '.repeat(1000)], ['none', '']]) {
		const x = await fetch(`${s.url}/api/v1/run/${run}/artifacts/${encodeURIComponent(name)}`, { method: 'PUT', body, headers: { authorization: `Bearer ${s.uploadToken()}` } });
		assert.equal(x.status, 201);
	}
	const admin = s.token('triage,admin');
	const tell = async (method, url, body) => {
		const x = await fetch(s.url + url, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` } });
		assert.ok(x.ok, await x.text());
	};
	await tell('PUT', `/api/v1/machine/${encodeURIComponent('box-ü')}`, { description: 'two <sockets>', state: 'quarantined', expect_every: 3600 });
	await tell('PUT', '/api/v1/machine/never-seen', { state: 'retired' });
	await tell('POST', '/api/v1/events', { machine: 'box-ü', at: '2024-02-01T00:00:00Z', key: 'memory', old: '64G', new: '128G', note: 'by hand' });
	const year = execFileSync(path.join(path.dirname(program), 'invent'), ['--year'], { maxBuffer: 1 << 28 });
	await upload(year.subarray(0, year.indexOf('\n', 1 << 21)));
	s.run(['import', 'native', '-'], { input: JSON.stringify({ key: 'by hand', axes, commit: { id: full }, runs: [{ m: 1 }] }) });
});

// --- export and import ---

test('it is exported and imported into an empty database', () => {
	writeFileSync(lines, s.run(['export']));
	assert.match(on(copied, 'import', 'native', lines), /, 0 duplicate, 0 refused/);
	on(copied, 'check');
});

test('the copy exports the same lines', () => {
	assert.ok(on(copied, 'export') === readFileSync(lines, 'utf8'), 'the lines differ');
});

test('imported again, everything is a duplicate', () => {
	assert.match(on(copied, 'import', 'native', lines), /^0 created, \d+ duplicate, 0 refused/);
	assert.ok(on(copied, 'export') === readFileSync(lines, 'utf8'));
});

let copy;

// Both servers' answers, which must be the same; the first's is returned.
let compared = 0, answered = 0;
async function same(url) {
	const [a, b] = await Promise.all([s.get(url), copy.get(url)]);
	compared++;
	answered += a.status === 200;
	for (const r of [a, b]) r.text = r.text.replace(/"request":"[^"]*"/, '"request":""'); // of an error
	if (a.text !== b.text) assert.deepEqual(JSON.parse(b.text), JSON.parse(a.text), url);
	assert.equal(b.status, a.status, url);
	return JSON.parse(a.text);
}

// All entries of a paged list.
async function all(url, name) {
	const list = [];
	for (let cursor = ''; cursor !== null;) {
		const page = await same(`${url}${url.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`);
		list.push(...page[name]);
		cursor = page.next ?? null;
	}
	return list;
}

async function each(list, f) {
	const rest = [...list];
	await Promise.all([0, 1, 2, 3].map(async () => {
		while (rest.length) await f(rest.pop());
	}));
}

test('every JSON page of the copy is equal', async () => {
	copy = await Server.start({ folder });
	const runs = await all('/runs.json', 'runs');
	const series = await all('/series.json', 'series');
	assert.ok(runs.length > 200 && series.length > 20);
	await each(runs, (r) => same(`/run/${r.id}.json`));
	await each(series, async (x) => {
		const one = await same(`/series/${x.digest}.json`);
		const metrics = (one.metrics ?? []).map((m) => m.metric ?? m.name ?? m);
		const primary = metrics.slice(0, 12);
		for (const m of primary) await same(`/history.json?series=${x.digest}&metric=${encodeURIComponent(m)}`);
	});
	const commits = [...new Set(runs.map((r) => r.commit.id))];
	const named = [...new Set([...commits, id(0x51), id(0x52).slice(0, 20), id(0x99), full.slice(0, 12)])];
	await each(named, (c) => same(`/commit.json?rev=${encodeURIComponent(c)}`));
	const sample = [...commits.slice(-40), ...commits.slice(0, 12)];
	const pairs = sample.flatMap((a) => sample.filter((b) => a !== b).map((b) => [a, b]));
	await each(pairs, ([a, b]) => same(`/compare.json?samples=1&commits=${encodeURIComponent(a)},${encodeURIComponent(b)}`));
	for (const u of ['/.json', '/', '/findings.json', '/events.json', '/testcases.json', '/search.json?q=slub', '/search.json?q=a0fd', '/runs.json?token=test-upload'])
		if (u !== '/' && u !== '/.json') await same(u);
	await same('/?format=json');
	await each(await all('/machines.json', 'machines'), (m) => same(`/machine.json?name=${encodeURIComponent(m.name)}`));
	const { testcases } = await same('/testcases.json');
	await each(testcases, (t) => same(`/testcase.json?name=${encodeURIComponent(t.name)}`));
	const metrics = new Set(documents.flatMap((d) => Object.keys(d.runs?.[0] ?? d.summary ?? d.distributions ?? {})));
	await each(metrics, (m) => same(`/metric.json?name=${encodeURIComponent(m)}`));
	assert.ok(answered > 0.9 * compared);
	console.log(`# ${compared} pages are equal: ${runs.length} runs, ${series.length} series, ${commits.length} commits, ${pairs.length} pairs`);
});

test('the files of runs are the same bytes', async () => {
	const runs = await all('/runs.json', 'runs');
	let files = 0;
	for (const r of runs) {
		for (const f of (await same(`/run/${r.id}.json`)).artifacts) {
			const [a, b] = await Promise.all([s.get(f.url), copy.get(f.url)]);
			assert.ok(a.status === 200 && b.status === 200 && a.text === b.text, f.name);
			files++;
		}
	}
	assert.equal(files, 4);
});

test('an upload of the first lab is a duplicate in the copy, or refused as it would be there', async () => {
	const token = copy.uploadToken();
	assert.match(token, /./);
	for (const d of documents) {
		const r = await copy.upload(d);
		assert.equal(r.status, 200, `${d.key}: ${r.text}`);
		assert.equal(r.json.submissions[0].status, 'duplicate');
	}
	const other = await copy.upload({ ...documents[0], runs: [{ m: 1 }] });
	assert.equal(other.status, 409);
});

test('one series alone', async () => {
	const { series } = (await s.json('/series.json?axis.testcase=fio&axis.tbox_group=' + encodeURIComponent('box-ü'))).json;
	const database = path.join(folder, 'one.db');
	const text = s.run(['export', '--series', series[0].digest]);
	assert.deepEqual(text.trim().split('\n').map((l) => JSON.parse(l).key), ['lat', 'lat2']);
	writeFileSync(path.join(folder, 'one.ndjson'), text);
	assert.match(on(database, 'import', 'native', path.join(folder, 'one.ndjson')), /^2 created/);
	on(database, 'check');
	assert.throws(() => s.run(['export', '--series', 'ffffffffffff']));
	assert.throws(() => on(path.join(folder, 'absent.db'), 'export'));
	assert.ok(!existsSync(path.join(folder, 'absent.db')));
});

test('memory of an export does not grow with the store', () => {
	const report = path.join(folder, 'rss');
	execFileSync('sh', ['-c', 'exec "$0" export --database "$1" > /dev/null & p=$!; m=0; while r=$(sed -n "s/^RssAnon:[^0-9]*\\([0-9]*\\).*/\\1/p" /proc/$p/status 2>/dev/null) && [ -n "$r" ]; do [ "$r" -gt $m ] && m=$r; done; wait $p && echo $m > "$2"',
		program, s.database, report], { stdio: 'pipe' });
	const kib = Number(readFileSync(report, 'utf8'));
	assert.ok(kib < 64 * 1024, `${kib} KiB`);
});

test('what a correction made invalid stays so', async () => {
	const { runs } = (await s.json('/runs.json?limit=3')).json;
	const x = await fetch(`${s.url}/api/v1/corrections`, { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${s.token('admin')}` },
		body: JSON.stringify({ select: { run: runs[0].id }, set: { status: 'invalid' }, reason: 'a test' }) });
	assert.ok(x.ok, await x.text());
	const database = path.join(folder, 'corrected.db');
	const text = s.run(['export']);
	writeFileSync(path.join(folder, 'corrected.ndjson'), text);
	assert.match(on(database, 'import', 'native', path.join(folder, 'corrected.ndjson')), / 0 refused/);
	on(database, 'check');
	assert.ok(text === on(database, 'export'));
	assert.ok(text.includes('"statuses":["invalid"]'));
});

// --- backup ---

test('a backup beside a busy writer is whole, again and again', async () => {
	let stop = false, stored = 0;
	const acknowledged = [];
	const writer = async (w) => {
		for (let i = 0; !stop; i++) {
			const r = await s.upload({ key: `b${w}-${i}`, axes: { ...axes, testcase: `busy${w}` }, commit: { id: id(0x7000 + i) }, runs: [{ m: i, n: w }] });
			assert.equal(r.status, 201, r.text);
			acknowledged.push(r.json.submissions[0].runs[0]);
			stored++;
		}
	};
	const writers = [0, 1, 2].map(writer);
	const counts = [];
	for (let k = 0; k < 4; k++) {
		const file = path.join(folder, `backup${k}.db`);
		const before = [...acknowledged];
		const done = new Promise((resolve, reject) => import('node:child_process').then(({ execFile }) =>
			execFile(program, ['backup', file, '--database', s.database], (e, out) => (e ? reject(e) : resolve(out)))));
		assert.match(await done, /bytes/);
		assert.ok(!existsSync(`${file}.part`));
		assert.equal(statSync(file).mode & 0o077, 0, 'for its owner alone');
		assert.match(on(file, 'check'), /no complaints/);
		const kept = on(file, 'export').trim().split('\n').map((l) => JSON.parse(l)).filter((l) => l.key?.startsWith('b0-') || l.key?.startsWith('b1-') || l.key?.startsWith('b2-'));
		assert.ok(kept.length >= before.length, 'what was acknowledged before is in it');
		counts.push(kept.length);
	}
	stop = true;
	await Promise.all(writers);
	console.log(`# ${stored} uploads stored meanwhile; in the backups: ${counts.join(', ')}`);
	assert.ok(counts[3] > counts[0], 'the writers went on');
});

test('a backup replaces no file', () => {
	const file = path.join(folder, 'precious');
	writeFileSync(file, 'do not touch');
	assert.throws(() => s.run(['backup', file]), (e) => e.status === 1 && /there already/.test(e.stderr));
	assert.equal(readFileSync(file, 'utf8'), 'do not touch');
	assert.throws(() => s.run(['backup', path.join(folder, 'no', 'such', 'folder')]), (e) => e.status === 1);
	assert.throws(() => s.run(['backup']), (e) => e.status === 2);
	assert.throws(() => on(path.join(folder, 'absent.db'), 'backup', path.join(folder, 'x')), (e) => e.status === 1);
	assert.ok(!existsSync(path.join(folder, 'x')));
});

await finish();
await copy?.end();
await s.end();
rmSync(folder, { recursive: true, force: true });
