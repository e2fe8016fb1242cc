// SPDX-License-Identifier: GPL-2.0-or-later
// Verdicts from end to end: the reference of the rule goes in as uploads, and what the pages say must be what it says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, finish } from './tap.mjs';
import { Server } from './server.mjs';

const s = await Server.start();
const id = (n) => n.toString(16).padStart(4, '0').repeat(10);
const axes = (testcase) => ({ testcase, tbox_group: 'box-1' });

async function put(document) {
	const r = await s.upload(document);
	assert.equal(r.status, 201, r.text);
}

// Commits in a line, the last one the change; each metric has its own number of runs and of commits before.
function submissions(metrics, testcase, boot) {
	const most = Math.max(...metrics.map((m) => m.history.length));
	return [...Array(most + 2).keys()].map((c) => {
		const values = metrics.map((m) => [...Array(most - m.history.length).fill([]), ...m.history, m.x, m.y][c]);
		const runs = Math.max(...values.map((v) => v.length));
		return {
			key: `${testcase}-${c}`, axes: axes(testcase), info: boot ? { boot: `${boot}-${c}` } : {},
			commit: { id: id(c + 1), parents: c ? [id(c)] : [], date: `2026-01-${String(c + 1).padStart(2, '0')}T00:00:00Z` },
			matrix: Object.fromEntries(metrics.map((m, i) => [`${testcase}.m${m.id}`,
				[...values[i], ...Array(runs - values[i].length).fill(null)]])
				.filter(([, v]) => v.length && v.some((x) => x !== null))),
		};
	});
}

function near(got, want, what) {
	assert.ok(Math.abs(got - want) <= 6e-6 * Math.abs(want) + 1e-12, `${what}: ${got}, not ${want}`);
}

for (const [file, testcase] of [['rule-reference-mixed', 'mixed'], ['rule-reference', 'plain']]) {
	const reference = JSON.parse(readFileSync(`tests/data/${file}.json`, 'utf8'));
	const docs = submissions(reference.metrics, testcase);
	const [x, y] = docs.slice(-2).map((d) => d.commit.id);

	test(`${file}: p, q, history and verdicts of all ${reference.metrics.length} metrics, as pages say them`, async () => {
		await put([...docs].reverse()); // not in the order of the commits: parents tell the line
		const { json } = await s.json(`/compare.json?commits=${x},${y}&changed=0&axis.testcase=${testcase}`);
		const rows = Object.fromEntries(json.tables[0].rows.map((r) => [r.metric, r.cells[1]]));
		for (const m of reference.metrics) {
			const cell = rows[`${testcase}.m${m.id}`];
			near(cell.p, m.p, `p of ${m.id}`);
			near(cell.q, m.q, `q of ${m.id}`);
			near(cell.cliff_delta, m.cliff_delta, `delta of ${m.id}`);
			assert.equal(cell.history, m.history.length);
			assert.equal(cell.verdict.toUpperCase(), m.verdict, cell.reason);
		}
	});

	test(`${file}: the verdicts do not depend on filters, nor on the page`, async () => {
		const url = `/compare.json?commits=${x},${y}&axis.testcase=${testcase}`;
		const whole = (await s.json(`${url}&changed=0`)).json.tables[0].rows;
		const one = whole.find((r) => r.cells[1].verdict === 'changed') ?? whole.find((r) => r.cells[1].verdict === 'suspect');
		for (const more of [`&metric=${one.metric}`, '&role=primary', '&sort=change', '&changed=1']) {
			const rows = (await s.json(url + more)).json.tables[0].rows;
			assert.deepEqual(rows.find((r) => r.metric === one.metric), one);
		}
		const result = (await s.json(`/commit/${y}.json`)).json.results.find((r) => r.series.axes.testcase === testcase);
		const row = result.worst.find((r) => r.metric === one.metric);
		assert.equal(row.verdict, one.cells[1].verdict);
		assert.equal(row.q, one.cells[1].q);
		assert.equal(row.reason, one.cells[1].reason);
	});

	test(`${file}: from the change back to the base, the change's own history counts, and the base is not in it`, async () => {
		const { json } = await s.json(`/compare.json?commits=${y},${x}&changed=0&axis.testcase=${testcase}`);
		assert.equal(json.base_is_younger ?? json.tables[0].base_is_younger, true);
		const rows = Object.fromEntries(json.tables[0].rows.map((r) => [r.metric, r.cells[1]]));
		for (const m of reference.metrics)
			assert.equal(rows[`${testcase}.m${m.id}`].history, m.history.length);
	});
}

// Six commits with noise of their own, ±10 %, then one 8 % above the base: nothing, and so the pages say.
test('noise between commits is learnt from uploads, and again when they are corrected', async () => {
	const levels = [90, 110, 95, 105, 92, 108, 100, 108];
	const docs = levels.map((v, c) => ({
		key: `noisy-${c}`, axes: axes('noisy'),
		commit: { id: id(c + 100), parents: c ? [id(c + 99)] : [] },
		runs: [0, 1, 0.5, 0.2].map((d) => ({ 'noisy.iops': v + d, 'noisy.throughput': v + d })),
	}));
	const url = `/compare.json?commits=${id(106)},${id(107)}&changed=0`;
	const cell = async () => (await s.json(url)).json.tables[0].rows.find((r) => r.metric === 'noisy.throughput').cells[1];
	await put(docs.slice(6));
	assert.equal((await cell()).verdict, 'improvement');
	assert.match((await cell()).reason, /noise between commits not known/);
	await put(docs.slice(0, 6));
	const judged = await cell();
	assert.equal(judged.history, 6);
	assert.equal(judged.verdict, 'suspect', judged.reason);
	assert.ok(judged.q > 0.05 && judged.mde_pct > 20, judged.reason);
	// one of the six is invalid: five are too few to know the noise
	const admin = s.token('admin');
	const { json: runs } = await s.json('/runs.json?limit=100');
	const first = runs.runs.filter((r) => r.key === 'noisy-0').map((r) => r.id);
	assert.equal(first.length, 4);
	for (const run of first) {
		const r = await s.post('/api/v1/corrections', JSON.stringify({ select: { run }, set: { status: 'invalid' }, reason: 'hot' }),
			{ authorization: `Bearer ${admin}` });
		assert.equal(r.status, 201, r.text);
	}
	assert.equal((await cell()).history, 5);
	assert.equal((await cell()).verdict, 'improvement');
});

test('all runs of one boot: at most suspect', async () => {
	const metrics = [{ id: 1, history: [], x: [100, 101, 99, 100], y: [80, 81, 79, 80] }];
	await put(submissions(metrics, 'boots', 'b'));
	const { json } = await s.json(`/compare.json?commits=${id(1)},${id(2)}&changed=0&axis.testcase=boots`);
	assert.deepEqual(json.tables[0].boots, [1, 1]);
	assert.equal(json.tables[0].rows[0].cells[1].verdict, 'suspect');
	assert.match(json.tables[0].rows[0].cells[1].reason, /4 runs of 1 boot at 100 .*one boot/);
});

await finish();
await s.end();
