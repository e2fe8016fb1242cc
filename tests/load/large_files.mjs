// SPDX-License-Identifier: GPL-2.0-or-later
// Files of 100 MB in the formats of programs: one output over and over, or one with lines without end. They are taken, or
// refused with a word, within bounds of memory.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const program = path.resolve(process.env.PLUMBLINE ?? 'build/plumbline');
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline large-'));
const size = 100e6;
const memory = 512 * 1024; // KiB, the file itself among it
const raw = (name) => readFileSync(path.join(root, 'tests/data/raw', name));
const terse = raw('fio-terse-3.txt');

const files = [
	['fio', raw('fio-two-jobs.json')],
	['fio', raw('fio-two-jobs.txt')],
	['fio', terse],
	['fio', terse.subarray(0, terse.indexOf('\n') + 1)],
	['fio', Buffer.from('     |  1.00th=[   39],  5.00th=[   44], 10.00th=[   48]\n'), Buffer.from('  clat percentiles (usec):\n')],
	['fio', Buffer.from('x'.repeat(1000))],
	['fio', Buffer.from('{"a":'), Buffer.from('{"fio version":')],
	['hackbench', raw('hackbench.txt')],
	['hackbench', raw('hackbench-instances.txt')],
	['filebench', raw('filebench.txt')],
	['vm-scalability', Buffer.from('1073741824 bytes / 1000000 usecs = 1048576 KB/s\n')],
	['netperf', raw('netperf-udp-stream.txt')],
	['netperf', raw('netperf-instances.txt')],
	['iperf3', raw('iperf3-tcp.json')],
	['iperf3', raw('iperf3-tcp.txt')],
	['will-it-scale', raw('will-it-scale.csv')],
];

function fill(name, part, head) {
	const fd = openSync(name, 'w');
	const block = Buffer.concat(Array(Math.ceil(1e6 / part.length)).fill(part));
	let n = head ? writeSync(fd, head) : 0;
	while (n < size)
		n += writeSync(fd, block);
	closeSync(fd);
}

// The program's exit status, its last words and the most memory it had, in KiB.
async function imported(format, name) {
	const child = spawn('/usr/bin/time', ['-f', '%M', program, 'import', format, name, '--dry-run', '--axis', 'tbox_group=box',
		'--commit', 'v6.4'], { stdio: ['ignore', 'ignore', 'pipe'] });
	let said = '';
	child.stderr.on('data', (d) => { said = (said + d).slice(-2000); });
	const [status] = await once(child, 'close');
	const words = said.trim().split('\n');
	return { status, peak: Number(words.pop()), words };
}

const name = path.join(folder, 'large');
for (const [i, [format, part, head]] of files.entries()) {
	fill(name, part, head);
	const begun = Date.now();
	const { status, peak, words } = await imported(format, name);
	const refusal = words.find((w) => w.startsWith(name)) ?? '';
	const good = (status === 0 || (status === 1 && refusal)) && peak < memory;
	if (!good)
		process.exitCode = 1;
	console.log(`${good ? 'ok' : 'not ok'} ${i + 1} - ${format}: ${(Date.now() - begun) / 1000} s, ${Math.round(peak / 1024)} MiB, ` +
		`status ${status}${refusal.slice(name.length, name.length + 120)}`);
}
console.log(`1..${files.length}`);
rmSync(folder, { recursive: true });
