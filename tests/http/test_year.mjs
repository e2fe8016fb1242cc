// SPDX-License-Identifier: GPL-2.0-or-later
// The invented year: the same bytes everywhere, a truth file that is current and true, and a server that takes it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const invent = (...args) => execFileSync(path.join(path.dirname(program), 'invent'), args, { encoding: 'utf8', maxBuffer: 1 << 27 });
const text = invent('--year');
const year = text.trimEnd().split('\n').map((l) => JSON.parse(l));
const truth = JSON.parse(readFileSync('deploy/sample/year-truth.json', 'utf8'));
const mean = (v) => v.reduce((a, b) => a + b, 0) / v.length;
const position = new Map(truth.commits.map((id, i) => [id, i]));
let named; // the addresses that run.sh names
const isBad = (s) => s.info.rig_version === truth.bad_batch.select['info.rig_version'];

// Values of a metric on the main line, by box: [{at, started, v}]; bad ones and those that are not ok are left out.
function valuesOf(testcase, metric) {
	const boxes = {};
	for (const s of year) {
		if (s.axes.testcase !== testcase || s.status !== 'ok' || isBad(s) || !position.has(s.commit.id)) continue;
		for (const r of s.runs)
			(boxes[s.axes.tbox_group] ??= []).push({ at: position.get(s.commit.id), started: s.started, v: r[metric] });
	}
	return boxes;
}

test('the year-truth.json that is kept is what invent prints', () => {
	assert.equal(readFileSync('deploy/sample/year-truth.json', 'utf8'), invent('--year', '--truth'));
});

test('the same bytes on every machine, others with another seed', () => {
	// A deliberate change of the plan changes this digest: it is printed by "build/invent --year | sha256sum".
	assert.equal(createHash('sha256').update(text).digest('hex'), '778dac41c3562673bfa9c799005ba434733bc2f1518dd6e4b7afe27a285d694f');
	assert.notEqual(invent('--year', '--seed', '8'), text);
});

test('every planted step shows in the means beside it', () => {
	for (const p of truth.planted.filter((x) => x.kind === 'step')) {
		const others = truth.planted.filter((x) => x !== p && x.test === p.test && x.metric === p.metric)
			.flatMap((x) => [x.position, x.reverted_at ?? 300]);
		const from = Math.max(0, ...others.filter((x) => x <= p.position));
		const to = Math.min(p.reverted_at ?? 300, ...others.filter((x) => x > p.position));
		const boxes = valuesOf(p.test, p.metric);
		for (const { box } of p.seen) {
			const event = truth.events.find((e) => e.machine === box && e.effect === 'levels');
			const drift = truth.planted.some((x) => x.kind === 'drift' && x.box === box && x.metric === p.metric);
			if (drift) continue;
			const near = boxes[box].filter((x) => !event || (x.started < event.at) === (p.position < event.position));
			const before = near.filter((x) => x.at >= from && x.at < p.position).map((x) => x.v);
			const after = near.filter((x) => x.at >= p.position && x.at < to).map((x) => x.v);
			if (before.length < 10 || after.length < 10) continue;
			const noise = truth.boxes.find((b) => b.name === box).noise;
			// five standard errors; Poisson counts have no sd of their own in the truth
			const sd = p.sd_within ? noise * Math.hypot(p.sd_within, p.sd_between * 2) : 1.4;
			const slack = 5 * sd * Math.sqrt(1 / before.length + 1 / after.length) * (p.factor ?? 1);
			const got = p.points === undefined ? mean(after) / mean(before) : mean(after) - mean(before);
			const want = p.points ?? p.factor;
			assert.ok(Math.abs(got - want) <= slack, `${p.metric} on ${box} at ${p.position}: ${got}, planted ${want}, ±${slack}`);
		}
	}
});

test('the functional failure is there from its commit to its fix only', () => {
	const p = truth.planted.find((x) => x.kind === 'functional');
	for (const v of Object.values(valuesOf(p.test, p.metric))) {
		const inside = v.filter((x) => x.at >= p.position && x.at < p.reverted_at);
		assert.equal(v.filter((x) => x.v !== undefined).length, inside.filter((x) => x.v === 1).length);
		if (inside.length > 20)
			assert.ok(Math.abs(inside.filter((x) => x.v).length / inside.length - p.probability) < .3);
	}
});

test('the microcode: each shift is seen, on that box alone', () => {
	const e = truth.events.find((x) => x.key === 'microcode');
	let seen = 0;
	for (const s of e.shifts) {
		if (truth.planted.some((p) => p.test === s.test && p.metric === s.metric)) continue;
		for (const [box, v] of Object.entries(valuesOf(s.test, s.metric))) {
			if (truth.boxes.find((b) => b.name === box).noise > 1) continue;
			if (v[0].v < 100) continue; // whole numbers hide small shifts
			const around = v.filter((x) => Math.abs(x.at - e.position) < 60);
			const got = mean(around.filter((x) => x.started >= e.at).map((x) => x.v)) /
				mean(around.filter((x) => x.started < e.at).map((x) => x.v));
			assert.ok(Math.abs(got - (box === e.machine ? s.factor : 1)) < .012, `${s.metric} on ${box}: ${got}`);
			seen++;
		}
	}
	assert.ok(seen > 100);
});

test('the silent rig, the bad batch, what was not built and what did not boot', () => {
	const { silent, bad_batch: bad } = truth;
	const of = (box) => year.filter((s) => s.axes.tbox_group === box && s.started);
	assert.ok(of(silent.machine).every((s) => s.started < silent.from));
	assert.ok(of(bad.machine).some((s) => s.started > silent.from));
	const batch = of(bad.machine).filter(isBad);
	assert.ok(batch.length >= 10 && year.filter((s) => s.info && isBad(s)).length === batch.length);
	assert.ok(batch.every((s) => s.started >= bad.from && s.started < bad.to));
	const iops = (list) => mean(list.filter((s) => s.axes.testcase === 'hackbench' && s.status === 'ok')
		.flatMap((s) => s.runs.map((r) => r['hackbench.throughput'])));
	const ratio = iops(batch) / iops(of(bad.machine).filter((s) => !isBad(s)));
	assert.ok(ratio > 9 && ratio < 11.5, `${ratio}`);
	const not = year.filter((s) => s.commit.id === truth.not_built.commit);
	assert.deepEqual(not.map((s) => [s.commit.build.status, s.runs]), [['failed', undefined]]);
	assert.ok(year.filter((s) => s.commit.id === truth.not_booted.commit).every((s) => s.status === 'failed'));
});

test('a server takes all of it, and again as duplicates', async () => {
	for (const status of ['created', 'duplicate']) {
		const lines = text.trimEnd().split('\n');
		while (lines.length) {
			const part = lines.splice(0, 1000);
			const r = await s.post('/api/v1/runs', part.join('\n'), { 'content-type': 'application/x-ndjson' });
			assert.equal(r.status, 200);
			const out = r.text.trimEnd().split('\n').map((l) => JSON.parse(l));
			assert.equal(out.filter((o) => o.status === status).length, part.length, r.text.slice(0, 500));
		}
	}
	const p = truth.planted[0];
	const { json } = await s.json(`/compare.json?commits=${truth.commits[p.position - 1]},${p.commit}&axis.tbox_group=${p.seen[0].box}&metric=${p.metric}`);
	assert.ok(Math.abs(json.tables[0].rows[0].cells[1].change_pct - 100 * (p.factor - 1)) < 1.5);
	const patch = await s.json(`/commit/${truth.patches[1].commit}`);
	assert.deepEqual(patch.json.parents.map((k) => k.id ?? k), [truth.patches[1].base]);
	assert.match(s.run(['check']), /no complaints/);
});

test('the addresses that run.sh names show something of this year', async () => {
	named = [...readFileSync('deploy/sample/run.sh', 'utf8').matchAll(/year: .*\$url(\/(?:compare|history)\S+)/g)].map((m) => m[1]);
	assert.ok(named.length >= 3);
	for (const url of named) {
		const { status, json } = await s.json(url.replace('?', '.json?'));
		assert.equal(status, 200, url);
		assert.ok((json.tables ?? json.points).length > 0, url);
	}
});

// Of the boxes that do not tell their boots; on the one that does, a commit's runs are of one boot.
test('planted steps are verdicts on the quiet boxes, and suspects where all runs are of one boot', async () => {
	let judged = 0, suspects = 0;
	for (const p of truth.planted.filter((x) => x.kind === 'step' && Math.abs(Math.log(x.factor)) > .045 && x.metric.startsWith(x.test.split('-')[0]))) {
		for (const { box, last_before: from, first_with: to } of p.seen) {
			const told = box === 'year-hsw-d04';
			if (!told && !['year-icl-2sp1', 'year-csl-2sp2'].includes(box)) continue;
			if (p.position > 92 && p.position < 130) continue; // the bad rig, which nobody has corrected here
			const { json } = await s.json(`/compare.json?commits=${truth.commits[from]},${truth.commits[to]}` +
				`&axis.tbox_group=${box}&axis.testcase=${p.test}&metric=${encodeURIComponent(p.metric)}`);
			const [table] = json.tables, cell = table.rows[0].cells[1];
			const better = p.metric.includes('clat') || p.metric.includes('time') ? p.factor < 1 : p.factor > 1;
			const what = `${p.metric} at ${p.position} on ${box}: ${cell.reason}`;
			assert.deepEqual(table.boots.map((n) => n !== null), [told, told], what);
			assert.equal(cell.verdict, told ? 'suspect' : better ? 'improvement' : 'regression', what);
			told ? suspects++ : judged++;
		}
	}
	assert.ok(judged >= 15 && suspects >= 5, `${judged}, ${suspects}`);
	const { json: first } = await s.json(named[0].replace('?', '.json?'));
	assert.equal(first.tables.find((t) => t.series.axes.tbox_group === 'year-icl-2sp1').rows.find((r) => r.metric === 'hackbench.throughput').cells[1].verdict, 'regression');
});

await finish();
await s.end();
