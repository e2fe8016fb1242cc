// SPDX-License-Identifier: GPL-2.0-or-later
// How the addresses of static/openapi.json are called, and how each of their statuses is provoked.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { makeRepo } from '../git/make_repo.mjs';
import { A, P, V1, V2, documents, hostileAxes, hostileMetrics, root, startLab, startServer } from './lab.mjs';

const enc = encodeURIComponent;
const AMBIGUOUS = 'deadbee';
const RESERVE_MOST = 2 ** 40; // what the setting takes
// An output of so many runs of hackbench.
const hackbench = (n) => Array.from({ length: n }, (_, i) => `Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)
Each sender will pass 100 messages of 100 bytes
Time: 1.${n}${i}\n`).join('');
const unknown = { rev: '1234567', range: '1234567..7654321', commits: '1234567', commit: '1234567', series: 'f'.repeat(32), run: 99999999, correction: 99999999, name: 'no such', metric: 'no.such',
	digest: 'f'.repeat(64), id: 'no@such.example.org' };

export class Cases {
	static async start(document) {
		const c = new Cases();
		c.document = document;
		c.server = await startLab();
		c.uploaded = documents();
		c.repository = path.join(c.server.folder, 'kernel.git');
		makeRepo(c.repository, 60, 1);
		c.server.run(['repo', 'add', 'kernel', c.repository, '--ref', 'master', '--ref', 'tags/v*']);
		return c;
	}

	open(x) {
		return x.$ref ? x.$ref.slice(2).split('/').reduce((at, k) => at[k], this.document) : x;
	}

	parameters(o) {
		return (o.parameters ?? []).map((p) => this.open(p));
	}

	// The address of an operation with its examples, some of them replaced, in the form of a suffix.
	url(o, values = {}, suffix = '.json') {
		const query = [];
		let address = o.address;
		for (const p of this.parameters(o)) {
			const v = values[p.name] ?? p.example;
			assert.ok(v !== undefined || !p.required, `${o.address}: ${p.name} has no example`);
			if (p.in === 'path')
				address = address.replace(`{${p.name}}`, enc(v));
			else if (typeof v === 'object')
				query.push(...Object.entries(v).map(([k, x]) => `${enc(k)}=${enc(x)}`));
			else if (v !== undefined)
				query.push(`${enc(p.name)}=${enc(v)}`);
		}
		if (values.format)
			suffix = ''; // with it no suffix is cut
		if (suffix && (address === '/' || suffix === '.md')) {
			query.push(`format=${suffix.slice(1)}`);
			suffix = '';
		}
		return address + suffix + (query.length ? `?${query.join('&')}` : '');
	}

	expect(r, status, what) {
		assert.equal(r.status, status, `${what}: ${r.text.slice(0, 300)}`);
		return r;
	}

	// One more server, on a database of its own.
	another(...args) {
		return startServer(...args);
	}

	// Addresses of everything that the lists of the lab name.
	async everything() {
		const s = this.server;
		const urls = ['/series.json', '/series.json?limit=2', '/machines.json', '/machines.json?limit=1', '/testcases.json?limit=1', '/runs.json?limit=3',
			'/events.json?limit=1', '/search.json', '/search.json?q=full', '/?format=json', `/search.json?q=${A}`];
		const { series } = (await s.json('/series.json?limit=1000')).json;
		for (const { digest } of series) {
			const one = (await s.json(`/series/${digest}.json`)).json;
			urls.push(`/series/${digest}.json`, `/series/${digest}.json?limit=1`, `/runs.json?series=${digest}`);
			for (const { metric } of one.metrics.slice(0, 12))
				urls.push(`/history.json?series=${digest}&metric=${enc(metric)}&join=ucode,compiler`);
			const ids = one.commits.map((k) => k.id).filter((id) => !/[~^]/.test(id));
			for (const id of ids)
				urls.push(`/commit.json?rev=${enc(id)}`);
			if (ids.length > 1)
				for (const pair of [ids, [...ids].reverse()])
					urls.push(`/compare.json?commits=${enc(pair.slice(0, 4).join(','))}&series=${digest}&samples=1`);
		}
		for (const { name } of (await s.json('/machines.json')).json.machines)
			urls.push(`/machine.json?name=${enc(name)}`, `/machine.json?name=${enc(name)}&limit=1`);
		for (const { name } of (await s.json('/testcases.json')).json.testcases)
			urls.push(`/testcase.json?name=${enc(name)}`, `/runs.json?testcase=${enc(name)}`);
		for (const metric of [...hostileMetrics, 'full.score', 'vmstat.cs', 'dmesg.oops'])
			urls.push(`/metric.json?name=${enc(metric)}&limit=1`);
		for (const { id } of (await s.json('/runs.json?limit=200')).json.runs)
			urls.push(`/run/${id}.json`);
		const both = `commits=${P},${A}`;
		urls.push(`/compare.json?${both}&view=matrix`, `/compare.json?${both}&view=matrix&metric=*busy*`, `/compare.json?${both}&view=matrix&axis.mode=threads&role=functional`,
			`/compare.json?commit=${P}&across=mode`, `/compare.json?commit=${P}&across=mode&base=process&samples=1`,
			`/compare.json?pairs=${P}..${V1},${P}..${V2}`, `/compare.json?pairs=${P}..${A}&view=matrix`, '/corrections.json?limit=1');
		for (const { id } of (await s.json('/corrections.json')).json.corrections)
			urls.push(`/correction/${id}.json`);
		urls.push(`/compare.json?commits=${P},${A}&limit=1`, `/compare.json?commits=${A},${P}`, `/compare.json?commits=${A}`,
			`/series.json?axis.testcase=${enc(hostileAxes.testcase)}`);
		return [...urls, ...await this.#comparisons(), ...await this.#machines(), ...await this.#ranges(), ...await this.#patches(), ...await this.#changes(), ...await this.#rules()];
	}

	// A metric of which everything is overridden, and a rule that would change something.
	async #rules() {
		const said = { unit: 'u/s', direction: 'lower', kind: 'value', role: 'primary', threshold_pct: 2, floor: 3, reason: 'for a test' };
		const r = await this.server.send('PUT', '/api/v1/metric/moving.throughput', JSON.stringify(said), { 'content-type': 'application/json' });
		this.expect(r, 200, 'override');
		const before = (await this.server.json('/rules.json')).json;
		assert.equal(before.count, null);
		this.server.run(['rule', 'welch-log-bh/1']);
		return ['/rules.json', '/metric/moving.throughput.json'];
	}

	// A step over a commit that nobody measured, so that there is something to suggest.
	async #ranges() {
		const ids = ['1a', '1b', '1c'].map((c) => c.repeat(20));
		const runs = (v) => [0, 1, 2, 3].map((d) => ({ 'ranged.throughput': v + d }));
		const put = (i, more) => this.server.upload({ axes: { testcase: 'ranged', tbox_group: 'ranged' }, commit: { id: ids[i], parents: i ? [ids[i - 1]] : [] }, ...more });
		this.expect(await put(0, { runs: runs(1000) }), 201, 'good');
		this.expect(await put(1, { commit: { id: ids[1], parents: [ids[0]], build: { config: 'x', status: 'ok', warnings: [{ message: 'unused' }] } } }), 201, 'between');
		this.expect(await put(2, { runs: runs(500) }), 201, 'bad');
		const { series } = (await this.server.json('/series.json?axis.testcase=ranged')).json;
		const of = `series=${series[0].digest}&metric=ranged.throughput`;
		return [`/range/${ids[0]}..${ids[2]}.json?${of}`, `/range.json?range=${ids[0]}...${ids[2]}&${of}&limit=1`];
	}

	// Commits that fix, revert and repeat each other, and two versions of a patch that one of them was made from.
	async #patches() {
		const folder = path.join(this.server.folder, 'patches');
		const git = (...args) => execFileSync('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { encoding: 'utf8' }).trim();
		const commit = (message) => {
			git('commit', '-q', '--allow-empty', '-a', '-m', message);
			return git('rev-parse', 'HEAD');
		};
		execFileSync('git', ['init', '-q', '-b', 'main', folder]);
		writeFileSync(path.join(folder, 'a.c'), '1\n2\n3\n');
		git('add', 'a.c');
		const first = commit('first');
		git('tag', 'v1');
		writeFileSync(path.join(folder, 'a.c'), '1\n2\nthree\n');
		const fix = commit(`mm: be fast\n\nFixes: ${first.slice(0, 12)} ("first")\nLink: https://lore.kernel.org/r/fast-v2@example.org`);
		const revert = commit(`Revert\n\nThis reverts commit ${fix}.`);
		git('checkout', '-q', '-b', 'stable', 'v1');
		git('cherry-pick', '-x', fix);
		git('tag', 'patches-1.0', fix);
		this.server.run(['repo', 'add', 'patches', folder]);
		for (const id of ['patches-1.0', fix])
			this.expect(await this.server.upload({ axes: { testcase: 'named', tbox_group: 'box' }, commit: { id }, runs: [{ 'named.x': 1 }] }), 201, 'a commit under two names');
		for (const [version, line] of [[1, 'drei'], [2, 'three']])
			this.expect(await this.server.upload({ axes: { testcase: 'patched', tbox_group: 'box' }, runs: [{ 'patched.x': version }],
				commit: { id: `${version}`.repeat(40), subject: `[PATCH v${version}] mm: be fast`, patch: { message_id: `fast-v${version}@example.org`, version, index: 1, total: 1, base: P,
					diff: `--- a/a.c\n+++ b/a.c\n@@ -1,3 +1,3 @@\n 1\n 2\n-3\n+${line}\n` } } }), 201, 'patch');
		const ids = [first, fix, revert, git('rev-parse', 'HEAD')];
		return [...ids.map((id) => `/commit/${id}.json`), '/compare.json?commits=patches-1.0', `/history.json?series=${(await this.server.json('/compare.json?commits=patches-1.0')).json.tables[0].series.digest}&metric=named.x`, '/patch/fast-v1@example.org.json', '/patch/v2@example.org.json', '/patch.json?id=%3Cfast-v2@example.org%3E'];
	}

	// A history with a step and one with a drift, large beside what the runs of a commit differ by.
	async #changes() {
		const list = Array.from({ length: 40 }, (_, i) => ({
			axes: { testcase: 'moving', tbox_group: 'moving' },
			commit: { id: (0xc0ffee00 + i).toString(16).repeat(5), parents: i ? [(0xc0ffee00 + i - 1).toString(16).repeat(5)] : [] },
			runs: [0, 1, 2].map((d) => ({ 'moving.throughput': (i < 20 ? 1000 : 800) + (i * 7 + d * 3) % 5, 'moving.latency_us': 100 + i + d / 10 })),
		}));
		this.expect(await this.server.upload(list), 201, 'moving');
		const { series } = (await this.server.json('/series.json?axis.testcase=moving')).json;
		return [`/series/${series[0].digest}.json?changes=all`, `/history.json?series=${series[0].digest}&metric=moving.throughput`,
			`/history.json?series=${series[0].digest}&metric=moving.latency_us`];
	}

	// Two versions of a patch on ten machines, more than are looked at beside one; one is in quarantine.
	async #machines() {
		const ids = ['5b', '5c', '5d'].map((c) => c.repeat(20));
		for (let box = 0; box < 10; box++)
			for (const [i, id] of ids.entries())
				this.expect(await this.server.upload({ axes: { testcase: 'boxed', tbox_group: `boxed-${box}` }, info: { microcode: `0x${i}` },
					commit: { id, parents: i ? [ids[0]] : [], ...(i ? { subject: `[PATCH v${i}] mm: box`, patch: { message_id: `<boxed-v${i}@x>`, version: i } } : {}) },
					runs: [0, 1, 2, 3].map((d) => ({ 'boxed.throughput': [100, 80, 99][i] + d / 10, 'boxed.busy%': 20 + 20 * i + d / 10, 'dmesg.oops': i })) }), 201, 'boxed');
		this.expect(await this.server.send('PUT', '/api/v1/machine/boxed-1', '{"state": "quarantined"}', { 'content-type': 'application/json' }), 200, 'quarantine');
		const [X, Y, Z] = ids;
		this.expect(await this.server.upload({ axes: { testcase: 'boxed', tbox_group: 'boxed-0' }, commit: { id: '5e'.repeat(20), parents: [Y], patch: { message_id: '<unboxed@x>' } },
			runs: [0, 1, 2, 3].map((d) => ({ 'boxed.throughput': 98 + d / 10 })) }), 201, 'a patch on what is slower');
		return [`/commit/${Y}.json`, '/patch/boxed-v1@x.json', '/patch/unboxed@x.json', `/compare.json?commits=${X},${Y}&detail=1&axis.tbox_group=boxed-0`, `/compare.json?commits=${ids}`, `/compare.json?pairs=${X}..${Y},${X}..${Z}`];
	}

	// Across an axis of more values than a table has columns, versions of a patch, and series for a matrix: one moves in
	// percent, one in points, one in fails of runs, and one is too large to be judged (36 million zeros).
	async #comparisons() {
		const [X, Y] = ['7', '8'].map((c) => c.repeat(40));
		const put = async (testcase, commit, runs, more = {}) => this.expect(await this.server.upload({
			axes: { testcase, tbox_group: 'wide', ...more }, commit, ...(Array.isArray(runs) ? { runs } : runs) }), 201, testcase);
		const runs = (metric, mean) => [0, 1, 2].map((d) => ({ [metric]: mean + d / 100 }));
		const commits = [{ id: X, patch: { message_id: '<v1@x>', version: 1 } }, { id: Y, patch: { message_id: '<v2@x>', version: 2 } }];
		for (const [i, commit] of commits.entries()) {
			await put('wide-percent', commit, runs('wide-percent.throughput', 100 - 20 * i));
			await put('wide-points', commit, runs('wide-points.busy%', 10 + 20 * i));
			await put('wide-fails', commit, [0, 1, 2].map(() => ({ 'dmesg.oops': i })));
			await put('wide-large', commit, { matrix: { x: Array(6000).fill(i) } });
			await put('wide-large', commit, [Object.fromEntries([...Array(6000).keys()].map((k) => [`dmesg.w${k}`, 1]))]);
		}
		await put('wide-percent', { id: '9'.repeat(40) }, runs('wide-percent.throughput', 200));
		for (let i = 0; i < 34; i++)
			await put('wide-values', commits[0], runs('x', i), { value: String(100 + i) });
		const wide = `axis.tbox_group=wide&commits=${X},${Y}`;
		return [`/commit/${X}.json`, `/compare.json?commit=${X}&across=value`, `/compare.json?${wide}`, `/compare.json?${wide}&view=matrix`,
			`/compare.json?axis.testcase=wide-percent&pairs=${'9'.repeat(40)}..${X},${'9'.repeat(40)}..${Y}`];
	}

	// Answers that have the status; how, depends on the operation. null: this machine cannot have it.
	async provoke(o, status) {
		const own = this[o.operationId]?.[status];
		if (own)
			return [await own.call(this, o)].flat();
		return o.method === 'GET' ? this.#provokeGet(o, status) : this.#provokeWrite(o, status);
	}

	async #provokeGet(o, status) {
		const names = this.parameters(o).sort((a, b) => (b.in === 'path') - (a.in === 'path')).map((p) => p.name);
		const s = this.server;
		const get = (values, suffix) => s.get(this.url(o, values, suffix));
		const with_ = (value) => {
			const name = names.find((n) => (value ? ['commits', 'commit', 'rev', 'range'] : Object.keys(unknown)).includes(n));
			return { [name]: value && name === 'range' ? `${P}..${value}` : value ?? unknown[name] };
		};
		const html = 'text/html' in (this.open(o.responses['200']).content ?? {});
		switch (status) {
		case 200:
			return [await s.get(this.url(o, {}, html ? '.json' : '').replace('.json', 'application/json' in this.open(o.responses['200']).content ? '.json' : ''))];
		case 300:
			return [await get(with_(AMBIGUOUS)), await get(with_(AMBIGUOUS), '')];
		case 304: {
			const url = this.url(o, {}, '');
			const { headers } = await s.get(url);
			return [await s.get(url, { 'if-none-match': headers.get('etag') })];
		}
		case 404:
			return [await get(with_()), await s.get(this.url(o, with_(), ''), { accept: 'text/html' })];
		case 422: {
			const bad = names.includes('limit') ? { limit: 0 } : names.includes('format') ? { format: 'xml' } : {};
			return [await get(bad)];
		}
		default:
			return [];
		}
	}

	search = {
		302: (o) => this.server.get(this.url(o, { q: P }, ''), { accept: 'text/html' }),
	};

	compare = {
		413: async () => { // one of those that everything() has uploaded
			const { series } = (await this.server.json('/series.json?axis.testcase=wide-large')).json;
			return this.server.get(`/compare.json?commits=${'7'.repeat(40)},${'8'.repeat(40)}&series=${series[0].digest}`);
		},
	};

	readyz = {
		503: async () => [await this.#full((s) => s.send('POST', '/api/v1/runs', JSON.stringify(this.#document('ready')), { 'content-type': 'application/json' }), (s) => s.get('/readyz'))],
	};

	getArtifact = {
		200: async (o) => {
			const { artifacts } = (await this.server.json(`/run/${(await this.#runOf('f1'))}.json`)).json;
			assert.equal(artifacts.length, 2);
			return Promise.all(artifacts.map((a) => this.server.get(this.url(o, { digest: a.digest, name: a.name }, ''))));
		},
	};

	uploadRuns = {
		200: async (o) => {
			const d = this.#document('again');
			await this.#send(o, d);
			const lines = [d, { ...d, key: 'line' }, { ...d, key: 'wrong', status: 'fine' }, { ...d, status: 'failed' }];
			const type = { 'content-type': 'application/x-ndjson' };
			const send = (list) => this.#send(o, list.map((x) => JSON.stringify(x)).join('\n'), type);
			return [await this.#send(o, d), await this.#send(o, [d, d]), await send(lines), await send([{}])];
		},
		201: async (o) => [await this.#send(o, this.#document('created')), await this.#send(o, [this.#document('c2'), this.#document('c3')])],
		400: async (o) => [await this.#send(o, '{'), await this.#send(o, ''), await this.#send(o, gzipSync('{}').subarray(0, 9), { 'content-encoding': 'gzip' })],
		403: async (o) => {
			const bound = this.server.token('upload', '--machine', 'elsewhere');
			return [await this.#send(o, this.#document('403'), { authorization: `Bearer ${bound}` })];
		},
		409: async (o) => {
			const other = { ...this.#document('conflict'), status: 'failed' };
			await this.#send(o, this.#document('conflict'));
			return [await this.#send(o, other), await this.#send(o, [this.#document('c4'), other])];
		},
		413: async (o) => [await this.#send(o, { ...this.#document('large'), commit: { id: P, message: 'x'.repeat(4 << 20) } })],
		415: async (o) => [await this.#send(o, '{}', { 'content-encoding': 'br' })],
		422: async (o) => [await this.#send(o, [this.#document('c5'), { axes: 1 }]), await this.#send(o, '7')],
	};

	importFile = {
		200: async (o) => [await this.#send(o, hackbench(2)), await this.#send(o, hackbench(2)),
			await this.#send(o, JSON.stringify(this.#document('line')), { 'content-type': 'application/x-ndjson' }, { format: 'native' })].slice(1),
		201: async (o) => [await this.#send(o, hackbench(3)), await this.#send(o, hackbench(4), {}, { format: 'auto', tree: 'main', source: 'night' })],
		400: async (o) => [await this.#send(o, gzipSync('x').subarray(0, 9), { 'content-encoding': 'gzip' }), await this.#send(o, '{', {}, { format: 'native' })],
		404: async (o) => this.#send(o, hackbench(1), {}, { format: 'nonsense' }),
		409: async (o) => [await this.#send(o, this.#document('c8'), {}, { format: 'native' }), await this.#send(o, { ...this.#document('c8'), status: 'failed' }, {}, { format: 'native' })].slice(1),
		413: async (o) => {
			const small = await this.another('--max-body', '65536');
			const r = await this.#send(o, 'x'.repeat(70000), {}, {}, small);
			await small.end();
			return r;
		},
		415: async (o) => this.#send(o, hackbench(1), { 'content-encoding': 'br' }),
		422: async (o) => [await this.#send(o, 'nothing'), await this.#send(o, 'nothing', {}, { format: 'auto' }), await this.#send(o, hackbench(1), {}, { commit: '?' }), await this.#send(o, hackbench(1), {}, { axis: { 'axis.': '1' } })],
	};

	paste = {
		200: async (o) => {
			const fio = readFileSync(path.join(root, 'tests', 'data', 'raw', 'fio-mail.txt'));
			const ask = (body, suffix, headers = {}) => this.#send(o, body, headers, suffix ? { format: suffix } : {});
			const form = { 'content-type': 'application/x-www-form-urlencoded' };
			const pair = `text=${enc(hackbench(3))}&text=${enc(hackbench(4))}&label=one&label=two&format=hackbench`;
			return [await ask(fio, '', { accept: 'text/html' }), await ask(fio, 'json'), await ask(fio, 'txt'), await ask(pair, 'json', form),
				await ask(pair, '', { ...form, accept: 'text/html' })];
		},
		400: async (o) => this.#send(o, 'text=%zz', { 'content-type': 'application/x-www-form-urlencoded' }),
		413: async (o) => this.#send(o, Buffer.alloc((8 << 20) + 1), { 'content-type': 'text/plain' }),
		415: async (o) => this.#send(o, 'x', { 'content-encoding': 'br' }),
		422: async (o) => [await this.#send(o, 'nothing that we know', {}, { format: 'json' }), await this.#send(o, '', {}, { format: 'json' })],
	};

	putArtifact = {
		200: async (o) => [await this.#send(o, 'again'), await this.#send(o, 'again')].slice(1),
		201: async (o) => this.#send(o, 'new', {}, { name: 'new' }),
		400: async (o) => this.#send(o, gzipSync('{}').subarray(0, 9), { 'content-encoding': 'gzip' }),
		404: async (o) => [await this.#send(o, 'x', {}, { run: 99999999 }), await this.#send(o, 'x', {}, { run: 'one' })],
		409: async (o) => this.#send(o, 'another'),
		413: async (o) => {
			const small = await this.another('--max-body', '65536');
			const r = await this.#send(o, 'x'.repeat(70000), {}, {}, small);
			await small.end();
			return r;
		},
		415: async (o) => this.#send(o, 'x', { 'content-encoding': 'br' }),
		422: async (o) => this.#send(o, 'x', {}, { name: 'a\u0001' }),
	};

	postCorrection = {
		200: async (o) => this.#send(o, { ...this.#body(o), dry_run: true }),
		201: async (o) => this.#send(o, this.#body(o)),
	};

	undoCorrection = {
		200: async (o) => {
			const { json } = await this.#send({ address: '/api/v1/corrections', method: 'POST' }, { select: { run: await this.#runOf('f2') }, set: { status: 'invalid' }, reason: 'r' });
			return this.#send(o, '', {}, { correction: json.id });
		},
		404: async (o) => [await this.#send(o, '', {}, { correction: 99999999 }), await this.#send(o, '', {}, { correction: 'one' })],
		409: async (o) => [await this.#send(o, ''), await this.#send(o, '')].slice(1),
		422: async (o) => this.#send(o, '{"x":1}'),
	};

	putMachineByParameter = {
		404: async (o) => this.#send({ ...o, parameters: [] }, this.#body(o)),
	};

	putMetric = {
		200: async (o) => [await this.#send(o, this.#body(o)), await this.#send(o, { direction: null, dry_run: true })],
		403: async (o) => [await this.#send(o, this.#body(o), { authorization: `Bearer ${this.server.token('upload')}` }),
			await this.#send(o, this.#body(o), { authorization: `Bearer ${this.server.token('admin', '--machine', 'full-box')}` })],
		404: async (o) => [await this.#send(o, this.#body(o), {}, { name: 'no.such' }), await this.#send(o, { floor: 1, dry_run: true }, {}, { name: 'no.such' })],
		413: async (o) => this.#send(o, JSON.stringify({ reason: 'x'.repeat(70000) })),
		422: async (o) => [await this.#send(o, '{}'), await this.#send(o, '[1]'), await this.#send(o, { direction: 'up', reason: 'r' }), await this.#send(o, { floor: -1, reason: 'r' }),
			await this.#send(o, { unit: 'x' }), await this.#send(o, { reason: 'r' })],
	};

	putMetricByParameter = {
		404: async (o) => this.#send({ ...o, parameters: [] }, this.#body(o)),
	};

	postEvent = {
		201: async (o) => this.#send(o, this.#body(o)),
	};

	#document(key) {
		return { key, axes: { testcase: 'cases', tbox_group: 'cases-box' }, commit: { id: P }, runs: [{ 'cases.x': 1 }] };
	}

	// A good body.
	#body(o) {
		const bodies = {
			uploadRuns: this.#document('good'), putArtifact: 'bytes', undoCorrection: '', importFile: hackbench(1),
			postCorrection: { select: { run: 2 }, set: { status: 'invalid' }, reason: 'wrong disk' },
			putMachine: { description: 'a box' }, putMachineByParameter: { description: 'a box' }, putMetric: { threshold_pct: 2, reason: 'noisy' }, putMetricByParameter: { unit: 'KiB/s', reason: 'r' }, postEvent: { machine: 'full-box', key: 'disk', note: 'changed' },
		};
		assert.ok(o.operationId in bodies, `${o.operationId} has no example of a body`);
		return bodies[o.operationId];
	}

	async #runOf(key) {
		return (await this.server.json('/runs.json?machine=full-box&limit=1000')).json.runs.findLast((r) => r.key === key).id;
	}

	#send(o, body, headers = {}, values = {}, server = this.server) {
		const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
		return server.send(o.method, this.url(o, values, ''), bytes, { 'content-type': 'application/json', ...headers });
	}

	// What is the same for everything that writes.
	async #provokeWrite(o, status) {
		const wrong = o.security.some((x) => x.token.includes('upload')) ? 'triage' : 'upload';
		switch (status) {
		case 200:
			return [await this.#send(o, this.#body(o))];
		case 400:
			return [await this.#send(o, '{'), await this.#send(o, '')];
		case 401:
			return [await this.#send(o, this.#body(o), { authorization: '' }), await this.#send(o, this.#body(o), { authorization: 'Bearer pl_wrong' })];
		case 403:
			return [await this.#send(o, this.#body(o), { authorization: `Bearer ${this.server.token(wrong)}` })];
		case 413:
			return [await this.#send(o, JSON.stringify({ reason: 'x'.repeat(70000) }))];
		case 415:
			return [await this.#send(o, this.#body(o), { 'content-type': 'text/plain' })];
		case 422:
			return [await this.#send(o, '{}'), await this.#send(o, '[1]'), await this.#send(o, '{"nonsense": 1}')];
		case 503:
			return [await this.#full((s) => this.#send(o, this.#body(o), {}, {}, s))];
		case 507: {
			const disk = statfsSync(tmpdir());
			if (disk.bavail * disk.bsize > RESERVE_MOST)
				return null; // nothing here is large enough to fill it
			const other = await this.another('--disk-reserve', String(RESERVE_MOST));
			const r = await this.#send(o, this.#body(o), {}, {}, other);
			await other.end();
			return [r];
		}
		default:
			return [];
		}
	}

	// A server whose writer waits for another program's transaction, and whose queue has one place: of four that are
	// sent one at least is refused. look asks something meanwhile.
	async #full(send, look) {
		const other = await this.another('--queue-jobs', '1');
		const locker = spawn('sqlite3', [other.database], { stdio: ['pipe', 'pipe', 'inherit'] });
		locker.stdin.write('BEGIN IMMEDIATE;\nSELECT \'locked\';\n');
		await once(locker.stdout, 'data');
		const sent = [0, 1, 2, 3].map(() => send(other));
		const refused = await Promise.any(sent.map((p) => p.then((r) => (r.status === 503 ? r : Promise.reject(new Error(r.text))))));
		let seen = look ? await look(other) : refused;
		while (seen.status !== 503) { // the writer took the one that waited
			sent.push(send(other));
			seen = await look(other);
		}
		locker.stdin.end('ROLLBACK;\n');
		await once(locker, 'exit');
		await Promise.all(sent);
		await other.end();
		return seen;
	}

	end() {
		return this.server.end();
	}
}
