// SPDX-License-Identifier: GPL-2.0-or-later
// Debian's own sysbench, stress-ng, cyclictest, gcc and clang run here for a moment, and what the importers
// make of their output is held against what is read from it in another way.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline real-'));

// The program's output, standard error behind it.
function made(command, ...args) {
	const r = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
	assert.equal(r.error, undefined, `${command}: ${r.error}`);
	return r.stdout + r.stderr;
}

// The native lines that the importer makes of a text on standard input.
function imported(format, text, ...more) {
	const r = spawnSync(program, ['import', format, '-', '--dry-run', '--axis', 'tbox_group=box', '--commit',
		'a0fd217e6d6f', ...more], { input: text, encoding: 'utf8' });
	assert.equal(r.status, 0, r.stderr + text);
	return r.stdout.trim().split('\n').map((line) => JSON.parse(line));
}

// The first group of the expression in the text, as a number.
function printed(text, expression) {
	const m = expression.exec(text);
	assert.ok(m, `${expression} in\n${text}`);
	return Number(m[1]);
}

function checkSysbench(text, figures) {
	const [s, ...rest] = imported('sysbench', text);
	assert.equal(rest.length, 0);
	assert.equal(s.runs.length, 1);
	const run = s.runs[0];
	for (const [name, expression] of Object.entries({
		total_time: /total time: +([\d.]+)s/,
		total_events: /total number of events: +(\d+)/,
		latency_min_ms: /min: +([\d.]+)/,
		latency_avg_ms: /avg: +([\d.]+)/,
		latency_max_ms: /max: +([\d.]+)/,
		latency_95th_ms: /95th percentile: +([\d.]+)/,
		latency_sum_ms: /sum: +([\d.]+)/,
		thread_events_avg: /events \(avg\/stddev\): +([\d.]+)\//,
		thread_events_stddev: /events \(avg\/stddev\): +[\d.]+\/([\d.]+)/,
		thread_time_avg: /execution time \(avg\/stddev\): +([\d.]+)\//,
		...figures,
	}))
		assert.equal(run[`sysbench.${name}`], printed(text, expression), name);
	return s;
}

test('sysbench cpu, with a histogram', () => {
	const text = made('sysbench', 'cpu', '--events=400', '--time=0', '--threads=2', '--histogram', 'run');
	const s = checkSysbench(text, { 'throughput_events/s': /events per second: +([\d.]+)/ });
	const rows = [...text.matchAll(/^ +([\d.]+) \|[ *]*?(\d+)$/gm)].map((m) => [Number(m[1]), Number(m[2])]);
	assert.ok(rows.length > 0);
	assert.deepEqual(s.distributions['sysbench.latency_ms'].buckets, rows);
	assert.equal(rows.reduce((sum, r) => sum + r[1], 0), s.runs[0]['sysbench.total_events']);
});

test('sysbench memory', () => {
	const text = made('sysbench', 'memory', '--memory-total-size=64M', 'run');
	const s = checkSysbench(text, {
		operations: /Total operations: (\d+)/,
		'throughput_ops/s': /\(([\d.]+) per second\)/,
		transferred_MiB: /([\d.]+) MiB transferred/,
		'throughput_MB/s': /transferred \(([\d.]+) MiB\/sec\)/,
	});
	assert.equal(s.units['sysbench.throughput_MB/s'], 'MiB/s');
});

test('sysbench threads, mutex and fileio', () => {
	checkSysbench(made('sysbench', 'threads', '--events=50', '--time=0', 'run'), {});
	checkSysbench(made('sysbench', 'mutex', '--mutex-num=16', '--mutex-locks=500', 'run'), {});
	const files = ['fileio', '--file-total-size=4M', '--file-num=2', '--file-test-mode=rndrw', '--events=300', '--time=0'];
	made('sysbench', ...files, 'prepare');
	checkSysbench(made('sysbench', ...files, 'run'), {
		'read_operations/s': /reads\/s: +([\d.]+)/,
		'write_operations/s': /writes\/s: +([\d.]+)/,
		'fsync_operations/s': /fsyncs\/s: +([\d.]+)/,
		'read_bytes_MiB/s': /read, MiB\/s: +([\d.]+)/,
		'write_bytes_MiB/s': /written, MiB\/s: +([\d.]+)/,
	});
});

test('sysbench: two tests in one file are two series, two runs of one are one', () => {
	const cpu = made('sysbench', 'cpu', '--events=50', '--time=0', 'run');
	const again = made('sysbench', 'cpu', '--events=50', '--time=0', 'run');
	const memory = made('sysbench', 'memory', '--memory-total-size=8M', 'run');
	const list = imported('sysbench', cpu + memory + again);
	assert.deepEqual(list.map((s) => [s.axes.test, s.runs.length]), [['cpu', 2], ['memory', 1]]);
	assert.deepEqual(list[0].runs.map((r) => r['sysbench.throughput_events/s']),
		[cpu, again].map((t) => printed(t, /events per second: +([\d.]+)/)));
});

// stressor -> the words behind its name, in the lines of figures
function rows(text) {
	return [...text.matchAll(/^stress-ng: (?:metrc|info): +\[\d+\] (\S+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)/gm)]
		.map((m) => m.slice(1));
}

test('stress-ng --metrics, --times and --yaml of one run', () => {
	const yaml = path.join(folder, 'stress.yaml');
	const text = made('stress-ng', '--cpu', '1', '--cpu-ops', '20', '--pipe', '1', '--pipe-ops', '2000', '--metrics',
		'--times', '--yaml', yaml);
	const [s] = imported('stress-ng', text);
	const run = s.runs[0];
	const all = rows(text);
	assert.deepEqual(all.map((r) => r[0]), ['cpu', 'pipe']);
	for (const [name, ops, real, user, system, rate, cpuRate] of all) {
		const of = (metric) => run[`stress-ng.${name}.${metric}`];
		assert.deepEqual([of('ops'), of('real_time'), of('user_time'), of('system_time'), of('ops_per_sec'),
			of('ops_per_cpu_sec'), of('pass')], [ops, real, user, system, rate, cpuRate, 1].map(Number));
	}
	assert.equal(run['stress-ng.pipe.MB_per_sec_pipe_write_rate'], printed(text, /pipe +([\d.]+) MB per sec pipe write rate/));
	assert.equal(run['stress-ng.run.user_time'], printed(text, /([\d.]+)s user time/));
	assert.equal(run['stress-ng.run.load_average_1_minute'], printed(text, /load average: ([\d.]+)/));

	const file = readFileSync(yaml, 'utf8');
	const [y] = imported('stress-ng', file);
	// "- stressor: cpu" and the pairs below it
	const of = (stressor, key) => printed(file, new RegExp(`stressor: ${stressor}\\n(?:      .*\\n)*?      ${key}: ([\\d.]+)`));
	for (const [name] of all) {
		assert.equal(y.runs[0][`stress-ng.${name}.ops`], of(name, 'bogo-ops'));
		assert.equal(y.runs[0][`stress-ng.${name}.ops_per_sec`], of(name, 'bogo-ops-per-second-real-time'));
		assert.equal(y.runs[0][`stress-ng.${name}.system_time`], of(name, 'system-time'));
	}
	assert.equal(y.runs[0]['stress-ng.pipe.MB_per_sec_pipe_write_rate'], of('pipe', 'mb-per-sec-pipe-write-rate'));
	// what both forms print has one name in both
	const names = (r) => Object.keys(r).filter((n) => !n.includes('perfstats')).sort();
	assert.deepEqual(names(y.runs[0]), names(run));
});

test('stress-ng --metrics-brief', () => {
	const text = made('stress-ng', '--flock', '1', '--flock-ops', '500', '--metrics-brief');
	const [s] = imported('stress-ng', text);
	const [[name, ops, , , , rate]] = rows(text);
	assert.equal(name, 'flock');
	assert.equal(s.runs[0]['stress-ng.flock.ops'], Number(ops));
	assert.equal(s.runs[0]['stress-ng.flock.ops_per_sec'], Number(rate));
});

function thread(text, n) {
	const m = new RegExp(`^T: ?${n} \\( *\\d+\\) P: *\\d+ I:\\d+ C: *(\\d+) Min: *(\\d+) Act: *(\\d+) Avg: *(\\d+) Max: *(\\d+)`, 'm').exec(text);
	assert.ok(m, text);
	return m.slice(1).map(Number);
}

// It needs real-time priorities, which only root surely has, and reads /sys. Where it cannot run, its format is held by the
// outputs that are kept (test_import_latency), and what it says here is held to be no result.
const tried = spawnSync('cyclictest', ['-q', '-l', '1'], { encoding: 'utf8' });
const cyclic = tried.status === 0 || (process.getuid() === 0 && existsSync('/sys/devices/system/cpu'));
const testCyclic = cyclic ? test : () => {};

test('what cyclictest says where it may not run is no result', () => {
	const refusal = tried.status === 0 ? 'Unable to change scheduling policy!\neither run as root or join realtime group\n' : tried.stdout + tried.stderr;
	const r = spawnSync(program, ['import', 'cyclictest', '-', '--dry-run', '--axis', 'tbox_group=box', '--commit', '1234567890ab'], { input: refusal, encoding: 'utf8' });
	assert.equal(r.status, 1);
	assert.equal(r.stdout, '');
	assert.match(r.stderr, /cyclictest/);
});

testCyclic('cyclictest -q', () => {
	const text = made('cyclictest', '-q', '-l', '60', '-i', '200', '-t', '2');
	const [s] = imported('cyclictest', text);
	const run = s.runs[0];
	for (const n of [0, 1])
		assert.deepEqual(['cycles', 'min', 'act', 'avg', 'max'].map((k) => run[`cyclictest.T${n}.${k}`]), thread(text, n));
	assert.equal(run['cyclictest.max_latency'], Math.max(thread(text, 0)[4], thread(text, 1)[4]));
	assert.equal(run['cyclictest.min_latency'], Math.min(thread(text, 0)[1], thread(text, 1)[1]));
});

testCyclic('cyclictest: a histogram and its JSON', () => {
	const json = path.join(folder, 'cyclic.json');
	const text = made('cyclictest', '-q', '-l', '60', '-i', '200', '-t', '2', '-h', '2000', `--json=${json}`);
	const [s] = imported('cyclictest', text);
	const table = [...text.matchAll(/^(\d{6}) (\d{6})\t(\d{6})$/gm)].map((m) => m.slice(1).map(Number));
	assert.equal(table.length, 2000);
	const [j] = imported('cyclictest', readFileSync(json, 'utf8'));
	const document = JSON.parse(readFileSync(json, 'utf8'));
	for (const n of [0, 1]) {
		const buckets = table.filter((row) => row[n + 1] > 0).map((row) => [row[0], row[n + 1]]);
		assert.deepEqual(s.distributions[`cyclictest.T${n}.latency`].buckets, buckets);
		assert.deepEqual(j.distributions[`cyclictest.T${n}.latency`].buckets, buckets);
		assert.equal(j.runs[0][`cyclictest.T${n}.avg`], document.thread[n].avg);
		assert.equal(j.runs[0][`cyclictest.T${n}.max`], document.thread[n].max);
	}
	assert.equal(j.info.hostname, document.sysinfo.nodename);
});

const source = `int f(int a) { int unused; if (a = 1) return 0; }
int g(int *p) { return p == 3.0; }
`;

for (const compiler of ['gcc', 'clang']) {
	test(`warnings and errors of ${compiler}`, () => {
		writeFileSync(path.join(folder, 'odd file.c'), source);
		writeFileSync(path.join(folder, 'good.c'), 'int h(void) { int idle; return 3; }\n');
		const text = made(compiler, '-Wall', '-Wextra', '-c', 'odd file.c', 'good.c');
		const expected = text.split('\n').map((line) => /^(.+?):(\d+):(\d+): (warning: |error: )(.*)$/.exec(line))
			.filter((m) => m)
			.map((m) => ({ file: m[1], line: Number(m[2]), column: Number(m[3]), message: m[4].replace('warning: ', '') + m[5] }));
		assert.ok(expected.length >= 5, text);
		assert.ok(expected.some((w) => w.file === 'odd file.c' && w.message.startsWith('error: ')));
		const [s] = imported('build-log', text);
		assert.equal(s.commit.build.status, 'failed');
		assert.deepEqual(s.commit.build.warnings, expected);
		assert.equal(s.runs?.length ?? 0, 0);

		const [good] = imported('build-log', made(compiler, '-Wall', '-c', 'good.c'));
		assert.equal(good.commit.build.status, 'ok');
		assert.equal(good.commit.build.warnings.length, 1);
		assert.match(good.commit.build.warnings[0].message, /unused variable .idle. \[-Wunused-variable\]/);
	});
}

test('auto takes each for what it is', () => {
	const auto = (text) => imported('auto', text)[0];
	assert.equal(auto(made('sysbench', 'cpu', '--events=20', '--time=0', 'run')).axes.testcase, 'sysbench');
	assert.equal(auto(made('stress-ng', '--cpu', '1', '--cpu-ops', '5', '--metrics-brief')).axes.testcase, 'stress-ng');
	if (cyclic)
		assert.equal(auto(made('cyclictest', '-q', '-l', '20', '-i', '200')).axes.testcase, 'cyclictest');
	assert.equal(auto(made('gcc', '-Wall', '-c', 'good.c')).commit.build.status, 'ok');
});

test('what was imported is on the page of the comparison', async () => {
	const s = await Server.start();
	try {
		for (const commit of ['a0fd217e6d6f', '7bc162d5cc4d']) {
			for (let i = 0; i < 3; i++) {
				const r = spawnSync(program, ['import', 'sysbench', '-', '--axis', 'tbox_group=box', '--commit', commit,
					'--database', s.database], {
					input: made('sysbench', 'cpu', '--events=50', '--time=0', 'run'), encoding: 'utf8',
				});
				assert.equal(r.status, 0, r.stderr);
			}
		}
		const r = await fetch(`${s.url}/compare.json?commits=a0fd217e6d6f,7bc162d5cc4d&metric=sysbench.total_time`);
		const cells = (await r.json()).tables[0].rows[0].cells;
		assert.deepEqual(cells.map((c) => c.n), [3, 3]);
	} finally {
		await s.stop();
	}
});

await finish();
rmSync(folder, { recursive: true, force: true });
