// SPDX-License-Identifier: GPL-2.0-or-later
// Bodies and files over 4 MiB are stored submission by submission in one transaction: the same submissions and keys as in
// small pieces, and all of it or nothing. Figures of hackbench were reckoned by hand: 400 tasks send 100 messages of 100
// bytes, 3906.25 KiB.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './lab.mjs';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const LINE = 4 << 20; // what is larger is streamed
const s = await Server.start();
const small = await Server.start();
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'plumbline large import-')));
const enc = encodeURIComponent;
const box = { 'axis.tbox_group': 'box', commit: 'abcdef123456' };
const read = (...names) => readFileSync(path.join(root, 'tests', 'data', ...names), 'latin1');

async function send(server, format, body, query = {}, headers = {}) {
	const q = Object.entries(query).map(([k, v]) => `${enc(k)}=${enc(v)}`).join('&');
	const r = await server.post(`/api/v1/import/${format}?${q}`, Buffer.from(body, 'latin1'), headers);
	return { ...r, subs: r.json?.submissions };
}
const sql = (server, text) => execFileSync('sqlite3', [server.database, text], { encoding: 'utf8' }).trim();
const stored = (server) => ['submission', 'run', 'series', 'commits', 'metric', 'audit'].map((t) => Number(sql(server, `SELECT count(*) FROM ${t}`)));
const runOf = async (server, id) => (await server.json(`/run/${id}.json`)).json;
const parts = (list, n) => Array.from({ length: Math.ceil(list.length / n) }, (_, i) => list.slice(n * i, n * (i + 1)).join(''));

const hackbench = (n, first = 0) => Array.from({ length: n }, (_, i) => `Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)
Each sender will pass 100 messages of 100 bytes
Time: ${((first + i + 1) * 0.125).toFixed(3)}\n`);
// 200 commits, 100 rows each
const names = Array.from({ length: 30 }, (_, i) => `t.counter_${i}`);
const head = `commit,tbox_group,${names}\n`;
const commitOf = (c) => (0xabc0000000 + c).toString(16);
const figure = (c, r, i) => ((c * 7919 + r * 104729 + i * 31) % 899999) + 100000;
const table = (commits = 200) => Array.from({ length: commits }, (_, c) => Array.from({ length: 100 }, (_, r) =>
	`${commitOf(c)},box,${names.map((_, i) => figure(c, r, i))}\n`).join(''));
const csv = { 'axis.testcase': 't' };

// Sends all at once here and in parts to the other server, and holds the answers against each other.
async function bothWays(format, whole, pieces, query) {
	assert.ok(whole.length > LINE, `${whole.length}`);
	assert.ok(pieces.every((p) => p.length < LINE));
	const large = await send(s, format, whole, query);
	assert.equal(large.status, 201, large.text.slice(0, 300));
	assert.equal(large.json.format, format);
	const inParts = [];
	for (const p of pieces) {
		const r = await send(small, format, p, query);
		assert.equal(r.status, 201, r.text.slice(0, 300));
		inParts.push(...r.subs);
	}
	const same = (x) => ({ key: x.key, status: x.status, digest: x.series_digest, runs: x.runs.length });
	assert.deepEqual(large.subs.map(same), inParts.map(same));
	for (const i of [0, large.subs.length - 1]) {
		const [a, b] = [large.subs[i].runs, inParts[i].runs];
		if (!a.length) continue;
		const [x, y] = [await runOf(s, a.at(-1)), await runOf(small, b.at(-1))];
		assert.deepEqual([x.values, x.info, x.commit.id, x.series.axes, x.distributions], [y.values, y.info, y.commit.id, y.series.axes, y.distributions]);
	}
	return large;
}

test('hackbench: 40000 outputs are four submissions, as in four bodies', async () => {
	const all = hackbench(40000);
	s.uploadToken();
	const before = stored(s);
	const r = await bothWays('hackbench', all.join(''), parts(all, 10000), box);
	assert.deepEqual(r.subs.map((x) => x.runs.length), [10000, 10000, 10000, 10000]);
	const { values } = await runOf(s, r.subs[3].runs[9999]);
	assert.deepEqual([values['hackbench.seconds'], values['hackbench.throughput']], [5000, 0.78125]);
	const after = stored(s);
	assert.deepEqual([after[0] - before[0], after[1] - before[1], after[5] - before[5]], [4, 40000, 1], 'one row of audit');
	assert.match(sql(s, 'SELECT detail FROM audit ORDER BY audit_id DESC LIMIT 1'), /^submissions 4, runs 40000, summaries 0, duplicates 0$/);
});

test('csv: a table of 200 commits', async () => {
	const rows = table();
	const r = await bothWays('csv', head + rows.join(''), parts(rows, 50).map((p) => head + p), csv);
	assert.deepEqual([r.subs.length, r.subs[199].runs.length], [200, 100]);
	const run = await runOf(s, r.subs[199].runs[99]);
	assert.equal(run.commit.id, commitOf(199));
	assert.equal(run.values['t.counter_29'], figure(199, 99, 29));
});

test('fio: outputs one behind the other, with their percentiles', async () => {
	const one = read('raw', 'fio-two-jobs.json');
	const outputs = Array.from({ length: Math.ceil(5e6 / one.length) }, (_, i) => one.replace(/"iops" : (\d+)\.\d+/g, `"iops" : $1.${1000 + i}`));
	assert.notEqual(outputs[0], outputs[1]);
	const r = await bothWays('fio', outputs.join(''), outputs, { ...box, 'axis.testcase': 'fio-basic' });
	assert.ok(r.subs.length >= outputs.length);
});

test('robot-mail: a mailbox of several MiB', async () => {
	const mail = read('mails', '04-four-columns.txt');
	const hex = new Set(mail.match(/\b[0-9a-f]{12,40}\b/g));
	const mails = Array.from({ length: Math.ceil(5e6 / mail.length) }, (_, k) => {
		let text = mail;
		for (const h of hex) text = text.replaceAll(h, (((parseInt(h.slice(0, 8), 16) + 977 * k) >>> 0).toString(16).padStart(8, '0')) + h.slice(8));
		return text;
	});
	const boxed = mails.map((m, k) => `From robot@example.org Thu Jul 20 03:01:00 2023\nSubject: report ${k}\n\n${m}\n\n`);
	const r = await bothWays('robot-mail', boxed.join(''), parts(boxed, 50), {});
	assert.equal(r.subs.length, 4 * mails.length);
});

test('the same again, packed or in parts, is known already', async () => {
	const before = stored(s);
	const all = hackbench(40000);
	const first = await send(s, 'hackbench', all.join(''), box);
	assert.equal(first.status, 200, first.text.slice(0, 300));
	assert.ok(first.subs.every((x) => x.status === 'duplicate' && x.runs.length === 10000));
	const packed = await send(s, 'hackbench', gzipSync(all.join('')), box, { 'content-encoding': 'gzip' });
	assert.deepEqual([packed.status, packed.subs], [200, first.subs]);
	const part = await send(s, 'hackbench', all.slice(10000, 20000).join(''), box);
	assert.deepEqual([part.status, part.subs], [200, [first.subs[1]]]);
	const auto = await send(s, 'auto', all.join(''), box);
	assert.deepEqual([auto.status, auto.json], [200, first.json]);
	const more = await send(s, 'hackbench', all.join('') + hackbench(1, 40000).join(''), box);
	assert.deepEqual([more.status, more.subs.map((x) => x.status)], [201, [...Array(4).fill('duplicate'), 'created']]);
	const after = stored(s);
	assert.deepEqual([after[0] - before[0], after[1] - before[1]], [1, 1]);
});

test('a repeat inside of it is stored once', async () => {
	const half = hackbench(20000, 50000).join('');
	const r = await send(s, 'hackbench', half + half, box);
	assert.deepEqual([r.status, r.subs.map((x) => x.status)], [201, ['created', 'created', 'duplicate', 'duplicate']]);
	assert.deepEqual([r.subs[2].runs, r.subs[3].runs], [r.subs[0].runs, r.subs[1].runs]);
});

test('a fault at its very end: all faults are told, nothing is stored', async () => {
	const before = stored(s);
	const rows = table(200).join('').replaceAll('abc', 'def');
	const bad = await send(s, 'csv', `${head}${rows}not-a-commit!,box,${names.map(() => 1)}\n`, csv);
	assert.equal(bad.status, 422, bad.text.slice(0, 300));
	assert.deepEqual([bad.json.errors.length, bad.json.errors[0].path], [1, 'line 20002']);
	const cut = await send(s, 'csv', `${head}${rows}"defdef0001,box,1`, csv);
	assert.equal(cut.status, 422, cut.text.slice(0, 300));
	const nothing = await send(s, 'hackbench', hackbench(40000).join('').replaceAll('Time:', 'Tame:'), box);
	assert.equal(nothing.status, 422);
	const without = await send(s, 'hackbench', hackbench(40000).join(''), {});
	assert.deepEqual(without.json.errors.map((x) => x.path).sort(), ['commit', 'tbox_group']);
	assert.deepEqual(stored(s), before);
});

// A unit cannot be told by reading the body alone: the writer finds it.
const long = (unit) => (c, r) => `${commitOf(c)},box,u.metric_${r},${c + r},${unit}\n`;
const longTable = (unit) => 'commit,tbox_group,metric,value,unit\n' +
	Array.from({ length: 1000 }, (_, c) => Array.from({ length: 140 }, (_, r) => long(unit)(c, r)).join('')).join('');

test('what contradicts the store at its very end: nothing is stored', async () => {
	assert.equal((await send(s, 'csv', 'commit,tbox_group,metric,value,unit\nabcdef0001,box,u.last,1,ms\n', { 'axis.testcase': 'u' })).status, 201);
	const before = stored(s);
	const body = longTable('s');
	assert.ok(body.length > LINE);
	const r = await send(s, 'csv', `${body}abcdef0002,box,u.last,1,s\nabcdef0003,box,u.last,2,s\n`, { 'axis.testcase': 'u' });
	assert.equal(r.status, 422, r.text.slice(0, 300));
	assert.deepEqual(r.json.errors.map((e) => e.path), ['units["u.last"]', 'units["u.last"]']);
	assert.match(r.json.errors[0].message, /"s" here, but "ms"/);
	assert.deepEqual(stored(s), before);
	assert.ok(!r.json.submissions);
	const inside = await send(s, 'csv', `${body}abcdef0002,box,u.metric_7,1,min\n`, { 'axis.testcase': 'u2' });
	assert.equal(inside.status, 422, inside.text.slice(0, 300));
	assert.match(inside.json.errors[0].message, /"min" here, but "s"/);
	assert.deepEqual(stored(s), before);
	assert.equal((await send(s, 'csv', body, { 'axis.testcase': 'u' })).status, 201);
});

test('what waits beside one that is refused is stored, and its answer is whole', async () => {
	const body = `${longTable('s')}abcdef0002,box,u.last,1,s\n`;
	const all = [700000, 800000, 900000].map((first) => send(s, 'hackbench', hackbench(40000, first).join(''), box));
	all.push(send(s, 'csv', body, { 'axis.testcase': 'u' }));
	for (let i = 0; i < 20; i++)
		all.push(send(s, 'hackbench', hackbench(1, 200000 + i).join(''), box));
	const answers = await Promise.all(all);
	assert.deepEqual(answers.map((r) => r.status), [201, 201, 201, 422, ...Array(20).fill(201)]);
	for (const r of answers.slice(0, 3)) {
		assert.deepEqual(r.subs?.map((x) => x.runs.length), Array(4).fill(10000), r.text.slice(0, 300));
		assert.equal(new Set(r.subs.flatMap((x) => x.runs)).size, 40000);
	}
});

test('a token that is bound to a machine: one row of another at the end, and nothing is stored', async () => {
	const before = stored(s);
	const token = s.run(['token', 'create', '--name', 'bound', '--scope', 'upload', '--machine', 'box']).trim();
	const mine = { authorization: `Bearer ${token}` };
	const rows = table(200).join('').replaceAll('abc', 'bbc');
	const r = await send(s, 'csv', `${head}${rows}bbcdef0001,other,${names.map(() => 1)}\n`, csv, mine);
	assert.equal(r.status, 403, r.text.slice(0, 300));
	assert.match(r.json.detail, /bound to machine box/);
	assert.match(r.json.errors[0].message, /"other"/);
	assert.deepEqual(stored(s).slice(0, 5), before.slice(0, 5));
	const good = await send(s, 'csv', head + rows, csv, mine);
	assert.deepEqual([good.status, good.subs.length], [201, 200]);
});

// --- the command

const file = (name, text) => {
	writeFileSync(path.join(folder, name), text);
	return path.join(folder, name);
};
const command = (args, options = {}) => {
	const r = spawnSync(program, ['import', ...args], { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
	return { status: r.status, out: r.stdout, err: r.stderr };
};
const given = ['--axis', 'tbox_group=box', '--commit', 'abcdef123456'];

test('the command: a dry run has the keys of a body with the same source, and both know each other\'s', async () => {
	const text = hackbench(40000, 300000).join('');
	const f = file('hackbench.txt', text);
	const dry = command(['hackbench', f, '--dry-run', ...given]);
	assert.equal(dry.status, 0, dry.err);
	const documents = dry.out.trim().split('\n').map((l) => JSON.parse(l));
	assert.deepEqual(documents.map((d) => d.runs.length), [10000, 10000, 10000, 10000]);
	assert.equal(documents[3].runs[9999]['hackbench.seconds'], 340000 * 0.125);
	const body = await send(s, 'hackbench', text, { ...box, source: f });
	assert.equal(body.status, 201);
	assert.deepEqual(body.subs.map((x) => x.key), documents.map((d) => d.key));
	const again = command(['hackbench', f, ...given, '--database', s.database]);
	assert.deepEqual([again.status, again.out], [0, '0 created, 4 duplicate, 0 refused\n'], again.err);
	const piped = command(['auto', '-', ...given, '--database', s.database], { input: text });
	assert.deepEqual([piped.status, piped.out], [0, '4 created, 0 duplicate, 0 refused\n'], piped.err);
	const packed = command(['hackbench', file('hackbench.txt.gz', gzipSync(text)), ...given, '--database', s.database]);
	assert.deepEqual([packed.status, packed.out], [0, '4 created, 0 duplicate, 0 refused\n'], packed.err);
});

const document = (i, value) => `{"key":"n${i}","axes":{"testcase":"t","tbox_group":"native"},"commit":{"id":"abcdef123456"},"runs":[{"t.a":${value},"t.${'x'.repeat(900)}":1}]}`;
const array = (n, from = 0) => Array.from({ length: n }, (_, i) => document(from + i, i));

test('the command: an array whose last document conflicts is refused, and stores nothing', () => {
	const good = file('good.json', `[${array(5000)}]`);
	assert.ok(statSync(good).size > LINE);
	const first = command(['native', file('one.json', document(9999, 1)), '--database', s.database]);
	assert.equal(first.status, 0, first.err);
	const before = stored(s);
	const bad = command(['native', file('bad.json', `[${array(5000)},${document(9999, 2)}]`), '--database', s.database]);
	assert.deepEqual([bad.status, bad.out], [1, '0 created, 0 duplicate, 5001 refused\n']);
	assert.match(bad.err, /bad\.json: item 5000: key: "n9999" was used before for other content/);
	const inside = command(['native', file('inside.json', `[${array(5000)},${document(7, 8)}]`), '--database', s.database]);
	assert.match(inside.err, /inside\.json: item 5000: key: "n7" was used /);
	const cut = command(['native', file('cut.json', `[${array(5000)},{"key"`), '--database', s.database]);
	assert.deepEqual([cut.status, cut.out], [1, '0 created, 0 duplicate, 1 refused\n']);
	assert.deepEqual(stored(s), before);
	const taken = command(['native', good, '--database', s.database]);
	assert.deepEqual([taken.status, taken.out], [0, '5000 created, 0 duplicate, 0 refused\n'], taken.err);
});

test('the command: without room for a copy of a large file it says so', () => {
	const r = command(['hackbench', '-', '--dry-run', ...given], { input: hackbench(40000).join(''), env: { ...process.env, TMPDIR: path.join(folder, 'none') } });
	assert.equal(r.status, 1);
	assert.match(r.err, /standard input: no copy of it can be made in .*none \(TMPDIR\): No such file/);
});

// --- kill -9

// The log of the database grows while a large transaction is written, so its size says how far it is.
for (const mib of [0, 2, 8]) {
	test(`killed with ${mib} MiB of it in the log of the database: all of it is there, or nothing`, async () => {
		const k = await Server.start();
		k.uploadToken();
		const before = stored(k);
		const log = () => { try { return statSync(`${k.database}-wal`).size; } catch { return 0; } };
		let answer = null, failed = false;
		const sent = send(k, 'csv', head + table().join(''), csv).then((r) => { answer = r; }, () => { failed = true; });
		const least = log() + mib * 1048576;
		while (!answer && !failed && log() <= least)
			await new Promise((go) => { setImmediate(go); });
		k.child.kill('SIGKILL');
		await k.exited;
		await sent;
		const again = await Server.start({ folder: k.folder });
		assert.match(again.run(['check']), /: no complaints$/m);
		const after = stored(again);
		const all = after[0] === before[0] + 200 && after[1] === before[1] + 20000;
		assert.ok(all || String(after) === String(before), `${before} -> ${after}`);
		if (answer) assert.ok(all, 'it was answered');
		const r = await send(again, 'csv', head + table().join(''), csv);
		assert.equal(r.status, all ? 200 : 201);
		assert.equal(stored(again)[1], before[1] + 20000);
		await again.end();
	});
}

test('SIGTERM while it is written: it ends in good order, and what was not answered 201 is not there', async () => {
	const k = await Server.start();
	k.uploadToken();
	const before = stored(k);
	const log = () => { try { return statSync(`${k.database}-wal`).size; } catch { return 0; } };
	const least = log() + 2097152;
	let answer = null;
	const sent = send(k, 'csv', head + table(1000).join(''), csv).then((r) => { answer = r; });
	while (!answer && log() <= least)
		await new Promise((go) => { setImmediate(go); });
	assert.deepEqual(await k.stop(), { code: 0, signal: null });
	await sent;
	assert.ok([201, 503].includes(answer.status), answer.text.slice(0, 300));
	if (answer.status === 503)
		assert.ok(Number(answer.headers.get('retry-after')) > 0);
	const after = stored(k);
	assert.deepEqual(after.slice(0, 2), answer.status === 201 ? [before[0] + 1000, before[1] + 100000] : before.slice(0, 2));
	rmSync(k.folder, { recursive: true });
});

await finish();
await s.end();
await small.end();
rmSync(folder, { recursive: true });
