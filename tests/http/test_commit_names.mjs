// SPDX-License-Identifier: GPL-2.0-or-later
// A commit that came under several names is one commit everywhere: on its page, in histories and what is found in them, in
// the history that judges, in ranges and counts, and below a patch. Every figure is by hand, or that of a twin, another
// machine whose results all came by full ids.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const folder = path.join(s.folder, 'tree');
mkdirSync(folder);
const git = (...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { encoding: 'utf8' }).trim();
git('init', '-q', '-b', 'main');
const ids = [...Array(14).keys()].map((i) => {
	git('commit', '-q', '--allow-empty', '-m', `commit ${i}`);
	git('tag', `tag${i}`);
	return git('rev-parse', 'HEAD');
});
const [BASE, NEXT] = [ids[10], ids[11]];

const M = 'work.throughput';
async function put(box, commit, values, more = {}) {
	const r = await s.upload({ axes: { testcase: 'work', tbox_group: box }, commit: typeof commit === 'string' ? { id: commit } : commit, ...(values ? { matrix: { [M]: values } } : {}), ...more });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions[0].series;
}
const load = async (url) => {
	const r = await s.json(url);
	assert.equal(r.status, 200, r.text);
	return r.json;
};
const digests = {};
const digestOf = async (box) => digests[box] ??= (await load(`/compare.json?commits=${BASE},${NEXT}&axis.tbox_group=${box}`)).tables[0].series.digest;
const history = async (box, more = '') => load(`/history.json?series=${await digestOf(box)}&metric=${M}${more}`);
const resultOn = (json, box) => {
	const found = json.results.filter((x) => x.series.axes.tbox_group === box);
	assert.equal(found.length, 1, `${box} stands ${found.length} times`);
	return found[0];
};
const firstRow = (x) => [...x.worst, ...x.best, ...x.primary_same].find((r) => r.metric === M);
const cellOn = async (box) => (await load(`/compare.json?commits=tag10,tag11&axis.tbox_group=${box}&samples=1`)).tables[0].rows[0].cells;

// Both commits under both names, in turn.
await put('both', 'tag10', [100, 104], { info: { boot: 'a', kernel_config: 'x' } });
await put('both', BASE, [102, 106]);
await put('both', 'tag10', [101], { key: 'odd one' });
await put('both', NEXT, [80, 81]);
await put('both', 'tag11', [82]);
await put('both', NEXT.slice(0, 12), [83]);
await put('both', 'tag11', [1], { status: 'failed' });
await put('twin', BASE, [100, 104, 102, 106, 101]);
await put('twin', NEXT, [80, 81, 82, 83]);
// The base under its tag alone, the change under its id alone.
await put('mixed', 'tag10', [10, 11, 12, 13]);
await put('mixed', NEXT, [20, 21, 22, 23]);
// Ten commits, then a step, each under two names; and one that came under a tag alone.
const level = (i) => (i < 7 ? 1000 : 900) + 3 * ((i * 7) % 5);
for (const i of ids.keys()) {
	await put('line', ids[i], [level(i), level(i) + 1]);
	await put('line', `tag${i}`, [level(i) + 2, level(i) + 3]);
	await put('line-twin', ids[i], [0, 1, 2, 3].map((d) => level(i) + d));
}

test('until git knows them they are different commits', async () => {
	const { points } = await history('both');
	assert.deepEqual(points.map((p) => p.n), [3, 2, 3, 1]);
	assert.ok(points.every((p) => !('names' in p.commit)));
	assert.equal(resultOn(await load('/commit/tag11.json'), 'both').n, 1);
	s.run(['repo', 'add', 'mainline', folder]);
});

test('/commit shows a series once, with all runs on both sides, by whatever name it is asked for', async () => {
	for (const asked of [NEXT, 'tag11', NEXT.slice(0, 10), 'main~2']) {
		const json = await load(`/commit/${asked}.json`);
		const boxes = json.results.map((x) => x.series.axes.tbox_group);
		assert.deepEqual(boxes.toSorted(), ['both', 'line', 'line-twin', 'mixed', 'twin'], asked);
		const x = resultOn(json, 'both'), row = firstRow(x);
		assert.deepEqual([x.n, x.failed, x.base], [4, 1, BASE]);
		assert.deepEqual([row.base.n, row.base.mean, row.n, row.mean, row.verdict], [5, 102.6, 4, 81.5, 'regression']);
		assert.ok(Math.abs(row.change_pct - 100 * (81.5 / 102.6 - 1)) < 1e-9);
		const mixed = firstRow(resultOn(json, 'mixed'));
		assert.deepEqual([resultOn(json, 'mixed').base, mixed.base.mean, mixed.mean], ['tag10', 11.5, 21.5]);
	}
});

test('/commit, /compare and the twin judge alike', async () => {
	const json = await load('/commit/tag11.json');
	for (const box of ['both', 'twin', 'mixed', 'line', 'line-twin']) {
		const row = firstRow(resultOn(json, box)), [, cell] = await cellOn(box);
		for (const key of ['n', 'mean', 'median', 'change_pct', 'p', 'q', 'cliff_delta', 'mde_pct', 'history', 'verdict', 'reason'])
			assert.deepEqual(row[key], cell[key], `${box}: ${key}`);
	}
	const [both, twin, line, lineTwin] = ['both', 'twin', 'line', 'line-twin'].map((box) => firstRow(resultOn(json, box)));
	for (const key of ['p', 'q', 'cliff_delta', 'mde_pct', 'history', 'verdict']) {
		assert.deepEqual(both[key], twin[key], key);
		assert.deepEqual(line[key], lineTwin[key], key);
	}
	assert.deepEqual(both.others.map((o) => o.machine), ['line', 'line-twin', 'mixed', 'twin']);
});

test('ten commits measured before count as ten, though each has two names', async () => {
	assert.equal((await cellOn('line'))[1].history, 10);
	assert.equal((await cellOn('line-twin'))[1].history, 10);
});

test('so do those that are only known to be older by their dates', async () => {
	const [E1, E2] = ['e1', 'e2'].map((x) => x.repeat(20));
	for (const i of [2, 3, 4]) {
		await put('dated', ids[i], [i]);
		await put('dated', `tag${i}`, [i + 1]);
	}
	await put('dated', { id: E1, date: '2096-01-01T00:00:00Z' }, [1, 2]);
	await put('dated', { id: E2, date: '2096-01-02T00:00:00Z' }, [1, 2]);
	const { tables } = await load(`/compare.json?commits=${E1},${E2}`);
	assert.equal(tables[0].rows[0].cells[1].history, 3);
});

test('/history has a point a commit, with all runs in order of upload', async () => {
	for (const order of ['commit', 'time']) {
		const { points } = await history('both', `&order=${order}`);
		assert.deepEqual(points.map((p) => p.values), [[100, 104, 102, 106, 101], [80, 81, 82, 83]], order);
		assert.deepEqual(points.map((p) => [p.n, p.mean]), [[5, 102.6], [4, 81.5]]);
		assert.deepEqual(points.map((p) => [p.commit.id, p.commit.names]), [[BASE, [BASE, 'tag10']], [NEXT, [NEXT, 'tag11']]]);
	}
	const cells = await cellOn('both');
	assert.deepEqual((await history('both')).points.map((p) => p.values), cells.map((k) => k.values));
	const mixed = (await history('mixed')).points;
	assert.deepEqual(mixed.map((p) => [p.commit.id, 'names' in p.commit, p.place]), [['tag10', false, 'line'], [NEXT, false, 'line']]);
	assert.equal((await s.get(`/history.txt?series=${await digestOf('both')}&metric=${M}`)).text.match(/ {3}5 +102\.6 /g).length, 1);
});

test('steps of a history, and of a series, are those of the twin', async () => {
	const [own, twin] = [await history('line'), await history('line-twin')];
	const bare = (p) => ({ ...p, series: null, commit: { ...p.commit, names: null } });
	assert.deepEqual(own.points.map(bare), twin.points.map(bare));
	assert.deepEqual(own.change_points, twin.change_points);
	assert.deepEqual(own.change_points.map((k) => [k.index, k.commit.id, k.verdict]), [[7, ids[7], 'regression']]);
	const [page, other] = [await load(`/series/${await digestOf('line')}.json`), await load(`/series/${await digestOf('line-twin')}.json`)];
	assert.deepEqual(page.changes, other.changes);
	assert.ok(JSON.stringify(page.changes).includes(ids[7]));
	assert.deepEqual([page.commits_in_all, page.metrics], [14, other.metrics]);
	const counts = (json) => json.commits.map((k) => [k.id, k.runs, k.failed]);
	assert.deepEqual(counts(page), counts(other));
	assert.deepEqual(counts(page)[0], [ids[13], 4, 0]);
	assert.deepEqual(counts(await load(`/series/${await digestOf('both')}.json`)), [[NEXT, 4, 1], [BASE, 5, 0]]);
});

test('/range counts and holds commits against each other, not names', async () => {
	const of = async (box) => load(`/range/${ids[3]}..${ids[12]}.json?series=${await digestOf(box)}&metric=${M}`);
	const [own, twin] = [await of('line'), await of('line-twin')];
	const bare = (json) => ({ ...json, series: null });
	assert.deepEqual(bare(own), bare(twin));
	assert.deepEqual([own.step.good, own.step.bad, own.step.verdict], [ids[6], ids[7], 'regression']);
	const next = own.commits.find((k) => k.id === NEXT);
	assert.deepEqual([next.series, next.n, next.below], [5, 4, BASE]);
});

test('verdicts that a change of a metric would move are counted once a commit', async () => {
	const r = await fetch(`${s.url}/api/v1/metric/${M}`, { method: 'PUT', body: JSON.stringify({ direction: 'lower', dry_run: true }),
		headers: { authorization: `Bearer ${s.token('admin')}`, 'content-type': 'application/json' } });
	const k = await r.json();
	assert.equal(r.status, 200, JSON.stringify(k));
	// 2 commits on each of three machines, 14 on each of two, and 5 on "dated", of which those without git have no ancestor;
	// neither has the first of each.
	assert.deepEqual([k.cells, k.verdicts, k.older_left_out], [39, 31, false]);
});

test('of summaries the last one that came wins in histories, under whichever name', async () => {
	const printed = async (commit, mean) => put('told', commit, null, { summary: { [M]: { mean } } });
	await printed(BASE, 100);
	await printed(NEXT, 70);
	await printed('tag11', 80);
	const points = async () => (await history('told')).points.map((p) => [p.n, p.mean]);
	assert.deepEqual(await points(), [[null, 100], [null, 80]]);
	await printed(NEXT, 90);
	assert.deepEqual(await points(), [[null, 100], [null, 90]]);
	assert.equal(firstRow(resultOn(await load('/commit/tag11.json'), 'told')).mean, 90);
});

test('the parents that uploads told of any name order what git does not know', async () => {
	const [P, Q] = ['d1', 'd2'].map((x) => x.repeat(20));
	await put('stray', { id: Q, parents: [P] }, [3]);
	await put('stray', { id: P, parents: [BASE] }, [2]);
	await put('stray', BASE, [1]);
	await put('stray', 'tag10', [1]);
	await put('stray', NEXT, [4]);
	assert.deepEqual((await history('stray')).points.map((p) => p.mean), [1, 2, 3, 4]);
	const x = resultOn(await load(`/commit/${P}.json`), 'stray');
	assert.deepEqual([x.base, firstRow(x).base.n], [BASE, 2]);
});

// A base that is measured under its tag alone, while the patch calls it by its id.
test('what a patch takes back of its base, under whatever name that was measured', async () => {
	const fix = '73'.repeat(20);
	const around = (mean) => [-2, -1, 0, 0, 1, 2].map((d) => mean * (1 + d / 1000));
	await put('fixed', 'tag8', around(1000).slice(0, 3));
	await put('fixed', ids[8], around(1000).slice(3));
	await put('fixed', 'tag9', around(782));
	await put('other', ids[9], [1]); // so that the id has a row, which measured nothing on the machine
	await put('fixed', { id: fix, label: 'the fix', subject: 'mm: give it back', author: { name: 'Zoe', email: 'zoe@example.org' }, parents: [ids[9]],
		patch: { message_id: 'back@example.org', base: ids[9] } }, around(971));
	const { versions: [{ parts: [part] }] } = await load('/patch/back@example.org.json');
	assert.equal(part.recovered.length, 1);
	assert.equal(part.recovered[0].sentence, 'the fix recovers 87 % of the regression: -2.9 % are left of -21.8 %');
	assert.ok(Math.abs(part.recovered[0].recovered_pct - 100 * (1 - 2.9 / 21.8)) < 1e-9);
	const row = firstRow(resultOn(await load(`/commit/${fix}.json`), 'fixed'));
	assert.deepEqual([row.base.n, row.verdict], [6, 'improvement']);
	assert.match(part.sentence, /better/);
});

test('what is kept of a commit before the base follows what comes under its other name', async () => {
	const p = async (box) => (await cellOn(box))[1].p;
	const before = await p('line');
	assert.equal(before, await p('line-twin'));
	await put('line', 'tag5', [1300, 700]);
	await put('line-twin', ids[5], [1300, 700]);
	assert.equal(await p('line'), await p('line-twin'));
	assert.notEqual(await p('line'), before);
});

await finish();
await s.end();
