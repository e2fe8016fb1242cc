// SPDX-License-Identifier: GPL-2.0-or-later
// A server with something of everything in it: the sample lab, a lab in which every kind of figure stands, and one
// whose names are hostile.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server } from './server.mjs';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

// Two commits that share their first digits, and their parent.
export const P = 'ab'.repeat(20);
export const A = `deadbee1${'0'.repeat(32)}`;
export const B = `deadbee2${'0'.repeat(32)}`;
// Two versions of one patch on the parent.
export const V1 = 'aa'.repeat(20);
export const V2 = 'bb'.repeat(20);
export const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&lt;\u2028`;

function samples() {
	const folder = path.join(root, 'deploy', 'sample');
	return readdirSync(folder).filter((f) => f.endsWith('.ndjson')).sort().flatMap((f) =>
		readFileSync(path.join(folder, f), 'utf8').trim().split('\n').map((l) => JSON.parse(l)));
}

const person = (name) => ({ name, email: `${name.toLowerCase()}@example.org`, date: '2026-01-02T03:04:05Z' });

// Every key that an upload may have.
function full() {
	const axes = { testcase: 'full', tbox_group: 'full-box', mode: 'process' };
	const run = (v) => ({ 'full.score': v, 'full.steady': 7, 'vmstat.cs': 1000 - v, 'full.busy%': v / 10 });
	const base = { id: P, subject: 'the base', date: '2026-01-01T00:00:00Z' };
	const next = { id: A, subject: 'the change', message: 'the change\n\nWhy it is so.\n\nSigned-off-by: Ada <ada@example.org>\n',
		author: person('Ada'), committer: person('Bob'), date: '2026-01-02T00:00:00Z', parents: [P], tree: 'mainline', label: 'the test patch',
		patch: { message_id: '20260102-full@example.org', version: 2, index: 1, total: 3, base: P, diff: '--- a/x\n+++ b/x\n' },
		build: { config: 'defconfig', compiler: 'gcc-12', status: 'ok', warnings: [{ file: 'mm/slub.c', line: 7, column: 3, message: 'unused' }, { message: 'bare' }] } };
	const crash = (n) => Array.from({ length: 6 }, (_, i) => ({ ...run(100 + (i % 3)), ...(i < n ? { 'dmesg.oops': 1 } : {}) }));
	const report = { message_id: '20260103-report@example.org', subject: '[full] -20 %', url: 'https://example.org/r', date: '2026-01-03T00:00:00Z' };
	const printed = (change) => ({ base: P, ...change });
	return [
		{ key: 'f1', axes, commit: base, started: '2026-01-01T01:00:00Z', status: 'ok', info: { boot: 'b1', microcode: '0x1', cpus: 8, smt: true },
			units: { 'full.score': 'KB/s' }, runs: [1, 2, 3, 4, 5, 6].map((i) => run(100 + (i % 3))) },
		{ key: 'f2', axes, commit: next, started: '2026-01-02T01:00:00Z', info: { boot: 'b2', microcode: '0x2' }, report,
			headline: { metric: 'full.score', base: P, change_pct: -20, verdict: 'regression' }, runs: [1, 2, 3, 4, 5, 6].map((i) => run(80 + (i % 3))) },
		{ key: 'f3', axes, commit: { id: A }, status: 'failed', runs: [{ 'full.score': 1 }] },
		{ key: 'f4', axes: { ...axes, tbox_group: 'full-box-2' }, commit: base, matrix: { 'full.score': [1, 2, 3], 'vmstat.cs': [4, null, 6] } },
		{ key: 'f5', axes: { ...axes, mode: 'threads' }, commit: base, runs: crash(0) },
		{ key: 'f6', axes: { ...axes, mode: 'threads' }, commit: next, runs: crash(6) },
		{ key: 'f7', axes: { ...axes, mode: 'printed' }, commit: base, summary: { 'full.score': { mean: 100, stddev_pct: 3, printed: {} },
			'full.busy%': { mean: 10, printed: {} }, 'dmesg.oops': { fails: 0, runs: 6, printed: {} } } },
		{ key: 'f8', axes: { ...axes, mode: 'printed' }, commit: next, summary: { 'full.score': { mean: 80, stddev_pct: 2, printed: printed({ change_pct: -20 }) },
			'full.busy%': { mean: 14, printed: printed({ change_abs: 4 }) }, 'dmesg.oops': { fails: 6, runs: 6, printed: printed({ reproduction_pct: 100 }) } } },
		{ key: 'f9', axes: { ...axes, mode: 'summary' }, commit: base, summary: { 'full.score': { mean: 5, stddev: 1, n: 3, min: 4, max: 6 } } },
		{ key: 'f10', axes, commit: { id: B, subject: 'another' }, runs: [run(100)] },
		{ key: 'f11', axes: { ...axes, mode: 'faster' }, commit: base, runs: [1, 2, 3, 4, 5, 6].map((i) => run(100 + (i % 3))) },
		{ key: 'f12', axes: { ...axes, mode: 'faster' }, commit: next, runs: [1, 2, 3, 4, 5, 6].map((i) => run(150 + (i % 3))) },
		{ key: 'f13', axes: { ...axes, mode: 'latency' }, commit: base, runs: [{ 'full.score': 1 }], distributions: { 'full.latency': { unit: 'us', n: 100,
			min: 1, max: 90, mean: 20, stddev: 5, percentiles: { 50: 18, '99.00': 80 }, buckets: [[10, 40], [100, 60]] } } },
		{ key: 'f14', axes: { ...axes, mode: 'latency' }, commit: base, replaces: 'f13', runs: [{ 'full.score': 2 }] },
		{ key: 'f15', axes: { ...axes, compiler: 'clang-15' }, commit: base, runs: [run(100)] },
		...[[V1, 1, 70], [V2, 2, 90]].map(([id, version, v]) => ({ key: `f16-${version}`, axes, commit: { id, subject: 'the patch', parents: [P],
			patch: { message_id: `v${version}@example.org`, version } }, runs: [1, 2, 3, 4, 5, 6].map((i) => run(v + (i % 3))) })),
		...['invalid', 'axis', 'commit', 'undone', 'delete'].map((what) => ({ key: `f17-${what}`, axes: { ...axes, mode: 'corrected' }, commit: base, runs: [run(100)] })),
		...[0, 1].map((i) => ({ key: `f18-${i}`, axes: { ...axes, tbox_group: 'full-box-q' }, commit: [base, next][i], runs: [1, 2, 3].map((k) => run(100 + k - 50 * i)) })),
	];
}

// What a name can hold, wherever there is one.
export const hostileMetrics = ['hackbench.throughput', `hackbench.${evil}`, 'a/b->c[0](x)+#:%', '=cmd|\'/c calc\'!A1', 'ünïcödé.metric', '__proto__', 'x'.repeat(1000)];
export const hostileAxes = { testcase: `t${evil}`, tbox_group: `m${evil}`, [`axis${evil}`]: evil };
function hostile() {
	const runs = (v) => [0, 1, 2].map((i) => Object.fromEntries(hostileMetrics.map((m) => [m, v + i])));
	const more = { axes: hostileAxes, info: { boot: evil, hostname: evil, [evil]: evil }, units: { [hostileMetrics[1]]: evil },
		report: { message_id: evil, subject: evil, url: `javascript:alert(1)//${evil}` } };
	const next = { id: 'e'.repeat(40), subject: evil, message: `${evil}\n\nReported-by: ${evil}`, tree: evil, label: evil, parents: ['d'.repeat(40)],
		author: { name: evil, email: evil }, patch: { message_id: evil }, build: { config: evil, warnings: [{ file: evil, message: evil }] } };
	return [{ ...more, key: `${evil}1`, commit: { id: 'd'.repeat(40), subject: 'base' }, runs: runs(1) }, { ...more, key: `${evil}2`, commit: next, runs: runs(100) }];
}

export const documents = () => [...samples(), ...full(), ...hostile()];

// What people say of it: a quarantined machine, one that never sent anything, events, corrections of all kinds, files.
async function tell(s, accepted) {
	const run = (key) => accepted.find((x) => x.key === key).runs[0];
	const send = async (method, url, body, status, headers = {}) => {
		const r = await s.send(method, url, typeof body === 'string' ? body : JSON.stringify(body), { 'content-type': 'application/json', ...headers });
		assert.equal(r.status, status, r.text);
		return r.json;
	};
	await send('PUT', '/api/v1/machine/full-box-q', { description: 'A box that overheats', state: 'quarantined' }, 200);
	await send('PUT', '/api/v1/machine/full-box', { expect_every: '6h' }, 200);
	await send('PUT', '/api/v1/machine/full-box-silent', { expect_every: 60 }, 200);
	await send('POST', '/api/v1/events', { machine: 'full-box', at: '2026-01-01T12:00:00Z', key: 'microcode', old: '0x1', new: '0x2', note: 'a new BIOS' }, 201);
	await send('POST', '/api/v1/events', { machine: hostileAxes.tbox_group, key: evil, new: evil, note: evil }, 201);
	const reason = 'for a test';
	for (const [what, set] of [['invalid', { status: 'invalid' }], ['axis', { axis: { mode: 'moved' } }], ['commit', { commit: B }], ['delete', { delete: true }]])
		await send('POST', '/api/v1/corrections', { select: { run: run(`f17-${what}`) }, set, reason }, 201);
	const select = { machine: 'full-box', token: 'test-upload', received: ['2020-01-01', null], series: accepted.find((x) => x.key === 'f1').series,
		commit: P, run: run('f1'), 'info.microcode': '0x1' };
	const { id } = await send('POST', '/api/v1/corrections', { select, set: { status: 'invalid' }, reason: evil, dry_run: false }, 201);
	await send('POST', `/api/v1/correction/${id}/undo`, '', 200);
	await send('PUT', `/api/v1/run/${run('f1')}/artifacts/hello`, 'hello\n', 201, { 'content-type': 'text/plain' });
	await send('PUT', `/api/v1/run/${run('f1')}/artifacts/${encodeURIComponent('a <b>.bin')}`, '\0', 201, { 'content-type': 'text/plain' });
	// Time passes only for the machine that was told of.
	execFileSync('sqlite3', [s.database, 'UPDATE machine SET changed = changed - 1000 WHERE name = \'full-box-silent\'']);
}

// A server to which a token of every scope may send anything.
export async function startServer(...args) {
	const s = await Server.start({ args });
	const token = s.token('upload,triage,admin');
	s.send = async (method, url, body, headers = {}) => {
		const r = await fetch(s.url + url, { method, body, headers: { authorization: `Bearer ${token}`, ...headers } });
		const text = await r.text();
		return { status: r.status, headers: r.headers, text, json: /[/+]json$/.test(r.headers.get('content-type')) ? JSON.parse(text) : null };
	};
	return s;
}

export async function startLab(...args) {
	const s = await startServer(...args);
	try {
		const lines = documents().map((d) => JSON.stringify(d)).join('\n');
		const r = await s.post('/api/v1/runs', lines, { 'content-type': 'application/x-ndjson' });
		assert.equal(r.status, 200, r.text);
		const accepted = r.text.trim().split('\n').map((l) => JSON.parse(l));
		accepted.forEach((x) => assert.equal(x.status, 'created', JSON.stringify(x)));
		await tell(s, accepted);
	} catch (e) {
		await s.end();
		throw e;
	}
	return s;
}
