// SPDX-License-Identifier: GPL-2.0-or-later
// Outputs made on the spot by fio, hackbench and iperf3, imported, and held against what the programs printed, which is read here
// by other means.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { program } from './server.mjs';
import { test, finish } from './tap.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline real-'));

function made(command, ...args) {
	const r = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
	assert.equal(r.status, 0, `${command} ${args.join(' ')}: ${r.stderr}`);
	return r.stdout;
}

// What the import makes of a text: native documents.
function imported(format, input) {
	const r = spawnSync(program, ['import', format, '-', '--dry-run', '--axis', 'tbox_group=box', '--commit', 'v6.4'],
		{ input, encoding: 'utf8', maxBuffer: 1 << 26 });
	assert.equal(r.status, 0, r.stderr);
	return r.stdout.trim().split('\n').filter((l) => l.startsWith('{')).map((l) => JSON.parse(l));
}

function near(got, want, what) {
	assert.equal(typeof got, 'number', `${what} is missing`);
	assert.ok(Math.abs(got - want) <= 1e-9 * Math.abs(want), `${what} is ${got}, printed was ${want}`);
}

const sum = (list) => list.reduce((a, b) => a + b, 0);
const fio = ['--name=alpha', '--rw=randrw', '--size=256k', '--bs=4k', '--ioengine=psync', '--name=beta', '--rw=write', '--size=512k',
	'--bs=16k', '--ioengine=psync'];

// --- fio ---

// Every figure of a direction in the JSON, under the names that a job has.
function checkSide(run, distributions, prefix, side, j) {
	const name = (s) => `${prefix}${side}_${s}`;
	near(run[name('bw_MBps')], j.bw / 1024, name('bw_MBps'));
	for (const k of ['iops', 'runtime', 'total_ios', 'io_bytes', 'bw_mean', 'iops_stddev'])
		near(run[name(k)], j[k], name(k));
	for (const kind of ['slat', 'clat', 'lat']) {
		const l = j[`${kind}_ns`];
		if (!l.N) {
			assert.equal(run[name(`${kind}_max_ns`)], undefined);
			continue;
		}
		near(run[name(`${kind}_mean_${kind === 'slat' ? 'us' : 'ns'}`)], l.mean, name(kind));
		near(run[name(`${kind}_stddev`)], l.stddev, name(kind));
		near(run[name(`${kind}_max_ns`)], l.max, name(kind));
		for (const [p, v] of Object.entries(l.percentile ?? {})) {
			near(run[name(`${kind}_${Number(p)}%_ns`)], v, name(`${kind} ${p}`));
			assert.equal(distributions[name(`${kind}_ns`)].percentiles[p], v);
		}
		for (const [le, count] of distributions[name(`${kind}_ns`)]?.buckets ?? [])
			assert.equal(count, l.bins[le]);
		if (l.bins)
			assert.equal(distributions[name(`${kind}_ns`)].buckets.length, Object.keys(l.bins).length);
	}
}

function checkJson(text) {
	const printed = JSON.parse(text.slice(text.indexOf('{')));
	const documents = imported('fio', text);
	const run = documents[0].runs[0];

	assert.equal(documents.length, 1);
	assert.equal(printed.jobs.length, 2);
	for (const j of printed.jobs) {
		for (const side of ['read', 'write', 'trim'].filter((s) => j[s].total_ios))
			checkSide(run, documents[0].distributions, `fio.${j.jobname}.`, side, j[side]);
		for (const unit of ['ns', 'us', 'ms'])
			for (const [k, v] of Object.entries(j[`latency_${unit}`]))
				near(run[`fio.${j.jobname}.latency_${k}${unit}%`], v, `latency_${k}${unit}%`);
		near(run[`fio.${j.jobname}.sys_cpu%`], j.sys_cpu, 'sys_cpu');
		assert.equal(documents[0].info[`fio.${j.jobname}.bs`], j['job options'].bs);
	}
	near(run['fio.workload'], sum(printed.jobs.map((j) => j.read.total_ios + j.write.total_ios)), 'workload');
	near(run['fio.write_iops'], sum(printed.jobs.map((j) => j.write.iops)), 'write_iops');
	const writes = printed.jobs.map((j) => j.write.clat_ns);
	near(run['fio.write_clat_mean_ns'], sum(writes.map((l) => l.mean * l.N)) / sum(writes.map((l) => l.N)), 'mean of all');
}

test('fio: JSON', () => checkJson(made('fio', ...fio, '--output-format=json')));
test('fio: JSON with bins, behind other output', () => checkJson('fio: a note\n' + made('fio', ...fio, '--output-format=json+')));

const micro = { nsec: 1e-3, usec: 1, msec: 1e3 };
const scale = (s) => parseFloat(s) * (/k$/.test(s) ? 1e3 : /M$/.test(s) ? 1e6 : 1);

test('fio: the output for people', () => {
	const text = made('fio', ...fio, '--output-format=normal');
	const run = imported('fio', '> > ' + text.replaceAll('\n', '\n> > '))[0].runs[0];
	let job = '';
	let side = '';
	let factor = 0;
	let kind = '';
	let checked = 0;
	for (const line of text.split('\n')) {
		let m;
		if ((m = line.match(/^(\w+): \(groupid/)))
			job = m[1];
		else if ((m = line.match(/^ {2}(\w+): IOPS=([\d.k]+), BW=([\d.]+)([KMG])iB\/s/))) {
			side = m[1];
			near(run[`fio.${job}.${side}_iops`], scale(m[2]), 'iops');
			near(run[`fio.${job}.${side}_bw_MBps`], m[3] * { K: 1 / 1024, M: 1, G: 1024 }[m[4]], 'bw');
			checked++;
		} else if ((m = line.match(/^ +(\w+) \((\w+)\): min= *([\d.kM]+), max= *([\d.kM]+), avg= *([\d.kM]+), stdev= *([\d.kM]+)$/))) {
			const f = micro[m[2]];
			['min_us', 'max_us', m[1] === 'slat' ? 'avg_us' : 'mean_us', 'stddev_us'].forEach((k, i) =>
				near(run[`fio.${job}.${side}_${m[1]}_${k}`], scale(m[3 + i]) * f, `${m[1]} ${k}`));
			checked++;
		} else if ((m = line.match(/^ +(\w+) percentiles \((\w+)\)/))) {
			kind = m[1];
			factor = micro[m[2]];
		} else if (/^ +\|/.test(line)) {
			for (const [, p, v] of line.matchAll(/([\d.]+)th=\[ *(\d+)\]/g)) {
				near(run[`fio.${job}.${side}_${kind}_${Number(p)}%_us`], v * factor, `${p}th`);
				checked++;
			}
		} else if ((m = line.match(/^ {2}lat \((\w)\w+\) +: (.*)$/))) {
			for (const [, k, v] of m[2].matchAll(/([>=\d]+)=([\d.]+)%/g)) {
				near(run[`fio.${job}.latency_${k}${m[1]}s%`], Number(v), `latency ${k}`);
				checked++;
			}
		} else if ((m = line.match(/usr=([\d.]+)%, sys=([\d.]+)%, ctx=(\d+)/))) {
			near(run[`fio.${job}.sys_cpu%`], Number(m[2]), 'sys');
			near(run[`fio.${job}.ctx`], Number(m[3]), 'ctx');
		}
	}
	assert.ok(checked > 60, `${checked} lines were held against it`);
});

test('fio: terse', () => {
	const text = made('fio', ...fio, '--output-format=terse', '--terse-version=5');
	const run = imported('fio', text)[0].runs[0];
	const second = text.split('\n').map((l) => l.split(';')).find((f) => f[2] === 'beta');
	const at = 5 + 47; // the writes, behind 47 fields of the reads
	near(run['fio.beta.write_bw_MBps'], second[at + 1] / 1024, 'bw');
	near(run['fio.beta.write_iops'], Number(second[at + 2]), 'iops');
	near(run['fio.beta.write_clat_mean_us'], Number(second[at + 10]), 'clat mean');
	near(run['fio.beta.write_clat_99.9%_us'], Number(second[at + 12 + 14].split('=')[1]), 'clat 99.9');
	near(run['fio.beta.write_lat_mean_us'], Number(second[at + 34]), 'lat mean');
	near(run['fio.beta.usr_cpu%'], parseFloat(second[5 + 3 * 47]), 'usr');
});

// --- hackbench ---

test('hackbench: three outputs in one file are three runs', () => {
	const outputs = [1, 2, 3].map(() => made('hackbench', '-g', '1', '-f', '4', '-l', '200', '-s', '64'));
	const documents = imported('hackbench', outputs.join(''));
	assert.equal(documents.length, 1);
	assert.equal(documents[0].runs.length, 3);
	outputs.forEach((text, i) => {
		const seconds = Number(text.match(/^Time: ([\d.]+)$/m)[1]);
		const tasks = Number(text.match(/== (\d+) tasks/)[1]);
		const [, messages, bytes] = text.match(/pass (\d+) messages of (\d+) bytes/);
		near(documents[0].runs[i]['hackbench.seconds'], seconds, 'seconds');
		if (seconds > 0)
			near(documents[0].runs[i]['hackbench.throughput'], tasks * messages * bytes / 1024 / seconds, 'throughput');
	});
});

test('hackbench: threads and processes are two series', () => {
	const documents = imported('hackbench', made('hackbench', '-g', '1', '-l', '50') + made('hackbench', '-g', '1', '-l', '50', '-T'));
	assert.deepEqual(documents.map((d) => d.axes.mode), ['process', 'threads']);
});

// --- iperf3 ---

async function freePort() {
	const s = createServer().listen(0, '127.0.0.1');
	await once(s, 'listening');
	const { port } = s.address();
	s.close();
	await once(s, 'close');
	return String(port);
}

// One test against a server of its own, which ends by itself.
async function iperf3(...args) {
	const port = await freePort();
	const server = spawn('iperf3', ['-s', '-1', '-p', port, '--forceflush'], { stdio: ['ignore', 'pipe', 'inherit'] });
	const ended = once(server, 'exit');
	let said = '';
	for await (const part of server.stdout) {
		said += part;
		if (said.includes('Server listening'))
			break;
	}
	server.stdout.resume();
	const text = made('iperf3', '-c', '127.0.0.1', '-p', port, ...args);
	await ended;
	return text;
}

test('iperf3: JSON', async () => {
	const text = await iperf3('-n', '16M', '-P', '2', '--json');
	const { end } = JSON.parse(text);
	const [d] = imported('iperf3', text);
	const run = d.runs[0];
	for (const [place, part] of [['tcp.sender', end.sum_sent], ['tcp.receiver', end.sum_received],
		['tcp.stream1.sender', end.streams[0].sender], ['tcp.stream2.receiver', end.streams[1].receiver]]) {
		near(run[`iperf.${place}.bps`], part.bits_per_second, place);
		near(run[`iperf.${place}.bytes`], part.bytes, place);
		near(run[`iperf.${place}.seconds`], part.seconds, place);
	}
	near(run['iperf.tcp.sender.retransmits'], end.sum_sent.retransmits, 'retransmits');
	near(run['iperf.tcp.stream1.sender.mean_rtt_us'], end.streams[0].sender.mean_rtt, 'rtt');
	for (const [k, v] of Object.entries(end.cpu_utilization_percent))
		near(run[`iperf.cpu.${k}%`], v, k);
	assert.equal(d.info['iperf.nr_streams'], '2');
});

test('iperf3: the output for people, UDP', async () => {
	const text = await iperf3('-u', '-b', '50M', '-n', '1M');
	const run = imported('iperf3', text)[0].runs[0];
	const m = text.match(/([\d.]+) (\w)bits\/sec +([\d.]+) ms +(\d+)\/(\d+) \(([\d.e+-]+)%\) +receiver/);
	assert.ok(m, text);
	near(run['iperf.udp.bps'], m[1] * { K: 1e3, M: 1e6, G: 1e9 }[m[2]], 'bps');
	near(run['iperf.udp.jitter_ms'], Number(m[3]), 'jitter');
	near(run['iperf.udp.lost_packets'], Number(m[4]), 'lost');
	near(run['iperf.udp.packets'], Number(m[5]), 'packets');
});

await finish();
rmSync(folder, { recursive: true });
