// SPDX-License-Identifier: GPL-2.0-or-later
// Versions of the rule: which one is in force, what another one would change, and how it is put in force. And what an
// administrator says of a metric: what that would change, and that it holds at once. Verdicts are by hand.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const OLD = 'welch-log-bh/1', NEW = 'plumbline/2';
const [A, B] = ['a', 'b'].map((x) => x.repeat(40));
const oops = [{}, { 'dmesg.oops': 1 }, { 'dmesg.oops': 1 }, {}];
const around = (mean, n) => [0, 1, -1, 2, -2, 0.5].slice(0, n).map((d) => ({ 'work.rate_x': mean + d }));
// Box a: four runs a side, and an oops in two of four; box b: three runs a side; box c: six runs of one boot a side.
const boxes = { a: { n: 4, more: oops }, b: { n: 3 }, c: { n: 6, boot: true } };
const fill = async (s) => {
	for (const [box, { n, more, boot }] of Object.entries(boxes))
		for (const [id, mean] of [[A, 1000], [B, 900]]) {
			const runs = around(mean, n).map((r, i) => ({ ...r, ...(id === B && more ? more[i] : {}) }));
			const r = await s.upload({ axes: { testcase: 'work', tbox_group: box }, commit: { id, parents: id === B ? [A] : [] }, runs, info: boot ? { boot: id } : {} });
			assert.equal(r.status, 201, r.text);
		}
};
const sql = (s, text) => execFileSync('sqlite3', [s.database, text], { encoding: 'utf8' }).trim();
// { "a work.rate_x": "changed", … } of the compare page and of the commit page, which agree.
async function verdicts(s, rule) {
	const { json } = await s.json(`/compare.json?commits=${A},${B}`);
	const commit = (await s.json(`/commit/${B}.json`)).json;
	const seen = {}, again = {};
	for (const t of json.tables)
		for (const r of t.rows)
			seen[`${t.series.axes.tbox_group} ${r.metric}`] = r.cells[1].verdict;
	for (const x of commit.results)
		for (const r of [...x.worst, ...x.best, ...x.primary_same])
			again[`${x.series.axes.tbox_group} ${r.metric}`] = r.verdict;
	assert.deepEqual(again, seen);
	assert.deepEqual([json.rule, commit.rule, (await s.json(`/range/${A}..${B}.json?series=1&metric=work.rate_x`)).json.step?.rule ?? rule], [rule, rule, rule]);
	return seen;
}
const byNew = { 'a work.rate_x': 'changed', 'a dmesg.oops': 'suspect', 'b work.rate_x': 'suspect', 'c work.rate_x': 'suspect' };
const byOld = { 'a work.rate_x': 'changed', 'a dmesg.oops': 'regression', 'b work.rate_x': 'changed', 'c work.rate_x': 'changed' };

const fresh = await Server.start(), old = await Server.start();
await fill(fresh);
await fill(old);
sql(old, "DELETE FROM setting WHERE name = 'rule'"); // as it was before there were versions

test('a new database is under the newest rule, one with results and no word under the first', async () => {
	assert.equal(sql(fresh, "SELECT value FROM setting WHERE name = 'rule'"), NEW);
	assert.deepEqual(await verdicts(fresh, NEW), byNew);
	assert.deepEqual(await verdicts(old, OLD), byOld);
	assert.match(old.run(['rule']), /^in force {2}welch-log-bh\/1/);
	assert.equal(sql(old, "SELECT value FROM setting WHERE name = 'rule'"), OLD); // the command has written it down
});

test('where it is not the newest, pages say so', async () => {
	for (const [s, says] of [[old, true], [fresh, false]]) {
		for (const url of ['/status', '/help/verdicts'])
			assert.equal(/Not the newest rule/.test((await s.get(url, { accept: 'text/html' })).text), says, url);
		const { json } = await s.json('/status.json');
		assert.deepEqual([json.rule, json.newest_rule], [says ? OLD : NEW, NEW]);
	}
});

test('what a rule would change is listed before it applies, and kept for a page', async () => {
	const out = old.run(['rule']);
	assert.match(out, /^plumbline\/2 would change 3 of 4 verdicts$/m);
	const listed = out.split('\n').filter((l) => l.includes(' -> '));
	assert.equal(listed.length, 3);
	for (const [box, metric, from] of [['a', 'dmesg.oops', 'regression'], ['b', 'work.rate_x', 'changed'], ['c', 'work.rate_x', 'changed']])
		assert.ok(listed.some((l) => l.startsWith(`work on ${box} (`) && l.endsWith(`bbbbbbbbbbbb  ${metric}  ${from} -> suspect`)), out);
	const { json } = await old.json('/rules.json');
	assert.deepEqual([json.in_force, json.newest, json.rules.map((r) => r.name)], [OLD, NEW, [OLD, NEW]]);
	const { changes, at, ...count } = json.count;
	assert.ok(at);
	assert.deepEqual(count, { from: OLD, to: NEW, cells: 6, older_left_out: false, verdicts: 4, would_change: 3 });
	assert.deepEqual(changes.map((k) => `${k.tbox_group} ${k.metric}: ${k.before}, ${k.after} of ${k.base.slice(0, 2)}..${k.commit.slice(0, 2)}`).sort(),
		['a dmesg.oops: regression, suspect of aa..bb', 'b work.rate_x: changed, suspect of aa..bb', 'c work.rate_x: changed, suspect of aa..bb']);
	const html = (await old.get('/rules', { accept: 'text/html' })).text;
	assert.match(html, /plumbline\/2 would change 3 of 4 verdicts/);
	assert.equal((html.match(/<td class="verdict-suspect">suspect/g) ?? []).length, 3);
	assert.deepEqual(await verdicts(old, OLD), byOld); // listing changes nothing
});

test('putting it in force holds at once, is written down, and can be taken back', async () => {
	const url = `/compare.json?commits=${A},${B}`;
	const { headers } = await old.get(url);
	assert.match(old.run(['rule', 'apply']), /^plumbline\/2 is in force$/m);
	assert.equal((await old.get(url, { 'if-none-match': headers.get('etag') })).status, 200);
	assert.deepEqual(await verdicts(old, NEW), byNew);
	assert.equal(sql(old, "SELECT who, object, detail FROM audit WHERE action = 'rule'"), `command line|${NEW}|before: ${OLD}`);
	old.run(['rule', 'apply', OLD]);
	assert.deepEqual(await verdicts(old, OLD), byOld);
	assert.match(fresh.run(['rule', OLD]), /^welch-log-bh\/1 would change 3 of 4 verdicts$/m);
});

test('a rule that is not known is refused, and a database that is under one', async () => {
	assert.throws(() => old.run(['rule', 'apply', 'plumbline/99']), (e) => e.status === 2 && /no rule is called "plumbline\/99"/.test(e.stderr));
	sql(old, "UPDATE setting SET value = 'plumbline/99' WHERE name = 'rule'; UPDATE generation SET n = n + 1");
	const r = await old.json(`/compare.json?commits=${A},${B}`);
	assert.equal(r.status, 500);
	old.run(['rule', 'apply', NEW]);
	assert.deepEqual(await verdicts(old, NEW), byNew);
});

// --- overrides ---

const admin = fresh.token('admin');
async function put(metric, body, status = 200) {
	const r = await fetch(`${fresh.url}/api/v1/metric/${encodeURIComponent(metric)}`, { method: 'PUT', body: JSON.stringify(body),
		headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' } });
	const json = await r.json();
	assert.equal(r.status, status, JSON.stringify(json));
	return json;
}
const audits = () => sql(fresh, "SELECT count(*) FROM audit WHERE action = 'metric'");

test('a dry run says how many verdicts would change, and writes nothing', async () => {
	const k = await put('work.rate_x', { direction: 'higher', dry_run: true });
	// a turns into a regression; what is suspect stays so
	assert.deepEqual([k.would_change, k.verdicts, k.cells, k.older_left_out, k.dry_run, k.direction, k.override], [1, 4, 6, false, true, 'none', null]);
	assert.equal((await put('work.rate_x', { threshold_pct: 20, dry_run: true })).would_change, 1);
	assert.equal((await put('work.rate_x', { threshold_pct: 5, dry_run: true })).would_change, 0);
	assert.equal((await put('work.rate_x', { role: 'monitor', dry_run: true })).would_change, 0);
	assert.equal(audits(), '0');
	assert.deepEqual(await verdicts(fresh, NEW), byNew);
});

test('an override holds at once, everywhere, and is shown with who said it', async () => {
	const before = (await fresh.get(`/metric/work.rate_x`, { accept: 'text/html' })).text;
	assert.match(before, /no direction is known to be better/);
	assert.match(before, /no rule knows this name/);
	await put('work.rate_x', { direction: 'higher', unit: 'x/s', reason: 'it is a rate' });
	for (let i = 0; i < 20; i++) // whichever thread answers
		assert.deepEqual(await verdicts(fresh, NEW), { ...byNew, 'a work.rate_x': 'regression' });
	const { json } = await fresh.json('/metric/work.rate_x.json');
	assert.deepEqual([json.direction, json.unit, json.rule, json.threshold_pct], ['higher', 'x/s', null, 1]);
	assert.equal(json.override.who, 'test-admin');
	assert.equal(json.override.what, 'unit x/s, direction higher: it is a rate');
	assert.deepEqual([json.override.direction, json.override.unit, json.override.kind], ['higher', 'x/s', null]);
	assert.match((await fresh.get('/metric/work.rate_x', { accept: 'text/html' })).text, /higher is better<\/b> <small>\(set by an administrator\)/);
	await put('work.rate_x', { direction: 'lower', reason: 'no, it is a cost' });
	assert.deepEqual(await verdicts(fresh, NEW), { ...byNew, 'a work.rate_x': 'improvement' });
	await put('work.rate_x', { threshold_pct: 20, reason: 'noisy' });
	assert.deepEqual(await verdicts(fresh, NEW), { ...byNew, 'a work.rate_x': 'suspect' });
	const back = await put('work.rate_x', { direction: null, unit: null, threshold_pct: null, reason: 'never mind' });
	assert.equal(back.override, null);
	assert.deepEqual(await verdicts(fresh, NEW), byNew);
	assert.equal(audits(), '4');
});

test('an override of another process holds with the next request', async () => {
	const tell = (direction) => sql(fresh, `BEGIN; UPDATE metric SET direction = ${direction}, overridden = 1 WHERE name = 'work.rate_x';
		UPDATE setting SET value = value + 1 WHERE name = 'metric_overrides'; UPDATE generation SET n = n + 1; COMMIT`);
	tell(1);
	assert.deepEqual(await verdicts(fresh, NEW), { ...byNew, 'a work.rate_x': 'regression' });
	tell('NULL');
	assert.deepEqual(await verdicts(fresh, NEW), byNew);
});

// Failures that are plain counts for somebody: without the override back, they are counted again.
test('a kind that is overridden is judged as that kind, with its history', async () => {
	await put('dmesg.oops', { kind: 'value', direction: 'none', reason: 'for a test' });
	const kinds = (await fresh.json(`/compare.json?commits=${A},${B}&axis.tbox_group=a&metric=dmesg.oops`)).json.tables[0].rows;
	assert.deepEqual(kinds.map((r) => [r.kind, r.cells[0], r.cells[1].n]), [['value', null, 2]]); // absent is not 0 any more
	await put('dmesg.oops', { kind: null, direction: null, reason: 'for a test' });
	assert.deepEqual(await verdicts(fresh, NEW), byNew);
});

test('what is wrong is refused, every fault by name', async () => {
	const r = await put('work.rate_x', { direction: 'up', kind: 1, threshold_pct: -1, nonsense: 1 }, 422);
	assert.deepEqual(r.errors.map((e) => e.path).sort(), ['direction', 'kind', 'nonsense', 'reason', 'threshold_pct']);
	await put('no.such', { unit: 'x', reason: 'r' }, 404);
	await put('no.such', { unit: 'x', dry_run: true }, 404);
	const upload = fresh.token('upload');
	const forbidden = await fetch(`${fresh.url}/api/v1/metric/work.rate_x`, { method: 'PUT', body: '{"unit": "x", "reason": "r"}',
		headers: { authorization: `Bearer ${upload}`, 'content-type': 'application/json' } });
	assert.equal(forbidden.status, 403);
});

test('overrides that race with readers leave all of them right', async () => {
	const readers = Array.from({ length: 6 }, async () => {
		for (let i = 0; i < 30; i++) {
			const { json } = await fresh.json(`/compare.json?commits=${A},${B}&axis.tbox_group=a&metric=work.rate_x&limit=${1 + i}`);
			const [row] = json.tables[0].rows;
			assert.equal(row.cells[1].verdict, { none: 'changed', higher: 'regression', lower: 'improvement' }[row.direction]);
		}
	});
	for (let i = 0; i < 15; i++) {
		const direction = ['higher', 'lower', null][i % 3];
		await put('work.rate_x', { direction, reason: 'r' });
		const { json } = await fresh.json('/metric/work.rate_x.json');
		assert.equal(json.direction, direction ?? 'none');
	}
	await Promise.all(readers);
});

await finish();
await fresh.end();
await old.end();
