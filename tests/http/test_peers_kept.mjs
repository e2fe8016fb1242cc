// SPDX-License-Identifier: GPL-2.0-or-later
// What other machines come to is kept between pages: after every write a warm server must say what one says that has
// just been started on the same database, and what is so by hand.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const admin = s.token('admin');
const id = (c) => c.repeat(20);
const [X, Y] = [id('a1'), id('a2')];
const METRIC = 'work.throughput', MONITOR = 'vmstat.cs';
const around = (mean) => [-1, 0, 1, 0.5].map((d) => mean + d / 10);

async function put(box, commit, mean, more = {}) {
	const r = await s.upload({ axes: { testcase: 'work', tbox_group: box }, commit: { id: commit, parents: commit === X ? [] : [X] },
		matrix: { [METRIC]: around(mean), [MONITOR]: around(mean * 3) }, ...more });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions[0];
}
async function send(method, url, body) {
	const r = await fetch(s.url + url, { method, body: body && JSON.stringify(body), headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` } });
	const json = await r.json();
	assert.ok(r.status < 300, JSON.stringify(json));
	return json;
}
const correct = (select, set) => send('POST', '/api/v1/corrections', { select, set, reason: 'for a test' });

const pair = `/compare.json?commits=${X},${Y}`;
// With every filter the rest of a page is another, and the peers are the same.
const addresses = [pair, `${pair}&axis.tbox_group=box-a`, `${pair}&role=primary`, `${pair}&metric=work.*&sort=name`, `${pair}&metric=vmstat.cs&detail=1`,
	`${pair}&detail=1`, `/compare.json?commits=${Y},${X}`, `/compare.json?pairs=${X}..${Y}`];
const documents = async (server) => Promise.all(addresses.map(async (a) => (await server.json(a)).json));

async function fresh() {
	const folder = mkdtempSync(path.join(tmpdir(), 'plumbline test-'));
	s.run(['backup', path.join(folder, 'plumbline.db')]);
	const other = await Server.start({ folder });
	const answer = await documents(other);
	await other.end();
	return answer;
}
// On box-a: what all machines say together, and each of the others with its runs.
async function told() {
	const { json } = await s.json(`${pair}&axis.tbox_group=box-a&metric=${METRIC}`);
	const c = json.tables[0].rows[0].cells[1];
	return [c.joint, ...c.others.map((o) => `${o.machine} ${o.verdict} ${o.base_n}:${o.n}`)];
}
async function is(...wanted) {
	await documents(s); // now all is kept that can be
	assert.deepEqual(await told(), wanted);
	assert.deepEqual(await documents(s), await fresh());
}

await put('box-a', X, 100);
await put('box-a', Y, 80);
await put('box-b', X, 100);
await put('box-b', Y, 100, { key: 'b' });

test('a machine that does not change, and one that comes', async () => {
	await is('only here', 'box-b same 4:4');
	await put('box-c', X, 200);
	await is('only here', 'box-b same 4:4'); // one side of it alone is nothing
	const { series_digest: digest } = await put('box-c', Y, 160);
	await is('confirmed', 'box-b same 4:4', 'box-c regression 4:4');
	const { id: n } = await correct({ series: digest }, { delete: true });
	await is('only here', 'box-b same 4:4');
	await send('POST', `/api/v1/correction/${n}/undo`);
	await is('confirmed', 'box-b same 4:4', 'box-c regression 4:4');
	await correct({ series: digest }, { delete: true });
});

test('more runs of a peer, runs that are invalid, and others in their place', async () => {
	await put('box-b', X, 100, { key: 'more' });
	await is('only here', 'box-b same 8:4');
	const { id: n } = await correct({ machine: 'box-b', commit: Y }, { status: 'invalid' });
	await is('not measured', 'box-b no-data 8:null');
	await send('POST', `/api/v1/correction/${n}/undo`);
	await is('only here', 'box-b same 8:4');
	await put('box-b', Y, 80, { key: 'again', replaces: 'b' });
	await is('confirmed', 'box-b regression 8:4');
	await put('box-b', Y, 130, { key: 'at last', replaces: 'again' });
	await is('contradicted', 'box-b improvement 8:4');
});

test('runs of a peer moved to another commit, and back', async () => {
	await put('box-d', X, 100);
	await put('box-d', Y, 80);
	await is('confirmed', 'box-b improvement 8:4', 'box-d regression 4:4');
	const { id: n } = await correct({ machine: 'box-d', commit: X }, { commit: id('a3') });
	await is('contradicted', 'box-b improvement 8:4');
	await send('POST', `/api/v1/correction/${n}/undo`);
	await is('confirmed', 'box-b improvement 8:4', 'box-d regression 4:4');
});

test('a peer in quarantine, and out of it', async () => {
	await send('PUT', '/api/v1/machine/box-d', { state: 'quarantined' });
	await is('contradicted', 'box-b improvement 8:4', 'box-d suspect 4:4');
	await send('PUT', '/api/v1/machine/box-d', { state: 'active' });
	await is('confirmed', 'box-b improvement 8:4', 'box-d regression 4:4');
});

test('an override turns every machine round', async () => {
	const override = (more) => send('PUT', `/api/v1/metric/${METRIC}`, { ...more, reason: 'for a test' });
	await override({ direction: 'lower' });
	await is('confirmed', 'box-b regression 8:4', 'box-d improvement 4:4');
	await override({ direction: 'none' });
	await is('confirmed', 'box-b changed 8:4', 'box-d changed 4:4');
	await override({ direction: null, threshold_pct: 25 }); // -20 % is not enough, +30 % is
	await is('contradicted', 'box-b improvement 8:4', 'box-d suspect 4:4');
	await override({ threshold_pct: null });
	await is('confirmed', 'box-b improvement 8:4', 'box-d regression 4:4');
});

test('another rule', async () => {
	await put('box-f', X, 0, { matrix: { [METRIC]: [99.9, 100, 100.1] } });
	await put('box-f', Y, 0, { matrix: { [METRIC]: [79.9, 80, 80.1] } });
	const last = async () => (await told()).at(-1);
	assert.equal(await last(), 'box-f suspect 3:3'); // three runs without a history are too few for the newer rule alone
	await is(...await told());
	s.run(['rule', 'apply', 'welch-log-bh/1']);
	assert.equal((await s.json(pair)).json.rule, 'welch-log-bh/1');
	assert.equal(await last(), 'box-f regression 3:3');
	assert.deepEqual(await documents(s), await fresh());
	s.run(['rule', 'apply', 'plumbline/2']);
	assert.equal(await last(), 'box-f suspect 3:3');
	assert.deepEqual(await documents(s), await fresh());
});

// Eight commits whose own levels differ by up to a half: beside them -10 % is no change. Nothing is said of X's parents
// or dates at first, so they may lie anywhere.
test('what came before on a peer, and the order that parents give it', async () => {
	const line = [...Array(8).keys()].map((i) => id(`c${i}`));
	const last = async () => (await told()).find((x) => x.startsWith('box-e'));
	await put('box-e', X, 100);
	await put('box-e', Y, 90);
	assert.equal(await last(), 'box-e regression 4:4');
	await is(...await told());
	for (const [i, commit] of line.entries())
		await put('box-e', commit, [100, 130, 80, 120, 90][i % 5], { commit: { id: commit, parents: i ? [line[i - 1]] : [] } });
	assert.equal(await last(), 'box-e regression 4:4');
	await is(...await told());
	const r = await s.upload({ axes: { testcase: 'elsewhere', tbox_group: 'box-z' }, commit: { id: X, parents: [line.at(-1)] }, matrix: { 'elsewhere.x': [1] } });
	assert.equal(r.status, 201, r.text);
	assert.equal(await last(), 'box-e suspect 4:4');
	await is(...await told());
});

test('printed figures are held against the base as it is called', async () => {
	const printed = (commit, mean, how) => s.upload({ axes: { testcase: 'work', tbox_group: 'box-p' }, commit: { id: commit }, summary: { [METRIC]: { mean, printed: how } } });
	assert.equal((await printed(X, 100, {})).status, 201);
	assert.equal((await printed(Y, 80, { base: X, change_pct: -20.4 })).status, 201);
	await is(...await told());
	assert.equal((await told()).at(-1), 'box-p regression null:null');
});

await finish();
await s.end();
