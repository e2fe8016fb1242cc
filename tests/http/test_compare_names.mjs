// SPDX-License-Identifier: GPL-2.0-or-later
// A commit that was uploaded by its id, by a tag and by a prefix is one commit as soon as git says so: a comparison
// gathers what came under any of its names, whichever it is asked by. Every figure is by hand, or that of a twin, another
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
const ids = [...Array(12).keys()].map((i) => {
	git('commit', '-q', '--allow-empty', '-m', `commit ${i}`);
	return git('rev-parse', 'HEAD');
});
const [BASE, NEXT] = [ids[10], ids[11]];
git('tag', 'v6.4', BASE);
git('tag', '-a', '-m', 'the second', 'v6.5', NEXT);

const M = 'work.throughput';
async function put(box, commit, values, more = {}) {
	const r = await s.upload({ axes: { testcase: 'work', tbox_group: box, ...more.axes }, commit: { id: commit }, matrix: { [M]: values }, ...more, axes: { testcase: 'work', tbox_group: box, ...more.axes } });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions[0];
}
const load = async (query) => {
	const r = await s.json(`/compare.json?${query}`);
	assert.equal(r.status, 200, r.text);
	return r.json;
};
const tableOn = (json, box) => json.tables.find((t) => t.series.axes.tbox_group === box);
const boxes = (json) => json.tables.map((t) => t.series.axes.tbox_group);
// What must not depend on how a commit is called.
const bare = (json) => json.tables;

await put('tags', 'v6.4', [100, 101, 102, 103]);
await put('tags', 'v6.5', [80, 81, 82, 83]);
await put('ids', BASE, [200, 201, 202, 203]);
await put('ids', NEXT, [200, 201, 202, 203]);
await put('mixed', 'v6.4', [10, 11, 12, 13]);
await put('mixed', NEXT, [10, 11, 12, 13]);
// Both sides under both names, in turn; one boot under both.
await put('both', 'v6.4', [100, 104], { info: { boot: 'a', mode: 'x' }, started: '2026-01-01T00:00:00Z' });
await put('both', BASE, [102, 106], { info: { boot: 'b', mode: 'y' }, started: '2026-01-02T00:00:00Z' });
await put('both', 'v6.4', [101], { info: { boot: 'b', mode: 'y' }, started: '2026-01-03T00:00:00Z', key: 'odd one' });
await put('both', NEXT, [80, 81], { info: { boot: 'c', mode: 'x' } });
await put('both', 'v6.5', [82], { info: { boot: 'd', mode: 'y' } });
await put('both', NEXT.slice(0, 12), [83], { info: { boot: 'd', mode: 'y' } });
await put('both', 'v6.5', [1], { status: 'failed' });
await put('twin', BASE, [100, 104, 102, 106, 101]);
await put('twin', NEXT, [80, 81, 82, 83]);

test('until git knows them they are different commits', async () => {
	assert.deepEqual(boxes(await load('commits=v6.4,v6.5')), ['tags', 'both']);
	assert.deepEqual(boxes(await load(`commits=${BASE},${NEXT}`)), ['ids', 'both', 'twin']);
	const { commits } = await load('commits=v6.4,v6.5');
	assert.ok(commits.every((k) => !('names' in k)));
});

test('then all tables, by whatever name', async () => {
	s.run(['repo', 'add', 'mainline', folder]);
	const first = await load('commits=v6.4,v6.5&samples=1');
	assert.deepEqual(boxes(first), ['tags', 'ids', 'mixed', 'both', 'twin']);
	assert.deepEqual(first.commits.map((k) => k.names), [['v6.4', BASE], ['v6.5', NEXT]]);
	for (const asked of [`${BASE},${NEXT}`, `v6.4,${NEXT}`, `${BASE},v6.5`, `${BASE.slice(0, 10)},${NEXT.slice(0, 12)}`, 'v6.4,main', 'v6.5~1,v6.5'])
		assert.deepEqual(bare(await load(`commits=${asked}&samples=1`)), bare(first), asked);
	assert.deepEqual(bare(await load('pairs=v6.4..v6.5&samples=1')), bare(first));
	assert.deepEqual(boxes(await load('commit=v6.4')), ['tags', 'ids', 'mixed', 'both', 'twin']);
	assert.deepEqual((await load('commits=v6.5,v6.4')).tables.map((t) => t.base_is_younger), Array(5).fill(true));
});

test('one series under both names: all runs, in order of upload', async () => {
	const json = await load('commits=v6.4,v6.5&samples=1');
	const t = tableOn(json, 'both');
	assert.deepEqual([t.runs, t.failed_runs, t.boots], [[5, 4], [0, 1], [2, 2]]);
	const [base, next] = t.rows[0].cells;
	assert.deepEqual([base.values, next.values], [[100, 104, 102, 106, 101], [80, 81, 82, 83]]);
	assert.equal(base.mean, 102.6);
	assert.equal(next.mean, 81.5);
	assert.ok(Math.abs(next.change_pct - 100 * (81.5 / 102.6 - 1)) < 1e-9);
	const twin = tableOn(json, 'twin').rows[0].cells[1];
	for (const key of ['p', 'q', 'cliff_delta', 'verdict', 'mde_pct', 'history'])
		assert.deepEqual(next[key], twin[key], key);
	assert.equal(next.verdict, 'regression');
	assert.deepEqual(t.info_differences.map((d) => [d.key, ...d.values]), [['mode', 'x, y', 'x, y']]);
});

test('other machines that have the commits under other names', async () => {
	const cell = (json, box) => tableOn(json, box).rows[0].cells[1];
	for (const asked of ['v6.4,v6.5', `${BASE},${NEXT}`]) {
		const json = await load(`commits=${asked}`);
		assert.equal(cell(json, 'tags').joint, 'confirmed');
		assert.deepEqual(cell(json, 'tags').others.map((o) => [o.machine, o.verdict, o.base_n, o.n]),
			[['both', 'regression', 5, 4], ['ids', 'same', 4, 4], ['mixed', 'same', 4, 4], ['twin', 'regression', 5, 4]]);
	}
});

test('some runs only', async () => {
	const of = async (more) => (await load(`commits=${BASE},v6.5&axis.tbox_group=both&samples=1&${more}`)).tables[0].rows[0].cells[0].values;
	assert.deepEqual(await of('info.mode=x'), [100, 104]);
	assert.deepEqual(await of('info.mode=y'), [102, 106, 101]);
	const before = (await load(`commit=${BASE}&axis.tbox_group=both&samples=1&since=2026-01-02&until=2026-01-03`)).tables[0];
	assert.deepEqual(before.rows[0].cells[0].values, [102, 106]);
	assert.deepEqual(before.boots, [1]);
});

test('across an axis, and as a matrix', async () => {
	await put('sized', 'v6.4', [10, 11, 12, 13], { axes: { size: 'large' } });
	await put('sized', BASE, [20, 21, 22, 23], { axes: { size: 'small' } });
	for (const asked of ['v6.4', BASE]) {
		const { tables } = await load(`commit=${asked}&across=size&axis.tbox_group=sized`);
		assert.deepEqual(tables.map((t) => [t.columns.map((k) => k.value), t.runs]), [[['large', 'small'], [4, 4]]]);
	}
	const matrix = async (asked) => (await load(`commits=${asked}&view=matrix`)).matrix;
	assert.deepEqual((await matrix('v6.4,v6.5')).machines, ['both', 'ids', 'mixed', 'tags', 'twin']);
	assert.deepEqual(await matrix('v6.4,v6.5'), await matrix(`${BASE},${NEXT}`));
});

test('of summaries the last one that came wins, under whichever name', async () => {
	const printed = async (commit, mean, more) => {
		const r = await s.upload({ axes: { testcase: 'work', tbox_group: 'told' }, commit: { id: commit }, summary: { [M]: { mean, ...more } } });
		assert.equal(r.status, 201, r.text);
	};
	await printed('v6.4', 100, { printed: {} });
	await printed(NEXT, 70, { printed: { base: 'v6.4', change_pct: -30.1 } });
	await printed('v6.5', 80, { printed: { base: 'v6.4', change_pct: -20.1 } });
	for (const asked of ['v6.4,v6.5', `${BASE},${NEXT}`]) {
		const [base, next] = tableOn(await load(`commits=${asked}`), 'told').rows[0].cells;
		assert.deepEqual([base.mean, next.mean, next.printed], [100, 80, { base: 'v6.4', change_pct: -20.1 }]);
		// the table's base is called v6.4, which is what stands there: its change is shown as it came
		const text = (await s.get(`/compare.txt?commits=${asked}&axis.tbox_group=told`)).text;
		assert.match(text, /-20\.1%/, text);
	}
	await printed(NEXT, 90, { printed: { base: 'v6.4', change_pct: -10.1 } });
	assert.equal(tableOn(await load('commits=v6.4,v6.5'), 'told').rows[0].cells[1].mean, 90);
});

test('what corrections did to runs of any name', async () => {
	const admin = s.token('admin');
	const r = await fetch(`${s.url}/api/v1/corrections`, { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` },
		body: JSON.stringify({ select: { machine: 'both', commit: 'v6.4' }, set: { status: 'invalid' }, reason: 'for a test' }) });
	assert.ok(r.status < 300, await r.text());
	const t = tableOn(await load(`commits=${BASE},${NEXT}&samples=1`), 'both');
	assert.deepEqual([t.rows[0].cells[0].values, t.corrected, t.runs], [[102, 106], [3, 0], [2, 4]]);
});

// Ten commits before the base, some of them under tags, and a base and a change that came under two names: none of
// these may stand among the commits that they are judged with.
test('the history before it knows none of its names', async () => {
	for (let i = 0; i < 10; i++)
		for (const box of ['aged', 'aged-twin'])
			await put(box, ids[i], [0, 1, 2].map((d) => 1000 + 13 * ((i * 7) % 5) + d));
	await put('aged-twin', BASE, [1001, 1002, 1003, 1004]);
	await put('aged-twin', NEXT, [901, 902, 903, 904]);
	await put('aged', 'v6.4', [1001, 1002]);
	await put('aged', BASE, [1003, 1004]);
	await put('aged', NEXT, [901, 902]);
	await put('aged', 'v6.5', [903, 904]);
	for (const asked of ['v6.4,v6.5', `${BASE},${NEXT}`]) {
		const json = await load(`commits=${asked}`);
		const [own, twin] = ['aged', 'aged-twin'].map((box) => tableOn(json, box).rows[0].cells[1]);
		assert.equal(own.history, 10);
		for (const key of ['p', 'q', 'verdict', 'mde_pct', 'history'])
			assert.deepEqual(own[key], twin[key], key);
	}
});

test('the page says which names it gathers, and a commit beside itself does not change', async () => {
	const html = (await s.get('/compare?commits=v6.4,v6.5', { accept: 'text/html' })).text;
	assert.ok(html.includes(`<small>with what came as <b>${BASE.slice(0, 10)}</b></small>`));
	const json = await load(`commits=v6.4,${BASE}`);
	assert.ok(json.tables.length > 0 && json.tables.every((t) => t.rows.every((r) => r.cells[1].change_abs === 0 && !t.base_is_younger)));
});

await finish();
await s.end();
