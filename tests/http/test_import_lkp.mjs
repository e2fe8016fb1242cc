// SPDX-License-Identifier: GPL-2.0-or-later
// Result trees of the kernel test robot: imported beside a running server, interrupted, resumed, and followed while
// they grow. The server's pages must show what was written into the tree.
import assert from 'node:assert/strict';
import { spawn, spawnSync, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync, renameSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'plumbline lkp-')));
const s = await Server.start();
const A = 'a0fd217e6d6fbd23e91f8796787b621e7d576088', B = '7bc162d5cc4de5c33570b6ca0b53a10ffd29d3fa';
const params = 'performance-socket-4-process-100%';
const setup = ['lkp-icl-2sp2', 'debian-11.1-x86_64-20220510.cgz', 'x86_64-rhel-8.3', 'gcc-12'];
// As the tables of the robot's reports name it.
const axes = { compiler: 'gcc-12', cpufreq_governor: 'performance', ipc: 'socket', iterations: '4', kconfig: 'x86_64-rhel-8.3', mode: 'process',
	nr_threads: '100%', rootfs: 'debian-11.1-x86_64-20220510.cgz', tbox_group: 'lkp-icl-2sp2', testcase: 'hackbench' };
// The samples of a report of July 2023.
const throughput = { [B]: [478113.6, 479240.2, 480692.2, 480002.9, 476795.9, 479411.3], [A]: [419017.8, 422654.2, 416398.3, 415007.4, 424112.5, 418955.0] };

function jobYaml(commit, run) {
	return `---\nsuite: hackbench\ntestcase: hackbench\nnr_node: 4\nnr_threads: 100%\niterations: 4\nhackbench:\n  mode: process\n  ipc: socket\nvmstat:\n` +
		`cpufreq_governor: performance\ntestbox: lkp-icl-2sp2\ntbox_group: lkp-icl-2sp2\nmemory: 128G\nneed_kconfig:\n- SCSI\ncompiler: gcc-12\n` +
		`rootfs: debian-11.1-x86_64-20220510.cgz\nkconfig: x86_64-rhel-8.3\ncommit: ${commit}\ndequeue_time: 2023-07-18 12:37:52.47 +08:00\n` +
		`result_root: "/result/hackbench/${params}/${setup.join('/')}/${commit}/${run}"\n`;
}

const commitFolder = (root, commit, p = params) => path.join(root, 'hackbench', p, ...setup, commit);

// Writes files of a run: name -> text or bytes.
function writeRun(root, commit, run, files, p = params) {
	const f = path.join(commitFolder(root, commit, p), String(run));
	mkdirSync(f, { recursive: true });
	for (const [name, body] of Object.entries(files))
		writeFileSync(path.join(f, name), body);
	return f;
}

const xz = (text) => execFileSync('xz', ['-c'], { input: text });

function run(args, input = '') {
	const r = spawnSync(program, ['import', ...args, '--database', s.database], { input, encoding: 'utf8' });
	return { status: r.status, out: r.stdout, err: r.stderr };
}

const tree = path.join(folder, 'lkp', 'result');

test('a tree with plain, gzip and xz files becomes what was written', async () => {
	for (const commit of [A, B]) {
		throughput[commit].forEach((value, i) => {
			const stats = `${JSON.stringify({ 'hackbench.throughput': value, 'vmstat.system.cs': 1000 + i }, null, 2).slice(0, -2)},\n  "vmstat.nan": NaN\n}\n`;
			const job = jobYaml(commit, i), dmesg = `[    0.000000] Linux, run ${i} of ${commit}\n`.repeat(100);
			writeRun(tree, commit, i, [{ 'stats.json': stats, 'job.yaml': job, dmesg },
				{ 'stats.json.gz': gzipSync(stats), 'job.yaml': job, 'dmesg.xz': xz(dmesg), 'reproduce.sh': 'hackbench -g 4\n' },
				{ 'stats.json.xz': xz(stats), 'stats.json': '{"hackbench.throughput": 1}', 'job.yaml.gz': gzipSync(job), config: 'CONFIG_SLUB=y\n' }][i % 3]);
		});
	}
	const r = run(['lkp-result', tree]);
	assert.equal(r.err, '');
	assert.equal(r.status, 0);
	assert.equal(r.out, '12 created, 0 duplicate, 0 refused\n');
	const { json } = await s.json(`/compare.json?commits=${B},${A}&samples=1&changed=0`);
	assert.equal(json.tables.length, 1);
	assert.deepEqual(json.tables[0].series.axes, axes);
	const row = (name) => json.tables[0].rows.find((x) => x.metric === name);
	assert.deepEqual(row('hackbench.throughput').cells.map((c) => c.values), [throughput[B], throughput[A]]);
	assert.deepEqual(row('vmstat.system.cs').cells[0].values, [1000, 1001, 1002, 1003, 1004, 1005]);
	assert.equal(row('vmstat.nan'), undefined);
});

test('the files of a run are kept with it, unpacked', async () => {
	const { json } = await s.json(`/runs.json?commit=${A}&limit=50`);
	assert.equal(json.runs.length, 6);
	const one = (i) => json.runs.find((x) => x.key.endsWith(`/${A}/${i}`));
	assert.equal(one(1).key, `lkp-icl-2sp2/hackbench/${params}/${setup.slice(1).join('/')}/${A}/1`);
	const names = async (i) => (await s.json(`/run/${one(i).id}.json`)).json.artifacts.map((f) => f.name);
	assert.deepEqual(await names(0), ['dmesg', 'job.yaml']);
	assert.deepEqual(await names(1), ['dmesg', 'job.yaml', 'reproduce.sh']);
	assert.deepEqual(await names(2), ['config', 'job.yaml']);
	const run1 = (await s.json(`/run/${one(1).id}.json`)).json;
	const get = async (name) => (await s.get(run1.artifacts.find((f) => f.name === name).url)).text;
	assert.equal(await get('dmesg'), `[    0.000000] Linux, run 1 of ${A}\n`.repeat(100));
	assert.equal(await get('job.yaml'), jobYaml(A, 1));
	assert.equal(run1.started, '2023-07-18T04:37:52Z');
	assert.equal(run1.info.hostname, 'lkp-icl-2sp2');
});

test('again nothing is new, whatever folder of the tree it is, and from a copy elsewhere', () => {
	for (const [args, n] of [[['lkp-result', tree], 12], [['auto', commitFolder(tree, A)], 6], [['lkp-result', path.join(commitFolder(tree, A), '3')], 1]]) {
		const r = run(args);
		assert.equal(r.out, `0 created, ${n} duplicate, 0 refused\n`, r.err);
		if (args[0] === 'auto')
			assert.equal(r.err, `${args[1]}: taken as lkp-result\n`);
	}
	// What is known by its place is not read again.
	writeRun(tree, A, 5, { 'stats.json': 'no JSON', 'stats.json.gz': 'nor this' });
	assert.equal(run(['lkp-result', tree]).out, '0 created, 12 duplicate, 0 refused\n');
	const copy = path.join(folder, 'copied');
	execFileSync('cp', ['-r', path.join(commitFolder(tree, A), '4'), copy]);
	assert.equal(run(['lkp-result', copy]).out, '0 created, 1 duplicate, 0 refused\n');
});

test('single files: stats, matrix, monitors; a file is the same file, a pipe is another run', async () => {
	const request = ['--axis', 'testcase=own', '--axis', 'tbox_group=box', '--commit', 'v6.5'];
	const f = path.join(folder, 'stats.json.gz');
	writeFileSync(f, gzipSync('{"own.score": 5}'));
	assert.equal(run(['lkp-stats', f, ...request]).out, '1 created, 0 duplicate, 0 refused\n');
	assert.equal(run(['auto', f, ...request]).out, '0 created, 1 duplicate, 0 refused\n');
	for (let i = 0; i < 2; i++)
		assert.equal(run(['lkp-stats', '-', ...request], '{"own.score": 5}').out, '1 created, 0 duplicate, 0 refused\n');
	const r = run(['auto', '-', ...request], '{"own.score": [6, 7], "stats_source": ["0/stats.json", "1/stats.json"]}');
	assert.equal(r.err, 'standard input: taken as lkp-matrix\n');
	const { json } = await s.json('/compare.json?commits=v6.5&axis.testcase=own&samples=1&changed=0');
	assert.deepEqual(json.tables[0].rows.map((x) => [x.metric, x.cells[0].values]), [['own.score', [5, 5, 5, 6, 7]]]);
});

test('what is refused is named with its file, line and reason, and the rest goes on', async () => {
	const bad = path.join(folder, 'bad', 'result');
	const good = { 'stats.json': '{"hackbench.throughput": 5}' };
	writeRun(bad, A, 0, { 'stats.json': '{"a.b": 1,\n"c.d": ' }, 'bad');
	writeRun(bad, A, 1, { 'stats.json': '{"a.b": 1,\n"c.d": "x", "e.f": {}}' }, 'bad');
	writeRun(bad, A, 2, { 'job.yaml': jobYaml(A, 2) }, 'bad');
	writeRun(bad, A, 3, { 'stats.json.gz': gzipSync('{"a.b": 1}').subarray(0, 20) }, 'bad');
	writeRun(bad, A, 4, { 'stats.json.xz': xz('{"a.b": 1}').subarray(0, 50) }, 'bad');
	const five = writeRun(bad, A, 5, good, 'bad');
	symlinkSync('/etc/passwd', path.join(five, 'dmesg'));
	writeRun(bad, A, 6, { last_state: 'is_incomplete_run: 1\n' }, 'bad');
	const at = commitFolder(bad, A, 'bad');
	const r = run(['lkp-result', bad]);
	assert.equal(r.status, 1);
	assert.deepEqual(r.err.trimEnd().split('\n'), [
		`${at}/0/stats.json: line 2, column 8: it ends before its end`,
		`${at}/1/stats.json: line 2: "c.d" must be a number or an array of numbers, is a text`,
		`${at}/1/stats.json: line 2: "e.f" must be a number or an array of numbers, is an object`,
		`${at}/2: has no stats.json, and does not say that the run is incomplete`,
		`${at}/3/stats.json.gz: the compressed data are damaged or cut`,
		`${at}/4/stats.json.xz: the compressed data are damaged or cut`,
		`${at}/5/dmesg: a symbolic link: the run is taken without it`,
	]);
	assert.equal(r.out, '2 created, 0 duplicate, 6 refused\n');
	const { json } = await s.json(`/runs.json?commit=${A}&limit=2`);
	assert.deepEqual(json.runs.map((x) => x.status), ['incomplete', 'ok']);
});

test('the matrix stands for runs whose stats.json is gone', async () => {
	const some = path.join(folder, 'matrix', 'result'), C = 'c'.repeat(40);
	for (const i of [0, 2])
		writeRun(some, C, i, { 'stats.json': `{"hackbench.throughput": ${i}.5, "late.x": 7}`, 'job.yaml': jobYaml(C, i) });
	writeRun(some, C, 1, { 'job.yaml': jobYaml(C, 1) });
	const at = commitFolder(some, C);
	const source = [0, 1, 2].map((i) => `/lkp/result/hackbench/${params}/${setup.join('/')}/${C}/${i}/stats.json`);
	// late.x: the 0 was filled in. "short" ends before run 1.
	writeFileSync(path.join(at, 'matrix.json.gz'), gzipSync(JSON.stringify({ 'hackbench.throughput': [0.5, 1.5, 2.5], 'late.x': [7, 0, 7], 'short.x': [1],
		stats_source: source })));
	const r = run(['lkp-result', path.join(folder, 'matrix')]);
	assert.equal(r.out, '3 created, 0 duplicate, 0 refused\n', r.err);
	const { json } = await s.json(`/compare.json?commits=${C},${A}&axis.mode=process&samples=1&changed=0`);
	const cell = (name) => json.tables[0].rows.find((x) => x.metric === name)?.cells[0];
	assert.deepEqual([...cell('hackbench.throughput').values].sort(), [0.5, 1.5, 2.5]);
	assert.deepEqual(cell('late.x').values, [7, 7]);
	assert.equal(cell('short.x'), undefined);
	assert.equal(run(['lkp-result', path.join(folder, 'matrix')]).out, '0 created, 3 duplicate, 0 refused\n');
});

test('a dry run shows native lines and stores nothing', () => {
	writeRun(tree, A, 5, { 'stats.json.gz': gzipSync(`{"hackbench.throughput": ${throughput[A][5]}, "vmstat.system.cs": 1005}`) });
	const r = spawnSync(program, ['import', 'lkp-result', commitFolder(tree, A), '--dry-run', '--database', path.join(folder, 'never.db')],
		{ encoding: 'utf8' });
	const lines = r.stdout.trimEnd().split('\n').map((l) => JSON.parse(l));
	assert.deepEqual(lines.map((l) => l.runs[0]['hackbench.throughput']), throughput[A]);
	assert.deepEqual(lines[0].axes, axes);
	assert.equal(spawnSync(program, ['import', 'native', '-', '--database', s.database], { input: r.stdout, encoding: 'utf8' }).stdout,
		'0 created, 6 duplicate, 0 refused\n');
});

test('an import that is interrupted half way goes on where it stopped', async () => {
	const big = path.join(folder, 'big', 'result'), commits = 500;
	const id = (c) => c.toString(16).padStart(40, '0');
	for (let c = 0; c < commits; c++) {
		for (let i = 0; i < 6; i++)
			writeRun(big, id(c), i, { 'stats.json': `{"hackbench.throughput": ${c * 10 + i + 0.5}}`, 'job.yaml': jobYaml(id(c), i) }, params);
	}
	// Two of six are at fault: more is said of them than a pipe holds, so the import cannot be through before it is told to end.
	for (let c = 0; c < commits; c++) {
		writeRun(big, id(c), 0, { 'stats.json': 'none' });
		writeRun(big, id(c), 1, { 'stats.json': 'none' });
	}
	const child = spawn(program, ['import', 'lkp-result', big, '--database', s.database], { stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })));
	let out = '', err = '';
	child.stdout.on('data', (d) => { out += d; });
	const closed = new Promise((done) => child.stderr.on('close', done));
	child.stderr.on('data', (d) => {
		if (!err)
			child.kill('SIGINT');
		err += d;
	});
	assert.deepEqual(await ended, { code: 1, signal: null });
	await closed;
	const said = err.trimEnd().split('\n');
	assert.equal(said.pop(), 'interrupted: the same command goes on where it stopped');
	const [, first, refused] = /^(\d+) created, 0 duplicate, (\d+) refused\n$/.exec(out);
	assert.ok(refused < 1000, `${refused} of 1000`);
	assert.equal(said.length, Number(refused));
	assert.ok(said.every((line) => line.startsWith(big) && line.endsWith("stats.json: line 1, column 1: '{' expected: an object of metrics")));
	const r = run(['lkp-result', big]);
	assert.equal(r.out, `${2000 - first} created, ${first} duplicate, 1000 refused\n`);
	const { json } = await s.json(`/compare.json?commits=${id(499)},${id(0)}&samples=1&changed=0`);
	assert.deepEqual(json.tables[0].rows[0].cells.map((c) => c.values), [[2, 3, 4, 5].map((i) => 4990.5 + i), [2.5, 3.5, 4.5, 5.5]]);
});

test('--watch takes a run when it is complete, and ends when it is told to', async () => {
	const grows = path.join(folder, 'grows', 'result'), D = 'd'.repeat(40), E = 'e'.repeat(40);
	writeRun(grows, D, 0, { 'stats.json': '{"hackbench.throughput": 1}' });
	writeRun(grows, D, 1, { 'job.yaml': jobYaml(D, 1) }); // still running
	const child = spawn(program, ['import', 'lkp-result', grows, '--watch', '--database', s.database], { stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })));
	const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const line = async () => (await lines.next()).value;
	let err = '';
	child.stderr.on('data', (d) => { err += d; });
	assert.equal(await line(), '1 created, 0 duplicate, 0 refused');
	// A run that was there ends; a commit appears as a whole; one is moved in from elsewhere.
	writeRun(grows, D, 1, { 'stats.json.gz': gzipSync('{"hackbench.throughput": 2}') });
	assert.equal(await line(), '2 created, 0 duplicate, 0 refused');
	writeRun(grows, E, 0, { 'job.yaml': jobYaml(E, 0), 'stats.json': '{"hackbench.throughput": 3}' });
	assert.equal(await line(), '3 created, 0 duplicate, 0 refused');
	const elsewhere = path.join(folder, 'elsewhere');
	writeRun(elsewhere, E, 1, { 'stats.json': 'none' });
	renameSync(path.join(commitFolder(elsewhere, E), '1'), path.join(commitFolder(grows, E), '1'));
	assert.equal(await line(), '3 created, 0 duplicate, 1 refused');
	writeRun(grows, E, 1, { 'stats.json': '{"hackbench.throughput": 4}' });
	assert.equal(await line(), '4 created, 0 duplicate, 1 refused');
	child.kill('SIGTERM');
	assert.equal(await line(), '4 created, 0 duplicate, 1 refused');
	assert.deepEqual(await ended, { code: 1, signal: null });
	assert.equal(err, `${commitFolder(grows, E)}/1/stats.json: line 1, column 1: '{' expected: an object of metrics\n`);
	const { json } = await s.json(`/runs.json?commit=${E}`);
	assert.equal(json.runs.length, 2);
});

// Names and contents that would act on a terminal, or look like a line of ours.
test('what is said of a hostile tree is text, a line each', () => {
	const evil = path.join(folder, 'evil', 'result');
	const at = path.join(commitFolder(evil, A, 'p\x1b]0;x\x07\n0 created'), '0');
	mkdirSync(at, { recursive: true });
	writeFileSync(path.join(at, 'stats.json'), '{"a.\\u001b[31m": "x", "b.\u202ec\u0085": "x"}');
	const bytes = Buffer.concat([Buffer.from(path.join(evil, 'z')), Buffer.from([0xff, 0x9b]), Buffer.from('/0')]);
	mkdirSync(bytes, { recursive: true });
	writeFileSync(Buffer.concat([bytes, Buffer.from('/stats.json')]), '{');
	for (const args of [['lkp-result', evil], ['auto', evil], ['lkp-stats', evil]]) {
		const r = run([...args, '--dry-run']);
		assert.equal(r.status, 1);
		assert.doesNotMatch(r.err, /[^\n\x20-\x7e]/);
		assert.match(r.err, /p\\x1b\]0;x\\x07\\n0 created/);
		assert.match(r.err, /z\\xff\\x9b\/0/);
		assert.doesNotMatch(r.err, /^0 created/m);
	}
});

test('--watch takes a matrix where it alone is left, once', async () => {
	const old = path.join(folder, 'old', 'result');
	const [A1, B1, C1] = ['1a', '2b', '3c'].map((x) => x.repeat(20));
	const writeMatrix = (commit, values) => {
		const at = commitFolder(old, commit);
		mkdirSync(at, { recursive: true });
		writeFileSync(path.join(at, 'matrix.json'), JSON.stringify({ 'hackbench.throughput': values, stats_source: values.map((_, i) => `${at}/${i}/stats.json`) }));
	};
	writeMatrix(A1, [1, 2]);
	writeMatrix(C1, [7, 8]); // beside a run that is written: it may be of that
	writeRun(old, C1, 0, { 'job.yaml': jobYaml(C1, 0) });
	const child = spawn(program, ['import', 'lkp-result', old, '--watch', '--database', s.database], { stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })));
	const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	assert.equal((await lines.next()).value, '2 created, 0 duplicate, 0 refused');
	writeMatrix(B1, [3, 4, 5]);
	assert.equal((await lines.next()).value, '5 created, 0 duplicate, 0 refused');
	child.kill('SIGTERM');
	assert.equal((await lines.next()).value, '5 created, 0 duplicate, 0 refused');
	assert.deepEqual(await ended, { code: 0, signal: null });
	const counts = await Promise.all([A1, B1, C1].map(async (c) => (await s.json(`/runs.json?commit=${c}`)).json.runs?.length ?? 0));
	assert.deepEqual(counts, [2, 3, 0]);
});

test('a run that is removed before it is ripe is forgotten', async () => {
	const gone = path.join(folder, 'gone', 'result'), F = 'f'.repeat(40);
	mkdirSync(gone, { recursive: true });
	const child = spawn(program, ['import', 'lkp-result', gone, '--watch', '--database', s.database], { stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })));
	const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const one = writeRun(gone, F, 0, { 'stats.json': '{"hackbench.throughput": 1}' });
	rmSync(one, { recursive: true });
	const two = writeRun(gone, F, 1, { 'stats.json': '{"hackbench.throughput": 2}' });
	renameSync(two, path.join(path.dirname(two), '2'));
	assert.equal((await lines.next()).value, '1 created, 0 duplicate, 0 refused');
	child.kill('SIGTERM');
	assert.deepEqual(await ended, { code: 0, signal: null });
	const { json } = await s.json(`/runs.json?commit=${F}`);
	assert.deepEqual(json.runs.map((x) => x.key.split('/').at(-1)), ['2']);
});

test('usage', () => {
	assert.equal(run(['lkp-result', tree, '--watch', '--dry-run']).status, 2);
	assert.equal(run(['lkp-stats', tree, '--watch']).status, 2);
	assert.equal(run(['lkp-result', tree, tree, '--watch']).status, 2);
	const list = run(['--list']);
	assert.equal(list.status, 0);
	for (const name of ['auto', 'native', 'lkp-result', 'lkp-stats', 'lkp-matrix', 'lkp-json'])
		assert.match(list.out, new RegExp(`^${name} +\\S`, 'm'));
	mkdirSync(path.join(folder, 'nothing'));
	const nothing = run(['lkp-result', path.join(folder, 'nothing')]);
	assert.equal(nothing.out, '0 created, 0 duplicate, 0 refused\n');
	assert.equal(nothing.err, `${path.join(folder, 'nothing')}: no run lies in it: those of lkp-result are folders with stats.json or last_state\n`);
	const file = run(['lkp-result', path.join(commitFolder(tree, A), '0', 'stats.json')]);
	assert.equal(file.status, 1);
	assert.match(file.err, /a result is a folder/);
});

await finish();
await s.end();
rmSync(folder, { recursive: true, force: true });
