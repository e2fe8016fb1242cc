// SPDX-License-Identifier: GPL-2.0-or-later
// Memory: 16 clients send bodies of 64 MiB at once, each an array of submissions, and come again when they are told to.
// The server's RssAnon stays under 256 MiB all along. One server a shape of body, so that each has its own peak.
import assert from 'node:assert/strict';
import { Server } from '../http/server.mjs';
import { test, finish } from '../http/tap.mjs';
import { Client, Memory, MIB } from './client.mjs';

const CLIENTS = 16;
const LIMIT = 256;
const BODY = 64 * MIB;
const FEW = 2;

const names = (n) => Array.from({ length: n }, (_, i) => `proc-vmstat.load_counter_${String(i).padStart(4, '0')}`);
const run = (metrics, r) => '{' + metrics.map((m, i) => `"${m}":${((i * 7919 + r * 104729) % 999983) / 100 + 1000}`).join(',') + '}';
const document = (runs) => (key) => `{"key":"${key}","axes":{"testcase":"load","tbox_group":"box-${key.slice(1, 3)}"},"commit":{"id":"${
	key.slice(1, 3)}abcdef12"},"runs":[${runs}]}`;
const runsOf = (n, metrics) => Array.from({ length: n }, (_, r) => run(metrics, r)).join(',');

// name, what becomes of a key, documents of a body at most, clients that must get through (FEW where a body has a
// million runs)
const shapes = [
	['2000 metrics, 6 runs a submission', document(runsOf(6, names(2000))), Infinity, CLIENTS],
	['documents of nearly 4 MiB', document(runsOf(50, names(2000))), Infinity, CLIENTS],
	['documents of 10000 short runs', document(runsOf(10000, ['a', 'b', 'c', 'd'])), Infinity, FEW],
	['as many of the smallest documents as an array may have', document('{"a":1}'), 20000, CLIENTS],
];

// The pieces of a client's body: an array, filled up with spaces to exactly 64 MiB.
function* pieces(make, client, most) {
	const width = make('c00-000000').length + 1;
	const n = Math.min(most, Math.floor((BODY - 2) / width));
	const pad = ' '.repeat(1 << 16);
	let text = '[';
	for (let i = 0; i < n; i++) {
		text += (i ? ',' : '') + make(`c${String(client).padStart(2, '0')}-${String(i).padStart(6, '0')}`);
		if (text.length > 1 << 18) {
			yield text;
			text = '';
		}
	}
	yield text;
	let left = BODY - 2 - n * width + 1;
	for (; left > pad.length; left -= pad.length) yield pad;
	yield pad.slice(0, left) + ']';
}

const only = process.env.LOAD_SHAPE; // the number of one shape
for (const [name, make, most, wanted] of shapes.filter((x, i) => !only || i === Number(only))) {
	test(`16 bodies of 64 MiB at once: ${name}: under ${LIMIT} MiB`, async () => {
		const s = await Server.start();
		try {
			const client = new Client(s, CLIENTS);
			const memory = new Memory(s);
			const began = performance.now();
			const results = [];
			let busy = 0, enough;
			const through = new Promise((go) => { enough = go; });
			const all = Array.from({ length: CLIENTS }, async (_, i) => {
				const r = await client.postUntilTaken(() => pieces(make, i, most), { 'content-type': 'application/json' }, { length: BODY }, () => busy++);
				results.push(r);
				if (results.length >= wanted) enough();
			});
			await Promise.race([through, Promise.all(all)]);
			const seconds = (performance.now() - began) / 1000;
			const peak = memory.stop();
			console.log(`# ${name}: peak RssAnon ${peak.toFixed(0)} MiB; ${results.length} bodies in ${seconds.toFixed(1)} s, ${busy} times 503`);
			for (const r of results) assert.equal(r.status, 201, r.text.slice(0, 300));
			if (wanted === CLIENTS) await Promise.all(all);
			else { all.forEach((p) => p.catch(() => {})); client.agent.destroy(); }
			assert.ok(peak < LIMIT, `peak ${peak.toFixed(0)} MiB`);
		} finally {
			await s.end();
		}
	});
}

// Small on the wire and large in memory: bodies of 2 MB with as many documents as one may have, from many clients; and
// documents whose tree is many times their text. What is asked of them is an answer and the same limit.
const smallest = (i) => '[' + Array.from({ length: 20000 }, (_, j) => document('{"a":1}')(`c${i}-${j}`)).join(',') + ']';
const hostile = [
	['40 bodies of 20000 of the smallest documents', 40, (i) => smallest(10 + i), [201]],
	['documents of a million empty runs', 4, () => document('{},'.repeat(1300000) + '{}')('c00-0').replace('"runs"', '"status":"failed","runs"'),
		[413, 422]],
	['documents of 400000 metrics', 4, (i) => document(`{${Array.from({ length: 380000 }, (_, j) => `"${(j * 5 + i).toString(36)}":1`)}}`)(`c0${i}-0`),
		[201, 413, 422]],
];
for (const [name, clients, make, statuses] of hostile.filter((x, i) => !only || i + shapes.length === Number(only))) {
	test(`${name}: under ${LIMIT} MiB`, async () => {
		const s = await Server.start();
		try {
			const client = new Client(s, clients);
			const bodies = Array.from({ length: clients }, (_, i) => Buffer.from(make(i)));
			const memory = new Memory(s);
			const results = await Promise.all(bodies.map((b) => client.postUntilTaken(() => b, { 'content-type': 'application/json' })));
			const peak = memory.stop();
			console.log(`# ${name}: peak RssAnon ${peak.toFixed(0)} MiB, ${memory.now().toFixed(0)} MiB after it`);
			for (const r of results) assert.ok(statuses.includes(r.status), `${r.status}: ${r.text.slice(0, 300)}`);
			client.agent.destroy();
			assert.ok(peak < LIMIT, `peak ${peak.toFixed(0)} MiB`);
		} finally {
			await s.end();
		}
	});
}

await finish();
