// SPDX-License-Identifier: GPL-2.0-or-later
// The range page and charts in history order: the series of twenty patches with and without a repository, which commits may have made a
// step (git says), what to run next (git bisect says), and commits beside the line.
import assert from 'node:assert/strict';
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { History, git } from '../git/history.mjs';
import { asGit } from '../git/range_judge.mjs';
import { root, startServer } from './lab.mjs';
import { test, finish } from './tap.mjs';

const enc = encodeURIComponent;
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-range-'));
const sample = readFileSync(path.join(root, 'deploy', 'sample', '3-patch-series.ndjson'), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
const HEAD = 'f71ed0f653e9dbd57347f6321e36556004a17b52';

// The sample's commits, oldest first: its uploads name the parent of each.
const patches = new Map(sample.filter((x) => x.commit.patch).map((x) => [x.commit.id.slice(0, 12), x.commit]));
const series = [];
for (let at = HEAD; at && patches.has(at.slice(0, 12)); at = patches.get(at.slice(0, 12)).parents?.[0])
	series.unshift(patches.get(at.slice(0, 12)));
assert.equal(series.length, 20);

const START = 1_583_100_000;
const commit = (h, message, parents, date) => h.commit({ message: `${message}\n`, parents, files: { 'mm/file.c': `${message}\n` }, date });

// v5.6-rc4, and on it the twenty changes.
function makeSeries(dir) {
	const h = new History();
	const tag = commit(h, 'the fourth candidate', [commit(h, 'before', [], START - 9)], START);
	let tip = tag;
	series.forEach((k, i) => { tip = commit(h, k.subject, [tip], START + 60 * (i + 1)); });
	h.tag('v5.6-rc4', tag);
	h.ref('refs/heads/master', tag);
	h.ref('refs/heads/lru', tip);
	h.write(dir);
	return tip.id;
}

// A main line m0 … m40 with a side branch s0 … s7 from m12, merged as m25.
function makeForked(dir) {
	const h = new History();
	const m = [commit(h, 'main 0', [], START)];
	const side = [];
	for (let i = 1; i <= 40; i++) {
		if (i === 13)
			for (let k = 0; k < 8; k++) side.push(commit(h, `side ${k}`, [k ? side[k - 1] : m[12]], START + 1000 + k));
		m.push(commit(h, `main ${i}`, i === 25 ? [m[24], side[7]] : [m[i - 1]], START + 100 * i));
	}
	h.ref('refs/heads/master', m[40]);
	h.tag('v1.0', m[2]);
	h.tag('v1.1', m[38]);
	h.write(dir);
	return { m: m.map((c) => c.id), side: side.map((c) => c.id) };
}

async function send(s, documents) {
	const r = await s.send('POST', '/api/v1/runs', JSON.stringify(documents), { 'content-type': 'application/json' });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions;
}

async function serverWith(...repos) {
	const s = await startServer();
	try {
		for (const [name, dir] of repos) s.run(['repo', 'add', name, dir]);
	} catch (e) {
		await s.end();
		throw e;
	}
	return s;
}

test('a series of twenty patches reads as git log --oneline, and both boxes have their tables', async () => {
	const dir = path.join(folder, 'series');
	const head = makeSeries(dir);
	const s = await serverWith(['mainline', dir]);
	try {
		const measured = sample.filter((x) => x.summary).map((x, i) => ({ key: `s${i}`, axes: x.axes, summary: x.summary,
			commit: x.commit.id === 'v5.6-rc4' ? { id: 'v5.6-rc4', tree: 'mainline' } : { id: head } }));
		assert.equal(measured.length, 4);
		const range = `v5.6-rc4..${head}`;
		for (const moment of ['before anything is measured', 'after']) {
			const { text } = await s.get(`/range/${range}.txt`);
			assert.equal(text, asGit(dir, range, false), moment);
			assert.deepEqual(text.trimEnd().split('\n').map((l) => l.slice(13)).reverse(), series.map((k) => k.subject));
			if (moment !== 'after') await send(s, measured);
		}
		const table = (await s.get(`/compare.txt?commits=v5.6-rc4,${head}`)).text;
		assert.match(table, /998930 +-1\.4% +984729 +vm-scalability\.median/);
		assert.match(table, /64040 +-2\.2% +62641 +vm-scalability\.median/);
		assert.match(table, /12294118 +-2\.2% +12027483 +vm-scalability\.throughput/);
		// The lines stay, figures stand behind them: of the head against the tag below the range.
		const box = measured[0].axes.tbox_group;
		const { json: list } = await s.json(`/series.json?axis.tbox_group=${box}`);
		const columns = (await s.get(`/range/${range}.txt?series=${list.series[0].digest}&metric=vm-scalability.median`)).text.split('\n');
		assert.match(columns[0], new RegExp(`^${head.slice(0, 12)} .*  984729 .*-1\\.4%`));
		// No change of 1 % without samples is a verdict of ours, but the mail's is shown, so the head is where it was seen.
		const { json } = await s.json(`/range/${range}.json?series=${list.series[0].digest}&metric=vm-scalability.median`);
		assert.equal(json.commits.filter((c) => c.measured).length, 1);
		assert.equal(json.commits[0].n, null);
		assert.equal(json.commits[0].mean, 984729);
		assert.equal(json.commits[0].below, 'v5.6-rc4');
		assert.ok(Math.abs(json.commits[0].change_pct - 100 * (984729 / 998930 - 1)) < 1e-9);
		assert.equal(json.step.suspects, 20);
		// of twenty in a line the tenth leaves ten and ten
		assert.equal(json.suggestion.commit, git(dir, 'rev-parse', 'lru~10'));
	} finally {
		await s.end();
	}
});

test('without a repository the parents that uploads told make the same list', async () => {
	const s = await startServer();
	try {
		await send(s, sample);
		const { text } = await s.get(`/range/v5.6-rc4..${HEAD.slice(0, 12)}.txt`);
		assert.deepEqual(text.trimEnd().split('\n').reverse(), series.map((k) => `${k.id.slice(0, 12)} ${k.subject}`));
		const middle = (await s.get(`/range/${series[4].id}..${series[9].id}.txt`)).text;
		assert.deepEqual(middle.trimEnd().split('\n').map((l) => l.slice(13)).reverse(), series.slice(5, 10).map((k) => k.subject));
		assert.equal((await s.get(`/range/${HEAD}..${series[3].id}.txt`)).text, '');
		const { json } = await s.json(`/range/${series[4].id}...${series[9].id}.json`);
		assert.equal(json.total, 5);
	} finally {
		await s.end();
	}
});

test('uploaded patches on a commit of git belong to ranges that begin in git', async () => {
	const dir = path.join(folder, 'forked-patches');
	const { m } = makeForked(dir);
	const s = await serverWith(['main', dir]);
	try {
		const [p1, p2] = ['c1'.repeat(20), 'c2'.repeat(20)];
		const axes = { testcase: 't', tbox_group: 'b' };
		await send(s, [{ key: '1', axes, commit: { id: p1, subject: 'patch 1', parents: [m[4]] }, runs: [{ 't.x': 1 }] },
			{ key: '2', axes, commit: { id: p2, subject: 'patch 2', parents: [p1] }, runs: [{ 't.x': 1 }] }]);
		const ids = async (range) => (await s.json(`/range/${range}.json`)).json.commits.map((c) => c.id);
		assert.deepEqual(await ids(`v1.0..${p2}`), [p2, p1, m[4], m[3]]);
		assert.deepEqual(await ids(`${m[3]}..${p1}`), [p1, m[4]]);
		assert.deepEqual(await ids(`${p1}..${p2}`), [p2]);
		assert.deepEqual(await ids(`${p2}..${m[6]}`), [m[6], m[5]]);
	} finally {
		await s.end();
	}
});

test('the step, its suspects, and what to run next are what git says of good..bad', async () => {
	const dir = path.join(folder, 'forked');
	const { m, side } = makeForked(dir);
	const s = await serverWith(['main', dir]);
	const axes = { testcase: 'hackbench', tbox_group: 'box' };
	const values = (v) => [0, 3, 1, 4, 2, 5].map((i) => ({ 'hackbench.throughput': v + i }));
	const at = (id, v) => ({ key: id, axes, commit: { id }, runs: values(v) });
	try {
		const [{ series_digest: digest }] = await send(s, [at(m[5], 1000), at(m[10], 1001), at(m[30], 900), at(m[36], 901)]);
		const page = `/range/v1.0..v1.1.json?series=${digest}&metric=hackbench.throughput`;
		let { json } = await s.json(page);
		assert.equal(json.total, Number(git(dir, 'rev-list', '--count', 'v1.0..v1.1')));
		assert.equal(json.step.good, m[10]);
		assert.equal(json.step.bad, m[30]);
		assert.equal(json.step.verdict, 'regression');
		// means of 1001 … 1006 and 900 … 905
		assert.ok(Math.abs(json.step.change_pct - 100 * (902.5 / 1003.5 - 1)) < 1e-9);
		const suspects = git(dir, 'rev-list', `${m[10]}..${m[30]}`).split('\n');
		assert.deepEqual(json.commits.filter((c) => c.suspect).map((c) => c.id).sort(), suspects.sort());
		assert.equal(json.step.suspects, suspects.length);
		const vars = Object.fromEntries(git(dir, 'rev-list', '--bisect-vars', m[30], `^${m[10]}`).split('\n').map((l) => l.split('=')));
		const left = (id) => {
			const below = Number(git(dir, 'rev-list', '--count', id, `^${m[10]}`));
			return Math.max(below, suspects.length - below);
		};
		assert.equal(left(json.suggestion.commit), left(vars.bisect_rev.replaceAll('\'', '')));
		assert.equal(json.suggestion.runs, 6);
		// What does not build is marked, and is not run; nor is what was measured.
		const first = json.suggestion.commit;
		await send(s, [{ key: 'build', axes, commit: { id: first, build: { config: 'x', status: 'failed', warnings: [] } } }]);
		({ json } = await s.json(page));
		assert.equal(json.commits.find((c) => c.id === first).failed_builds, 1);
		assert.notEqual(json.suggestion.commit, first);
		assert.ok(left(json.suggestion.commit) <= left(first) + 1);
		const text = (await s.get(page.replace('.json', '.txt'))).text;
		assert.match(text, new RegExp(`^${first.slice(0, 12)} .*suspect +does not build$`, 'm'));
		assert.match(text, new RegExp(`^${m[30].slice(0, 12)} main 30 +6 runs +902\\.5 ± +0\\.2% +-10\\.1%  suspect$`, 'm'));
		// Measured in between, it narrows; a commit of the side branch is held against its own ancestors.
		await send(s, [at(m[24], 1000), at(side[7], 900)]);
		({ json } = await s.json(page));
		assert.equal(json.commits.find((c) => c.id === side[7]).below, m[10]);
		assert.equal(json.commits.find((c) => c.id === m[30]).below, m[24]);
		assert.equal((await s.json(`${page}&first_parent=1`)).json.commits.some((c) => side.includes(c.id)), false);
		// What was measured tells without a metric, too.
		({ json } = await s.json('/range/v1.0..v1.1.json'));
		assert.equal(json.suggestion, null);
		assert.deepEqual(json.commits.filter((c) => c.series).map((c) => c.id).sort(), [m[5], m[10], m[24], m[30], m[36], side[7]].sort());
		assert.deepEqual(json.commits.filter((c) => c.merge).map((c) => c.id), [m[25]]);
		const html = (await s.get(page.replace('.json', ''), { accept: 'text/html' })).text;
		for (const words of ['Run next', 'first seen bad', 'last seen good', 'does not build', 'merge', 'regression'])
			assert.ok(html.includes(words), words);
	} finally {
		await s.end();
	}
});

test('what was measured among the suspects is not run again', async () => {
	const dir = path.join(folder, 'again');
	const { m, side } = makeForked(dir);
	const s = await serverWith(['main', dir]);
	const axes = { testcase: 'hackbench', tbox_group: 'box' };
	const at = (id, v) => ({ key: id, axes, commit: { id }, runs: [0, 3, 1, 4, 2, 5].map((i) => ({ 'hackbench.throughput': v + i })) });
	try {
		// The merge m25 is bad, its first parent good: the side branch s0 … s7 and the merge are what is left, and s4 leaves five
		// (s0 … s4) or four, s3 four or five.
		const [{ series_digest: digest }] = await send(s, [at(m[10], 1001), at(m[24], 1000), at(m[25], 900)]);
		const suggestion = async () => (await s.json(`/range/${m[24]}..${m[25]}.json?series=${digest}&metric=hackbench.throughput`)).json.suggestion;
		assert.equal((await suggestion()).commit, side[4]);
		assert.equal((await suggestion()).why, 'of 9 suspects it leaves 5 if it is bad and 4 if it is good');
		await send(s, [at(side[4], 1000)]);
		assert.equal((await suggestion()).commit, side[3]);
		// Of what became better nothing is bad.
		const other = (id, v) => ({ ...at(id, v), axes: { ...axes, tbox_group: 'box2' } });
		const [{ series_digest: second }] = await send(s, [other(m[10], 1001), other(m[24], 1000), other(m[25], 1100)]);
		const page = `/range/${m[24]}..${m[25]}?series=${second}&metric=hackbench.throughput`;
		assert.equal((await s.json(page.replace('?', '.json?'))).json.suggestion.why, 'of 9 suspects it leaves 5 if it is better, too, and 4 if it is not');
		const html = (await s.get(page.replace(m[24], m[10]), { accept: 'text/html' })).text;
		assert.ok(html.includes('first seen better') && html.includes('last seen before it') && !html.includes('first seen bad'));
	} finally {
		await s.end();
	}
});

test('charts follow the first parents of a ref; what is elsewhere hangs beside; setups are joined', async () => {
	const dir = path.join(folder, 'charts');
	const { m, side } = makeForked(dir);
	const s = await serverWith(['main', dir]);
	const axes = { testcase: 'hackbench', tbox_group: 'box', ucode: '0x1' };
	const patch = 'd1'.repeat(20);
	const at = (id, v, more = {}) => ({ key: id, axes, commit: { id, ...more }, runs: [{ 'hackbench.throughput': v }, { 'hackbench.throughput': v + 1 }] });
	try {
		// Uploaded in no order at all.
		const done = await send(s, [at(m[30], 5), at(side[3], 4), at(m[20], 3), at(m[10], 2), at(patch, 9, { parents: [m[15]], date: '2030-01-01T00:00:00Z' }),
			{ ...at(m[35], 7), axes: { ...axes, ucode: '0x2' } }]);
		const url = `/history.json?series=${done[0].series_digest}&metric=hackbench.throughput`;
		const get = async (more = '') => (await s.json(url + more)).json;
		let h = await get();
		assert.equal(h.ref, 'main/master');
		assert.deepEqual(h.points.map((p) => p.commit.id), [m[10], side[3], patch, m[20], m[30]]);
		assert.deepEqual(h.points.map((p) => p.place), ['line', 'beside', 'beside', 'line', 'line']);
		assert.deepEqual(h.points.map((p) => p.beside), [null, m[10], m[10], null, null]);
		h = await get(`&ref=${side[7]}`);
		assert.equal(h.ref, side[7]);
		assert.deepEqual(h.points.filter((p) => p.place === 'line').map((p) => p.commit.id), [m[10], side[3]]);
		h = await get('&order=time');
		assert.deepEqual(h.points.map((p) => p.place), Array(5).fill('date'));
		h = await get('&join=ucode,rootfs');
		assert.deepEqual(h.joined.map((x) => x.digest), [done[5].series_digest]);
		assert.deepEqual(h.points.map((p) => p.commit.id), [m[10], side[3], patch, m[20], m[30], m[35]]);
		assert.equal(h.points.at(-1).series, done[5].series_digest);
		assert.equal(h.points[0].series, done[0].series_digest);
		assert.equal((await get('&join=rootfs')).joined.length, 0);
		assert.equal((await s.get(`${url}&ref=no-such-branch`)).status, 404);
		assert.equal((await s.get(`${url}&join=testcase`)).status, 422);
		const html = (await s.get(`${url.replace('.json', '')}&join=ucode`, { accept: 'text/html' })).text;
		assert.equal(html.match(/chart-aside/g).length, 2);
		assert.match(html, /chart-change/);
		assert.match(html, /ucode 0x1 → 0x2/);
		const text = (await s.get(`${url.replace('.json', '.txt')}`)).text;
		assert.match(text, /in the order of main\/master/);
		// 4.5 of the side against 2.5 of m10
		assert.match(text, new RegExp(`^${side[3].slice(0, 10)} .*\\+80\\.0%.*\\[beside ${m[10].slice(0, 10)}`, 'm'));
	} finally {
		await s.end();
	}
});

test('a commit that git alone knows has a page and compares as no tables; an ambiguous end is told', async () => {
	const dir = path.join(folder, 'alone');
	const { m } = makeForked(dir);
	const other = path.join(folder, 'other');
	makeSeries(other);
	const s = await serverWith(['main', dir], ['series', other]);
	try {
		const r = await s.json(`/commit/${m[7]}.json`);
		assert.equal(r.status, 200);
		assert.equal(r.json.id, m[7]);
		assert.equal(r.json.subject, 'main 7');
		assert.equal((await s.get(`/c/${m[7].slice(0, 12)}`, { accept: 'text/html' })).status, 200);
		const c = await s.json(`/compare.json?commits=${m[7]},v1.1`);
		assert.equal(c.status, 200);
		assert.deepEqual(c.json.tables, []);
		// Both trees have a master, and not the same one.
		const range = await s.json('/range/v1.0..master.json');
		assert.equal(range.status, 300);
		assert.equal(range.json.errors.length, 2);
		assert.equal((await s.get(`/range.json?range=${enc('v1.0..main/master')}`)).status, 200);
		// Ends of two histories have nothing in common: all of the second.
		const { json } = await s.json('/range/v5.6-rc4..v1.0.json');
		assert.deepEqual(json.commits.map((k) => k.id), [m[2], m[1], m[0]]);
	} finally {
		await s.end();
	}
});

test('who comes without a range is told what it is; a search for one leads there', async () => {
	const dir = path.join(folder, 'asked');
	makeForked(dir);
	const s = await serverWith(['main', dir]);
	try {
		const page = await s.get('/range', { accept: 'text/html' });
		assert.equal(page.status, 404);
		assert.match(page.text, /<code>A\.\.B<\/code> are the commits of B that A does not have[^]*<form [^>]*action="\/range"><label>Range <input name="range"/);
		const { status, json } = await s.json('/range.json');
		assert.equal(status, 404);
		assert.match(json.detail, /^say which range: \/range\/A\.\.B .* \/range\/v6\.4\.\.v6\.5/);
		assert.match((await s.get('/range.txt')).text, /^404 [^\n]*: say which range: /);

		const find = (q, accept = 'text/html') => s.get(`/search?q=${enc(q)}`, { accept });
		for (const [q, to] of [['v1.0..v1.1', '/range/v1.0..v1.1'], ['v1.0...main/v1.1', '/range?range=v1.0...main%2Fv1.1']]) {
			const r = await find(q);
			assert.equal(r.status, 302, q);
			assert.equal(decodeURIComponent(r.headers.get('location')), decodeURIComponent(to));
			assert.equal((await s.get(r.headers.get('location'), { accept: 'text/html' })).status, 200);
			assert.equal(JSON.parse((await find(q, 'application/json')).text).range, q);
		}
		for (const q of ['v1.0..v7.7', '..v1.0', 'v1.0..', '../../etc', 'v1.0....v1.1', 'v1.0']) {
			assert.notEqual((await find(q)).headers.get('location')?.slice(0, 6), '/range', q);
			assert.equal(JSON.parse((await find(q, 'application/json')).text).range, null, q);
		}
	} finally {
		await s.end();
	}
});

await finish();
rmSync(folder, { recursive: true });
