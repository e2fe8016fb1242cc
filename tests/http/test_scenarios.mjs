// SPDX-License-Identifier: GPL-2.0-or-later
// The sample lab, uploaded as a rig uploads, must read as the mails that its figures come from. Expected tables
// in tests/data were made from the mails' figures by another program and compared with the mails line by line.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const data = (name) => readFileSync(`tests/data/${name}`, 'utf8');
const sample = (name) => readFileSync(`deploy/sample/${name}.ndjson`, 'utf8');
const s = await Server.start();

for (const name of ['1-fio-three-way', '2-filebench-four-way', '3-patch-series', '5-hackbench']) {
	test(`sample ${name} is accepted line by line, and is a duplicate the second time`, async () => {
		const headers = { 'content-type': 'application/x-ndjson' };
		const lines = sample(name).trim().split('\n').length;
		for (const want of ['created', 'duplicate']) {
			const r = await s.post('/api/v1/runs', sample(name), headers);
			assert.equal(r.status, 200, r.text);
			const answers = r.text.trim().split('\n').map((l) => JSON.parse(l));
			assert.deepEqual(answers.map((a) => a.status), Array(lines).fill(want), r.text);
			assert.deepEqual(answers.map((a) => a.line), answers.map((a, i) => i + 1));
		}
	});
}

const fio = '361a2a229fa3,8cc621d2f45d,7bafb1c4e72a';
test('fio, three ways: every printed figure of the table is unchanged', async () => {
	const r = await s.get(`/compare.txt?commits=${fio}`);
	assert.equal(r.status, 200);
	assert.equal(r.text, data('table-1.txt'));
});

test('fio, three ways: verdicts are reported, directions are known', async () => {
	const { json } = await s.json(`/compare.json?commits=${fio}`);
	const row = (m) => json.tables[0].rows.find((r) => r.metric === m);
	assert.equal(json.schema, 'plumbline.compare/1');
	assert.equal(json.tables.length, 1);
	assert.equal(json.tables[0].rows.length, 17);
	const iops = row('fio.write_iops').cells;
	assert.equal(row('fio.write_iops').direction, 'higher');
	assert.equal(iops[0].mean, 310403);
	assert.equal(iops[0].n, null);
	assert.equal(iops[0].stddev, null);
	assert.deepEqual(iops[0].printed, {});
	assert.equal(iops[1].origin, 'reported');
	assert.equal(iops[1].verdict, 'regression');
	assert.equal(iops[1].printed.change_pct, -21.8);
	assert.equal(iops[1].p, null);
	// The printed change rounds a mean that the mail did not print; ours is computed from the printed means.
	assert.equal(iops[1].change_pct.toFixed(6), (100 * (242761 - 310403) / 310403).toFixed(6));
	assert.equal(row('fio.write_clat_mean_us').direction, 'lower');
	assert.equal(row('fio.write_clat_mean_us').cells[1].verdict, 'regression');
	const zero = row('fio.latency_1000ms%').cells[1].printed.change_abs;
	assert.ok(Object.is(zero, -0), 'the printed -0.0 keeps its sign');
	assert.equal(json.commits[2].label, 'the test patch');
});

test('fio, three ways: the warning of the patch stands on its page', async () => {
	const { json } = await s.json('/commit/7bafb1c4e72a.json');
	assert.equal(json.warnings.length, 1);
	assert.equal(json.warnings[0].file, 'mm/swap.c');
	assert.equal(json.warnings[0].line, 727);
	const html = await s.get('/c/7bafb1c4e72a', { accept: 'text/html' });
	assert.match(html.text, /mm\/swap\.c/);
	assert.match(html.text, /lru_and_bh_lrus_drain/);
});

const four = 'b1b4705d54ab,09edf4d38195,v5.5,v5.7-rc1';
test('filebench, four ways: the table to the byte, without the other setup mixed in', async () => {
	const r = await s.get(`/compare.txt?commits=${four}&axis.debug-setup=test2`);
	assert.equal(r.text, data('table-2.txt'));
	const all = await s.json(`/compare.json?commits=${four}`);
	assert.equal(all.json.tables.length, 2);
	const setups = all.json.tables.map((t) => t.series.axes['debug-setup']).sort();
	assert.deepEqual(setups, ['test2', undefined]);
});

test('filebench, four ways: the base is the younger commit, and the page says so', async () => {
	const { json } = await s.json(`/compare.json?commits=${four}`);
	assert.ok(json.tables.every((t) => t.base_is_younger === true));
	const older = await s.json('/compare.json?commits=09edf4d38195,b1b4705d54ab');
	assert.ok(older.json.tables.every((t) => !t.base_is_younger));
	const html = await s.get(`/compare?commits=${four}`, { accept: 'text/html' });
	assert.match(html.text, /younger/);
});

test('a parent is found by ^ from what was uploaded', async () => {
	const { json } = await s.json('/compare.json?commits=b1b4705d54ab^,b1b4705d54ab');
	assert.equal(json.commits[0].id, '09edf4d381957b144440bac18a4769c53063b943');
	const row = json.tables.find((t) => !('debug-setup' in t.series.axes)).rows[0];
	assert.equal(row.cells[1].printed.change_pct, -20.2);
	assert.equal(row.cells[1].verdict, 'regression');
});

test('a patch series: one table a box, to the byte', async () => {
	const r = await s.get('/compare.txt?commits=v5.6-rc4,f71ed0f653e9');
	const tables = (text) => text.split(/^(?======)/m).map((t) => t.trimEnd()).sort();
	assert.deepEqual(tables(r.text), tables(data('table-3.txt')));
});

const hack = '7bc162d5cc,a0fd217e6d6f';
test('hackbench: means, change and verdict of six runs a side', async () => {
	const { json } = await s.json(`/compare.json?commits=${hack}&axis.tbox_group=lkp-icl-2sp2&metric=hackbench.throughput&samples=1`);
	assert.equal(json.tables.length, 1);
	assert.deepEqual(json.tables[0].runs, [6, 6]);
	assert.equal(json.tables[0].rows.length, 1);
	const [base, now] = json.tables[0].rows[0].cells;
	assert.equal(base.n, 6);
	assert.equal(base.mean, 479042.68774902937);
	assert.equal(now.mean, 419357.54264916026);
	assert.equal(base.stddev.toFixed(6), (1380.9406072156037).toFixed(6));
	assert.equal(now.stddev.toFixed(6), (3431.425287350316).toFixed(6));
	assert.equal(now.change_pct, -12.459253971775096);
	assert.equal(now.verdict, 'regression');
	assert.equal(now.origin, 'judged');
	assert.equal(now.cliff_delta, -1);
	assert.equal(json.tables[0].rows[0].unit, 'KB/s');
	assert.deepEqual(base.values, [480199.7631014502, 478713.21886768367, 480692.1967633392, 476795.9313413859,
		478545.2225235285, 479309.7938967886]);
});

test('hackbench: the row of the text table', async () => {
	const r = await s.get(`/compare.txt?commits=${hack}&axis.tbox_group=lkp-icl-2sp2&metric=hackbench.throughput`);
	assert.equal(r.text, `${data('head-5.txt')}    479042           -12.5%     419357        hackbench.throughput\n`);
});

test('hackbench: the rows of the report, all but the one that samples replace', async () => {
	const r = await s.get(`/compare.txt?commits=${hack}&axis.tbox_group=lkp-icl-2sp2`);
	const name = (l) => l.trim().split(/\s+/).at(-1);
	const want = data('rows-5-report.txt').trimEnd().split('\n').filter((l) => name(l) !== 'hackbench.throughput');
	const got = r.text.split('\n').filter((l) => l && name(l).includes('.') && /^ *[0-9]/.test(l));
	for (const line of want)
		assert.ok(got.includes(line), `missing: ${line}`);
	assert.equal(got.length, want.length + 1);
	// The test's own group comes first.
	assert.equal(name(got[0]).split('.')[0], 'hackbench');
});

test('hackbench: the second box, and noisy rows that are only reported', async () => {
	const r = await s.get(`/compare.txt?commits=${hack}&axis.tbox_group=lkp-icl-2sp6`);
	assert.equal(r.text, data('table-5-2sp6.txt'));
	const { json } = await s.json(`/compare.json?commits=${hack}&axis.tbox_group=lkp-icl-2sp2`);
	const row = json.tables[0].rows.find((x) => x.metric === 'numa-meminfo.node1.Active');
	assert.equal(row.direction, 'none');
	assert.notEqual(row.cells[1].verdict, 'regression');
	assert.equal(row.cells[1].origin, 'reported');
});

test('every row of the four scenarios reads back with the figures that were sent', async () => {
	for (const name of ['1-fio-three-way', '2-filebench-four-way', '3-patch-series', '5-hackbench']) {
		for (const line of sample(name).trim().split('\n')) {
			const doc = JSON.parse(line);
			if (!doc.summary || doc.axes.testcase === 'hackbench')
				continue;
			const axes = Object.entries(doc.axes).map(([k, v]) => `axis.${encodeURIComponent(k)}=${encodeURIComponent(v)}`);
			const { json } = await s.json(`/compare.json?commits=${doc.commit.id}&${axes.join('&')}`);
			const table = json.tables.find((t) => Object.keys(t.series.axes).length === Object.keys(doc.axes).length);
			for (const [metric, cell] of Object.entries(doc.summary)) {
				const got = table.rows.find((x) => x.metric === metric).cells[0];
				assert.equal(got.mean, cell.mean);
				assert.equal(got.stddev_pct ?? null, cell.stddev_pct ?? null);
			}
		}
	}
});

await finish();
await s.end();
