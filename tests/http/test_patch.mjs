// SPDX-License-Identifier: GPL-2.0-or-later
// A patch by any mail of it: two versions on different bases, a series with a cover that nobody tested, what git made of
// it; and the fix that is tried, in a comparison of three commits.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const [B1, V1, B2, V2, P2, P3] = ['1a', '2b', '3c', '4d', '5e', '6f'].map((x) => x.repeat(20));
const M = 'fio.write_iops';
const axes = { testcase: 'fio', tbox_group: 'box1' };
// Six samples around a mean, with a standard deviation of about 0.187 % of it.
const runs = (mean) => [-2, -1, 0, 0, 1, 2].map((d) => ({ [M]: mean * (1 + d / 1000) }));
async function put(commit, mean, more = {}) {
	const r = await s.upload({ axes: { ...axes, ...more }, commit: typeof commit === 'string' ? { id: commit } : commit, runs: runs(mean) });
	assert.equal(r.status, 201, r.text);
}
const diff = (body) => `diff --git a/mm/x.c b/mm/x.c\nindex 1..2 100644\n--- a/mm/x.c\n+++ b/mm/x.c\n${body}`;
const v1 = diff('@@ -10,5 +10,6 @@ static int f(void)\n \tint i;\n \n-\tfor (i = 0; i < n; i++)\n+\tfor (i = n; i--;)\n+\t\tcpu_relax();\n \t\tg(i);\n \n');
const v2 = diff('@@ -40,5 +40,6 @@ static int f(void)\n \tint i;\n \n-\tfor (i = 0; i < n; i++)\n+\tfor (i = n; i--;)\n+\t\tcond_resched(); /* <b> */\n \t\tg(i);\n \n')
	+ 'diff --git a/mm/y.c b/mm/y.c\n--- a/mm/y.c\n+++ b/mm/y.c\n@@ -1 +1 @@\n--- x\n+++ y\n';
const mail = (n, version) => `2026010${version}101010.4711-${n}-ann@example.org`;
const patch = (id, version, index, base, subject, text) => ({ id, subject: `[PATCH v${version} ${index}/2] ${subject}`, author: { name: 'Ann', email: 'ann@example.org' },
	patch: { message_id: mail(index + 1, version), version, index, total: 2, base, ...(text ? { diff: text } : {}) } });

// By their dates nothing was measured before the second base, whenever the uploads came.
await put({ id: B1, date: '2020-01-02T00:00:00Z' }, 1000);
await put(patch(V1, 1, 1, B1, 'mm: do less', v1), 782);
await put({ id: B2, date: '2020-01-01T00:00:00Z' }, 2000);
await put(patch(V2, 2, 1, B2, 'mm: do less', v2), 1942);
await put(patch(P2, 2, 2, V2, 'mm: say why'), 1942);
await put({ id: P3, subject: 'mm: do less', author: { name: 'Other', email: 'other@example.org' }, patch: { message_id: 'other@example.org', version: 1 } }, 5, { tbox_group: 'box2' });
const load = async (id) => {
	const r = await s.json(`/patch/${encodeURIComponent(id)}.json`);
	assert.equal(r.status, 200, r.text);
	return r.json;
};

test('all versions and parts, by any mail of the series', async () => {
	for (const id of [mail(2, 1), mail(2, 2), mail(3, 2), `<${mail(2, 1)}>`]) {
		const j = await load(id);
		assert.deepEqual(j.versions.map((v) => [v.version, v.parts.map((p) => [p.commit.id, p.index, p.total, p.base])]),
			[[1, [[V1, 1, 2, B1]]], [2, [[V2, 1, 2, B2], [P2, 2, 2, V2]]]], id);
		assert.deepEqual(j.versions.flatMap((v) => v.parts).filter((p) => p.asked).map((p) => p.message_id), [id.replace(/[<>]/g, '')]);
	}
	const cover = await load(mail(1, 2)); // it was never uploaded
	assert.equal(cover.versions.length, 2);
	assert.equal(cover.message_id, mail(1, 2));
	assert.equal((await s.get('/patch/nobody@example.org.json')).status, 404);
	assert.equal((await s.get('/patch/nobody@example.org', { accept: 'text/html' })).status, 404);
	assert.equal((await s.get('/patch.json')).status, 404);
});

test('the same subject of somebody else is another patch', async () => {
	assert.deepEqual((await load('other@example.org')).versions.flatMap((v) => v.parts).map((p) => p.commit.id), [P3]);
});

test('version against version: how much is recovered, with an interval', async () => {
	const { steps } = await load(mail(2, 2));
	assert.equal(steps.length, 1);
	assert.equal(steps[0].pairs, `${B1}..${V1},${B2}..${V2}`);
	assert.equal(steps[0].kept.length, 1);
	const [k] = steps[0].kept;
	assert.equal(k.sentence, 'v2 keeps -2.9 % of the -21.8 %: 87 % recovered');
	assert.ok(Math.abs(k.recovered_pct - 100 * (1 - 2.9 / 21.8)) < 1e-9);
	// By hand: s = .00158114 of a mean, so Var(b) = s^2/6 (.782^2 + .782^2) and Var(a) = s^2/6 (.971^2 + .971^2); Var(a - R b) = 8.05e-7 with R = .13303,
	// t at about 10 degrees of freedom is 2.2: half the width is 2.2 * 8.97e-4 / .218 = .009.
	assert.ok(k.recovered_high - k.recovered_low > 1.4 && k.recovered_high - k.recovered_low < 2.2, `${k.recovered_low} to ${k.recovered_high}`);
	const html = (await s.get(`/patch/${mail(2, 2)}`, { accept: 'text/html' })).text;
	assert.match(html, /<p class="lead">v2 keeps -2\.9 % of the -21\.8 %: 87 % recovered \(95 % interval: 86 to 88 %\) of fio on box1, fio\.write_iops\./);
	assert.ok(html.includes(`href="/compare?pairs=${encodeURIComponent(steps[0].pairs)}"`) || html.includes(`href="/compare?pairs=${steps[0].pairs}"`));
});

test('where the first version was better already there is nothing to recover', async () => {
	const [B, X1, X2] = ['7a', '8b', '9c'].map((x) => x.repeat(20));
	const of = (id, version) => ({ id, subject: `[PATCH v${version}] mm: do it faster`, author: { name: 'Eve', email: 'eve@example.org' },
		patch: { message_id: `faster-v${version}@example.org`, version, base: B } });
	await put(B, 1000, { tbox_group: 'box3' });
	await put(of(X1, 1), 1025, { tbox_group: 'box3' });
	await put(of(X2, 2), 1100, { tbox_group: 'box3' });
	const [{ kept }] = (await load('faster-v1@example.org')).steps;
	assert.deepEqual(kept.map((k) => k.sentence), ['v2 has +10.0 % where v1 had +2.5 %']);
	assert.ok(!(await s.get('/patch/faster-v1@example.org', { accept: 'text/html' })).text.includes('recovered'));
});

test('what a version does differently: where it stands is no difference', async () => {
	const { interdiff } = (await load(mail(2, 2))).steps[0];
	assert.deepEqual(interdiff, { different: true, cut: false, lines: [
		['f', 'mm/x.c'],
		[' ', '-\tfor (i = 0; i < n; i++)'],
		[' ', '+\tfor (i = n; i--;)'],
		['-', '+\t\tcpu_relax();'],
		['+', '+\t\tcond_resched(); /* <b> */'],
		['f', 'mm/y.c'],
		['+', '--- x'],
		['+', '+++ y'],
	] });
	assert.ok(!(await s.get(`/patch/${mail(2, 2)}`, { accept: 'text/html' })).text.includes('<b> */'));
});

test('what git made of it', async () => {
	const folder = path.join(s.folder, 'tree');
	mkdirSync(folder);
	const git = (...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { encoding: 'utf8' }).trim();
	git('init', '-q', '-b', 'main');
	writeFileSync(path.join(folder, 'x'), '1\n');
	git('add', 'x');
	git('commit', '-q', '-m', `mm: do less\n\nLink: https://lore.kernel.org/r/${mail(2, 2)}\n`);
	git('tag', 'v9.1');
	git('commit', '-q', '--allow-empty', '-m', 'x: never tested\n\nLink: https://lore.kernel.org/r/never@example.org\n');
	s.run(['repo', 'add', 'mainline', folder]);
	const j = await load(mail(2, 1));
	assert.deepEqual(j.in_git.map((x) => [x.id, x.subject, x.message_id, x.trees]), [[git('rev-parse', 'v9.1'), 'mm: do less', mail(2, 2), [{ tree: 'mainline', first_tag: 'v9.1' }]]]);
	const never = await load('never@example.org');
	assert.deepEqual([never.versions, never.subject, never.in_git[0].id], [[], 'x: never tested', git('rev-parse', 'HEAD')]);
	assert.equal((await s.get('/patch/never@example.org', { accept: 'text/html' })).status, 200);
	const html = (await s.get(`/commit/${git('rev-parse', 'v9.1')}`, { accept: 'text/html' })).text;
	assert.ok(html.includes(`href="/patch/${mail(2, 2)}"`));
});

test('base, culprit, a fix that is tried: what it takes back', async () => {
	const fix = '7a'.repeat(20);
	await put({ id: fix, label: 'the test patch', subject: 'mm: undo' }, 971);
	const url = `commits=${B1},${V1},${fix}`;
	const j = (await s.json(`/compare.json?${url}`)).json;
	assert.equal(j.recovered.length, 1);
	const { by, first, now, recovered_pct, recovered_low, recovered_high } = j.recovered[0];
	assert.equal(by, 'the test patch');
	assert.ok(Math.abs(first + 21.8) < 1e-9 && Math.abs(now + 2.9) < 1e-9 && Math.abs(recovered_pct - 86.69724770642202) < 1e-9);
	assert.ok(recovered_low > 85 && recovered_low < recovered_pct && recovered_pct < recovered_high && recovered_high < 88.5);
	const html = (await s.get(`/compare?${url}`, { accept: 'text/html' })).text;
	assert.ok(html.includes('<strong>the test patch recovers 87 % of the regression: -2.9 % are left of -21.8 %</strong>'));
	assert.ok(!('recovered' in (await s.json(`/compare.json?commits=${B1},${V1}`)).json));
	assert.ok(!(await s.get(`/compare.txt?${url}`)).text.includes('recovers')); // the robot's table alone
});

// Back at the old level or not ---------------------------------------------------------------------

// 90 % interval of the change between six samples a side, in percent: Student's t on logarithms with a pooled variance;
// t with 10 degrees of freedom is 1.8124611 from a table.
function interval(from, to) {
	const [x, y] = [from, to].map((mean) => runs(mean).map((v) => Math.log(v[M])));
	const mean = (v) => v.reduce((p, q) => p + q) / v.length;
	const squares = (v) => v.reduce((p, q) => p + (q - mean(v)) ** 2, 0);
	const se = Math.sqrt((squares(x) + squares(y)) / 10 * (1 / 6 + 1 / 6));
	return [-1, 1].map((sign) => 100 * Math.expm1(mean(y) - mean(x) + sign * 1.8124611228107335 * se));
}
function isFix(k, from, to) {
	const [low, high] = interval(from, to);
	assert.equal(k.fix, 'fixed');
	assert.ok(Math.abs(k.fix_margin - 21.8 / 3) < 1e-9, k.fix_margin); // a third of what was lost
	assert.ok(Math.abs(k.fix_low - low) < 1e-6 && Math.abs(k.fix_high - high) < 1e-6, `${k.fix_low} to ${k.fix_high}, not ${low} to ${high}`);
	assert.ok(k.fix_p < 1e-6);
	return `; fixed: within 7.3 % of the old level (90 % interval: ${low.toFixed(1)} to ${high.toFixed(1)} %)`;
}
const htmlOf = async (id) => (await s.get(`/patch/${id}`, { accept: 'text/html' })).text;
const textOf = async (id) => (await s.get(`/patch/${id}.txt`)).text;

test('whether a later version is back at the old level, as the comparison says it', async () => {
	const [{ pairs, kept: [k] }] = (await load(mail(2, 2))).steps;
	const words = isFix(k, 2000, 1942);
	const { sentence, ...same } = k;
	assert.deepEqual((await s.json(`/compare.json?pairs=${pairs}`)).json.kept, [same]);
	const said = `fio on box1, fio.write_iops: ${sentence} (95 % interval: 86 to 88 %)${words}\n`;
	assert.ok((await textOf(mail(2, 2))).includes(said), await textOf(mail(2, 2)));
	assert.ok((await htmlOf(mail(2, 2))).replaceAll(/<.?strong>/g, '').includes(said));
});

test('a patch on a commit that lost something: what it takes back', async () => {
	const [GOOD, BAD, FIX, IDLE, TWO] = ['71', '72', '73', '74', '75'].map((x) => x.repeat(20));
	const on = (id, base, message_id, more = {}) => ({ id, subject: 'mm: give it back', author: { name: 'Zoe', email: 'zoe@example.org' }, parents: [base],
		patch: { message_id, base }, ...more });
	const box = { tbox_group: 'box4' };
	await put({ id: GOOD }, 1000, box);
	await put({ id: BAD, parents: [GOOD] }, 782, box);
	await put(on(FIX, BAD, 'back@example.org', { label: 'the fix' }), 971, box);
	const { versions: [{ parts: [part] }] } = await load('back@example.org');
	const commits = `${GOOD},${BAD},${FIX}`;
	assert.equal(part.recovered.length, 1);
	const { sentence, commits: compared, ...same } = part.recovered[0];
	assert.equal(sentence, 'the fix recovers 87 % of the regression: -2.9 % are left of -21.8 %');
	assert.equal(compared, commits);
	assert.equal(same.by, 'the fix');
	assert.ok(Math.abs(same.recovered_pct - 86.69724770642202) < 1e-9); // 1 - 2.9/21.8
	const words = isFix(same, 1000, 971);
	assert.deepEqual((await s.json(`/compare.json?commits=${commits}`)).json.recovered, [same]);
	const said = new RegExp(`fio on box4, fio\\.write_iops: ${sentence} \\(95 % interval: 8[56] to 8[78] %\\)${words.replaceAll(/[().+]/g, '\\$&')}`);
	const html = await htmlOf('back@example.org');
	assert.match(html, new RegExp(`<p class="lead">${said.source}\\. `));
	assert.match(html.replaceAll(/<.?strong>/g, ''), new RegExp(`<li>${said.source}\n`));
	assert.ok(html.includes(`href="/compare?commits=${commits}"`));
	const text = await textOf('back@example.org');
	assert.match(text, new RegExp(`^mm: give it back\nmail back@example\\.org\n  ${said.source}\n\n`));
	assert.equal(text.match(new RegExp(said.source, 'g')).length, 2); // and with its part

	// One that changes nothing, one whose base is not known, and the second part of a series whose first one lost something.
	await put({ ...on(IDLE, BAD, 'idle@example.org'), subject: 'mm: rename' }, 782, box);
	assert.deepEqual((await load('idle@example.org')).versions[0].parts[0].recovered, []);
	assert.doesNotMatch(await textOf('idle@example.org'), /recover/);
	const series = (id, index, base) => ({ ...on(id, base, `20260301101010.815-${index}-zoe@example.org`), subject: `[PATCH ${index}/2] mm: part ${index}` });
	await put(series(TWO, 1, GOOD), 900, box);
	await put(series('76'.repeat(20), 2, TWO), 1000, box);
	const parts = (await load('20260301101010.815-2-zoe@example.org')).versions[0].parts;
	assert.deepEqual(parts.map((p) => [p.index, p.recovered]), [[1, []], [2, []]]);
});

test('scenario 1: the test patch recovers 87 %, which figures without samples do not show to be a fix', async () => {
	const r = await s.post('/api/v1/runs', readFileSync('deploy/sample/1-fio-three-way.ndjson'), { 'content-type': 'application/x-ndjson' });
	assert.equal(r.status, 200);
	const id = '20210520-bh-lru-drain@example.org';
	const k = (await load(id)).versions[0].parts[0].recovered.find((x) => x.metric === M);
	assert.deepEqual([k.first, k.now, k.fix, k.fix_low, k.recovered_low], [-21.8, -2.9, 'not told', null, null]);
	const said = `fio-basic on lkp-csl-2sp6, ${M}: the test patch recovers 87 % of the regression: -2.9 % are left of -21.8 %; whether it is fixed is not told: there are no samples to test`;
	assert.ok((await textOf(id)).includes(said));
	assert.ok((await htmlOf(id)).replaceAll(/<.?strong>/g, '').includes(said));
});

await finish();
await s.end();
