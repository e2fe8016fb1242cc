// SPDX-License-Identifier: GPL-2.0-or-later
// What stands beside a verdict: other machines, what else changed, whether a fix brought it back, and all numbers
// behind it. Statistics are those of scipy and statsmodels (tests/data/stats-reference.json); all else is by hand.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startServer } from './lab.mjs';
import { test, finish } from './tap.mjs';

const s = await startServer();
const id = (c) => c.repeat(20);
const [X, Y, Z] = [id('a1'), id('a2'), id('a3')];
const around = (mean) => [-1, 0, 1, 0.5].map((d) => mean + d / 10);
const page = async (url) => (await s.get(url, { accept: 'text/html' })).text;

async function put(axes, commit, values, more = {}) {
	const matrix = Array.isArray(values) ? { [`${axes.testcase}.throughput`]: values } : values;
	const r = await s.upload({ axes: { tbox_group: 'one', ...axes }, commit: { id: commit, parents: commit === X ? [] : [X] }, matrix, ...more });
	assert.equal(r.status, 201, r.text);
}
async function pair(axes, before, after) {
	await put(axes, X, around(before));
	await put(axes, Y, around(after));
}
const tables = async (more) => (await s.json(`/compare.json?commits=${X},${Y}&${more}`)).json.tables;
const cellOn = (list, box) => list.find((t) => t.series.axes.tbox_group === box).rows[0].cells[1];

// Four ways a metric can go on other machines. A box is told by its name.
test('a change is confirmed where it is the same way on another machine', async () => {
	const testcase = 'many';
	await pair({ testcase, tbox_group: 'box-a' }, 100, 80);
	await pair({ testcase, tbox_group: 'box-b', ucode: '0x2' }, 200, 180);
	await pair({ testcase, tbox_group: 'box-c' }, 100, 100);
	await pair({ testcase, tbox_group: 'box-d' }, 100, 130);
	await put({ testcase, tbox_group: 'box-e' }, X, around(100)); // never on the change
	await pair({ testcase, tbox_group: 'box-f', kconfig: 'debug' }, 100, 50); // another setup
	const list = await tables('axis.testcase=many');
	const a = cellOn(list, 'box-a');
	assert.equal(a.verdict, 'regression');
	assert.equal(a.joint, 'confirmed');
	assert.deepEqual(a.others.map((o) => [o.machine, o.verdict, o.origin, o.base_n, o.n]),
		[['box-b', 'regression', 'judged', 4, 4], ['box-c', 'same', 'judged', 4, 4], ['box-d', 'improvement', 'judged', 4, 4]]);
	// means are 0.0125 above: -20 of 200.0125
	assert.ok(Math.abs(a.others[0].change_pct + 2000 / 200.0125) < 1e-9, a.others[0].change_pct);
	assert.equal(a.others[0].series, list.find((t) => t.series.axes.tbox_group === 'box-b').series.digest);
	assert.equal(cellOn(list, 'box-b').joint, 'confirmed');
	assert.equal(cellOn(list, 'box-d').joint, 'contradicted'); // an improvement; the others that changed fell
	assert.deepEqual(cellOn(list, 'box-d').others.map((o) => o.machine), ['box-a', 'box-b', 'box-c']);
	assert.equal(cellOn(list, 'box-f').joint, 'not measured');
	assert.deepEqual(cellOn(list, 'box-f').others, []);
	assert.ok(!('joint' in cellOn(list, 'box-c')), 'nothing changed there');
});

test('the page says so beside the row, and leads to a table of the machines', async () => {
	const html = await page(`/compare?commits=${X},${Y}&axis.testcase=many`);
	assert.ok(html.includes('>confirmed on 1 of 3 other machines</a>'));
	assert.ok(html.includes('>the other way on 2 of 3 other machines</a>'));
	const [, href] = html.match(/<a href="([^"]+)">confirmed on 1 of 3/);
	const detail = await page(href.replaceAll('&amp;', '&'));
	assert.match(detail, /<h4 id="others">Other machines<\/h4>/);
	for (const [box, change] of [['box-b', '-10.0 %'], ['box-c', '0.0 %'], ['box-d', '\\+30.0 %']])
		assert.match(detail, new RegExp(`>${box}</a>[^]*?${change}`), box);
	assert.ok(!detail.includes('>box-e<') && !detail.includes('>box-f<'));
});

test('it does not depend on what else is shown', async () => {
	const whole = cellOn(await tables('axis.testcase=many'), 'box-a');
	for (const more of ['axis.tbox_group=box-a', 'metric=many.throughput', 'role=primary', 'changed=1', 'sort=change', 'limit=1'])
		assert.deepEqual(cellOn(await tables(`axis.testcase=many&${more}`), 'box-a'), whole, more);
});

test('only here, and what counts once', async () => {
	const testcase = 'few';
	await pair({ testcase, tbox_group: 'box-a' }, 100, 80);
	await pair({ testcase, tbox_group: 'box-c' }, 100, 100);
	await pair({ testcase, tbox_group: 'box-c', ucode: '0x2' }, 100, 100); // the same machine again
	const a = cellOn(await tables('axis.testcase=few'), 'box-a');
	assert.equal(a.joint, 'only here');
	assert.equal(a.others.length, 2);
	assert.ok((await page(`/compare?commits=${X},${Y}&axis.testcase=few`)).includes('only here, not on 1 other machine<'));
});

test('a suspect confirms nothing, nor does a machine in quarantine', async () => {
	const testcase = 'weak';
	await pair({ testcase, tbox_group: 'box-a' }, 100, 80);
	await put({ testcase, tbox_group: 'box-s' }, X, [100, 101]); // two runs: at most suspect
	await put({ testcase, tbox_group: 'box-s' }, Y, [80, 81]);
	await pair({ testcase, tbox_group: 'box-q' }, 100, 80);
	const r = await s.send('PUT', '/api/v1/machine/box-q', '{"state": "quarantined"}', { 'content-type': 'application/json' });
	assert.equal(r.status, 200, r.text);
	const a = cellOn(await tables('axis.testcase=weak'), 'box-a');
	assert.equal(a.joint, 'only here');
	assert.deepEqual(a.others.map((o) => [o.machine, o.verdict, o.quarantined]), [['box-q', 'suspect', 'box-q'], ['box-s', 'suspect', undefined]]);
});

test('the commit page says it too, in the row and in its sentence', async () => {
	const { json } = await s.json(`/commit/${Y}.json`);
	const rowOn = (box) => json.results.find((r) => r.series.axes.testcase === 'many' && r.series.axes.tbox_group === box);
	assert.equal(rowOn('box-a').worst[0].joint, 'confirmed');
	assert.deepEqual(rowOn('box-a').worst[0].others.map((o) => [o.machine, o.verdict]), [['box-b', 'regression'], ['box-c', 'same'], ['box-d', 'improvement']]);
	assert.equal(rowOn('box-d').best[0].joint, 'contradicted');
	assert.ok(!('joint' in rowOn('box-c').primary_same[0]));
	assert.match(await page(`/commit/${Y}`), /confirmed on 1 of 3 other machines/);
});

test('scenario 5: confirmed on both boxes, one of them as reported, and none of the wide rows is a regression', async () => {
	const r = await s.post('/api/v1/runs', readFileSync('deploy/sample/5-hackbench.ndjson'), { 'content-type': 'application/x-ndjson' });
	assert.equal(r.status, 200);
	const { json } = await s.json('/compare.json?commits=7bc162d5cc4d,a0fd217e6d6f');
	const cells = json.tables.map((t) => [t.series.axes.tbox_group, t.rows.find((x) => x.metric === 'hackbench.throughput').cells[1]]);
	assert.deepEqual(cells.map(([box, c]) => [box, c.verdict, c.origin, c.joint, c.others.map((o) => [o.machine, o.verdict, o.origin])]), [
		['lkp-icl-2sp2', 'regression', 'judged', 'confirmed', [['lkp-icl-2sp6', 'regression', 'reported']]],
		['lkp-icl-2sp6', 'regression', 'reported', 'confirmed', [['lkp-icl-2sp2', 'regression', 'judged']]]]);
	const wide = json.tables.flatMap((t) => t.rows).filter((x) => x.cells.some((c) => c?.stddev_pct >= 50));
	assert.ok(wide.length >= 4);
	for (const x of wide)
		assert.notEqual(x.cells[1].verdict, 'regression', x.metric);
	const html = await page('/compare?commits=7bc162d5cc4d,a0fd217e6d6f');
	assert.ok(html.includes('confirmed on 1 of 1 other machine, as reported'));
	assert.match((await s.json('/commit/a0fd217e6d6f.json')).json.sentence, /worst -12\.5 % hackbench\.throughput, confirmed on 1 of 1 other machine, as reported/);
});

// What else changed -------------------------------------------------------------------------------

test('what differs besides the commit stands beside the verdict', async () => {
	const axes = { testcase: 'beside', tbox_group: 'beside-1' };
	const line = (kernel, more) => `BOOT_IMAGE=/boot/${kernel} root=/dev/sda1 ${more}quiet`;
	await put(axes, X, around(100), { started: '2026-03-01T10:00:00Z', info: { microcode: '0xd000389', boot: 'b1', load: '0.1', cmdline: line('a', '') } });
	await put(axes, Y, around(80), { started: '2026-03-03T10:00:00Z', info: { microcode: '0xd0003a5', boot: 'b1', load: '0.2', cmdline: line('b', 'mitigations=off ') } });
	const tell = (event) => s.send('POST', '/api/v1/events', JSON.stringify({ machine: 'beside-1', key: 'fan', ...event }), { 'content-type': 'application/json' });
	assert.equal((await tell({ at: '2026-03-02T00:00:00Z', note: 'it was replaced' })).status, 201);
	assert.equal((await tell({ at: '2026-03-05T00:00:00Z', note: 'after it all' })).status, 201);
	assert.equal((await tell({ at: '2026-02-05T00:00:00Z', note: 'before it all' })).status, 201);
	const [t] = await tables('axis.testcase=beside');
	const cell = t.rows[0].cells[1];
	assert.match(cell.beside, /^cmdline differs too: none -> mitigations=off; microcode differs too: 0xd000389 -> 0xd0003a5; between them on this machine: /);
	assert.match(cell.beside, /fan: it was replaced \(2026-03-02\)/);
	assert.doesNotMatch(cell.beside, /boot|load|BOOT_IMAGE|after it all|before it all|microcode 0x/i);
	assert.ok((await page(`/compare?commits=${X},${Y}&axis.testcase=beside`)).includes('microcode differs too: 0xd000389 -&gt; 0xd0003a5'));
	const result = (await s.json(`/commit/${Y}.json`)).json.results.find((r) => r.series.axes.testcase === 'beside');
	assert.equal(result.beside, cell.beside);
});

test('a command line that names another kernel alone is no difference; nor is anything said of what did not change', async () => {
	const info = (n) => ({ cmdline: `BOOT_IMAGE=/boot/${n} quiet`, microcode: `0x${n}` });
	await put({ testcase: 'steady' }, X, around(100), { info: info(1) });
	await put({ testcase: 'steady' }, Y, around(100), { info: info(2) });
	const [t] = await tables('axis.testcase=steady');
	assert.ok(!('beside' in t.rows[0].cells[1]));
	await put({ testcase: 'kernels' }, X, around(100), { info: { cmdline: 'BOOT_IMAGE=/boot/1 quiet' } });
	await put({ testcase: 'kernels' }, Y, around(80), { info: { cmdline: 'BOOT_IMAGE=/boot/2 quiet' } });
	assert.ok(!('beside' in (await tables('axis.testcase=kernels'))[0].rows[0].cells[1]));
});

test('the compilers that built both kernels', async () => {
	const [A, B] = [id('b1'), id('b2')];
	for (const [commit, compiler, v] of [[A, 'gcc-12', 100], [B, 'gcc-13', 80]]) {
		const r = await s.upload({ axes: { testcase: 'built', tbox_group: 'one' }, commit: { id: commit, build: { config: 'x', compiler, status: 'ok' } }, matrix: { 'built.throughput': around(v) } });
		assert.equal(r.status, 201, r.text);
	}
	const { json } = await s.json(`/compare.json?commits=${A},${B}`);
	assert.equal(json.tables[0].rows[0].cells[1].beside, 'compiler of the build differs too: gcc-12 -> gcc-13');
});

// Fixed -------------------------------------------------------------------------------------------

const T95 = { 6: 1.9431802805153 }; // Student's t, one-sided 5 %, from a table
// 90 % interval of the change from x to y in percent: Student's t on logarithms, pooled variance.
function interval(x, y) {
	const [a, b] = [x, y].map((v) => v.map(Math.log));
	const mean = (v) => v.reduce((p, q) => p + q) / v.length;
	const squares = (v) => v.reduce((p, q) => p + (q - mean(v)) ** 2, 0);
	const df = x.length + y.length - 2;
	const se = Math.sqrt((squares(a) + squares(b)) / df * (1 / x.length + 1 / y.length));
	return [-1, 1].map((sign) => 100 * Math.expm1(mean(b) - mean(a) + sign * T95[df] * se));
}

async function fix(testcase, values, culprit = around(80)) {
	await put({ testcase }, X, around(100));
	await put({ testcase }, Y, culprit);
	await put({ testcase }, Z, values);
	const { json } = await s.json(`/compare.json?commits=${X},${Y},${Z}&axis.testcase=${testcase}`);
	assert.equal(json.recovered.length, 1);
	return json.recovered[0];
}

test('fixed only when it is shown to be back', async () => {
	const back = [99.9, 100.1, 100.3, 99.8];
	const k = await fix('back', back);
	assert.equal(k.fix, 'fixed');
	assert.ok(Math.abs(k.fix_margin - 20 / 3 * 100 / 100.0125) < 1e-9, k.fix_margin); // a third of what was lost
	const [low, high] = interval(around(100), back);
	assert.ok(Math.abs(k.fix_low - low) < 1e-6 && Math.abs(k.fix_high - high) < 1e-6, `${k.fix_low} ${k.fix_high}, not ${low} ${high}`);
	assert.ok(k.fix_p < 1e-6);
	const html = await page(`/compare?commits=${X},${Y},${Z}&axis.testcase=back`);
	assert.ok(html.includes(`; fixed: within 6.7 % of the old level (90 % interval: ${low.toFixed(1)} to +${high.toFixed(1)} %)`), html.match(/; fixed[^<]*/)?.[0]);
});

test('not fixed, better, and not told', async () => {
	const half = await fix('half', around(90));
	assert.equal(half.fix, 'not fixed');
	assert.ok(half.fix_p > 0.5);
	assert.match(await page(`/compare?commits=${X},${Y},${Z}&axis.testcase=half`), /recovers 50 % of the regression[^<]*<\/strong>[^<]*; not fixed: further than 6\.7 % from the old level/);
	assert.equal((await fix('more', around(120))).fix, 'better');
	const few = await fix('two-runs', [100, 100.1]);
	assert.equal(few.fix, 'not told');
	assert.match(await page(`/compare?commits=${X},${Y},${Z}&axis.testcase=two-runs`), /whether it is fixed is not told: too few runs/);
	const wide = await fix('wide', [85, 100, 119, 101]); // about back, but who knows
	assert.equal(wide.fix, 'not told');
	assert.ok(wide.fix_low < -6.67 && wide.fix_high > 6.67);
	// of a small regression, 1 % is what counts: 2.9 % of 3 % are back, all of it within 1 %
	const small = await fix('small', [99.9, 100, 100.1, 99.95], around(97));
	assert.equal(small.fix_margin, 1);
	assert.equal(small.fix, 'fixed');
});

test('scenario 1: the patch recovers 87 %; without samples nobody can say that it is fixed', async () => {
	const r = await s.post('/api/v1/runs', readFileSync('deploy/sample/1-fio-three-way.ndjson'), { 'content-type': 'application/x-ndjson' });
	assert.equal(r.status, 200);
	const url = 'commits=361a2a229fa3,8cc621d2f45d,7bafb1c4e72a';
	const iops = (await s.json(`/compare.json?${url}`)).json.recovered.find((k) => k.metric === 'fio.write_iops');
	assert.equal(Math.round(iops.recovered_pct), 87);
	assert.deepEqual([iops.fix, iops.fix_low, iops.fix_p], ['not told', null, null]);
	assert.ok((await page(`/compare?${url}`)).includes('fio.write_iops: <strong>the test patch recovers 87 % of the regression: -2.9 % are left of -21.8 %</strong>; whether it is fixed is not told: there are no samples to test'));
});

// The numbers behind a verdict ----------------------------------------------------------------------

const reference = JSON.parse(readFileSync('tests/data/stats-reference.json', 'utf8')).cases.filter((c) => c.id.startsWith('d'));
const name = (c) => (c.note === 'percentages' ? `ref.${c.id}%` : `ref.${c.id}`);

function near(got, want, what) {
	const w = { nan: null, inf: null, '-inf': null }[want] === null ? null : want;
	if (w === null)
		assert.equal(got, null, what);
	else
		assert.ok(Math.abs(got - w) <= 1e-9 * Math.abs(w) + 1e-12, `${what}: ${got}, not ${want}`);
}

test(`all ${reference.length} pairs of the reference, as the page has them`, async () => {
	assert.ok(reference.length >= 16);
	for (const [commit, side] of [[X, 'x'], [Y, 'y']]) {
		const most = Math.max(...reference.map((c) => c[side].length));
		await put({ testcase: 'ref' }, commit, Object.fromEntries(reference.map((c) => [name(c), [...c[side], ...Array(most - c[side].length).fill(null)]])));
	}
	const [t] = await tables('axis.testcase=ref&detail=1');
	for (const c of reference) {
		const d = t.rows.find((r) => r.metric === name(c)).cells[1].detail;
		for (const [side, key] of [['base', 'x'], ['now', 'y']]) {
			assert.equal(d[side].n, c[`n_${key}`]);
			near(d[side].mean, c[`mean_${key}`], `${c.id} mean`);
			near(d[side].median, c[`median_${key}`], `${c.id} median`);
			near(d[side].stddev, c[`sd_${key}`], `${c.id} stddev`);
			near(d[side].stddev_population, c[`sd_${key}`] * Math.sqrt(1 - 1 / c[`n_${key}`]), `${c.id} population`);
		}
		near(d.welch.t, c.welch_t.t_y_minus_x, `${c.id} t`);
		if (c.welch_t.p_two_sided !== 'nan' && Math.abs(c.welch_t.t_y_minus_x) < 1e9) {
			near(d.welch.df, c.welch_t.df, `${c.id} df`);
			near(d.welch.p, c.welch_t.p_two_sided, `${c.id} p`);
		}
		near(d.mann_whitney.u, c.mann_whitney.U_y, `${c.id} U`);
		near(d.mann_whitney.p, c.mann_whitney.p_exact_two_sided, `${c.id} exact p`);
		assert.equal(d.mann_whitney.exact, true);
		near(d.hodges_lehmann.shift, c.effect.hodges_lehmann_shift, `${c.id} shift`);
		near(d.hedges_g, c.effect.hedges_g_exact, `${c.id} g`);
		near(d.cliff_delta, c.effect.cliffs_delta_y_vs_x, `${c.id} delta`);
	}
});

test('one row as a page: a dot a run, and the numbers in words', async () => {
	const c = reference.find((x) => x.id === 'd15');
	const html = await page(`/compare?commits=${X},${Y}&axis.testcase=ref&metric=ref.d15`);
	const svg = html.match(/<svg class="chart"[^]*?<\/svg>/)[0];
	assert.equal([...svg.matchAll(/<circle /g)].length, 20);
	assert.match(svg, /role="img" aria-label="Samples of ref\.d15\. 10 runs of a1a1a1a1a1 from [^"]*, mean [^"]*\. 10 runs of a2a2a2a2a2 from /);
	const line = (what) => html.match(new RegExp(`<th scope="row">${what}<br>[^]*?<td>([^<]*)`))[1];
	assert.equal(line("Welch&#39;s t test"), `p ${Number(c.welch_t.p_two_sided.toPrecision(4))}`);
	assert.equal(line('Mann-Whitney test'), `p ${Number(c.mann_whitney.p_exact_two_sided.toPrecision(4))}`);
	assert.equal(Number(line("Hedges&#39; g")), Number(c.effect.hedges_g_exact.toPrecision(4)));
	assert.equal(Number(line('Cliff&#39;s delta')), Number(c.effect.cliffs_delta_y_vs_x.toPrecision(4)));
	assert.ok(html.includes('Gate that decided') && html.includes('<code>plumbline/2</code>'));
	assert.ok(html.includes('href="/help/verdicts"'));
	for (const v of c.x)
		assert.ok(html.includes(String(v)), `sample ${v}`);
});

test('a row that changed leads to it; one metric by name is shown whatever it did', async () => {
	const html = await page(`/compare?commits=${X},${Y}&axis.testcase=many&axis.tbox_group=box-a`);
	const [, href] = html.match(/<a href="([^"]+)">all numbers<\/a>/);
	assert.match(href, new RegExp(`^/compare\\?commits=${X},${Y}&amp;series=[0-9a-f]{32}&amp;metric=many\\.throughput$`));
	assert.match(await page(href.replaceAll('&amp;', '&')), /<section class="detail">[^]*all of them are passed/);
	const same = await page(`/compare?commits=${X},${Y}&axis.testcase=many&axis.tbox_group=box-c&metric=many.throughput`);
	assert.match(same, /<section class="detail">[^]*the medians differ by less than 1 %/);
	const [t] = await tables('axis.testcase=many&axis.tbox_group=box-c&detail=1');
	assert.equal(t.rows[0].cells[1].detail.gate, 'size');
	assert.equal(t.rows[0].cells[1].joint, null);
	assert.equal(t.rows[0].cells[1].others.length, 3);
	assert.ok(!('detail' in (await tables('axis.testcase=many'))[0].rows[0].cells[1]));
});

test('the history behind a verdict: its level and what commits differ by', async () => {
	const commits = [...Array(8).keys()].map((i) => id(`c${i}`));
	const levels = [100, 104, 98, 101, 103, 99, 100, 80];
	for (const [i, commit] of commits.entries()) {
		const r = await s.upload({ axes: { testcase: 'long', tbox_group: 'one' }, commit: { id: commit, parents: i ? [commits[i - 1]] : [] },
			matrix: { 'long.throughput': around(levels[i]) } });
		assert.equal(r.status, 201, r.text);
	}
	const { json } = await s.json(`/compare.json?commits=${commits[6]},${commits[7]}&detail=1`);
	const d = json.tables[0].rows[0].cells[1].detail;
	assert.equal(d.history, 6);
	// the median of the last five, 98 101 103 99 100, is 100; a mean of logarithms lies a hair below a mean
	assert.ok(Math.abs(d.level - 100.0125) < 0.001, d.level);
	assert.ok(d.between_ratio > 100, 'commits differ by some percent, runs by a tenth of one');
// the stddev of -.1, 0, .1, .05 is .08539, pooled as parts of the eight levels; no prior among so few metrics
	const pooled = 8.539 * Math.sqrt(levels.reduce((sum, v) => sum + 1 / v ** 2, 0) / 8);
	assert.ok(Math.abs(d.run_noise_pct - pooled) < 1e-4, `${d.run_noise_pct}, not ${pooled}`);
	// the change is about what the median of five and one more differ by, many times the runs' noise
	assert.ok(d.standard_error_pct > 1 && d.standard_error_pct < 10, d.standard_error_pct);
});

test('the example of the help page is what the rule says of those samples', async () => {
	const help = await page('/help/verdicts');
	const { json } = await s.json('/compare.json?commits=7bc162d5cc4d,a0fd217e6d6f&metric=hackbench.throughput&samples=1&detail=1');
	const [base, c] = json.tables[0].rows[0].cells; // uploaded for scenario 5
	const has = (text) => assert.ok(help.includes(text), text);
	for (const [values, mean, stddev] of [[base.values, base.mean, base.stddev], [c.values, c.mean, c.stddev]]) {
		has(`<td>${values.map((v) => Math.round(v)).join(', ')}<td`);
		has(`>${Math.round(mean)}<td class="num">± ${Math.round(stddev)}`);
	}
	has(`are ${Math.round(base.median)} and ${Math.round(c.median)}: ${(100 * (1 - c.median / base.median)).toFixed(1)} % less`);
	has(`by ${c.detail.run_noise_pct.toFixed(2)} % of their`);
	has(`by ${c.detail.standard_error_pct.toFixed(2)} % or so`);
	has(`${Math.abs(c.detail.t).toFixed(1)} times as much`);
	assert.deepEqual([c.p.toExponential(0), c.q, c.cliff_delta, c.detail.gate, c.mde_pct.toFixed(1)], ['4e-12', c.p, -1, 'passed', '1.1']);
	has('p is 4e-12');
	has('seen 1.1 %');
	has(`report says ${c.others[0].change_pct.toFixed(1)} %`);
	assert.equal(c.joint, 'confirmed');
});

await finish();
await s.end();
