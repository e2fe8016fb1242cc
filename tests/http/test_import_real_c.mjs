// SPDX-License-Identifier: GPL-2.0-or-later
// A file made on the spot by hyperfine, imported, and held against what it holds, which is read here by other means.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { program } from './server.mjs';
import { test, finish } from './tap.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline real-'));

// The native documents that the import makes of a file, and what it said.
function imported(format, file, ...more) {
	const r = spawnSync(program, ['import', format, file, '--dry-run', '--axis', 'tbox_group=box', '--commit', 'v6.4', ...more],
		{ encoding: 'utf8', maxBuffer: 1 << 26 });
	assert.equal(r.status, 0, r.stderr);
	return { said: r.stderr, documents: r.stdout.trim().split('\n').map((l) => JSON.parse(l)) };
}

function hyperfine(name, ...args) {
	const file = path.join(folder, name);
	const r = spawnSync('hyperfine', ['-N', '--style', 'none', '--export-json', file, ...args], { encoding: 'utf8' });
	assert.equal(r.status, 0, `${r.error ?? ''} ${r.stderr}`);
	return { file, results: JSON.parse(readFileSync(file, 'utf8')).results };
}

test('hyperfine: every time is a run, user and system time are means beside them', () => {
	const { file, results } = hyperfine('a.json', '-r', '5', '-L', 'n', '1,2', 'true {n}', 'sleep 0.00{n}');
	const { said, documents } = imported('auto', file);
	assert.match(said, /taken as hyperfine/);
	assert.equal(results.length, 4);
	assert.equal(documents.length, 8);
	for (const one of results) {
		const own = documents.filter((d) => d.axes.command === one.command);
		const runs = own.find((d) => d.runs);
		const means = own.find((d) => d.summary);
		assert.equal(own.length, 2);
		assert.deepEqual(runs.runs.map((r) => r['hyperfine.seconds']), one.times);
		assert.equal(one.times.length, 5);
		assert.equal(runs.units['hyperfine.seconds'], 's');
		assert.ok(runs.runs.every((r) => !('hyperfine.fail' in r)));
		assert.equal(means.summary['hyperfine.user_time'].mean, one.user);
		assert.equal(means.summary['hyperfine.system_time'].mean, one.system);
		assert.equal(runs.axes.n, one.parameters.n);
		assert.deepEqual(means.axes, runs.axes);
		assert.equal(runs.axes.testcase, 'hyperfine');
	}
});

test('hyperfine: a run that failed is told', () => {
	const { file, results } = hyperfine('b.json', '-r', '3', '-i', 'false');
	const { documents } = imported('hyperfine', file);
	assert.deepEqual(results[0].exit_codes, [1, 1, 1]);
	assert.deepEqual(documents[0].runs.map((r) => r['hyperfine.fail']), [1, 1, 1]);
});

test('hyperfine: the same file again is known, another file with the same commands is not', () => {
	const store = ['--database', path.join(folder, 'x.db'), '--axis', 'tbox_group=box', '--commit', 'v6.4'];
	const run = (file) => {
		const r = spawnSync(program, ['import', 'hyperfine', file, ...store], { encoding: 'utf8' });
		assert.equal(r.status, 0, r.stderr);
		return r.stdout;
	};
	const { file } = hyperfine('c.json', '-r', '3', 'true');
	const other = hyperfine('d.json', '-r', '3', 'true').file;
	assert.match(run(file), /^2 created, 0 duplicate, 0 refused$/m);
	assert.match(run(file), /^0 created, 2 duplicate, 0 refused$/m);
	assert.match(run(other), /^2 created, 0 duplicate, 0 refused$/m);
});

await finish();
rmSync(folder, { recursive: true });
