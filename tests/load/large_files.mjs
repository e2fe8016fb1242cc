// SPDX-License-Identifier: GPL-2.0-or-later
// Files of 100 MB in every format: its samples over and over, in the form that is natural for it (outputs behind each
// other, longer tables and lists, a mailbox), and hostile ones without an end. They are taken, or refused with a word that
// says why, in 192 MiB of memory that is the program's own: the copy of a large file that it maps is none
// (import_source.h). Then some of them once more into a database.
import { spawn, execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const data = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'data');
const program = path.resolve(process.env.PLUMBLINE ?? 'build/plumbline');
const only = process.env.LOAD_FORMAT?.split(','); // some formats, by name
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline large-'));
const size = 100e6;
const MIB = 1 << 20;
const memory = 192 * MIB;

const text = (...names) => readFileSync(path.join(data, ...names), 'latin1');
const raw = (name) => text('raw', name);
const field = (name) => text('field', name);
const lines = (s, from, to) => s.split('\n').slice(from, to).join('\n') + '\n';

// The document with the list at the path made longer: its elements again and again; vary(elements, k) makes those of
// the k-th time.
function longer(sample, at, vary) {
	const document = JSON.parse(sample);
	let owner = document;
	for (const name of at.slice(0, -1)) owner = owner[name];
	const list = at.length ? owner[at.at(-1)] : document;
	const elements = (k) => JSON.stringify(vary ? vary(structuredClone(list), k) : list).slice(1, -1);
	const mark = '"the list"';
	if (at.length) owner[at.at(-1)] = ['the list'];
	const [head, tail] = (at.length ? JSON.stringify(document) : `[${mark}]`).split(mark);
	return { head: head + elements(0), part: vary ? (k) => ',' + elements(k + 1) : ',' + elements(0), tail };
}

// The mail with other commits each time.
function mailbox(name) {
	const pieces = text('mails', name).split(/\b([0-9a-f]{12,40})\b/);
	const other = (hex, k) => ((parseInt(hex.slice(0, 8), 16) + 977 * k) >>> 0).toString(16).padStart(8, '0') + hex.slice(8);
	const from = (k) => `From robot@example.org Thu Jul 20 03:01:00 2023\n` + (name.endsWith('.txt') ? `Subject: report ${k}\n\n` : '');
	return { part: (k) => from(k) + pieces.map((p, i) => (i % 2 ? other(p, k) : p)).join('') + '\n\n' };
}

const over = (...names) => ({ part: names.map(raw).join('') });
const numbers = (k, n, width = 6) => Array.from({ length: n }, (_, i) => String(((k * n + i) * 7919) % 10 ** width + 10 ** (width - 1)));
const columns = Array.from({ length: 30 }, (_, i) => `t.counter_${i}`);
const terse = raw('fio-terse-3.txt');
const phoronix = field('phoronix.xml');
const results = [phoronix.indexOf('  <Result>'), phoronix.lastIndexOf('</Result>') + 10];
const submission = (k) => JSON.stringify({ key: `k${k}`, axes: { testcase: 'load', tbox_group: 'box' }, commit: { id: 'abcdef123456' },
	runs: [Object.fromEntries(numbers(k, 30).map((v, i) => [columns[i], Number(v)]))] });

// format, what it is, { head, part: a text or what makes the k-th, tail }
const files = [
	['native', 'lines', { part: (k) => submission(k) + '\n' }],
	['native', 'an array', { head: '[' + submission(0), part: (k) => ',' + submission(k + 1), tail: ']' }],
	['lkp-result', 'figures of one run', { head: '{"a.b": 1', part: (k) => `, "proc-vmstat.counter_${k}": ${k}`, tail: '}' }],
	['lkp-stats', 'figures of one run', { head: '{"a.b": 1', part: (k) => `, "proc-vmstat.counter_${k}": ${k}`, tail: '}' }],
	['lkp-matrix', 'many runs', { head: '{"a.b": [1', part: ', 479042.5, 480692.25, 476795.75', tail: ']}' }],
	['lkp-matrix', 'many metrics', { head: '{"a.b": [1, 2, 3]', part: (k) => `, "proc-vmstat.counter_${k}": [${numbers(k, 3)}]`, tail: '}' }],
	['lkp-json', 'samples over time', { head: '{"iostat.util": [1', part: ', 12.5, 13.25, 99.75', tail: ']}' }],
	['robot-mail', 'a mailbox', mailbox('04-four-columns.txt')],
	['robot-mail', 'a mailbox of attachments', mailbox('03-base64-nbsp.eml')],
	['robot-mail', 'one mail that is quoted again and again', { part: text('mails', '04-four-columns.txt').replace(/^/gm, '> ') }],
	['unixbench', 'reports', over('unixbench.txt')],
	['dbench', 'outputs', over('dbench.txt')],
	['tbench', 'outputs', over('tbench.txt')],
	['stress-ng', 'outputs', over('stress-ng-metrics.txt')],
	['stress-ng', 'YAML', over('stress-ng.yaml')],
	['sysbench', 'outputs of cpu', over('sysbench-cpu.txt')],
	['sysbench', 'outputs of five tests', over('sysbench-cpu.txt', 'sysbench-fileio.txt', 'sysbench-mem.txt', 'sysbench-mutex.txt', 'sysbench-oltp.txt')],
	['aim7', 'tables', over('aim7.txt')],
	['aim7', 'a long table', { head: lines(raw('aim7-ramp.txt'), 0, 1), part: lines(raw('aim7-ramp.txt'), 1, 3) }],
	['reaim', 'tables', over('reaim.txt')],
	['fsmark', 'outputs', over('fsmark.txt')],
	['fsmark', 'many loops', { head: raw('fsmark.txt'), part: '    72           60         1024       5802.1               62\n' }],
	['perf-stat', 'for people', over('perf-stat.txt')],
	['perf-stat', '-x,', over('perf-stat-commas.csv')],
	['perf-stat', '-j', over('perf-stat.jsonl')],
	['perf-stat', '-I', { head: lines(raw('perf-stat-interval.txt'), 0, 1), part: (k) => `     ${(k / 20).toFixed(9)}             100.63 msec task-clock                       #    2.013 CPUs utilized\n` +
		`     ${(k / 20).toFixed(9)}                 30      context-switches                 #  298.126 /sec\n` }],
	['perf-bench', 'outputs', over('perf-bench.txt')],
	['schbench', 'outputs', over('schbench.txt')],
	['cyclictest', 'a screen', { part: 'T: 0 (32451) P: 0 I:1000 C:     60 Min:     63 Act:   64 Avg:   63 Max:      67\n' +
		'T: 1 (32452) P: 0 I:1500 C:     40 Min:     63 Act:   63 Avg:   64 Max:      66\n' }],
	['cyclictest', 'histograms', over('cyclictest-histogram.txt')],
	['cyclictest', '--json', over('cyclictest.json')],
	['time', 'outputs', over('time.txt')],
	['build-log', 'gcc', over('build-gcc.log')],
	['build-log', 'a kernel', over('build-kernel.log')],
	['build-log', 'warnings that differ', { part: (k) => `drivers/net/a${k}.c:${k % 5000}:7: warning: unused variable 'v${k}' [-Wunused-variable]\n` }],
	['fio', 'JSON', over('fio-two-jobs.json')],
	['fio', 'json+', over('fio-plus.json')],
	['fio', 'JSON with many jobs', longer(raw('fio-two-jobs.json').slice(raw('fio-two-jobs.json').indexOf('{')), ['jobs'])],
	['fio', 'for people', over('fio-two-jobs.txt')],
	['fio', 'terse', over('fio-terse-3.txt')],
	['fio', 'terse, one job', { part: terse.slice(0, terse.indexOf('\n') + 1) }],
	['fio', 'percentiles without an end', { head: '  clat percentiles (usec):\n', part: '     |  1.00th=[   39],  5.00th=[   44], 10.00th=[   48]\n' }],
	['fio', 'a line without an end', { part: 'x'.repeat(1000) }],
	['fio', 'nested without an end', { head: '{"fio version":', part: '{"a":' }],
	['hackbench', 'outputs', over('hackbench.txt')],
	['hackbench', 'instances', over('hackbench-instances.txt')],
	['filebench', 'outputs', over('filebench.txt')],
	['vm-scalability', 'tasks', { part: '1073741824 bytes / 1000000 usecs = 1048576 KB/s\n' }],
	['vm-scalability', 'outputs', over('vm-scalability.txt')],
	['netperf', 'streams', over('netperf-udp-stream.txt')],
	['netperf', 'instances', over('netperf-instances.txt')],
	['iperf3', 'JSON', over('iperf3-tcp.json')],
	['iperf3', 'JSON of many intervals', longer(raw('iperf3-tcp.json'), ['intervals'])],
	['iperf3', 'for people', over('iperf3-tcp.txt')],
	['will-it-scale', 'tables', over('will-it-scale.csv')],
	['kcidb', 'many tests', longer(field('kcidb-5.json'), ['tests'], (tests, k) => tests.map((t) => ({ ...t, id: `${t.id}-${k}` })))],
	['kcidb', 'documents', { part: field('kcidb-5.json') }],
	['phoronix', 'many results', { head: phoronix.slice(0, results[0]), part: phoronix.slice(...results), tail: phoronix.slice(results[1]) }],
	['mmtests', 'many tests', longer(field('mmtests.json'), [])],
	['mmtests', 'many values', longer(field('mmtests.json'), [0, '_ResultData', 'Amean-1', 0, 'Values'])],
	['lnt', 'many tests', longer(field('lnt.json'), ['tests'])],
	['lnt', 'many samples', longer(field('lnt.json'), ['tests', 0, 'execution_time'])],
	['hyperfine', 'many commands', longer(field('hyperfine.json'), ['results'])],
	['hyperfine', 'many runs', longer(field('hyperfine.json'), ['results', 0, 'times'])],
	['google-benchmark', 'many benchmarks', longer(field('google-benchmark.json'), ['benchmarks'])],
	['go-benchmark', 'outputs', { part: field('go-benchmark.txt') }],
	['go-benchmark', 'one benchmark over and over', { head: lines(field('go-benchmark.txt'), 0, 7), part: lines(field('go-benchmark.txt'), 7, 9) }],
	['pytest-benchmark', 'many benchmarks', longer(field('pytest-benchmark.json'), ['benchmarks'])],
	['pytest-benchmark', 'many rounds', longer(field('pytest-benchmark.json'), ['benchmarks', 0, 'stats', 'data'])],
	['openmetrics', 'one gauge over time', { head: '# TYPE bench_rate gauge\n', part: (k) => `bench_rate{commit="a0fd217e6d6f"} ${4711 + k} ${1689822060 + k}\n`, tail: '# EOF\n' }],
	['openmetrics', 'many gauges', { part: (k) => `# TYPE bench_${k % 5000}_${k} gauge\nbench_${k % 5000}_${k}{commit="a0fd217e6d6f"} ${k}\n`, tail: '# EOF\n' }],
	['csv', 'wide', { head: `${columns}\n`, part: (k) => `${numbers(k, 30)}\n` }],
	['csv', 'wide, many commits', { head: `commit,${columns}\n`, part: (k) => `${(0xabc0000000 + Math.floor(k / 10)).toString(16)},${numbers(k, 30)}\n` }],
	['csv', 'wide, commits in turn', { head: `commit,${columns}\n`, part: (k) => `${(0xabc0000000 + (k % 1000)).toString(16)},${numbers(k, 30)}\n` }],
	['csv', 'long', { head: lines(field('long.csv'), 0, 1), part: lines(field('long.csv'), 1, 7) }],
	['csv', 'one column', { head: 't.value\n', part: '100\n' }],
];

function fill(name, { head = '', part, tail = '' }) {
	const fd = openSync(name, 'w');
	let n = writeSync(fd, head, null, 'latin1');
	if (typeof part === 'string') {
		const block = part.repeat(Math.ceil(1e6 / part.length));
		while (n < size) n += writeSync(fd, block, null, 'latin1');
	} else {
		for (let k = 0; n < size;) {
			let block = '';
			while (block.length < 1e6) block += part(k++);
			n += writeSync(fd, block, null, 'latin1');
		}
	}
	writeSync(fd, tail, null, 'latin1');
	closeSync(fd);
}

// The program's exit status, its last words, its counts, and the most memory of its own that it was seen with, in MiB.
async function imported(format, name, ...more) {
	const began = Date.now();
	const child = spawn('prlimit', [`--data=${memory}`, program, 'import', format, name, '--axis', 'tbox_group=box', '--axis', 'testcase=t',
		'--commit', 'v6.4', ...more], { stdio: ['ignore', more.includes('--dry-run') ? 'ignore' : 'pipe', 'pipe'], env: { ...process.env, TMPDIR: folder } });
	let said = '', counts = '', peak = 0;
	child.stderr.on('data', (d) => { said = (said + d).slice(-4000); });
	child.stdout?.on('data', (d) => { counts += d; });
	const watch = setInterval(() => {
		try {
			peak = Math.max(peak, Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0));
		} catch { /* it is over */ }
	}, 5);
	const [status, signal] = await once(child, 'close');
	clearInterval(watch);
	return { status: status ?? signal, peak: Math.round(peak / 1024), words: said.trim().split('\n'), counts: counts.trim(), seconds: (Date.now() - began) / 1000 };
}

let n = 0;
function tell(good, format, what, r, more = '') {
	if (!good) process.exitCode = 1;
	console.log(`${good ? 'ok' : 'not ok'} ${++n} - ${format}, ${what}: ${r.peak} MiB, ${r.seconds.toFixed(1)} s, status ${r.status}${more}`);
}

const name = path.join(folder, 'large');
const wanted = (format) => !only || only.includes(format);
for (const [format, what, form] of files.filter(([f]) => wanted(f))) {
	fill(name, form);
	const r = await imported(format, name, '--dry-run');
	const refusal = r.words.find((w) => w.startsWith(`${name}:`))?.slice(name.length);
	tell(r.status === 0 || (r.status === 1 && refusal !== undefined), format, what, r, (refusal ?? (r.status ? `: ${r.words.at(-1)}` : '')).slice(0, 160));
}

// Into a database: all of it, as many runs as there are outputs or rows.
const count = (what) => (t) => t.split(what).length - 1;
const stored = {
	'hackbench, outputs': count('Time:'), 'csv, wide': (t) => count('\n')(t) - 1, 'csv, wide, many commits': (t) => count('\n')(t) - 1,
	'fio, JSON': count('"fio version"'), 'robot-mail, a mailbox': null, 'kcidb, many tests': null,
};
for (const [format, what, form] of files.filter(([f, w]) => wanted(f) && `${f}, ${w}` in stored)) {
	const database = path.join(folder, 'plumbline.db');
	fill(name, form);
	const r = await imported(format, name, '--database', database);
	const [, submissions] = /^(\d+) created, 0 duplicate, 0 refused$/.exec(r.counts) ?? [];
	const rows = (table) => (submissions ? Number(execFileSync('sqlite3', [database, `SELECT count(*) FROM ${table}`], { encoding: 'utf8' })) : 0);
	const expected = stored[`${format}, ${what}`]?.(readFileSync(name, 'latin1'));
	const good = r.status === 0 && rows('submission') === Number(submissions) && (expected === undefined || rows('run') === expected);
	tell(good, format, `${what}, stored`, r, `, ${r.counts}, ${rows('run')} runs${good ? '' : ` (${expected}): ${r.words.at(-1).slice(0, 200)}`}`);
	for (const end of ['', '-wal', '-shm', '.lock']) rmSync(database + end, { force: true });
}

const formats = execFileSync(program, ['import', '--list'], { encoding: 'utf8' }).trim().split('\n').map((l) => l.split(' ')[0]);
for (const f of formats.filter((x) => x !== 'auto' && !files.some(([have]) => have === x))) {
	console.log(`not ok ${++n} - ${f} has no large file here`);
	process.exitCode = 1;
}
console.log(`1..${n}`);
rmSync(folder, { recursive: true });
