// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept of the commits before a base must follow every upload and correction: after each, a verdict is the
// one of a twin, another machine that was only ever told how things stand now, and an undo brings the first back.
import assert from 'node:assert/strict';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const admin = s.token('admin');
const BEFORE = 12, BASE = BEFORE + 1, CHANGE = BASE + 1;
const id = (n) => (0x51a0 + n).toString(16).padStart(40, '0');
// Levels that commits have of their own, in a fixed order, and four runs about each.
const values = (n) => [0, 0.9, -0.7, 0.3].map((x) => 1000 + ((n * 37) % 11) * 3 + x + (n === CHANGE ? 60 : 0));

async function put(box, n, v, more = {}) {
	const r = await s.upload({
		axes: { testcase: 'hackbench', tbox_group: box },
		commit: { id: id(n), parents: n > 1 ? [id(n - 1)] : [], date: `2026-02-${String(n).padStart(2, '0')}T00:00:00Z` },
		matrix: { 'hackbench.throughput': v }, ...more,
	});
	assert.equal(r.status, 201, r.text);
	return r.json;
}

async function line(box, change = {}) {
	for (let n = 1; n <= CHANGE; n++) {
		const v = n in change ? change[n] : values(n);
		if (v) await put(box, n, v, { key: `${box}-${n}` });
	}
}

async function post(url, body) {
	const r = await fetch(s.url + url, {
		method: 'POST', body: body && JSON.stringify(body),
		headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` },
	});
	const json = await r.json();
	assert.ok(r.status < 300, JSON.stringify(json));
	return json;
}
const correct = (box, n, set) => post('/api/v1/corrections', { select: { machine: box, commit: id(n) }, set, reason: 'for a test' });

async function cell(box, x = BASE, y = CHANGE) {
	const { json } = await s.json(`/compare.json?commits=${id(x)},${id(y)}&changed=0&axis.tbox_group=${box}`);
	const c = json.tables[0].rows.find((r) => r.metric === 'hackbench.throughput').cells[1];
	return { p: c.p, q: c.q, history: c.history, verdict: c.verdict, mde: c.mde_pct };
}

const first = await (async () => { await line('box-a'); return cell('box-a'); })();
let twins = 0;

async function as_told(change) {
	const box = `twin-${++twins}`;
	await line(box, change);
	const c = await cell(box);
	assert.notDeepEqual(c, first, 'it makes no difference');
	return c;
}

test('the whole line counts', async () => {
	assert.equal(first.history, BEFORE);
	await line('box-same');
	assert.deepEqual(await cell('box-same'), first);
});

test('runs of a commit before marked invalid, and again ok', async () => {
	const { id: n } = await correct('box-a', 9, { status: 'invalid' });
	const told = await as_told({ 9: null });
	assert.equal(told.history, BEFORE - 1);
	assert.deepEqual(await cell('box-a'), told);
	await post(`/api/v1/correction/${n}/undo`);
	assert.deepEqual(await cell('box-a'), first);
});

test('runs deleted, and brought back', async () => {
	const { id: n } = await correct('box-a', 12, { delete: true });
	assert.deepEqual(await cell('box-a'), await as_told({ 12: null }));
	await post(`/api/v1/correction/${n}/undo`);
	assert.deepEqual(await cell('box-a'), first);
});

test('runs moved to another commit, and back', async () => {
	const { id: n } = await correct('box-a', 3, { commit: id(10) });
	assert.deepEqual(await cell('box-a'), await as_told({ 3: null, 10: [...values(3), ...values(10)] }));
	await post(`/api/v1/correction/${n}/undo`);
	assert.deepEqual(await cell('box-a'), first);
});

test('a submission replaced by another one', async () => {
	await line('box-r');
	assert.deepEqual(await cell('box-r'), first);
	const other = [1100, 1101, 1102, 1103];
	await put('box-r', 11, other, { key: 'box-r-11-again', replaces: 'box-r-11' });
	assert.deepEqual(await cell('box-r'), await as_told({ 11: other }));
});

test('either way round, the commits before the older one count', async () => {
	const c = await cell('box-a', CHANGE, BASE);
	assert.equal(c.history, BEFORE);
	assert.equal((await cell('box-a', 7, 9)).history, 6);
	assert.equal((await cell('box-a', 9, 7)).history, 6);
});

test('uploads while it is compared: every answer is one of a whole state', async () => {
	await line('box-w');
	const more = (n) => [1000, 1001].map((x) => x + n);
	const seen = [];
	let writing = true;
	const reading = (async () => { while (writing) seen.push(await cell('box-w')); })();
	const states = [first];
	for (let n = 1; n <= BEFORE; n++) await put('box-w', n, more(n), { key: `box-w-more-${n}` });
	writing = false;
	await reading;
	await line('box-v');
	for (let n = 1; n <= BEFORE; n++) {
		await put('box-v', n, more(n), { key: `box-v-more-${n}` });
		states.push(await cell('box-v'));
	}
	for (const c of seen) assert.ok(states.some((x) => JSON.stringify(x) === JSON.stringify(c)), JSON.stringify(c));
	assert.deepEqual(await cell('box-w'), states.at(-1));
});

await finish();
await s.end();
