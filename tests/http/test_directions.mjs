// SPDX-License-Identifier: GPL-2.0-or-later
// Which way is good: every figure that a test has of its own, of every importer's fixtures, has a direction or
// stands in the reviewed list of those that have none.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const folders = ['tests/data/raw', 'tests/data/field'];
// What has no rows, or cannot be told by its content alone.
const without = ['iperf3-error.json', 'vm-scalability-forms.txt', 'build-clang.log', 'build-gcc.log', 'build-kernel.log'];
const reviewed = readFileSync('tests/data/undirected.txt', 'utf8').split('\n').filter((l) => l && !l.startsWith('#'));
const asRegExp = (glob) => new RegExp(`^${glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
const undirected = reviewed.map((glob) => ({ glob, fits: asRegExp(glob), used: false }));

function convert(file) {
	const args = ['import', 'auto', file, '--dry-run', '--axis', 'tbox_group=box', '--commit', '1234567890ab'];
	for (const more of [[], ['--axis', 'testcase=x']]) { // some formats do not know what the test was
		try {
			return execFileSync(program, [...args, ...more], { encoding: 'utf8', maxBuffer: 1 << 27, stdio: ['ignore', 'pipe', 'ignore'] });
		} catch { /* the next */ }
	}
	return '';
}

const metrics = new Map(); // testcase -> names
for (const folder of folders) {
	for (const name of readdirSync(folder)) {
		const text = convert(path.join(folder, name));
		assert.ok(text || without.includes(name), `${name} gives nothing`);
		for (const d of text.split('\n').filter(Boolean).map((l) => JSON.parse(l))) {
			const names = metrics.get(d.axes.testcase) ?? metrics.set(d.axes.testcase, new Set()).get(d.axes.testcase);
			for (const part of [d.runs ?? [], d.matrix ?? {}, d.summary ?? {}, d.distributions ?? {}])
				(Array.isArray(part) ? part.flatMap(Object.keys) : Object.keys(part)).forEach((m) => names.add(m));
		}
	}
}

const rows = [];
for (const [testcase, names] of [...metrics].filter(([, n]) => n.size)) {
	const r = await s.upload({ axes: { testcase, tbox_group: 'box' }, commit: { id: 'abcdef1234' }, runs: [Object.fromEntries([...names].map((m) => [m, 1]))] });
	assert.equal(r.status, 201, r.text.slice(0, 300));
}
for (const t of (await s.json('/compare.json?commits=abcdef1234&limit=1000')).json.tables)
	rows.push(...t.rows);
const own = rows.filter((r) => r.role === 'primary');

test('the fixtures give metrics of many tests', () => {
	assert.ok(metrics.size >= 25, `${[...metrics.keys()]}`);
	assert.ok(own.length > 1000, `${own.length}`);
});

test('each has a direction or was reviewed to have none', () => {
	const unknown = [];
	for (const r of own.filter((x) => x.direction === 'none')) {
		const fits = undirected.filter((u) => u.fits.test(r.metric));
		if (!fits.length)
			unknown.push(r.metric);
		fits.forEach((u) => { u.used = true; });
	}
	assert.deepEqual(unknown, []);
});

test('nothing in the list has got a direction since, or is no longer met', () => {
	assert.deepEqual(undirected.filter((u) => !u.used).map((u) => u.glob), []);
});

// The rules of the field, by hand.
const known = {
	higher: ['fio.read_iops', 'fio.read_bw_MBps', 'hackbench.throughput', 'filebench.sum_operations/s', 'filebench.sum_bytes_mb/s', 'vm-scalability.throughput',
		'vm-scalability.median', 'will-it-scale.per_process_ops', 'netperf.Throughput_Mbps', 'unixbench.score', 'unixbench.System_Call_Overhead.index',
		'unixbench.System_Call_Overhead.result', 'stress-ng.cpu.ops_per_sec', 'stress-ng.cpu.ops', 'aim7.jobs-per-min', 'reaim.jobs_per_min', 'dbench.throughput_MB/s',
		'fsmark.files_per_sec', 'sysbench.throughput_MB/s', 'schbench.average_rps', 'perf-bench.numa-mem.GB_sec_total', 'perf-bench.sched-pipe.ops_per_sec'],
	lower: ['fio.read_clat_mean_ns', 'fio.read_slat_avg_us', 'dbench.max_latency', 'fsmark.app_overhead', 'filebench.sum_time_ms/op', 'vm-scalability.stddev%',
		'hyperfine.seconds', 'phoronix-test-suite.build-linux-kernel.Build_defconfig.seconds', 'perf-bench.sched-pipe.usecs_per_op', 'perf-bench.sched-pipe.total_time_sec',
		'perf-bench.futex-wake.wakeup_ms'],
};
test('the directions that the field knows', () => {
	const met = new Map(own.map((r) => [r.metric, r.direction]));
	for (const [direction, names] of Object.entries(known))
		for (const m of names)
			assert.equal(met.get(m), direction, `${m}${met.has(m) ? '' : ' is in no fixture'}`);
});

await finish();
await s.end();
