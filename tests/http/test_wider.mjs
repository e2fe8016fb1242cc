// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons beyond one series at two commits: across an axis, many series as a matrix, versions of a patch on
// different bases; as Markdown; in pages that end early. Figures are hand arithmetic: the samples' means are round.
import assert from 'node:assert/strict';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((c) => c.repeat(40));
const M = 't.speed';
// Six runs around mean, near enough to each other for a change of a percent to be one.
const around = (mean, more = {}) => [-0.2, -0.1, -0.05, 0.05, 0.1, 0.2].map((d) => ({ [M]: mean * (1 + d / 100), ...more }));
const put = async (axes, commit, runs, doc = {}) => {
	const r = await s.upload({ axes: { testcase: 't', tbox_group: 'box1', ...axes }, commit: typeof commit === 'string' ? { id: commit } : commit, runs, ...doc });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions[0];
};
const words = (list) => list.map((c) => c && c.verdict);
const table = async (url) => (await s.json(`/compare.json?${url}`)).json;
// A metric of which less is better, so that every direction is known: throughput has none by its name here.
const rowOf = (t, name = M) => t.rows.find((r) => r.metric === name);

test('across an axis: groups of series equal but for it, values sorted, the first the base', async () => {
	await put({ kconfig: 'beta' }, A, around(110));
	const none = await put({}, A, around(200));
	const alpha = await put({ kconfig: 'alpha' }, A, around(100), { info: { microcode: '1' } });
	await put({ kconfig: 'alpha', tbox_group: 'box2' }, A, around(5));
	await put({ kconfig: 'alpha', mode: 'x' }, A, around(5), { info: { microcode: '2' } });
	const j = await table(`commit=${A}&across=kconfig`);
	assert.equal(j.schema, 'plumbline.compare/1');
	assert.equal(j.across, 'kconfig');
	assert.deepEqual(j.commits.map((c) => c.id), [A]);
	assert.equal(j.tables.length, 1);
	const [t] = j.tables;
	assert.deepEqual(t.columns.map((c) => c.value), [null, 'alpha', 'beta']);
	assert.equal(t.columns[0].series, none.series_digest);
	assert.equal(t.columns[1].series, alpha.series_digest);
	assert.deepEqual(t.runs, [6, 6, 6]);
	const { cells } = rowOf(t);
	assert.ok(Math.abs(cells[1].change_pct + 50) < 1e-9 && Math.abs(cells[2].change_pct + 45) < 1e-9);
	assert.equal(cells[0].verdict, undefined);
	const based = (await table(`commit=${A}&across=kconfig&base=beta`)).tables[0];
	assert.deepEqual(based.columns.map((c) => c.value), ['beta', null, 'alpha']);
	assert.ok(Math.abs(rowOf(based).cells[2].change_pct + 100 / 11) < 1e-9);
	assert.equal((await table(`commit=${A}&across=kconfig&base=gamma`)).tables.length, 0);
	assert.equal((await table(`commits=${A}&across=nothing`)).tables.length, 0);
	const mode = (await table(`commit=${A}&across=mode`)).tables[0];
	assert.deepEqual(mode.info_differences, [{ key: 'microcode', values: ['1', '2'] }]);
});

test('across an axis a page speaks of worse and better, for nothing got newer', async () => {
	for (const [mode, v] of [['a', 100], ['b', 90], ['c', 120]])
		await put({ testcase: 'hackbench', mode }, C, around(v).map((r) => ({ 'hackbench.throughput': r[M] })));
	const { text } = await s.get(`/compare?commit=${C}&across=mode`, { accept: 'text/html' });
	assert.match(text, />▼ worse</);
	assert.match(text, />▲ better</);
	assert.match(text, /1 worse than in the base among 1 primary metric/);
	assert.doesNotMatch(text, />[▼▲] (regression|improvement)</);
	const { tables } = await table(`commit=${C}&across=mode`);
	assert.deepEqual(words(tables[0].rows[0].cells.slice(1)), ['regression', 'improvement']);
});

test('across: axis and info filters hold, series= picks its group, paging goes by groups', async () => {
	await put({ testcase: 'p', kconfig: 'one' }, B, around(1), { info: { host: 'h1' } });
	await put({ testcase: 'q', kconfig: 'one' }, B, around(2));
	await put({ testcase: 'q', kconfig: 'two' }, B, around(3));
	const last = await put({ testcase: 'p', kconfig: 'two' }, B, around(4), { info: { host: 'h1' } });
	const url = `commit=${B}&across=kconfig`;
	assert.deepEqual((await table(url)).tables.map((t) => t.series.axes.testcase), ['p', 'q']);
	const first = await table(`${url}&limit=1`);
	assert.deepEqual(first.tables.map((t) => t.series.axes.testcase), ['p']);
	const second = await table(`${url}&limit=1&cursor=${first.next}`);
	assert.deepEqual(second.tables.map((t) => t.series.axes.testcase), ['q']);
	assert.equal(second.next, null);
	assert.deepEqual((await table(`${url}&axis.testcase=q`)).tables.map((t) => t.series.axes.testcase), ['q']);
	assert.deepEqual((await table(`${url}&info.host=h1`)).tables.map((t) => t.series.axes.testcase), ['p']);
	assert.deepEqual((await table(`${url}&since=2100-01-01`)).tables, []);
	assert.deepEqual((await table(`${url}&series=${last.series_digest}`)).tables.map((t) => t.series.axes.testcase), ['p']);
	assert.equal((await s.get(`/compare.json?commits=${A},${B}&across=kconfig`)).status, 422);
});

test('across as text, HTML, CSV and Markdown', async () => {
	const url = `commit=${A}&across=kconfig`;
	const { text } = await s.get(`/compare.txt?${url}`);
	const lines = text.split('\n');
	assert.equal(lines[1], 'tbox_group/testcase/commit:');
	assert.equal(lines[2], `  box1/t/${A}`);
	assert.deepEqual(lines.slice(4, 8), ['kconfig: ', '  none', '  alpha', '  beta']);
	assert.equal(lines[9], `${'none'.padStart(16)} ${'alpha'.padStart(27)} ${'beta'.padStart(27)} `);
	assert.match(text, /^ {4}200\.00 {11}-50\.0% {5}100\.00 {11}-45\.0% {5}110\.00 {8}t\.speed$/m);
	const page = (await s.get(`/compare?${url}`, { accept: 'text/html' })).text;
	assert.match(page, /t on box1<\/a>, by kconfig/);
	assert.match(page, />beta<\/a>/);
	assert.match(page, /-50\.0 %/);
	assert.match(page, /base=beta/);
	assert.match((await s.get(`/compare?commits=${A}`, { accept: 'text/html' })).text, /across=kconfig">kconfig<\/a>/);
	const csv = (await s.get(`/compare.csv?${url}`)).text.trim().split('\r\n').map((l) => l.split(','));
	assert.deepEqual(csv[0].slice(8, 12), ['base kconfig', 'kconfig', 'n base', 'mean base']);
	const at = csv[0].indexOf('change_pct');
	assert.deepEqual(csv.slice(1).map((l) => [l[8], l[9], Math.round(Number(l[at]))]), [['', 'alpha', -50], ['', 'beta', -45]]);
	assert.match((await s.get(`/compare?format=md&${url}`)).text, /\| none \(6 runs\) \| alpha \(6 runs\) \| change \| verdict \|/);
});

test('Markdown: aligned, escaped, only of /compare, no suffix', async () => {
	await put({ testcase: 'md' }, A, around(100, { 'md.a|b*c': 1, 'md.under_score': 2 }), {});
	await put({ testcase: 'md' }, { id: B, subject: 'pipe | and <b> `tick`' }, around(50, { 'md.a|b*c': 1, 'md.under_score': 2 }));
	const url = `/compare?commits=${A},${B}&axis.testcase=md`;
	const r = await s.get(`${url}&format=md`);
	assert.equal(r.status, 200);
	assert.match(r.headers.get('content-type'), /^text\/markdown/);
	assert.match(r.text, /^### md on box1$/m);
	assert.match(r.text, /pipe \\\| and \\<b\\> \\`tick\\`/);
	assert.match(r.text, /^\| md\.a\\\|b\\\*c \|/m);
	assert.match(r.text, /^\| md\.under_score \|/m);
	assert.match(r.text, /^\|:---\|---:\|---:\|---:\|:---\|$/m);
	assert.match(r.text, /^\| t\.speed \| 100 ± 0\.1 % \| 50 ± 0\.1 % \| -50\.0 % \| changed \|$/m);
	const rows = r.text.split('\n').filter((l) => l.startsWith('|'));
	assert.equal(new Set(rows.map((l) => l.replace(/\\\|/g, '').split('|').length)).size, 1);
	assert.match((await s.get(url, { accept: 'text/markdown' })).headers.get('content-type'), /^text\/markdown/);
	assert.equal((await s.get('/series?format=md')).status, 404);
	assert.equal((await s.get(`/compare.md?commits=${A}`)).status, 404);
	assert.match((await s.get(url, { accept: 'text/html' })).text, /format=md[^>]*>Markdown/);
});

test('pairs: each change against its own base; versions say what they keep', async () => {
	const patch = (id, version) => ({ id, subject: 'mm: x', patch: { message_id: `<m${version}@x>`, version } });
	const T = 'hackbench.throughput';
	const runs = (mean) => around(mean).map((r) => ({ [T]: r[M] }));
	const put2 = (commit, mean) => put({ testcase: 'hackbench' }, commit, runs(mean));
	await put2(A, 1000);
	await put2(patch(B, 1), 782); // -21.8 %
	await put2(C, 2000);
	await put2(patch(D, 2), 1942); // -2.9 %
	const url = `pairs=${A}..${B},${C}..${D}&axis.testcase=hackbench`;
	const j = await table(url);
	assert.deepEqual(j.pairs, [{ from: A, to: B, columns: [0, 1] }, { from: C, to: D, columns: [2, 3] }]);
	assert.deepEqual(j.commits.map((c) => c.id), [A, B, C, D]);
	const { cells } = rowOf(j.tables[0], T);
	assert.ok(Math.abs(cells[1].change_pct + 21.8) < 1e-9);
	assert.ok(Math.abs(cells[3].change_pct + 2.9) < 1e-9);
	assert.deepEqual(words(cells), [undefined, 'regression', undefined, 'regression']);
	assert.equal(j.kept.length, 1);
	const zero = { first: 0, now: 0, recovered_pct: 0, recovered_low: 0, recovered_high: 0, fix_margin: 0, fix_low: 0, fix_high: 0, fix_p: 0 };
	assert.deepEqual({ ...j.kept[0], ...zero }, { series: j.tables[0].series.digest, metric: T, first_version: 1, version: 2, unit: '%', fix: 'fixed', ...zero });
	assert.ok(Math.abs(j.kept[0].fix_margin - 21.8 / 3) < 1e-9 && j.kept[0].fix_low < -2.9 && j.kept[0].fix_high > -2.9 && j.kept[0].fix_low > -7.2);
	assert.ok(j.kept[0].recovered_low < j.kept[0].recovered_pct && j.kept[0].recovered_pct < j.kept[0].recovered_high);
	assert.ok(Math.abs(j.kept[0].recovered_pct - 100 * (1 - 2.9 / 21.8)) < 1e-9);
	const sentence = 'v2 keeps -2.9 % of the -21.8 %: 87 % recovered';
	const text = (await s.get(`/compare.txt?${url}`)).text;
	const sure = ` (95 % interval: ${[j.kept[0].recovered_low, j.kept[0].recovered_high].map((v) => v.toFixed(0)).join(' to ')} %)`;
	const fixed = `; fixed: within 7.3 % of the old level (90 % interval: ${j.kept[0].fix_low.toFixed(1)} to ${j.kept[0].fix_high.toFixed(1)} %)`;
	assert.equal(text.trim().split('\n').at(-1), `hackbench on box1, ${T}: ${sentence}${sure}${fixed}`);
	assert.match(text, /^ {6}1000 {11}-21\.8% {5}782\.00 {24}2000 {12}-2\.9% {7}1942 {8}hackbench\.throughput$/m);
	const page = (await s.get(`/compare?${url}`, { accept: 'text/html' })).text;
	assert.match(page, new RegExp(`<strong>${sentence.replace('+', '\\+')}</strong>`));
	assert.equal(page.match(/>base<\/span>/g).length, 2);
	assert.match((await s.get(`/compare?format=md&${url}`)).text, new RegExp(`\\*\\*${sentence}\\*\\*`));
	const csv = (await s.get(`/compare.csv?${url}`)).text.split('\r\n')[0].split(',');
	assert.ok(csv.includes('mean cccccccccc pair 2') && !csv.includes('change_pct cccccccccc pair 2') && csv.includes('change_pct dddddddddd pair 2'));
	// The same base twice, and a pair that is not there: its cells are null.
	const same = rowOf((await table(`pairs=${A}..${B},${A}..${D}&axis.testcase=hackbench`)).tables[0], T).cells;
	assert.ok(Math.abs(same[3].change_pct - 94.2) < 1e-9);
});

test('pairs: a series with one pair alone is there; filters hold; bad pairs are 422', async () => {
	await put({ testcase: 'half' }, C, around(10), { info: { host: 'h1' } });
	await put({ testcase: 'half' }, D, around(20), { info: { host: 'h2' } });
	const url = `pairs=${A}..${B},${C}..${D}&axis.testcase=half`;
	const { tables: [t] } = await table(url);
	assert.deepEqual(t.runs, [0, 0, 6, 6]);
	assert.deepEqual(rowOf(t).cells.map((c) => c === null), [true, true, false, false]);
	assert.deepEqual(t.info_differences.map((d) => [d.key, d.values]), [['host', [null, null, 'h1', 'h2']]]);
	assert.deepEqual((await table(`${url}&info.host=h1`)).tables, []);
	assert.deepEqual((await table(`${url}&until=2000-01-01`)).tables, []);
	for (const bad of ['A', `${A}..`, `..${B}`, `${A}..${B},`, `${A}..${B}&commits=${A}`, Array(9).fill(`${A}..${B}`).join(',')])
		assert.equal((await s.get(`/compare.json?pairs=${bad}`)).status, 422, bad);
	assert.equal((await s.get(`/compare.json?pairs=${A}..${'e'.repeat(40)}`)).status, 404);
	// In a pair whose change is older than its base the words turn.
	await put({ testcase: 'turn' }, { id: 'f'.repeat(40), parents: [A] }, [1, 2, 3].map((v) => ({ 'turn.throughput': 100 + v / 10 })));
	await put({ testcase: 'turn' }, A, [1, 2, 3].map((v) => ({ 'turn.throughput': 50 + v / 10 })));
	const page = (await s.get(`/compare?pairs=${'f'.repeat(40)}..${A}`, { accept: 'text/html' })).text;
	assert.match(page, /older than its base/);
});

test('pairs: series of either pair, each once, in pages; nothing is said of changes that are no versions', async () => {
	const [E, F, G, H] = ['1a', '2a', '3a', '4a'].map((c) => c.repeat(20));
	const boxes = { both: [E, F, G, H], second: [G, H], first: [E, F], half: [E, H] };
	for (const [box, commits] of Object.entries(boxes))
		for (const [i, commit] of commits.entries())
			await put({ testcase: 'paged', tbox_group: box }, commit, [1, 2, 3].map((v) => ({ 'paged.throughput': (i % 2 ? 80 : 100) + v / 10 })));
	const url = `pairs=${E}..${F},${G}..${H}&axis.testcase=paged`;
	const whole = await table(url);
	assert.deepEqual(whole.tables.map((t) => t.series.axes.tbox_group), ['both', 'second', 'first']);
	assert.equal(whole.kept, undefined);
	await put({ testcase: 'paged', tbox_group: 'numbered' }, { id: H, patch: { message_id: '<n@x>', version: 2 } }, [{ 'paged.throughput': 1 }]);
	assert.equal((await table(url)).kept, undefined); // the other does not say which version it is
	const seen = [];
	for (let cursor = 0; cursor !== null;) {
		const j = await table(`${url}&limit=1&cursor=${cursor}`);
		seen.push(...j.tables.map((t) => t.series.axes.tbox_group));
		cursor = j.next;
	}
	assert.deepEqual(seen, ['both', 'second', 'first']);
});

test('matrix: tests down, machines across, the worst verdict and the change', async () => {
	const [E, F] = ['1', '2'].map((c) => c.repeat(40));
	const h = (mean, more = {}) => around(mean).map((r) => ({ 'hackbench.throughput': r[M], ...more }));
	const at = (box, commit, runs, axes = {}) => put({ testcase: 'hackbench', tbox_group: box, ...axes }, commit, runs);
	await at('m2', E, h(100, { 'vmstat.cs': 10 }));
	await at('m2', F, h(80, { 'vmstat.cs': 90 }));
	await at('m1', E, h(100));
	await at('m1', F, h(100));
	await at('m1', E, h(100), { mode: 'thread' });
	const up = await at('m1', F, h(120), { mode: 'thread' });
	await put({ testcase: 'zz', tbox_group: 'm3' }, E, [10, 10.1, 10.2].map((v) => ({ 'a.monitor': 500, 'zz.x%': v })));
	await put({ testcase: 'zz', tbox_group: 'm3' }, F, [20, 20.1, 20.2].map((v, i) => ({ 'a.monitor': 500 + i, 'zz.x%': v, ...(i ? { 'dmesg.oops': 1 } : {}) })));
	const url = `view=matrix&commits=${E},${F}`;
	const j = await table(url);
	assert.deepEqual(j.tables, []);
	assert.equal(j.next, null);
	assert.deepEqual(j.matrix.machines, ['m1', 'm2', 'm3']);
	const rows = Object.fromEntries(j.matrix.rows.map((r) => [`${r.testcase} ${r.axes.mode ?? ''}`.trim(), r]));
	assert.deepEqual(Object.keys(rows).sort(), ['hackbench', 'hackbench thread', 'zz']);
	assert.equal(rows.hackbench.axes.tbox_group, undefined);
	assert.deepEqual(words(rows.hackbench.cells), ['same', 'regression', null]);
	assert.equal(rows.hackbench.cells[1].metric, 'hackbench.throughput');
	assert.ok(Math.abs(rows.hackbench.cells[1].change_pct + 20) < 1e-9);
	assert.deepEqual([rows.hackbench.cells[1].rows, rows.hackbench.cells[1].changed], [1, 1]);
	assert.deepEqual(words(rows['hackbench thread'].cells), ['improvement', null, null]);
	assert.equal(rows['hackbench thread'].cells[0].series, up.series_digest);
	assert.equal(rows.zz.cells[2].verdict, 'suspect'); // three runs are too few for the figure, and for the oops
	assert.equal(rows.zz.cells[2].metric, 'zz.x%');
	assert.ok(Math.abs(rows.zz.cells[2].change_abs - 10) < 1e-9);
	// The verdict is the table's own.
	const whole = (await table(`commits=${E},${F}&axis.tbox_group=m2`)).tables[0];
	assert.equal(rowOf(whole, 'hackbench.throughput').cells[1].verdict, 'regression');
	const monitors = await table(`${url}&role=monitor`);
	assert.deepEqual(monitors.matrix.rows.find((r) => r.axes.mode === undefined && r.testcase === 'hackbench').cells[1].metric, 'vmstat.cs');
	const text = (await s.get(`/compare.txt?${url}`)).text;
	assert.match(text, /^m1 +m2 +m3 +test$/m);
	assert.match(text, /^same \+0\.0 % +regression -20\.0 % +hackbench$/m);
	const csv = (await s.get(`/compare.csv?${url}`)).text.trim().split('\r\n');
	assert.equal(csv[0], 'testcase,axes,m1,m2,m3');
	assert.ok(csv.includes('hackbench,,same +0.0 %,regression -20.0 %,'), csv.join('\n'));
	const page = (await s.get(`/compare?${url}`, { accept: 'text/html' })).text;
	assert.match(page, /▼ regression -20\.0 %<\/a>/);
	assert.match(page, new RegExp(`series=${up.series_digest}`));
	assert.match((await s.get(`/compare?format=md&${url}`)).text, /^\| hackbench \| same \+0\.0 % \| regression -20\.0 % \| {2}\|$/m);
	const cut = await table(`${url}&limit=1`);
	assert.equal(cut.matrix.rows.length, 1);
	assert.ok(cut.next > 0);
	assert.deepEqual((await table(`${url}&since=2100-01-01`)).matrix, { machines: [], rows: [] });
	const pairs = await table(`view=matrix&pairs=${E}..${F}`);
	assert.deepEqual(pairs.matrix, j.matrix);
	assert.equal((await s.get(`/compare.json?view=matrix&commit=${A}&across=kconfig`)).status, 422);
	assert.equal((await s.get(`/compare.json?view=cube&commits=${A}`)).status, 422);
	assert.match((await s.get(`/compare?commits=${E},${F}`, { accept: 'text/html' })).text, /view=matrix/);
});

test('a page of large tables ends early and says where the next begins', async () => {
	const [E, F] = ['3', '4'].map((c) => c.repeat(40));
	const wide = (n) => Object.fromEntries([...Array(n).keys()].map((i) => [`wide.m${i}`, i + 0.125]));
	const docs = [];
	for (let i = 0; i < 12; i++)
		for (const commit of [E, F])
			docs.push({ axes: { testcase: 'wide', tbox_group: `w${i}` }, commit: { id: commit }, runs: [1, 2].map(() => wide(6000)) });
	for (const d of docs) assert.equal((await s.upload(d)).status, 201);
	const seen = [];
	let cursor = 0;
	let pages = 0;
	do {
		const r = await s.get(`/compare.json?commits=${E},${F}&samples=1&limit=1000&cursor=${cursor}`);
		assert.equal(r.status, 200);
		assert.ok(r.text.length < 24 << 20, `${r.text.length} bytes`);
		const j = JSON.parse(r.text);
		seen.push(...j.tables.map((t) => t.series.axes.tbox_group));
		cursor = j.next;
		pages++;
	} while (cursor !== null);
	assert.ok(pages > 1, 'it would have been one page');
	assert.deepEqual(seen, [...Array(12).keys()].map((i) => `w${i}`));
	assert.match((await s.get(`/compare.txt?commits=${E},${F}&limit=2`)).text, /\nThere are more tables: go on with cursor=\d+\n$/);
});

test('a series that is too large says so, and the others are shown', async () => {
	const [E, F] = ['5', '6'].map((c) => c.repeat(40));
	// 6,000 runs that did not have 6,000 failures: 36 million zeros.
	const large = await put({ testcase: 'large' }, E, undefined, { matrix: { [M]: Array(6000).fill(1) } });
	await put({ testcase: 'large' }, E, [Object.fromEntries([...Array(6000).keys()].map((i) => [`dmesg.w${i}`, 1]))]);
	await put({ testcase: 'large' }, F, around(1));
	await put({ testcase: 'small' }, E, around(1));
	await put({ testcase: 'small' }, F, around(1));
	const url = `commits=${E},${F}`;
	const { tables } = await table(url);
	assert.deepEqual(tables.map((t) => [t.series.axes.testcase, t.rows.length, /^series \d+ has more/.test(t.error)]), [['large', 0, true], ['small', 1, false]]);
	assert.match((await s.get(`/compare.txt?${url}`)).text, /series \d+ has more/);
	assert.match((await s.get(`/compare?${url}`, { accept: 'text/html' })).text, /class="error">✗ series \d+ has more/);
	assert.match((await s.get(`/compare?format=md&${url}`)).text, /series \d+ has more/);
	const one = await s.get(`/compare.json?${url}&series=${large.series_digest}`);
	assert.equal(one.status, 413);
	assert.match(JSON.parse(one.text).detail, /^series \d+ has more/);
	const { results } = (await s.json(`/commit/${E}.json`)).json;
	assert.match(results.find((r) => r.series.axes.testcase === 'large').error, /^series \d+ has more/);
	assert.ok(!('error' in results.find((r) => r.series.axes.testcase === 'small')));
	for (const accept of ['text/html', 'text/plain'])
		assert.match((await s.get(`/commit/${E}`, { accept })).text, /[Nn]ot compared: series \d+ has more/);
	assert.equal((await s.get(`/series/${large.series_digest}.json`)).status, 200);
	const cell = (await table(`${url}&view=matrix`)).matrix.rows.find((r) => r.testcase === 'large').cells[0];
	assert.match(cell.error, /^series \d+ has more/);
});

test('the history of a profile has 0 where the monitor ran, that of failures zeros in run order', async () => {
	const f = 'perf-profile.children.cycles-pp.f';
	const g = 'perf-profile.children.cycles-pp.g';
	const { series } = await put({ testcase: 'prof' }, A, [{ 'prof.x': 1, [f]: 2, [g]: 9 }, { 'prof.x': 1, [g]: 9 }, { 'prof.x': 1 }, { 'prof.x': 1, [f]: 4 }]);
	await put({ testcase: 'prof' }, { id: B, parents: [A] }, [{ 'prof.x': 1, [g]: 8 }]);
	await put({ testcase: 'prof' }, { id: C, parents: [B] }, [{ 'prof.x': 1 }]);
	const history = async (m) => (await s.json(`/history.json?series=${series}&metric=${encodeURIComponent(m)}`)).json.points.map((p) => [p.commit.id[0], p.values]);
	assert.deepEqual(await history(f), [['a', [2, 0, 4]], ['b', [0]]]);
	// Where no run of a commit names a failure, a report's count of it stands; where one does, the runs count.
	const printed = await put({ testcase: 'told' }, A, [{ 'told.x': 1 }, { 'told.x': 1 }]);
	await put({ testcase: 'told' }, A, undefined, { summary: { 'told.x': { mean: 1, n: 2 }, 'dmesg.oops': { mean: 7, n: 3 } } });
	await put({ testcase: 'told' }, { id: B, parents: [A] }, [{ 'told.x': 1, 'dmesg.oops': 1 }, { 'told.x': 1 }]);
	await put({ testcase: 'told' }, { id: B }, undefined, { summary: { 'dmesg.oops': { mean: 9, n: 3 } } });
	const told = (await s.json(`/history.json?series=${printed.series}&metric=dmesg.oops`)).json.points;
	assert.deepEqual(told.map((p) => [p.commit.id[0], p.mean]), [['a', 7], ['b', 0.5]]);
	await put({ testcase: 'prof' }, D, [{ 'prof.x': 1 }, { 'prof.x': 1, 'dmesg.oops': 1 }, { 'prof.x': 1 }]);
	const oops = await history('dmesg.oops');
	assert.deepEqual(oops.find(([c]) => c === 'd')[1], [0, 1, 0]);
	assert.deepEqual(oops.find(([c]) => c === 'a')[1], [0, 0, 0, 0]);
});

await finish();
await s.end();
