// SPDX-License-Identifier: GPL-2.0-or-later
// Change points on the invented year: every planted step and drift that is large against the noise is found where it
// was planted, with its size, and hardly anything else is; the history page and the series page agree.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const lines = execFileSync(path.join(path.dirname(program), 'invent'), ['--year'], { encoding: 'utf8', maxBuffer: 1 << 27 }).trimEnd().split('\n');
const truth = JSON.parse(readFileSync('deploy/sample/year-truth.json', 'utf8'));
const position = new Map(truth.commits.map((id, i) => [id, i]));
const admin = s.token('admin');

async function upload() {
	for (let i = 0; i < lines.length; i += 1000) {
		const r = await s.post('/api/v1/runs', lines.slice(i, i + 1000).join('\n'), { 'content-type': 'application/x-ndjson' });
		assert.equal(r.status, 200, r.text.slice(0, 300));
	}
	// what a broken rig measured ten times too fast counts for nothing
	const r = await fetch(`${s.url}/api/v1/corrections`, {
		method: 'POST',
		headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
		body: JSON.stringify({ select: truth.bad_batch.select, set: { status: 'invalid' }, reason: 'the clock of the rig ran wild' }),
	});
	assert.ok(r.status < 300, await r.text());
}

const seriesOf = new Map();
async function series(testcase, box) {
	const key = `${testcase} ${box}`;
	if (!seriesOf.has(key)) {
		const { json } = await s.json(`/series.json?axis.testcase=${testcase}&axis.tbox_group=${box}`);
		seriesOf.set(key, json.series.sort((a, b) => b.runs - a.runs)[0].digest);
	}
	return seriesOf.get(key);
}
const history = async (digest, metric) => {
	const r = await s.json(`/history.json?series=${digest}&metric=${encodeURIComponent(metric)}`);
	assert.equal(r.status, 200, r.text.slice(0, 300));
	return r.json;
};

await upload();

// A step is large when it is over six standard errors of ten commits on either side: what the commits differ by themselves
// and what three runs leave.
const isLarge = (p, box) => {
	const noise = truth.boxes.find((b) => b.name === box).noise;
	const sd = noise * Math.hypot(p.sd_between, p.sd_within / Math.sqrt(3));
	const size = p.points === undefined ? Math.abs(Math.log(p.factor)) : Math.abs(p.points);
	return size > 6 * sd * Math.sqrt(2 / 10) && size > (p.points === undefined ? .012 : 1.2);
};

test('the large steps are found where they were planted', async () => {
	let large = 0, found = 0;
	for (const p of truth.planted.filter((x) => x.kind === 'step'))
		for (const { box, last_before, first_with } of p.seen) {
			if (!isLarge(p, box)) continue;
			const h = await history(await series(p.test, box), p.metric);
			const hit = h.change_points.find((c) => {
				const at = position.get(c.commit.id);
				return at >= last_before && at <= first_with + 2;
			});
			large++;
			found += hit !== undefined;
			if (!hit) continue;
			assert.equal(h.points[hit.index].commit.id, hit.commit.id);
			const got = p.points === undefined ? hit.after / hit.before : hit.change_abs;
			const noise = truth.boxes.find((b) => b.name === box).noise; // a standard deviation of 0: counts by Poisson
			assert.ok(Math.abs(got - (p.factor ?? p.points)) < (p.sd_within ? 4 * noise * (p.sd_within + p.sd_between) + .01 : 1), `${p.metric} on ${box} at ${p.position}: ${got}`);
			if (h.direction !== 'none')
				assert.equal(hit.verdict, (hit.after > hit.before) === (h.direction === 'higher') ? 'improvement' : 'regression');
		}
	console.log(`# ${found} of ${large} large planted steps found`);
	assert.ok(large >= 50, `${large}`);
	assert.ok(found >= .95 * large, `${found} of ${large}`);
});

test('the drift is a drift', async () => {
	const p = truth.planted.find((x) => x.kind === 'drift');
	const h = await history(await series(p.test, p.box), p.metric);
	assert.ok(h.drifts.some((d) => d.verdict === 'regression' && d.last - d.first > 20), JSON.stringify(h.drifts));
});

test('where nothing was planted next to nothing is found', async () => {
	let looked = 0, false_steps = 0;
	for (const box of truth.boxes.map((b) => b.name))
		for (const testcase of ['hackbench', 'fio-basic', 'will-it-scale', 'vm-scalability']) {
			const { json } = await s.json(`/series.json?axis.testcase=${testcase}&axis.tbox_group=${box}`);
			if (!json.series.length) continue;
			const digest = await series(testcase, box);
			const r = await s.json(`/series/${digest}.json?changes=all`);
			const told = new Set(truth.planted.filter((p) => p.test === testcase && (p.box === 'all' || p.box === box)).map((p) => p.metric));
			const moved = new Set(truth.events.filter((e) => e.machine === box).flatMap((e) => e.shifts ?? []).filter((x) => x.test === testcase).map((x) => x.metric));
			const quiet = r.json.metrics.filter((m) => m.kind !== 'functional' && !told.has(m.metric) && !moved.has(m.metric)).map((m) => m.metric);
			looked += quiet.length;
			false_steps += r.json.changes.list.filter((c) => c.kind === 'step' && quiet.includes(c.metric)).length;
			assert.equal(r.json.changes.more, 0);
		}
	console.log(`# ${false_steps} steps in ${looked} histories without any`);
	assert.ok(looked > 500, `${looked}`);
	assert.ok(false_steps <= .15 * looked, `${false_steps} in ${looked}`);
});

test('series page and history page say the same', async () => {
	const digest = await series('hackbench', 'year-icl-2sp1');
	const { json } = await s.json(`/series/${digest}.json`);
	const steps = json.changes.list.filter((c) => c.metric === 'hackbench.throughput' && c.kind === 'step');
	const h = await history(digest, 'hackbench.throughput');
	assert.ok(steps.length >= 5);
	assert.deepEqual(steps.map((c) => [c.to.id, c.before, c.after, c.verdict]).reverse(),
		h.change_points.map((c) => [c.commit.id, c.before, c.after, c.verdict]));
	for (const c of steps) assert.equal(h.points[h.points.findIndex((p) => p.commit.id === c.to.id) - 1].commit.id, c.from.id);
	assert.ok(json.changes.list.every((c) => c.role !== 'monitor'));
});

test('pages for people and terminals show them', async () => {
	const digest = await series('hackbench', 'year-icl-2sp1');
	const page = await s.get(`/history?series=${digest}&metric=hackbench.throughput`, { accept: 'text/html' });
	assert.match(page.text, /class="chart-level"/);
	assert.match(page.text, /<ul class="changes">/);
	const text = await s.get(`/history.txt?series=${digest}&metric=hackbench.throughput`);
	assert.match(text.text, /^step at [0-9a-f]{10}: [+-]\d+\.\d %, (regression|improvement)$/m);
	assert.match((await s.get(`/series/${digest}`, { accept: 'text/html' })).text, /Where it changed/);
	assert.match((await s.get(`/series/${digest}.txt`)).text, /changes, newest first:\n {2}step /);
	assert.equal((await s.json(`/history.json?series=${digest}&metric=hackbench.throughput&order=time`)).json.change_points.length, 0);
	assert.equal((await s.get(`/series/${digest}?changes=some`)).status, 422);
});

await finish();
await s.end();
