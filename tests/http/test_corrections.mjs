// SPDX-License-Identifier: GPL-2.0-or-later
// Corrections, machines and events over HTTP: what they change, that nothing corrected disappears from view, and
// that an undo brings every page back.
import assert from 'node:assert/strict';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const admin = s.token('admin');
const triage = s.token('triage');
const id = (n) => n.toString(16).padStart(40, '0');
const doc = (more = {}) => ({
	axes: { testcase: 'hackbench', tbox_group: 'box-a', ipc: 'pipe' },
	commit: { id: id(0xabc1), subject: 'first' },
	runs: [{ 'hackbench.throughput': 100 }],
	...more,
});
const send = (method, url, body, token = admin, headers = {}) => fetch(s.url + url, {
	method,
	body: typeof body === 'string' ? body : JSON.stringify(body),
	headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
}).then(async (r) => {
	const text = await r.text();
	let json = null;
	try { json = JSON.parse(text); } catch { /* the caller looks at text */ }
	return { status: r.status, headers: r.headers, text, json };
});
const correct = (select, set, more = {}) => send('POST', '/api/v1/corrections', { select, set, reason: 'for a test', ...more });
const undo = (n) => send('POST', `/api/v1/correction/${n}/undo`, '');
const html = async (url) => (await s.get(url, { accept: 'text/html' })).text;
const sound = () => s.run(['check']);

// Two commits of three runs, far apart, on two machines; a table without samples; hostile names.
const nasty = '<b>"&\'/é';
const matrix = (v) => ({ 'hackbench.throughput': v });
for (const [box, k] of [['box-a', 1], ['box-b', 1.01]]) {
	for (const [commit, base] of [[0xabc1, 1000], [0xabc2, 500]]) {
		const r = await s.upload({ ...doc({ axes: { testcase: 'hackbench', tbox_group: box, ipc: 'pipe' } }), runs: undefined,
			commit: { id: id(commit), subject: `commit ${commit}`, date: `2026-01-0${commit - 0xabc0}T00:00:00Z` },
			info: { microcode: '0x1' }, matrix: matrix([1, 1.001, 1.002, 0.999].map((x) => x * k * base)) });
		assert.equal(r.status, 201, r.text);
	}
}
await s.upload(doc({ axes: { testcase: 'hackbench', tbox_group: nasty }, info: { microcode: nasty } }));
await s.upload({ ...doc({ axes: { testcase: 'mail', tbox_group: 'box-m' } }), runs: undefined, summary: { 'mail.value': { mean: 4 } } });

const pages = ['/', '/series', '/runs', '/machines', '/machine/box-a', '/machine/box-b', '/run/1', '/run/5', '/runs?machine=box-a',
	`/commit/${id(0xabc1)}`, `/commit/${id(0xabc2)}`, '/series/1', '/series/2', '/events', '/findings', '/series?axis.testcase=mail',
	`/compare?commits=${id(0xabc1)},${id(0xabc2)}&samples=1`, '/history?series=1&metric=hackbench.throughput'];
// After an undo only the corrections themselves may be seen, and the name of a commit that one made.
const everything = async () => (await Promise.all(pages.map(async (p) => {
	const { text } = await s.get(p, { accept: 'application/json' });
	const json = JSON.parse(text);
	const strip = (x) => {
		if (Array.isArray(x)) x.forEach(strip);
		else if (x && typeof x === 'object') { delete x.corrections; delete x.counts; Object.values(x).forEach(strip); }
	};
	strip(json);
	return `${p} ${JSON.stringify(json)}`;
}))).join('\n');

test('a dry run says what would change, and changes nothing', async () => {
	const before = await everything();
	const r = await correct({ machine: 'box-a' }, { status: 'invalid' }, { dry_run: true });
	assert.equal(r.status, 200, r.text);
	assert.equal(r.json.id, null);
	assert.deepEqual([r.json.runs, r.json.summaries, r.json.series, r.json.commits, r.json.findings], [8, 0, 1, 2, []]);
	assert.deepEqual(r.json.sample, [1, 2, 3, 4, 5, 6, 7, 8]);
	assert.equal(await everything(), before);
	assert.deepEqual((await s.json('/corrections.json')).json, { corrections: [], next: null });
});

const kinds = [
	['status', { machine: 'box-a', commit: 'abc2'.padStart(40, '0') }, { status: 'invalid' }, 4, 0],
	['commit', { run: 5 }, { commit: id(0xabc1) }, 1, 0],
	['commit that nobody knows', { machine: 'box-b' }, { commit: id(0xddd) }, 8, 0],
	['axis, a new series', { machine: 'box-a' }, { axis: { ipc: 'socket' } }, 8, 0],
	['axis, a series that is there', { machine: 'box-a', commit: id(0xabc1) }, { axis: { tbox_group: 'box-b' } }, 4, 0],
	['delete', { 'info.microcode': '0x1', commit: id(0xabc1) }, { delete: true }, 8, 0],
	['a hostile machine', { machine: nasty }, { axis: { tbox_group: nasty + nasty } }, 1, 0],
	['figures without samples', { machine: 'box-m' }, { status: 'invalid' }, 0, 1],
	['a token and a time', { token: 'test-upload', received: ['2020-01-01', null] }, { status: 'invalid' }, 17, 1],
];
for (const [name, select, set, runs, summaries] of kinds) {
	test(`${name}: done, shown, undone, and every page is as before`, async () => {
		const before = await everything();
		const r = await correct(select, set, { reason: `because <i>${name}</i>` });
		assert.equal(r.status, 201, r.text);
		assert.deepEqual([r.json.runs, r.json.summaries], [runs, summaries]);
		assert.equal(r.headers.get('location'), `/correction/${r.json.id}`);
		sound();
		assert.notEqual(await everything(), before);
		const { json } = await s.json(`/correction/${r.json.id}.json`);
		assert.deepEqual(json.select, select);
		assert.deepEqual(json.set, set);
		assert.equal(json.who, 'test-admin');
		assert.equal(json.undone_at, null);
		assert.ok(!(await s.get(`/correction/${r.json.id}.json`)).text.includes('<'));
		assert.equal(json.changed_runs.length, runs);
		const page = await html(`/correction/${r.json.id}`);
		assert.ok(page.includes('because &lt;i&gt;'));
		assert.ok(!page.includes('<i>'));
		for (const run of r.json.sample) {
			const text = await html(`/run/${run}`);
			assert.ok(text.includes(`href="/correction/${r.json.id}"`), text);
			assert.match(text, /by test-admin/);
			assert.ok((await s.json(`/run/${run}.json`)).json.corrections.some((k) => k.id === r.json.id));
		}
		assert.ok((await html('/corrections')).includes(`href="/correction/${r.json.id}"`));
		const u = await undo(r.json.id);
		assert.equal(u.status, 200, u.text);
		assert.equal(u.json.undone_by, 'test-admin');
		sound();
		assert.equal(await everything(), before);
		const again = await undo(r.json.id);
		assert.equal(again.status, 409);
		assert.match(await html(`/correction/${r.json.id}`), /undone/);
	});
}

test('what was corrected stays in view: struck through, with the word, who and why', async () => {
	const r = await correct({ run: 5 }, { status: 'invalid' }, { reason: 'the fan was off' });
	const list = await html('/runs?machine=box-a');
	assert.match(list, /<s><a href="\/run\/5">5<\/a><\/s>/);
	assert.match(list, /<td class="status-invalid">invalid, <a href="\/correction\/\d+">/);
	assert.match(list, /<td class="num"><a href="\/run\/6">6/);
	const { json } = await s.json('/runs.json?machine=box-a');
	const run = json.runs.find((x) => x.id === 5);
	assert.equal(run.status, 'invalid');
	assert.deepEqual(run.corrections, [r.json.id]);
	const series = await html('/series/1');
	assert.match(series, /1 run was marked invalid: <a href="\/correction\/\d+">correction \d+<\/a> by test-admin .*“the fan was off”/);
	assert.equal((await s.json('/series/1.json')).json.corrections[0].what, '1 run was marked invalid');
	const compare = `/compare?commits=${id(0xabc1)},${id(0xabc2)}&axis.tbox_group=box-a`;
	assert.match(await html(compare), /1 run was marked invalid[^]*the fan was off/);
	const table = (await s.json(compare.replace('?', '.json?'))).json.tables[0];
	assert.deepEqual(table.runs, [4, 3]);
	assert.deepEqual(table.corrected, [0, 1]);
	await undo(r.json.id);
	assert.doesNotMatch(await html('/series/1'), /marked invalid/);
});

test('a deleted run is on its own page alone, with its values', async () => {
	const r = await correct({ run: 6 }, { delete: true });
	const { json } = await s.json('/run/6.json');
	assert.equal(json.status, 'deleted');
	assert.equal(json.values['hackbench.throughput'], 1.001 * 500);
	assert.match(await html('/run/6'), /deleted/);
	const back = await correct({ run: 6 }, { status: 'ok' });
	assert.equal(back.status, 422);
	await undo(r.json.id);
});

test('where everything was deleted or replaced, nothing was measured; what is invalid stays in view', async () => {
	const axes = { testcase: 'emptied', tbox_group: 'box-e' };
	const at = (n) => id(0xe00 + n);
	const send = async (key, n, more = {}) => (await s.upload(doc({ key, axes, commit: { id: at(n), parents: [at(n - 1)] }, ...more }))).json.submissions[0];
	const { series } = await send('e1', 1);
	const gone = await send('e2', 2), wrong = await send('e3', 3);
	await send('e4', 4, { replaces: 'e3' });
	await send('e5', 5);
	const cells = async (n) => {
		const compare = (await s.json(`/compare.json?commits=${at(1)},${at(n)}`)).json.tables.length;
		const alone = (await s.json(`/compare.json?commits=${at(n)}`)).json.tables.length;
		const { results, sentence } = (await s.json(`/commit/${at(n)}.json`)).json;
		const listed = (await s.json(`/series/${series}.json`)).json.commits.filter((c) => c.id === at(n)).length;
		const recent = (await s.json('/?format=json')).json.commits.filter((c) => c.id === at(n)).length;
		return [compare, alone, results.length, listed, recent, /not worse/.test(sentence)];
	};
	const commits = async () => (await s.json('/series.json?axis.testcase=emptied')).json.series[0].commits;
	const present = [1, 1, 1, 1, 1, true], absent = [0, 0, 0, 0, 0, false];
	assert.deepEqual(await cells(2), present);
	assert.deepEqual(await cells(3), absent);
	assert.equal(await commits(), 4);
	const r = await correct({ run: gone.runs[0] }, { delete: true });
	assert.deepEqual(await cells(2), absent);
	assert.equal(await commits(), 3);
	const b = await correct({ commit: at(5) }, { status: 'invalid' });
	assert.deepEqual(await cells(5), [1, 1, 1, 1, 1, false]);
	assert.equal((await s.json(`/run/${wrong.runs[0]}.json`)).json.status, 'replaced');
	assert.equal((await undo(b.json.id)).status, 200);
	assert.equal((await undo(r.json.id)).status, 200);
	assert.deepEqual(await cells(2), present);
	assert.deepEqual(await cells(5), present);
	assert.equal(await commits(), 4);
	sound();
});

test('an undone correction does not name the series that got the number of the one it had made', async () => {
	const axes = { testcase: 'numbers', tbox_group: 'box-n' };
	const { series, runs } = (await s.upload(doc({ key: 'n', axes }))).json.submissions[0];
	const a = (await correct({ run: runs[0] }, { axis: { x: '1' } })).json.id;
	const b = (await correct({ run: runs[0] }, { axis: { x: '2' } })).json.id;
	await undo(b);
	await undo(a);
	await s.upload(doc({ key: 'n', axes: { ...axes, testcase: 'others' } }));
	await s.upload(doc({ key: 'n', axes: { ...axes, testcase: 'more' } }));
	const named = async (n) => (await s.json(`/correction/${n}.json`)).json.changed_runs.map((x) => [x.before.series, x.after.series]);
	assert.deepEqual(await named(a), [[series, null]]);
	assert.deepEqual(await named(b), [[null, null]]);
	assert.match(await html(`/correction/${b}`), /another/);
	sound();
});

test('a run that counts in another series keeps its files and distributions, and an export tells them', async () => {
	const axes = { testcase: 'moving', tbox_group: 'box-f' };
	const [run] = (await s.upload(doc({ key: 'f', axes, distributions: { lat: { unit: 'us', mean: 5 } } }))).json.submissions[0].runs;
	const put = (name, body) => send('PUT', `/api/v1/run/${run}/artifacts/${name}`, body, s.uploadToken(), { 'content-type': 'text/plain' });
	const kept = async () => {
		const { json } = await s.json(`/run/${run}.json`);
		return [Object.entries(json.distributions).map(([k, d]) => [k, d.unit, d.mean]), json.artifacts.map((x) => x.name)];
	};
	const told = () => s.run(['export']).split('\n').filter((l) => l.includes('"moving"') || l.startsWith('{"artifact"')).join('\n');
	assert.equal((await put('dmesg', 'one')).status, 201);
	const before = told();
	assert.deepEqual(await kept(), [[['lat', 'us', 5]], ['dmesg']]);
	const r = await correct({ run }, { axis: { ipc: 'socket' } });
	assert.deepEqual(await kept(), [[['lat', 'us', 5]], ['dmesg']]);
	assert.equal(told(), before);
	assert.equal((await put('dmesg', 'other')).status, 409);
	assert.equal((await put('dmesg', 'one')).status, 200);
	assert.equal((await put('later', 'two')).status, 201);
	sound();
	assert.equal((await undo(r.json.id)).status, 200);
	assert.deepEqual(await kept(), [[['lat', 'us', 5]], ['dmesg', 'later']]);
	sound();
});

test('an undo takes back the metrics and units that a move brought to a series', async () => {
	const send = async (key, tbox_group, more) => (await s.upload(doc({ key, axes: { testcase: 'noted', tbox_group }, ...more }))).json.submissions[0];
	const from = await send('u', 'box-u', { runs: [{ m: 1, extra: 2 }], units: { m: 'KB' }, distributions: { lat: { mean: 1 } } });
	await send('us', 'box-u', { runs: undefined, summary: { m: { mean: 1 }, figure: { mean: 2 } } });
	const to = await send('v', 'box-v', { runs: [{ m: 1, kept: 3 }] });
	await send('vs', 'box-v', { runs: undefined, summary: { figure2: { mean: 2 } } });
	const page = async () => (await s.json(`/series/${to.series}.json`)).json.metrics.map((m) => [m.metric, m.unit]).sort();
	const before = await page();
	assert.deepEqual(before.map((x) => x[0]), ['figure2', 'kept', 'm']);
	const r = await correct({ series: from.series }, { axis: { tbox_group: 'box-v' } });
	assert.deepEqual((await page()).map((x) => x[0]), ['extra', 'figure', 'figure2', 'kept', 'lat', 'm']);
	sound();
	assert.equal((await undo(r.json.id)).status, 200);
	assert.deepEqual(await page(), before);
	assert.deepEqual((await s.json(`/series/${from.series}.json`)).json.metrics.map((m) => [m.metric, m.unit]).sort(),
		[['extra', null], ['figure', null], ['lat', null], ['m', 'KB']]);
	sound();
	assert.equal((await s.upload(doc({ key: 'v2', axes: { testcase: 'noted', tbox_group: 'box-v' }, runs: [{ m: 1 }], units: { m: 'MB' } }))).status, 201);
});

test('later corrections of the same runs are undone first', async () => {
	const a = (await correct({ run: 1 }, { status: 'invalid' })).json.id;
	const b = (await correct({ machine: 'box-a' }, { axis: { ipc: 'x' } })).json.id;
	const r = await undo(a);
	assert.equal(r.status, 409);
	assert.match(r.json.detail, new RegExp(`correction ${b}`));
	assert.equal((await undo(b)).status, 200);
	assert.equal((await undo(a)).status, 200);
});

// Each is refused, every fault is named, and nothing is left.
const bad = [
	['no scope', 403, { select: { run: 1 }, set: { delete: true }, reason: 'r' }, triage],
	['nothing selected', 422, { select: { machine: 'nobody' }, set: { delete: true }, reason: 'r' }],
	['an unknown series', 422, { select: { series: 'ffffffff' }, set: { delete: true }, reason: 'r' }],
	['everything', 422, { select: {}, set: { delete: true }, reason: 'r' }],
	['no reason', 422, { select: { run: 1 }, set: { delete: true } }],
	['an unknown commit', 422, { select: { run: 1 }, set: { commit: 'feedfee' }, reason: 'r' }],
	['no JSON', 400, '{"select":'],
	['a key twice', 400, '{"select":{"run":1,"run":2},"set":{"delete":true},"reason":"r"}'],
	['deep', 400, '['.repeat(2000) + ']'.repeat(2000)],
	['large', 413, `{"reason":"${'x'.repeat(70000)}"}`],
	['an empty body', 400, ''],
];
for (const [name, status, body, token] of bad) {
	test(`refused: ${name}: ${status}`, async () => {
		const before = await everything();
		const r = await send('POST', '/api/v1/corrections', body, token);
		assert.equal(r.status, status, r.text);
		assert.match(r.headers.get('content-type'), /problem\+json/);
		assert.equal(await everything(), before);
	});
}

test('every fault of a correction is listed', async () => {
	const r = await send('POST', '/api/v1/corrections', { select: { machine: 1, x: 2 }, set: { status: 'fine' }, colour: 'red' });
	assert.equal(r.status, 422);
	assert.deepEqual(r.json.errors.map((e) => e.path).sort(), ['colour', 'reason', 'select.machine', 'select.x', 'set.status']);
	const t = await send('POST', '/api/v1/corrections', '{}', admin, { 'content-type': 'text/plain' });
	assert.equal(t.status, 415);
	assert.equal((await send('POST', '/api/v1/correction/999/undo', '')).status, 404);
	assert.equal((await send('POST', '/api/v1/correction/x/undo', '')).status, 404);
	assert.equal((await s.get('/correction/999')).status, 404);
});

test('a machine: told in parts, strict, with odd names', async () => {
	const put = (name, body, token) => send('PUT', name, body, token);
	const r = await put('/api/v1/machine/box-a', { description: 'Ice Lake, <2> sockets', expect_every: '6h' });
	assert.equal(r.status, 200, r.text);
	await put('/api/v1/machine/box-a', { state: 'retired' });
	let { json } = await s.json('/machine/box-a.json');
	assert.deepEqual([json.description, json.state, json.expect_every, json.silent, json.expected_by],
		['Ice Lake, <2> sockets', 'retired', 21600, false, null]);
	await put('/api/v1/machine/box-a', { state: 'active', expect_every: null });
	({ json } = await s.json('/machine/box-a.json'));
	assert.deepEqual([json.description, json.state, json.expect_every], ['Ice Lake, <2> sockets', 'active', null]);
	assert.ok((await html('/machine/box-a')).includes('Ice Lake, &lt;2&gt; sockets'));
	const odd = `/api/v1/machine?name=${encodeURIComponent(nasty)}`;
	assert.equal((await put(odd, { description: nasty })).status, 200);
	assert.equal((await s.json(`/machine.json?name=${encodeURIComponent(nasty)}`)).json.description, nasty);
	const faults = await put('/api/v1/machine/box-a', { state: 'tired', expect_every: '5 hours', colour: 1, description: 7 });
	assert.equal(faults.status, 422);
	assert.deepEqual(faults.json.errors.map((e) => e.path).sort(), ['colour', 'description', 'expect_every', 'state']);
	for (const body of [{}, { expect_every: 5 }, { expect_every: '400d' }, { expect_every: -1 }, { expect_every: 1.5 }, { state: '' }])
		assert.equal((await put('/api/v1/machine/box-a', body)).status, 422, JSON.stringify(body));
	assert.equal((await put('/api/v1/machine/box-a', { state: 'active' }, triage)).status, 403);
	assert.equal((await put('/api/v1/machine/', { state: 'active' })).status, 404);
});

test('a quarantined machine is shown and not judged', async () => {
	const compare = `/compare.json?commits=${id(0xabc1)},${id(0xabc2)}&axis.tbox_group=box-a`;
	const cell = async () => (await s.json(compare)).json.tables[0].rows.find((r) => r.metric === 'hackbench.throughput').cells[1];
	const before = await cell();
	assert.equal(before.verdict, 'regression');
	await send('PUT', '/api/v1/machine/box-a', { state: 'quarantined' });
	const after = await cell();
	assert.equal(after.verdict, 'suspect');
	assert.equal(after.change_pct, before.change_pct);
	assert.match(after.reason, /quarantined/);
	assert.equal((await s.json(compare)).json.tables[0].quarantined, 'box-a');
	assert.match(await html(compare.replace('.json', '')), /box-a is quarantined/);
	assert.doesNotMatch(await html(compare.replace('.json', '')), /verdict-regression/);
	const commit = (await s.json(`/commit/${id(0xabc2)}.json`)).json;
	for (const r of commit.results.filter((x) => x.series.axes.tbox_group === 'box-a'))
		for (const row of [...r.worst, ...r.best])
			assert.equal(row.verdict, 'suspect');
	assert.match(await html(`/commit/${id(0xabc2)}`), /box-a is quarantined/);
	assert.match(await html('/machine/box-a'), /Quarantined/);
	assert.equal((await s.upload(doc({ key: 'in quarantine', commit: { id: id(0xabc3) } }))).status, 201);
	await send('PUT', '/api/v1/machine/box-a', { state: 'active' });
	assert.equal((await cell()).verdict, 'regression');
});

test('a machine that was told of and never sent anything falls silent', async () => {
	await send('PUT', '/api/v1/machine/ghost', { expect_every: 60 });
	const { json } = await s.json('/machine/ghost.json');
	assert.equal(json.silent, false);
	assert.equal(Date.parse(json.expected_by) > Date.now() - 5000, true);
	assert.equal(json.last_upload, null);
	const list = (await s.json('/machines.json')).json.machines;
	assert.ok(list.every((m) => typeof m.silent === 'boolean'));
	assert.equal(list.find((m) => m.name === 'ghost').expected_by, json.expected_by);
	assert.deepEqual((await s.json('/?format=json')).json.silent, []);
});

test('events: told by hand, and seen by the service', async () => {
	const r = await send('POST', '/api/v1/events', { machine: 'box-b', at: '2026-01-01T12:00:00Z', key: 'fan', old: 'slow', new: nasty, note: 'swapped' }, triage);
	assert.equal(r.status, 201, r.text);
	const mine = (await s.json('/events.json?machine=box-b')).json.events;
	assert.deepEqual(mine, [{ id: r.json.event, machine: 'box-b', at: '2026-01-01T12:00:00Z', key: 'fan', old: 'slow', new: nasty, note: 'swapped' }]);
	assert.ok(!(await html('/events')).includes(nasty));
	assert.equal((await send('POST', '/api/v1/events', { machine: 'box-b', key: 'x', note: 'y' })).status, 201);
	assert.equal((await send('POST', '/api/v1/events', { machine: 'box-b', key: 'x', note: 'y' }, s.uploadToken())).status, 403);
	const faults = await send('POST', '/api/v1/events', { at: 'yesterday', old: 5, colour: 1 });
	assert.equal(faults.status, 422);
	assert.deepEqual(faults.json.errors.map((e) => e.path).sort(), ['at', 'colour', 'key', 'machine', 'old']);
	for (const more of [{}, { new: '' }, { old: '', new: '', note: '' }])
		assert.equal((await send('POST', '/api/v1/events', { machine: 'm', key: 'k', ...more })).status, 422, JSON.stringify(more));
	assert.equal((await send('POST', '/api/v1/events', { machine: 'm', key: 'k', old: 'gone', new: '' })).status, 201);
	await s.upload(doc({ key: 'e', axes: { testcase: 'other', tbox_group: 'box-b' }, info: { microcode: '0x2' } }));
	const seen = (await s.json('/events.json?machine=box-b')).json.events[0];
	assert.deepEqual([seen.key, seen.old, seen.new], ['microcode', '0x1', '0x2']);
	const history = (await s.json('/history.json?series=2&metric=hackbench.throughput')).json;
	assert.deepEqual(history.events.filter((e) => e.key === 'fan').map((e) => e.id), [r.json.event]);
});

test('events by machine and time, and the help that tells of all this', async () => {
	const at = async (query) => (await s.json(`/events.json?machine=box-b&${query}`)).json.events.map((e) => e.key);
	assert.deepEqual(await at('since=2026-01-01T12:00:00Z&until=2026-01-01T12:00:01Z'), ['fan']);
	assert.deepEqual(await at('until=2026-01-01T12:00:00Z'), []);
	assert.deepEqual(await at('since=2026-01-02'), ['microcode', 'x']);
	assert.equal((await s.get('/events.json?since=soon')).status, 422);
	const help = await html('/help/upload');
	assert.match(help, /expect_every/);
	assert.match(help, /<code>microcode<\/code>/);
	assert.match(help, /at most 10000 runs/);
});

test('a token that is bound to a machine tells of no other', async () => {
	const bound = s.run(['token', 'create', '--name', 'bound', '--scope', 'admin,triage', '--machine', 'box-b']).trim();
	assert.equal((await send('POST', '/api/v1/events', { machine: 'box-a', key: 'k', note: 'n' }, bound)).status, 403);
	assert.equal((await send('PUT', '/api/v1/machine/box-a', { state: 'active' }, bound)).status, 403);
	assert.equal((await send('PUT', '/api/v1/machine/box-b', { state: 'active' }, bound)).status, 200);
	assert.equal((await send('POST', '/api/v1/corrections', { select: { machine: 'box-a' }, set: { delete: true }, reason: 'r' }, bound)).status, 403);
	assert.equal((await send('POST', '/api/v1/corrections', { select: { machine: 'box-b' }, set: { axis: { tbox_group: 'x' } }, reason: 'r' }, bound)).status, 403);
	const own = await send('POST', '/api/v1/corrections', { select: { machine: 'box-b' }, set: { status: 'invalid' }, reason: 'r', dry_run: true }, bound);
	assert.equal(own.status, 200, own.text);
});

test('uploads, corrections and undos at once: what was acknowledged is there, and the store is sound', async () => {
	const axes = { testcase: 'busy', tbox_group: 'box-busy' };
	await s.upload(doc({ key: 'b', axes }));
	const uploads = [...Array(30).keys()].map((i) => s.upload(doc({ key: `b${i}`, axes, commit: { id: id(0xb00 + i % 3) } })));
	const rounds = [...Array(6).keys()].map(async (i) => {
		const r = await correct({ machine: 'box-busy' }, [{ status: 'invalid' }, { axis: { x: String(i) } }, { commit: id(0xb00) }][i % 3]);
		assert.ok([201, 422].includes(r.status), r.text);
		return r.status === 201 ? r.json.id : null;
	});
	for (const r of await Promise.all(uploads))
		assert.equal(r.status, 201, r.text);
	const done = (await Promise.all(rounds)).filter(Boolean).sort((x, y) => y - x);
	assert.ok(done.length > 1);
	sound();
	for (const n of done)
		assert.equal((await undo(n)).status, 200);
	sound();
	const { json } = await s.json('/series.json?axis.testcase=busy');
	assert.deepEqual(json.series.map((x) => x.runs), [31]);
});

test('the list of corrections is paged', async () => {
	const all = (await s.json('/corrections.json')).json.corrections.map((k) => k.id);
	const seen = [];
	for (let url = '/corrections.json?limit=4', next; url; url = next && `/corrections.json?limit=4&cursor=${next}`) {
		const { json } = await s.json(url);
		seen.push(...json.corrections.map((k) => k.id));
		next = json.next;
	}
	assert.ok(all.length > 8);
	assert.deepEqual(seen, all);
	sound();
});

await finish();
const { code } = await s.end();
if (code !== 0)
	process.exitCode = 1;
