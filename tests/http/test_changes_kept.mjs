// SPDX-License-Identifier: GPL-2.0-or-later
// Full passes over long lines are kept between pages: after every write a warm server must say what one says that has
// just been started on the same data, and what is so by hand.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const admin = s.token('admin');
const id = (n) => (0xc0de00 + n).toString(16).padStart(40, '0');
const METRIC = 'work.throughput', METRICS = [METRIC, 'vmstat.system.cs', 'proc-vmstat.nr_dirty', 'mpstat.cpu.all.usr%', 'sched.balance'];
// Three runs a commit with a little noise that repeats nowhere; levels: +10 % from 41 on; counts with zeros; all signs.
const noise = (n, run, metric) => ((n * 7919 + run * 104729 + metric * 1299709) % 1009) / 1009 - .5;
const runs = (n, more = 0) => [0, 1, 2].map((r) => ({
	[METRICS[0]]: (n > 40 ? 1100 : 1000) * (1 + more) + 8 * noise(n, r, 0),
	[METRICS[1]]: 5000 + 90 * noise(n, r, 1),
	[METRICS[2]]: Math.round(4 + 3 * noise(n, r, 2)) % 5,
	[METRICS[3]]: 12 + noise(n, r, 3),
	[METRICS[4]]: 3 * noise(n, r, 4),
}));

async function put(n, more = {}) {
	const r = await s.upload({ axes: { testcase: 'work', tbox_group: 'box-a' }, key: `${n}`, runs: runs(n), ...more,
		commit: { id: id(n), parents: n > 1 ? [id(more.parent ?? n - 1)] : [], date: new Date(Date.UTC(2026, 0, 1 + (more.day ?? n))).toISOString().slice(0, 19) + 'Z' }, parent: undefined, day: undefined });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions[0];
}
async function send(method, url, body) {
	const r = await fetch(s.url + url, { method, body: body && JSON.stringify(body), headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` } });
	const json = await r.json();
	assert.ok(r.status < 300, JSON.stringify(json));
	return json;
}
const correct = (n, set) => send('POST', '/api/v1/corrections', { select: { machine: 'box-a', commit: id(n) }, set, reason: 'for a test' });

const addresses = ['/series/1.json?changes=all', '/series/1.json', ...METRICS.map((m) => `/history.json?series=1&metric=${encodeURIComponent(m)}`)];
const documents = async (server) => Promise.all(addresses.map(async (a) => (await server.json(a)).json));

async function fresh() {
	const folder = mkdtempSync(path.join(tmpdir(), 'plumbline test-'));
	s.run(['backup', path.join(folder, 'plumbline.db')]);
	const server = await Server.start({ folder });
	const all = await documents(server);
	await server.end();
	rmSync(folder, { recursive: true, force: true });
	return all;
}

async function agree() {
	const warm = await documents(s);
	assert.deepEqual(warm, await fresh());
	return warm;
}
// The steps of the throughput: [commit, verdict, percent in whole numbers].
async function is(...steps) {
	const warm = await agree();
	const list = warm[0].changes.list.filter((c) => c.metric === METRIC && c.kind === 'step');
	assert.deepEqual(list.map((c) => [c.to.id, c.verdict, Math.round(c.change_pct)]).reverse(), steps);
	assert.deepEqual(warm[2].change_points.map((c) => [c.commit.id, c.verdict]), steps.map((x) => x.slice(0, 2)));
}
const up = [id(41), 'improvement', 10], last = [id(67), 'regression', -20];

for (let n = 1; n <= 66; n++) await put(n);

test('a line of 66 commits, where a full pass is due, looked at twice', async () => {
	await is(up);
	await is(up);
});

test('a commit more, and what it brings', async () => {
	for (const n of [67, 68]) {
		await put(n, { runs: runs(n, -.2) });
		await agree(); // two commits are no level yet, and what an end like that is, is not for this test
	}
	await put(69, { runs: runs(69, -.2) }); // the third of its level
	await is(up, last);
});

test('more runs on an old commit, and on the newest', async () => {
	await put(30, { key: 'again 30', runs: [...runs(29), ...runs(28), ...runs(27)] });
	await is(up, last);
	await put(69, { key: 'again 69', runs: [...runs(65), ...runs(64), ...runs(63), ...runs(62)] });
	await agree();
});

test('a submission replaced', async () => {
	await put(69, { key: 'last', replaces: 'again 69', runs: runs(69, -.2) });
	await is(up, last);
	await put(41, { key: 'again 41', replaces: '41', runs: runs(40) });
	await is([id(42), 'improvement', 10], last);
});

test('runs deleted, invalid, moved, and brought back', async () => {
	const { id: gone } = await correct(41, { delete: true });
	await is([id(42), 'improvement', 10], last);
	const { id: invalid } = await correct(42, { status: 'invalid' });
	await is([id(43), 'improvement', 10], last);
	const { id: moved } = await correct(5, { commit: id(6) });
	await is([id(43), 'improvement', 10], last);
	for (const n of [moved, invalid, gone]) await send('POST', `/api/v1/correction/${n}/undo`);
	await is([id(42), 'improvement', 10], last);
});

test('a commit between two others', async () => {
	await put(100, { parent: 20, day: 20.5, runs: runs(20) });
	await is([id(42), 'improvement', 10], last);
});

test('an override of threshold, direction and kind', async () => {
	const override = (more) => send('PUT', `/api/v1/metric/${METRIC}`, { ...more, reason: 'for a test' });
	await override({ threshold_pct: 15 });
	await is(last);
	await override({ threshold_pct: null, direction: 'lower' });
	await is([id(42), 'regression', 10], [id(67), 'improvement', -20]);
	await override({ direction: null, kind: 'percent' }); // of which steps are points
	assert.ok((await agree())[0].changes.list.some((c) => c.metric === METRIC && Math.round(c.after - c.before) === 100));
	await override({ kind: null });
	await is([id(42), 'improvement', 10], last);
});

test('a machine in quarantine, and out of it', async () => {
	for (const state of ['quarantined', 'active']) {
		await send('PUT', '/api/v1/machine/box-a', { state });
		await is([id(42), 'improvement', 10], last);
	}
});

test('a first 0 takes a metric to another scale', async () => {
	const zero = runs(70, -.2);
	zero[1]['vmstat.system.cs'] = 0;
	await put(70, { runs: zero });
	await is([id(42), 'improvement', 10], last);
});

await finish();
await s.end();
