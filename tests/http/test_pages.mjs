// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons and pages where a careless reading would mislead: failed runs, passes, chosen runs, names that are
// no commits, failures that a run does not name, figures that came printed.
import assert from 'node:assert/strict';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const A = 'a'.repeat(39) + '1';
const B = 'b'.repeat(39) + '2';
const html = async (url) => (await s.get(url, { accept: 'text/html' })).text;
const put = async (box, id, rest) => {
	const r = await s.upload({ axes: { testcase: 'hackbench', tbox_group: box }, commit: { id, ...rest.commit }, ...rest.doc });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions[0];
};
const M = 'hackbench.throughput';

test('whole percents of a spread are printed whole, exactly 2 % is blank', async () => {
	const none = (n) => Array(n).fill(null);
	// Population spreads by hand: two 1 of ten have mean .2 and .4; 49 51 has mean 50 and 1; 98 102 105 is above 2 %.
	await put('spread', A, { doc: { matrix: { 'a.x': [1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
		'a.y': [49, 51, 49, 51, ...none(6)], 'a.z': [98, 102, 105, ...none(7)] } } });
	const { text } = await s.get(`/compare.txt?commits=${A}&axis.tbox_group=spread`);
	assert.match(text, /^ {6}0\.20 ±200% {2}a\.x$/m);
	assert.match(text, /^ {5}50\.00 {8}a\.y$/m);
	assert.match(text, /^ {4}101\.67 ± {2}2% {2}a\.z$/m);
});

test('a pass is not called a failure', async () => {
	const runs = (n) => Array.from({ length: 6 }, (_, i) => (i < n ? { 'ltp.a01.pass': 1, 'ltp.t': 1 } : { 'ltp.t': 1 }));
	await put('passes', A, { doc: { runs: runs(6) } });
	await put('passes', B, { commit: { parents: [A] }, doc: { runs: runs(1) } });
	const page = await html(`/compare?commits=${A},${B}&axis.tbox_group=passes`);
	assert.match(page, /6 of 6 passed/);
	assert.match(page, /1 of 6 passed/);
	assert.match(page, /more passes are better/);
	assert.doesNotMatch(page, /of 6 failed/);
	assert.match(await html(`/commit/${B}`), /passed in 1 of 6 runs, before in 6 of 6/);
	const { text } = await s.get(`/commit/${B}.txt`);
	assert.match(text, /▼ regression +passed in 1 of 6 runs, before in 6 of 6 +ltp\.a01\.pass/);
});

test('where every run failed, no page says that nothing changed', async () => {
	await put('crash', A, { doc: { runs: [{ [M]: 100, 'vmstat.cs': 5 }, { [M]: 101, 'vmstat.cs': 5 }] } });
	await put('crash', B, { commit: { parents: [A] }, doc: { status: 'failed', runs: [{ [M]: 1 }, { [M]: 2 }] } });
	const url = `commits=${A},${B}&axis.tbox_group=crash`;
	const page = await html(`/compare?${url}`);
	assert.match(page, /1 failed among 1 primary metric/);
	assert.match(page, /No run on bbbbbbbbbb ended well \(2 runs failed\)/);
	assert.match(page, /✗ failed/);
	assert.doesNotMatch(page, /No change among|because it did not change\. /);
	const { json } = await s.json(`/compare.json?${url}&changed=1`);
	assert.deepEqual(json.tables[0].failed_runs, [0, 2]);
	assert.deepEqual(json.tables[0].rows.map((r) => [r.metric, r.cells[1]]), [[M, null]]);
	const commit = (await s.json(`/commit/${B}.json`)).json;
	assert.match(commit.sentence, /^no run ended well in 1 test on 1 machine; /);
	const result = commit.results.find((r) => r.series.axes.tbox_group === 'crash');
	assert.equal(result.worst[0].verdict, 'failed');
	assert.equal(result.worst[0].reason, 'none of 2 runs ended well');
});

test('info., since and until choose the runs that are compared', async () => {
	for (const [id, base] of [[A, 100], [B, 80]])
		for (const [hostname, started, more] of [['h1', '2024-01-01T00:00:00Z', 0], ['h2', '2024-02-01T00:00:00Z', 10]])
			await put('chosen', id, { doc: { started, info: { hostname, boot: hostname },
				runs: [0, 1, 2].map((i) => ({ [M]: base + more + i })) } });
	await put('chosen', A, { doc: { summary: { [M]: { mean: 1 }, 'only.printed': { mean: 1 } } } });
	const url = `/compare.json?samples=1&commits=${A},${B}&axis.tbox_group=chosen`;
	const values = async (more) => (await s.json(url + more)).json.tables.map((t) => [t.runs, t.boots, t.rows.map((r) => r.cells.map((c) => c?.values))]);
	const early = [[[3, 3], [1, 1], [[[100, 101, 102], [80, 81, 82]]]]];
	const late = [[[3, 3], [1, 1], [[[110, 111, 112], [90, 91, 92]]]]];
	assert.deepEqual((await values(''))[0][0], [6, 6]);
	for (const q of ['&info.hostname=h1', '&info.boot=h1', '&until=2024-02-01', '&since=2024-01-01&until=2024-01-02'])
		assert.deepEqual(await values(q), early, q);
	for (const q of ['&info.hostname=h2', '&since=2024-01-01T00:00:01Z', '&since=2024-02-01&until='])
		assert.deepEqual(await values(q), late, q);
	for (const q of ['&info.hostname=h3', '&info.microcode=1', '&since=2030-01-01'])
		assert.deepEqual(await values(q), [], q);
	assert.equal((await s.get(`${url}&since=soon`)).status, 422);
	const page = await html(`/compare?commits=${A},${B}&axis.tbox_group=chosen&info.hostname=h2`);
	assert.match(page, /Only some runs are counted/);
	assert.match(page, /<input type="hidden" name="info\.hostname" value="h2">/);
});

test('a word that is no commit is unknown; a filter that no series fits leaves no table', async () => {
	for (const name of ['master', 'vbabka%2Fslab', 'HEAD%5E', 'aaaaaa'])
		for (const form of ['', '.json', '.txt'])
			assert.equal((await s.get(`/commit/${name}${form}`, { accept: 'text/html' })).status, 404, name + form);
	assert.match(await html('/commit/master'), /\/search\?q=master/);
	assert.match((await s.get('/compare.json?commits=aaaaaa')).text, /needs 7 digits/);
	for (const series of ['999', 'deadbeef']) {
		const r = await s.json(`/compare.json?commits=${A},${B}&series=${series}`);
		assert.equal(r.status, 200);
		assert.deepEqual(r.json.tables, []);
	}
	assert.equal((await s.get(`/compare.json?commits=${A},${B}&series=zz`)).status, 422);
});

test('the history of a failure counts the runs that do not name it', async () => {
	const runs = [0, 1, 2, 3, 4, 5];
	await put('quiet', A, { doc: { runs: runs.map((i) => ({ 'q.x': i })) } });
	const { series } = await put('quiet', B, { doc: { runs: runs.map((i) => (i < 2 ? { 'q.x': i, 'dmesg.oops': 1 } : { 'q.x': i })) } });
	const { json } = await s.json(`/history.json?series=${series}&metric=dmesg.oops`);
	assert.deepEqual(json.points.map((p) => [p.commit.name, p.n, p.values.filter((v) => v).length]),
		[['aaaaaaaaaa', 6, 0], ['bbbbbbbbbb', 6, 2]]);
	const { series: other } = await put('other', A, { doc: { runs: [{ 'q.x': 1 }] } });
	assert.equal((await s.get(`/history.json?series=${other}&metric=dmesg.oops`)).status, 404);
});

test('the history speaks of points where a comparison does, and has the sign of a comparison', async () => {
	await put('points', A, { doc: { runs: [{ 'p.busy%': 10, 'p.neg': -100 }] } });
	const { series } = await put('points', B, { commit: { parents: [A] }, doc: { runs: [{ 'p.busy%': 12.5, 'p.neg': -50 }] } });
	const percent = await s.get(`/history.txt?series=${series}&metric=${encodeURIComponent('p.busy%')}`);
	assert.match(percent.text, /^bbbbbbbbbb .* \+2\.50 /m);
	const negative = await s.get(`/history.txt?series=${series}&metric=p.neg`);
	assert.match(negative.text, /^bbbbbbbbbb .* -50\.0% /m);
	const row = (await s.json(`/compare.json?commits=${A},${B}&axis.tbox_group=points&metric=p.neg`)).json.tables[0].rows[0];
	assert.equal(row.cells[1].change_pct, -50);
});

test('printed figures stand in the CSV forms too, and in the text of a commit without a base', async () => {
	await put('printed', A, { doc: { summary: { [M]: { mean: 100, stddev_pct: 3, printed: {} } } } });
	const { series } = await put('printed', B, { doc: { summary: { [M]: { mean: 90, stddev_pct: 0, printed: { base: A, change_pct: -10.4 } } } } });
	const csv = (await s.get(`/compare.csv?commits=${A},${B}&series=${series}`)).text.trim().split('\r\n').map((l) => l.split(','));
	const field = (name) => csv[1][csv[0].indexOf(name)];
	assert.equal(csv[0].length, csv[1].length);
	assert.equal(field('stddev_pct aaaaaaaaaa'), '3');
	assert.equal(field('printed_change bbbbbbbbbb'), '-10.4');
	assert.equal(field('change_pct bbbbbbbbbb'), '-10');
	assert.match((await s.get(`/history.csv?series=${series}&metric=${M}`)).text, /^commit,.*stddev_pct.*\r\na{39}1,,,,100,,3,/);
	assert.match((await s.get(`/commit/${A}.txt`)).text, / 100\.00 ± {2}3% {2}hackbench\.throughput \(KB\/s, higher is better\)/);
});

test('the printed percent of a negative base says which way the value went', async () => {
	await put('negative', A, { doc: { summary: { [M]: { mean: -1, printed: {} } } } });
	await put('negative', B, { doc: { summary: { [M]: { mean: -2, printed: { base: A, change_pct: 100 } } } } });
	const { json } = await s.json(`/compare.json?commits=${A},${B}&axis.tbox_group=negative`);
	assert.equal(json.tables[0].rows[0].cells[1].verdict, 'regression');
});

test('counts of fails without samples are judged as counts', async () => {
	await put('counts', A, { doc: { summary: { 'dmesg.oops': { fails: 1, runs: 3 }, 'dmesg.hang': { fails: 0, runs: 6 } } } });
	await put('counts', B, { doc: { summary: { 'dmesg.oops': { fails: 2, runs: 5 }, 'dmesg.hang': { fails: 3, runs: 6 } } } });
	const { json } = await s.json(`/compare.json?commits=${A},${B}&axis.tbox_group=counts`);
	const cell = (name) => json.tables[0].rows.find((r) => r.metric === name).cells[1];
	assert.equal(cell('dmesg.oops').verdict, 'same');
	assert.equal(cell('dmesg.hang').verdict, 'regression');
	assert.equal(cell('dmesg.hang').origin, 'reported');
	assert.equal(cell('dmesg.hang').reason, 'seen in 0 of 6 runs, then in 3 of 6: a regression (lower is better)');
});

test('machines and tests are lists that are cut like all others', async () => {
	for (const [url, key] of [['/machines', 'machines'], ['/testcases', 'testcases']]) {
		const all = (await s.json(`${url}.json`)).json;
		assert.equal(all.next, null);
		const got = [];
		for (let cursor = 0; cursor !== null;) {
			const { json } = await s.json(`${url}.json?limit=2&cursor=${cursor}`);
			assert.ok(json[key].length <= 2);
			got.push(...json[key]);
			cursor = json.next;
		}
		assert.deepEqual(got, all[key]);
		assert.equal((await s.get(`${url}.json?limit=0`)).status, 422);
		assert.equal((await s.json(`${url}.json?cursor=99999`)).json[key].length, 0);
	}
	assert.match(await html('/machines?limit=1'), /href="\/machines\?limit=1&amp;cursor=1"/);
});

await finish();
await s.end();
