// SPDX-License-Identifier: GPL-2.0-or-later
// Memory: 16 clients send bodies of 64 MiB at once, each an array of submissions or a file in a foreign format, and come
// again when they are told to. The server's RssAnon stays under 256 MiB all along. One server a shape of body, so that each
// has its own peak.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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

const only = process.env.LOAD_SHAPE?.split(','); // the numbers of some shapes
let shape = 0;
const wantedShape = () => !only || only.includes(String(shape++));

// Sixteen at once, each until it is taken; wanted: so many must get through.
function sixteen(name, wanted, body, headers, path) {
	test(`16 bodies of 64 MiB at once: ${name}: under ${LIMIT} MiB`, async () => {
		const s = await Server.start();
		const memory = new Memory(s);
		try {
			const client = new Client(s, CLIENTS);
			const began = performance.now();
			const results = [];
			let busy = 0, enough;
			const through = new Promise((go) => { enough = go; });
			const all = Array.from({ length: CLIENTS }, async (_, i) => {
				const r = await client.postUntilTaken(() => body(i), headers, { length: BODY, path }, () => busy++);
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
			memory.stop();
			await s.end();
		}
	});
}

for (const [name, make, most, wanted] of shapes.filter(wantedShape))
	sixteen(name, wanted, (i) => pieces(make, i, most), { 'content-type': 'application/json' });

// Foreign formats: their samples, in which one figure or name is another each time, of always the same length; filled up
// with empty lines.
const data = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'data');
const sample = (...names) => readFileSync(path.join(data, ...names), 'latin1');
const number = (client, k) => String(100000000 + client * 1000000 + k); // 9 digits
const columns = Array.from({ length: 30 }, (_, i) => `t.counter_${i}`);
const checkouts = JSON.parse(sample('field', 'kcidb-5.json'));
const kcidb = JSON.stringify({ ...checkouts, tests: ['the tests'] }).split('"the tests"');
const tests = JSON.stringify(checkouts.tests.map((t) => ({ ...t, id: `${t.id}-a number`, ...(t.number && { number: { ...t.number, value: 'a number' } }) })))
	.slice(1, -1).replaceAll('"a number"', 'a number').split('a number');
const rows = Array.from({ length: 1000 }, (_, k) => columns.slice(1).map((c, i) => ((k * 7919 + i * 31) % 899999) + 100000).join());
const mail = sample('mails', '04-four-columns.txt').split(/\b[0-9a-f]{5}([0-9a-f]{7,35})\b/);
const mailOf = (client, k) => mail.map((p, i) => (i % 2 ? (client * 8192 + k).toString(16).padStart(5, '0') + p : p)).join('');
const fio = sample('raw', 'fio-two-jobs.json');
const perf = sample('raw', 'perf-stat-commas.csv');
const hackbench = sample('raw', 'hackbench.txt').split('Time:')[0];

// format, head, the k-th part of a client, tail, clients that must get through
const foreign = [
	['fio', '', (c, k) => fio.replace('"iops" : 17655.172414', `"iops" : ${number(c, k)}.5`), '', FEW],
	['csv', `${columns}\n`, (c, k) => `${number(c, k)},${rows[k % 1000]}\n`, '', FEW],
	['perf-stat', '', (c, k) => perf.replace('4980123456', `4${number(c, k)}`), '', FEW],
	['robot-mail', '', (c, k) => `From robot@example.org Thu Jul 20 03:01:00 2023\nSubject: report ${number(c, k)}\n\n${mailOf(c, k)}\n\n`, '', FEW],
	['hackbench', '', (c, k) => `${hackbench}Time: ${number(c, k)}.125\n`, '', CLIENTS],
	['kcidb', kcidb[0] + tests.join(number(16, 0)), (c, k) => ',' + tests.join(number(c, k)), kcidb[1], FEW],
];

function* foreignPieces(head, part, tail, client) {
	const width = part(client, 0).length;
	const n = Math.floor((BODY - head.length - tail.length) / width);
	let text = head;
	for (let k = 0; k < n; k++) {
		text += part(client, k);
		if (text.length > 1 << 18) {
			yield Buffer.from(text, 'latin1');
			text = '';
		}
	}
	yield Buffer.from(text + tail + '\n'.repeat(BODY - head.length - tail.length - n * width), 'latin1');
}

for (const [format, head, part, tail, wanted] of foreign.filter(wantedShape))
	sixteen(format, wanted, (i) => foreignPieces(head, part, tail, i), {}, `/api/v1/import/${format}?axis.testcase=t&axis.tbox_group=box&commit=abcdef123456`);

// Small on the wire and large in memory: bodies of 2 MB with as many documents as one may have, from many clients; and
// documents whose tree is many times their text. What is asked of them is an answer and the same limit.
const smallest = (i) => '[' + Array.from({ length: 20000 }, (_, j) => document('{"a":1}')(`c${i}-${j}`)).join(',') + ']';
const hostile = [
	['40 bodies of 20000 of the smallest documents', 40, (i) => smallest(10 + i), [201]],
	['documents of a million empty runs', 4, () => document('{},'.repeat(1300000) + '{}')('c00-0').replace('"runs"', '"status":"failed","runs"'),
		[413, 422]],
	['documents of 400000 metrics', 4, (i) => document(`{${Array.from({ length: 380000 }, (_, j) => `"${(j * 5 + i).toString(36)}":1`)}}`)(`c0${i}-0`),
		[201, 413, 422]],
	['tables of 33 million runs of one figure, whose numbers alone would be a large answer', 4, () => 't.a\n' + '1\n'.repeat(BODY / 2 - 2), [413],
		'/api/v1/import/csv?axis.testcase=t&axis.tbox_group=box&commit=abcdef123456'],
];
for (const [name, clients, make, statuses, path] of hostile.filter(wantedShape)) {
	test(`${name}: under ${LIMIT} MiB`, async () => {
		const s = await Server.start();
		try {
			const client = new Client(s, clients);
			const bodies = Array.from({ length: clients }, (_, i) => Buffer.from(make(i)));
			const memory = new Memory(s);
			const results = await Promise.all(bodies.map((b) => client.postUntilTaken(() => b, { 'content-type': 'application/json' }, { path })));
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
