// SPDX-License-Identifier: GPL-2.0-or-later
// The rest of an upload: bodies of zstd, distributions, and what replaces an earlier upload.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const MIB = 1 << 20;
const s = await Server.start();
const id = (n) => n.toString(16).padStart(40, '0');
const axes = { testcase: 'fio', tbox_group: 'box-z' };
let commits = 0x100;
const doc = (more = {}) => ({ axes, commit: { id: id(0xf1) }, runs: [{ 'fio.iops': 10 }], ...more });
const zstd = (bytes, ...args) => execFileSync('zstd', ['-q', '-c', ...args], { input: bytes, maxBuffer: 1 << 28 });
const post = (bytes, type = 'application/json') => s.post('/api/v1/runs', bytes, { 'content-encoding': 'zstd', 'content-type': type });
const run = async (n) => (await s.json(`/run/${n}.json`)).json;
const paths = (r) => r.json.errors.map((e) => e.path);
const check = () => s.run(['check']);

// --- zstd ---

test('zstd bodies: whole, in frames, lines, without a size, and with a large window', async () => {
	const text = (key) => JSON.stringify(doc({ key }));
	assert.equal((await post(zstd(text('z1')))).status, 201);
	const parts = text('z2');
	const frames = Buffer.concat([zstd(parts.slice(0, 20)), zstd(''), zstd(parts.slice(20), '-19')]);
	assert.equal((await post(frames)).status, 201);
	const lines = await post(zstd(`${text('z3')}\n${text('z4')}\n`), 'application/x-ndjson');
	assert.equal(lines.status, 200);
	assert.deepEqual(lines.text.trim().split('\n').map((l) => JSON.parse(l).status), ['created', 'created']);
	assert.equal((await post(zstd(text('z5'), '--no-check', '-19'))).status, 201);
	assert.equal((await post(zstd(`${' '.repeat(9 * MIB)}${text('z6')}`, '--long=27'))).status, 400, 'looks back further than RFC 9659 allows');
});

test('zstd bodies that are not whole: 400', async () => {
	const text = JSON.stringify(doc({ key: 'bad' }));
	const whole = zstd(text);
	const spoilt = Buffer.from(whole);
	spoilt[spoilt.length - 1] ^= 1; // the checksum
	for (const bad of [whole.subarray(0, -1), whole.subarray(0, 6), Buffer.concat([whole, Buffer.from('x')]), Buffer.alloc(0), Buffer.from(text), spoilt]) {
		const r = await post(bad);
		assert.equal(r.status, 400, r.text);
		assert.match(r.json.detail, /zstd/);
	}
	assert.equal((await s.json('/runs.json?limit=1000')).json.runs.filter((r) => r.key === 'bad').length, 0);
});

test('a bomb of zstd: 413, and 64 MiB exactly may be unpacked', async () => {
	assert.equal((await post(zstd(Buffer.alloc(65 * MIB, 0x20)))).status, 413);
	assert.equal((await post(zstd(Buffer.alloc(64 * MIB, 0x20)))).status, 400, 'it is no JSON');
	const other = await s.post('/api/v1/runs', 'x', { 'content-encoding': 'br' });
	assert.equal(other.status, 415);
	assert.equal(other.headers.get('accept-encoding'), 'gzip, zstd');
});

// --- replaces ---

const compared = async (a) => (await s.json(`/compare.json?commits=${a}&samples=1`)).json;
const iops = async (commit) => (await compared(commit)).tables[0].rows.find((r) => r.metric === 'fio.iops')?.cells[0]?.values;
const statuses = async (runs) => Promise.all(runs.map(async (n) => (await run(n)).status));

test('what replaces an upload counts in its place; the old one stays and says so', async () => {
	const commit = { id: id(++commits) };
	const old = (await s.upload(doc({ commit, key: 'r1', runs: [{ 'fio.iops': 1 }, { 'fio.iops': 2 }] }))).json.submissions[0];
	assert.deepEqual(await iops(commit.id), [1, 2]);
	const fresh = await s.upload(doc({ commit, key: 'r2', replaces: 'r1', runs: [{ 'fio.iops': 7 }] }));
	assert.equal(fresh.status, 201, fresh.text);
	const [by] = fresh.json.submissions;
	assert.deepEqual(await iops(commit.id), [7]);
	assert.deepEqual((await compared(commit.id)).tables[0].runs, [1]);
	assert.deepEqual(await statuses(old.runs), ['replaced', 'replaced']);
	const shown = await run(old.runs[0]);
	assert.deepEqual(shown.replaced_by, { key: 'r2', runs: by.runs });
	assert.deepEqual(shown.values, { 'fio.iops': 1 }, 'nothing of it is lost');
	assert.equal((await run(by.runs[0])).replaced_by, null);
	const list = (await s.json(`/runs.json?commit=${commit.id}`)).json.runs;
	assert.deepEqual(list.map((r) => r.status), ['ok', 'replaced', 'replaced']);
	const page = await s.get(`/run/${old.runs[0]}`, { accept: 'text/html' });
	assert.match(page.text, /Replaced by/);
	assert.match(page.text, new RegExp(`href="/run/${by.runs[0]}"`));
	const { json } = await s.json(`/history.json?series=${by.series_digest}&metric=fio.iops`);
	assert.deepEqual(json.points.find((p) => p.commit.id === commit.id).values, [7]);
	check();
});

test('the same replacement again is a duplicate; the same key with another is not', async () => {
	const commit = { id: id(++commits) };
	await s.upload(doc({ commit, key: 'd1' }));
	await s.upload(doc({ commit, key: 'd0' }));
	const body = doc({ commit, key: 'd2', replaces: 'd1', runs: [{ 'fio.iops': 3 }] });
	const first = await s.upload(body), again = await s.upload(body);
	assert.deepEqual([first.status, again.status], [201, 200]);
	assert.deepEqual(again.json.submissions[0].runs, first.json.submissions[0].runs);
	assert.equal((await s.upload({ ...body, replaces: 'd0' })).status, 409, 'what it replaces is part of its content');
	assert.equal((await s.upload({ ...body, replaces: undefined })).status, 409);
});

test('an unknown key: 422 that names it; a key of another series is unknown', async () => {
	const before = await s.get('/runs.json?limit=1000');
	const r = await s.upload(doc({ key: 'u1', replaces: 'never-was' }));
	assert.equal(r.status, 422);
	assert.deepEqual(paths(r), ['replaces']);
	assert.match(r.json.errors[0].message, /never-was/);
	assert.equal((await s.upload(doc({ key: 'u1', replaces: 'r1', axes: { ...axes, mode: 'x' } }))).status, 422);
	assert.equal((await s.upload(doc({ key: 'u1', replaces: 'u1' }))).status, 422, 'itself');
	assert.equal((await s.upload(doc({ key: 'u1', replaces: 7 }))).status, 422);
	assert.equal((await s.get('/runs.json?limit=1000')).text, before.text);
});

test('what was replaced already: 409 that names the later one; the last of a chain can be', async () => {
	const commit = { id: id(++commits) };
	await s.upload(doc({ commit, key: 'c1' }));
	await s.upload(doc({ commit, key: 'c2', replaces: 'c1', runs: [{ 'fio.iops': 2 }] }));
	const r = await s.upload(doc({ commit, key: 'c3', replaces: 'c1', runs: [{ 'fio.iops': 3 }] }));
	assert.equal(r.status, 409);
	assert.match(r.json.detail, /c2/);
	assert.equal((await s.upload(doc({ commit, key: 'c3', replaces: 'c2', runs: [{ 'fio.iops': 3 }] }))).status, 201);
	assert.deepEqual(await iops(commit.id), [3]);
	check();
});

test('in one array the order counts, and one fault refuses all', async () => {
	const commit = { id: id(++commits) };
	const chain = [doc({ commit, key: 'a1', runs: [{ 'fio.iops': 1 }] }), doc({ commit, key: 'a2', replaces: 'a1', runs: [{ 'fio.iops': 2 }] }),
		doc({ commit, key: 'a3', replaces: 'a2', runs: [{ 'fio.iops': 3 }] })];
	const back = await s.upload([...chain].reverse());
	assert.equal(back.status, 422);
	assert.deepEqual(back.json.errors.map((e) => [e.item, e.path]), [[0, 'replaces'], [1, 'replaces']]);
	const twice = await s.upload([chain[0], chain[1], { ...chain[2], replaces: 'a1' }]);
	assert.equal(twice.status, 409);
	assert.equal(twice.json.errors[0].item, 2);
	const all = await s.upload(chain);
	assert.equal(all.status, 201, all.text);
	assert.deepEqual(await iops(commit.id), [3]);
	assert.equal((await s.upload(chain)).status, 200);
	check();
});

test('in lines each finds what came before it', async () => {
	const commit = { id: id(++commits) };
	const lines = [doc({ commit, key: 'l1' }), doc({ commit, key: 'l2', replaces: 'l1', runs: [{ 'fio.iops': 5 }] }),
		doc({ commit, key: 'l3', replaces: 'l1', runs: [{ 'fio.iops': 6 }] }), doc({ commit, key: 'l2', replaces: 'l1', runs: [{ 'fio.iops': 5 }] })];
	const r = await s.post('/api/v1/runs', lines.map((l) => JSON.stringify(l)).join('\n'), { 'content-type': 'application/x-ndjson' });
	assert.deepEqual(r.text.trim().split('\n').map((l) => JSON.parse(l).status), ['created', 'created', 'refused', 'duplicate']);
	assert.deepEqual(await iops(commit.id), [5]);
});

test('a summary by runs on another commit, failed runs by a summary', async () => {
	const a = { id: id(++commits) }, b = { id: id(++commits) }, ax = { ...axes, mode: 'sum' };
	await s.upload({ axes: ax, commit: a, key: 's1', summary: { 'fio.iops': { mean: 4 } } });
	await s.upload({ axes: ax, commit: b, key: 's2', replaces: 's1', status: 'failed', runs: [{}] });
	let seen = (await compared(b.id)).tables.find((t) => t.series.axes.mode === 'sum');
	assert.deepEqual(seen.failed_runs, [1]);
	assert.equal((await s.upload({ axes: ax, commit: b, key: 's3', replaces: 's2', summary: { 'fio.iops': { mean: 9 } } })).status, 201);
	seen = (await compared(b.id)).tables.find((t) => t.series.axes.mode === 'sum');
	assert.deepEqual(seen.failed_runs, [0]);
	assert.equal(seen.rows[0].cells[0].mean, 9);
	const gone = (await compared(a.id)).tables.flatMap((t) => t.rows);
	assert.deepEqual(gone.filter((r) => r.cells[0]), [], 'the old commit has no values any more');
	assert.equal((await s.get(`/commit/${a.id}`, { accept: 'text/html' })).status, 200);
	check();
});

// --- distributions ---

const lat = { unit: 'ns', n: 1000, min: 10, max: 9000, mean: 512.5, stddev: 70.25,
	percentiles: { '99.99': 8800, '50.00': 500, 1: 20, '99.00': 8291 }, buckets: [[100, 7], [1000, 980], [10000, 13]] };

test('a distribution beside the samples of one run: JSON as it was sent, HTML in readable units', async () => {
	const r = await s.upload(doc({ key: 'p1', distributions: { 'fio.read.clat': lat } }));
	assert.equal(r.status, 201, r.text);
	const shown = await run(r.json.submissions[0].runs[0]);
	assert.deepEqual(shown.distributions, { 'fio.read.clat': { ...lat, percentiles: { 1: 20, '50.00': 500, '99.00': 8291, '99.99': 8800 } } });
	assert.deepEqual(Object.keys(shown.distributions['fio.read.clat'].percentiles), ['1', '50.00', '99.00', '99.99']);
	assert.deepEqual(shown.values, { 'fio.iops': 10 });
	const page = (await s.get(`/run/${r.json.submissions[0].runs[0]}`, { accept: 'text/html' })).text;
	assert.match(page, /99\.00 % are below<td class="num">8\.29 µs/);
	assert.match(page, /3 buckets/);
	assert.equal((await s.upload(doc({ key: 'p1', distributions: { 'fio.read.clat': lat } }))).status, 200);
	const other = structuredClone(lat);
	other.percentiles['99.00'] = 8292;
	assert.equal((await s.upload(doc({ key: 'p1', distributions: { 'fio.read.clat': other } }))).status, 409, 'part of the content');
	assert.equal((await s.upload(doc({ key: 'p1' }))).status, 409);
});

test('alone, a run without samples is made for it; what is not told is null', async () => {
	const { runs, ...rest } = doc({ key: 'p2', commit: { id: id(++commits) }, distributions: { 'fio.read.clat': { percentiles: { 99.5: -0.5 } }, b: { buckets: [] , mean: 1 } } });
	const r = await s.upload(rest);
	assert.equal(r.status, 201, r.text);
	const shown = await run(r.json.submissions[0].runs[0]);
	assert.deepEqual(shown.values, {});
	assert.equal(shown.status, 'ok');
	assert.deepEqual(shown.distributions.b, { unit: null, n: null, min: null, max: null, mean: 1, stddev: null, percentiles: {}, buckets: [] });
	assert.deepEqual(shown.distributions['fio.read.clat'].percentiles, { 99.5: -0.5 });
	assert.equal(shown.distributions['fio.read.clat'].unit, 'ns', 'the series has it');
	check();
});

test('every fault of distributions is listed', async () => {
	const bad = { 'a/b': { unit: '', n: 1.5, min: 2, max: 1, stddev: -1, percentiles: { 101: 1, '-1': 1, '1e1': 1, '': 1, '99.0': 1, '99.00': 2, 5: 'x' },
		buckets: [[1, 1], [1, 1], [2, -1], [3], 'x', [4, 0.5]], what: 1 }, empty: {}, none: { unit: 'ns' }, wrong: 7 };
	const r = await s.upload(doc({ key: 'p3', distributions: bad }));
	assert.equal(r.status, 422);
	const at = (p) => `distributions["a/b"].${p}`;
	assert.deepEqual(paths(r).sort(), [at('what'), at('unit'), at('n'), at('min'), at('stddev'), at('percentiles["101"]'), at('percentiles["-1"]'),
		at('percentiles["1e1"]'), at('percentiles[""]'), at('percentiles["99.00"]'), at('percentiles["5"]'), at('buckets[1]'), at('buckets[2][1]'),
		at('buckets[3]'), at('buckets[4]'), at('buckets[5][1]'), 'distributions["empty"]', 'distributions["none"]', 'distributions["wrong"]'].sort());
	for (const [more, path] of [[{ runs: [{ m: 1 }, { m: 2 }] }, 'distributions'], [{ runs: undefined, summary: { m: { mean: 1 } } }, 'distributions'],
		[{ runs: undefined, matrix: { m: [1, 2] } }, 'distributions']]) {
		const x = await s.upload(doc({ key: 'p4', distributions: { d: { mean: 1 } }, ...more }));
		assert.equal(x.status, 422);
		assert.deepEqual(paths(x), [path]);
	}
	for (const d of [{}, [], null]) assert.equal((await s.upload(doc({ key: 'p4', distributions: d }))).status, 422);
});

test('a unit that contradicts the series, or the document itself', async () => {
	const r = await s.upload(doc({ key: 'p5', distributions: { 'fio.read.clat': { unit: 'us', mean: 1 } } }));
	assert.equal(r.status, 422);
	assert.match(r.json.errors[0].message, /"ns"/);
	const x = await s.upload(doc({ key: 'p5', distributions: { d2: { unit: 'us', mean: 1 } }, units: { d2: 'ms' } }));
	assert.deepEqual(paths(x), ['distributions["d2"].unit']);
});

test('a server takes no history from an uploader', async () => {
	for (const more of [{ stored: { received: '2020-01-01T00:00:00Z', content: '0'.repeat(32) } }, { stored: null }]) {
		const r = await s.upload(doc({ key: 'h1', ...more }));
		assert.equal(r.status, 422);
		assert.deepEqual(paths(r), ['stored']);
	}
	const line = JSON.stringify({ artifact: { series: '0'.repeat(32), key: 'k', position: 0, name: 'n', received: '2020-01-01T00:00:00Z', digest: '0'.repeat(64), size: 0 } });
	const r = await s.post('/api/v1/runs', line, { 'content-type': 'application/x-ndjson' });
	assert.equal(JSON.parse(r.text).status, 'refused');
	assert.equal((await s.post('/api/v1/runs', line)).status, 422);
});

await finish();
await s.end();
