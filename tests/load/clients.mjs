// SPDX-License-Identifier: GPL-2.0-or-later
// 100 clients at once, for LOAD_SECONDS (60): good, bad, duplicate and conflicting uploads as objects, arrays and
// NDJSON, packed or not, raced for the same keys, and connections that break. Whoever is answered writes it into one
// ledger; in the end the database must hold what the ledger holds: nothing twice, nothing lost, nothing else.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { Server } from '../http/server.mjs';
import { test, finish } from '../http/tap.mjs';
import { Client, Memory, inParallel } from './client.mjs';

const CLIENTS = 100;
const SECONDS = Number(process.env.LOAD_SECONDS ?? 60);
const VALUES_MOST = 20000; // keys whose every value is read back

// A short queue, so that some are told to come again.
const s = await Server.start({ args: ['--queue-jobs', '40'] });
const client = new Client(s, CLIENTS);
const memory = new Memory(s);

/* --- submissions: number and variant tell everything that is in one --- */

const boxOf = (n) => `load-box${n % 10}`;
const commitOf = (n) => (0xabcdef0000 + n % 211).toString(16).padStart(40, '0');
const runsOf = (n, variant) => Array.from({ length: 1 + n % 4 }, (_, r) => Object.fromEntries(
	Array.from({ length: 20 }, (_, m) => [`load.metric_${m}`, (n * 31 + r * 7 + m * 1009) / 8 + variant / 4])));
const submission = (n, variant = 0) => ({
	key: `load/${n}`, axes: { testcase: `load-${n % 5}`, tbox_group: boxOf(n) }, commit: { id: commitOf(n) },
	started: '2026-01-01T00:00:00Z', info: { boot: `b${n}-${variant}` }, runs: runsOf(n, variant),
});

/* --- the ledger --- */

const ledger = new Map(); // number -> {variant, runs, created}
const never = new Set(); // numbers that were only ever refused
const unsure = new Map(); // sent on a connection that broke, not yet asked again: number -> variant
const faults = [];
const counts = {};
const latencies = [];
let last = 0;

const fault = (text) => { if (faults.length < 50) faults.push(text); };
const count = (what) => { counts[what] = (counts[what] ?? 0) + 1; };

function acknowledge(n, variant, { key, status, runs }) {
	const known = ledger.get(n);
	if (key !== `load/${n}` || runs.length !== 1 + n % 4) fault(`${key}: ${runs.length} runs for number ${n}`);
	if (!known) {
		ledger.set(n, { variant, runs, created: status === 'created' ? 1 : 0 });
	} else {
		known.created += status === 'created' ? 1 : 0;
		if (known.variant !== variant) fault(`${key}: both of two contents were acknowledged`);
		if (String(known.runs) !== String(runs)) fault(`${key}: runs ${known.runs}, then ${runs}`);
	}
	count(status);
}

/* --- the ways to send --- */

const chance = (p) => Math.random() < p;

async function send(text, type, how = {}) {
	const packed = chance(.3);
	const body = packed ? gzipSync(text, { level: 1 }) : Buffer.from(text);
	const began = performance.now();
	const r = await client.postUntilTaken(() => body,
		{ 'content-type': type, ...(packed ? { 'content-encoding': 'gzip' } : {}), ...how.headers }, how, () => count('busy'));
	if (!r) return null;
	latencies.push(performance.now() - began);
	if (r.status >= 500) fault(`${r.status}: ${r.text.slice(0, 200)}`);
	return r;
}

const sendJson = (document, how) => send(JSON.stringify(document), 'application/json', how);

// One object or an array of them: all is acknowledged, or nothing.
async function sendAll(items, how) {
	const docs = items.map(([n, variant]) => submission(n, variant));
	const r = await sendJson(docs.length === 1 && chance(.7) ? docs[0] : docs, how);
	if (!r) return items.forEach(([n, variant]) => unsure.set(n, variant));
	if (r.status === 201 || r.status === 200)
		JSON.parse(r.text).submissions.forEach((x, i) => acknowledge(...items[i], x));
	else if (r.status === 409)
		count('conflict');
	else
		fault(`${r.status} for good submissions: ${r.text.slice(0, 200)}`);
	return r;
}

async function sendLines(items, bad) {
	const lines = items.map(([n, variant]) => JSON.stringify(submission(n, variant)));
	const at = bad ? Math.floor(Math.random() * (lines.length + 1)) : -1;
	if (bad) lines.splice(at, 0, bad);
	const r = await send(lines.join('\n'), 'application/x-ndjson');
	if (r.status !== 200) return fault(`${r.status} for lines: ${r.text.slice(0, 200)}`);
	const out = r.text.trimEnd().split('\n').map((l) => JSON.parse(l));
	if (out.length !== lines.length) fault(`${out.length} answers for ${lines.length} lines`);
	if (bad && out.splice(at, 1)[0].status !== 'refused') fault(`a bad line was taken: ${bad}`);
	out.forEach((x, i) => x.status === 'refused' ? count('conflict') : acknowledge(...items[i], x));
}

const fresh = () => [last++, 0];
const known = () => {
	const n = Math.floor(Math.random() * last);
	return ledger.has(n) ? [n, ledger.get(n).variant] : fresh();
};
const refusedFresh = () => { const n = last++; never.add(n); return n; };

async function sendBad(document, statuses, how) {
	const r = typeof document === 'string' ? await send(document, 'application/json', how) : await sendJson(document, how);
	count('bad');
	if (!statuses.includes(r.status)) fault(`${r.status} instead of ${statuses}: ${r.text.slice(0, 200)}`);
}

const works = [
	[25, () => sendAll([fresh()])],
	[10, () => sendAll(Array.from({ length: 1 + Math.floor(Math.random() * 12) }, fresh))],
	[15, () => sendLines(Array.from({ length: 1 + Math.floor(Math.random() * 20) }, () => chance(.2) ? known() : fresh()),
		chance(.3) && '{"axes":{"testcase":"x"}}')],
	[10, () => sendAll([known()])],
	[5, () => sendLines([known(), known(), fresh()], chance(.5) && '{"axes":')],
	/* several at once for one key: the same content, or two that exclude each other */
	[6, () => { const x = fresh(); return Promise.all([sendAll([x]), sendAll([x]), sendLines([x])]); }],
	[6, () => { const [n] = fresh(); return Promise.all([sendAll([[n, 0]]), sendAll([[n, 1]]), sendLines([[n, 2]])]); }],
	/* other content under a key that is taken; in an array it takes the fresh one along */
	[5, async () => {
		const [n, variant] = known();
		if (!ledger.has(n)) return sendAll([[n, variant]]);
		const x = refusedFresh();
		await sendBad(chance(.5) ? submission(n, variant + 5) : [submission(x), submission(n, variant + 5)], [409]);
	}],
	[3, () => sendBad([submission(refusedFresh()), { ...submission(refusedFresh()), colour: 'red' }], [422])],
	[3, () => sendBad(JSON.stringify(submission(refusedFresh())).slice(0, -9), [400])],
	[2, () => sendBad(submission(refusedFresh()), [415], { headers: { 'content-type': 'text/plain' } })],
	[2, () => sendBad(submission(refusedFresh()), [401], { headers: { authorization: 'Bearer wrong' } })],
	[2, () => sendBad('not gzip', [400], { headers: { 'content-encoding': 'gzip' } })],
	[4, () => sendAll(Array.from({ length: 1 + Math.floor(Math.random() * 5) }, fresh), { breakOff: true })],
	/* what became of one that broke? ask as a rig does: by sending it again */
	[4, async () => {
		const [n, variant] = unsure.entries().next().value ?? known();
		unsure.delete(n);
		await sendAll([[n, variant]]);
	}],
];
const total = works.reduce((sum, [weight]) => sum + weight, 0);

function anyWork() {
	let at = Math.random() * total;
	return works.find(([weight]) => (at -= weight) < 0)[1];
}

/* --- the test --- */

const percentile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];

test(`${CLIENTS} clients for ${SECONDS} s: every answer is one that it may be`, async () => {
	const began = performance.now();
	await Promise.all(Array.from({ length: CLIENTS }, async () => {
		while (performance.now() - began < SECONDS * 1000) await anyWork()();
	}));
	const seconds = (performance.now() - began) / 1000;
	for (const [n, variant] of unsure) await sendAll([[n, variant]]);
	latencies.sort((a, b) => a - b);
	console.log(`# ${latencies.length} answers in ${seconds.toFixed(0)} s, p50 ${percentile(latencies, .5).toFixed(1)} ms, `
		+ `p99 ${percentile(latencies, .99).toFixed(1)} ms, longest ${latencies.at(-1).toFixed(0)} ms`);
	console.log(`# ${JSON.stringify(counts)}; ${ledger.size} keys; peak RssAnon ${memory.stop().toFixed(0)} MiB`);
	assert.deepEqual(faults, []);
	assert.ok(ledger.size > 100 && counts.conflict > 10 && counts.bad > 10 && counts.duplicate > 10);
});

test('nothing was created twice, and who came second saw what the first had made', () => {
	const wrong = [...ledger].filter(([, x]) => x.created > 1);
	assert.deepEqual(wrong.slice(0, 5), []);
});

test('the database holds the runs of the ledger and no other', async () => {
	const held = new Map();
	for (let next = ''; next !== null;) {
		const page = await client.json(`/runs.json?limit=1000${next && `&cursor=${next}`}`);
		for (const r of page.runs) {
			assert.ok(!held.has(r.id), `run ${r.id} is listed twice`);
			held.set(r.id, r);
		}
		next = page.next;
	}
	let runs = 0;
	for (const [n, x] of ledger) {
		for (const id of x.runs) {
			assert.equal(held.get(id)?.key, `load/${n}`, `run ${id}`);
			assert.equal(held.get(id).commit.id, commitOf(n));
		}
		runs += x.runs.length;
	}
	assert.equal(held.size, runs);
	for (const r of held.values()) assert.ok(!never.has(Number(r.key.slice(5))), `${r.key} was refused`);
	console.log(`# ${held.size} runs, as acknowledged; ${never.size} refused keys are not there`);
});

test('every value is what was sent', async () => {
	const step = Math.max(1, Math.ceil(ledger.size / VALUES_MOST));
	const keys = [...ledger].filter((_, i) => i % step === 0);
	await inParallel(keys.length, 16, async (i) => {
		const [n, { variant, runs }] = keys[i];
		for (const [r, want] of runsOf(n, variant).entries()) {
			const got = await client.json(`/run/${runs[r]}.json`);
			assert.deepEqual(got.values, want, `run ${runs[r]}`);
			assert.equal(got.position, r);
			assert.equal(got.boot, `b${n}-${variant}`);
		}
	});
	console.log(`# ${keys.length} of ${ledger.size} keys read back value by value`);
});

test('check has no complaints, and the server ends cleanly', async () => {
	assert.match(s.run(['check']), /no complaints/);
	client.agent.destroy();
	assert.equal((await s.end()).code, 0);
});

await finish();
