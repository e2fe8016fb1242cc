// SPDX-License-Identifier: GPL-2.0-or-later
// Uploads: what is accepted, what is refused with which words, and that nothing of a refused one stays.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const id = (n) => n.toString(16).padStart(40, '0');
const doc = (more = {}) => ({
	axes: { testcase: 'hackbench', tbox_group: 'box-a', ipc: 'pipe' },
	commit: { id: id(0xabc1), subject: 'first' },
	runs: [{ 'hackbench.throughput': 100.5, 'vmstat.system.cs': 7 }],
	...more,
});
const holdings = async () => {
	const [series, machines, search] = await Promise.all(['/series.json', '/machines.json', '/runs.json'].map((u) => s.get(u)));
	return [series.text, machines.text, search.text].join('\n');
};
const paths = (r) => r.json.errors.map((e) => e.path);

test('an object: 201 with series, digest and run ids', async () => {
	const r = await s.upload(doc({ key: 'k1' }));
	assert.equal(r.status, 201, r.text);
	const [x] = r.json.submissions;
	assert.equal(x.key, 'k1');
	assert.equal(x.status, 'created');
	assert.match(x.series_digest, /^[0-9a-f]{32}$/);
	assert.equal(x.runs.length, 1);
});

test('the same again: 200, duplicate, the same run ids', async () => {
	const first = (await s.upload(doc({ key: 'k1' }))).json.submissions[0];
	const r = await s.upload(doc({ key: 'k1' }));
	assert.equal(r.status, 200);
	assert.deepEqual(r.json.submissions[0], first);
	assert.equal(first.status, 'duplicate');
	const { json } = await s.json('/compare.json?commits=' + id(0xabc1));
	assert.deepEqual(json.tables[0].runs, [1]);
});

test('the same key with other content: 409, and one refuses a whole array', async () => {
	const before = await holdings();
	const r = await s.upload([doc({ key: 'fresh' }), doc({ key: 'k1', runs: [{ 'hackbench.throughput': 1 }] })]);
	assert.equal(r.status, 409, r.text);
	assert.equal(r.json.errors[0].item, 1);
	assert.equal(await holdings(), before);
});

test('without a key the content is the key', async () => {
	const a = await s.upload(doc({ started: '2026-01-01T00:00:00Z' }));
	const b = await s.upload(doc({ started: '2026-01-01T00:00:00Z', commit: { id: id(0xabc1), subject: 'another text' } }));
	const c = await s.upload(doc({ started: '2026-01-01T00:00:01Z' }));
	assert.deepEqual([a.status, b.status, c.status], [201, 200, 201]);
	assert.deepEqual(a.json.submissions[0].runs, b.json.submissions[0].runs);
});

test('matrix: null is a run without the metric, never 0', async () => {
	const r = await s.upload({ ...doc({ key: 'm' }), runs: undefined, commit: { id: id(0xabc2) },
		matrix: { 'hackbench.throughput': [1, 2, 3], 'vmstat.system.cs': [5, null, 7] } });
	assert.equal(r.status, 201, r.text);
	assert.equal(r.json.submissions[0].runs.length, 3);
	const { json } = await s.json(`/compare.json?commits=${id(0xabc2)}&samples=1`);
	const cs = json.tables[0].rows.find((x) => x.metric === 'vmstat.system.cs').cells[0];
	assert.equal(cs.n, 2);
	assert.deepEqual(cs.values, [5, 7]);
});

test('a body of gzip', async () => {
	const r = await s.post('/api/v1/runs', gzipSync(JSON.stringify(doc({ key: 'gz' }))), { 'content-encoding': 'gzip' });
	assert.equal(r.status, 201, r.text);
});

test('NDJSON: each line for itself', async () => {
	const lines = [JSON.stringify(doc({ key: 'n1' })), '{"axes":', JSON.stringify(doc({ key: 'n2', axes: { testcase: 'x' } })),
		JSON.stringify(doc({ key: 'n1' })), JSON.stringify(doc({ key: 'n3' }))];
	const r = await s.post('/api/v1/runs', lines.join('\n'), { 'content-type': 'application/x-ndjson' });
	assert.equal(r.status, 200);
	const out = r.text.trim().split('\n').map((l) => JSON.parse(l));
	assert.deepEqual(out.map((o) => o.status), ['created', 'refused', 'refused', 'duplicate', 'created']);
	assert.deepEqual(out.map((o) => o.line), [1, 2, 3, 4, 5]);
	assert.ok(out[2].errors.some((e) => e.path.includes('tbox_group')));
});

// The kinds of bad upload: each its status, every fault named, nothing left behind.
const bad = [
	['truncated', 400, JSON.stringify(doc()).slice(0, -5), {}, null],
	['deep', 400, '['.repeat(5000) + ']'.repeat(5000), {}, null],
	['a key twice in one object', 400, '{"axes":{"testcase":"a","testcase":"b"}}', {}, null],
	['NaN', 400, JSON.stringify(doc()).replace('100.5', 'NaN'), {}, null],
	['a string for a number', 422, JSON.stringify(doc({ runs: [{ a: 1 }, { 'hackbench.throughput': '5', b: '6' }] })), {},
		['runs[1]["hackbench.throughput"]', 'runs[1]["b"]']],
	['ragged matrix', 422, JSON.stringify({ ...doc(), runs: undefined, matrix: { a: [1, 2, 3], b: [1, 2] } }), {}, ['matrix["b"]']],
	['unknown keys', 422, JSON.stringify({ ...doc(), colour: 'red', commit: { id: id(1), sub: 'x' } }), {}, ['colour', 'commit.sub']],
	['missing axes', 422, JSON.stringify(doc({ axes: { ipc: 'pipe' } })), {}, ['axes.testcase', 'axes.tbox_group']],
	['bad commit', 422, JSON.stringify(doc({ commit: { id: '..//x' } })), {}, ['commit.id']],
	['no content type', 415, JSON.stringify(doc()), { 'content-type': 'text/plain' }, null],
	['too large', 413, `{"key":"${'k'.repeat(5 << 20)}"}`, {}, null],
	['neither object nor array', 422, '5', {}, null],
	['an empty array', 422, '[]', {}, null],
	['runs and summary', 422, JSON.stringify({ ...doc(), summary: { a: { mean: 1 } } }), {}, null],
	['an unknown encoding', 415, 'x', { 'content-encoding': 'br' }, null],
	['no gzip at all', 400, 'not gzip', { 'content-encoding': 'gzip' }, null],
];
for (const [name, status, body, headers, want] of bad) {
	test(`bad upload: ${name}: ${status}`, async () => {
		const before = await holdings();
		const r = await s.post('/api/v1/runs', body, headers);
		assert.equal(r.status, status, r.text);
		assert.match(r.headers.get('content-type'), /^application\/problem\+json/);
		assert.equal(r.json.status, status);
		assert.ok(r.json.detail.length > 10);
		for (const p of want ?? [])
			assert.ok(paths(r).includes(p), `${p} in ${JSON.stringify(r.json.errors)}`);
		if (want)
			assert.equal(r.json.errors.length, want.length, r.text);
		assert.equal(await holdings(), before);
	});
}

test('faults of an array carry the item', async () => {
	const r = await s.upload([doc(), doc({ axes: { testcase: 'a' } }), doc({ started: 'yesterday', status: 'fine' })]);
	assert.equal(r.status, 422);
	assert.deepEqual(r.json.errors.map((e) => [e.item, e.path]).sort(), [[1, 'axes.tbox_group'], [2, 'started'], [2, 'status']]);
});

test('tokens: none, unknown, bound to another machine, revoked', async () => {
	const send = (headers) => s.post('/api/v1/runs', JSON.stringify(doc({ key: 't' })), headers);
	const none = await send({ authorization: '' });
	assert.equal(none.status, 401);
	assert.match(none.headers.get('www-authenticate'), /^Bearer/);
	assert.equal((await send({ authorization: 'Bearer pl_wrong' })).status, 401);
	const bound = s.token('upload', '--machine', 'box-b');
	assert.equal((await send({ authorization: `Bearer ${bound}` })).status, 403);
	const triage = s.token('triage');
	assert.equal((await send({ authorization: `Bearer ${triage}` })).status, 403);
	const extra = s.run(['token', 'create', '--name', 'gone', '--scope', 'upload']).trim();
	assert.equal((await send({ authorization: `Bearer ${extra}` })).status, 201);
	const number = s.run(['token', 'list']).split('\n').find((l) => /\bgone\b/.test(l)).trim().split(/\s+/)[0];
	s.run(['token', 'revoke', number]);
	assert.equal((await send({ authorization: `Bearer ${extra}` })).status, 401);
});

test('a unit that contradicts the series is refused', async () => {
	assert.equal((await s.upload(doc({ key: 'u1', axes: { testcase: 'u', tbox_group: 'b' }, units: { 'hackbench.throughput': 'KB/s' } }))).status, 201);
	const r = await s.upload(doc({ key: 'u2', axes: { testcase: 'u', tbox_group: 'b' }, units: { 'hackbench.throughput': 'MB/s' } }));
	assert.equal(r.status, 422);
	assert.match(JSON.stringify(r.json.errors), /KB\/s/);
});

test('one bad upload among 50 at once fails alone', async () => {
	const send = (i) => s.upload(i === 23 ? doc({ key: `c${i}`, runs: [{ a: 'x' }] })
		: doc({ key: `c${i}`, axes: { testcase: 'burst', tbox_group: `box-${i % 5}` }, runs: [{ 'burst.value': i }] }));
	const answers = await Promise.all([...Array(50).keys()].map(send));
	assert.deepEqual(answers.map((a) => a.status), [...Array(50).keys()].map((i) => (i === 23 ? 422 : 201)));
	const { json } = await s.json('/series.json?axis.testcase=burst');
	assert.equal(json.series.reduce((n, x) => n + x.runs, 0), 49);
});

test('stubs: a full id completes a prefix, the old name still works', async () => {
	const axes = { testcase: 'stub', tbox_group: 'b' };
	const full = 'feedc0de1234567890feedc0de1234567890abcd';
	await s.upload(doc({ key: 's1', axes, commit: { id: 'feedc0de12' } }));
	assert.equal((await s.json('/commit/feedc0de12.json')).json.id, 'feedc0de12');
	await s.upload(doc({ key: 's2', axes, commit: { id: full } }));
	assert.equal((await s.json('/commit/feedc0de12.json')).json.id, full);
	const { json } = await s.json('/compare.json?commits=feedc0de12');
	assert.deepEqual(json.tables.find((t) => t.series.axes.testcase === 'stub').runs, [2]);
	await s.upload(doc({ key: 's3', axes, commit: { id: 'feedc0de12ff' } }));
	const amb = await s.get('/commit/feedc0d', { accept: 'text/html' });
	assert.equal(amb.status, 300);
	assert.match(amb.text, new RegExp(full));
});

test('failed runs are counted and stay out of the cells', async () => {
	const axes = { testcase: 'fails', tbox_group: 'b' };
	await s.upload(doc({ key: 'f1', axes }));
	await s.upload(doc({ key: 'f2', axes, status: 'failed', runs: [{ 'hackbench.throughput': 9999 }] }));
	const { json } = await s.json(`/compare.json?commits=${id(0xabc1)}&axis.testcase=fails`);
	assert.deepEqual(json.tables[0].runs, [1]);
	assert.deepEqual(json.tables[0].failed_runs, [1]);
	assert.equal(json.tables[0].rows.find((r) => r.metric === 'hackbench.throughput').cells[0].mean, 100.5);
});

await finish();
const { code } = await s.end();
if (code !== 0)
	process.exitCode = 1;
