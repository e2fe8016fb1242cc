// SPDX-License-Identifier: GPL-2.0-or-later
// plumbline import: files, folders and standard input, beside no server and beside a running one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline import-'));
const database = path.join(folder, 'plumbline.db');
const axes = { testcase: 'hackbench', tbox_group: 'box' };
const commit = { id: 'a0fd217e6d6f' };

function document(key, value) {
	return { key, axes, commit, runs: [{ 'hackbench.throughput': value }] };
}

function file(name, text) {
	const f = path.join(folder, name);
	mkdirSync(path.dirname(f), { recursive: true });
	writeFileSync(f, text);
	return f;
}

function lines(...documents) {
	return documents.map((d) => (typeof d === 'string' ? d : JSON.stringify(d)) + '\n').join('');
}

function run(args, input = '') {
	const r = spawnSync(program, ['import', ...args], { input, encoding: 'utf8' });
	return { status: r.status, out: r.stdout, err: r.stderr };
}

function store(...args) {
	return run([...args, '--database', database]);
}

test('lines: each for itself, what is refused is named by file and line', () => {
	const f = file('a.ndjson', lines(document('a', 1), '', document('b', 2), '{"cut', document('a', 9),
		{ ...document('c', 3), odd: 1 }, document('b', 2)));
	const r = store('native', f);
	assert.equal(r.status, 1);
	assert.equal(r.out, '2 created, 1 duplicate, 3 refused\n');
	assert.match(r.err, new RegExp(`^${f}:4: column `, 'm'));
	assert.match(r.err, new RegExp(`^${f}:5: key: "a" was used `, 'm'));
	assert.match(r.err, new RegExp(`^${f}:6: odd: unknown key$`, 'm'));
});

test('the same again stores nothing twice', () => {
	const r = store('native', file('b.ndjson', lines(document('a', 1), document('b', 2))));
	assert.equal(r.status, 0);
	assert.equal(r.out, '0 created, 2 duplicate, 0 refused\n');
});

test('more lines than a batch holds', () => {
	const many = Array.from({ length: 700 }, (_, i) => document(`many-${i}`, i));
	many.splice(600, 0, document('many-3', 77));
	const r = store('auto', file('many.ndjson', lines(...many)));
	assert.equal(r.status, 1);
	assert.equal(r.out, '700 created, 0 duplicate, 1 refused\n');
	assert.match(r.err, /many\.ndjson:601: key: /);
});

test('an array is stored as a whole or not at all', () => {
	const f = file('array.json', JSON.stringify([document('x', 1), document('a', 5)], null, 1));
	let r = store('native', f);
	assert.equal(r.status, 1);
	assert.equal(r.out, '0 created, 0 duplicate, 2 refused\n');
	assert.match(r.err, /array\.json: item 1: key: /);
	r = store('native', file('array.json', JSON.stringify([document('x', 1), document('a', 1)])));
	assert.equal(r.out, '1 created, 1 duplicate, 0 refused\n');
});

test('a folder in the order of names, hidden files left out', () => {
	file('tree/1/x.json', JSON.stringify(document('t1', 1), null, 1));
	file('tree/2.json', JSON.stringify(document('t2', 1)));
	file('tree/.hidden/3.json', 'no JSON');
	file('tree/.hidden.json', 'no JSON');
	const r = store('native', path.join(folder, 'tree'));
	assert.equal(r.err.includes('JSON'), false);
	assert.equal(r.out, '2 created, 0 duplicate, 0 refused\n');
});

test('standard input, and what the file does not say', () => {
	const r = run(['native', '-', '--axis', 'testcase=fio', '--axis', 'tbox_group=b', '--commit', 'v5.7',
		'--tree', 'linus', '--dry-run'], JSON.stringify({ runs: [{ m: -0.0, n: 1 }] }).replace('"m":0', '"m":-0.0'));
	assert.equal(r.status, 0);
	assert.deepEqual(JSON.parse(r.out), { axes: { tbox_group: 'b', testcase: 'fio' }, commit: { id: 'v5.7', tree: 'linus' },
		status: 'ok', runs: [{ m: -0, n: 1 }] });
});

test('a dry run opens no database, and its lines are read back', () => {
	const never = path.join(folder, 'never.db');
	const f = file('dry.json', JSON.stringify([document('d', 1.5), { axes, commit, matrix: { x: [1, null], y: [2, 3] } }]));
	const r = run(['native', f, '--dry-run', '--database', never]);
	assert.equal(r.status, 0);
	assert.equal(existsSync(never), false);
	assert.equal(r.out.trimEnd().split('\n').length, 2);
	const again = run(['native', '-', '--dry-run'], r.out);
	assert.equal(again.out, r.out);
});

test('what cannot be read or guessed is refused, the rest goes on', () => {
	const r = store('auto', path.join(folder, 'nosuch'), file('notes.txt', 'hello\n'),
		file('ok.json', JSON.stringify(document('ok', 1))));
	assert.equal(r.status, 1);
	assert.equal(r.out, '1 created, 0 duplicate, 2 refused\n');
	assert.match(r.err, /nosuch: No such file/);
	assert.match(r.err, /notes\.txt: no format/);
});

test('usage', () => {
	assert.equal(store('native').status, 2);
	assert.equal(store('nosuch', 'file').status, 2);
	assert.equal(store('native', 'file', '--axis', 'novalue').status, 2);
	assert.equal(store('native', 'file', '--axis', 'a=1', '--axis', 'a=2').status, 2);
	// What a file may not say, the command line may not either.
	const good = file('good.json', JSON.stringify(document('usage', 1)));
	for (const [option, value] of [['--axis', 'x=a\nb'], ['--axis', 'x=\u0085'], ['--axis', `x=${'y'.repeat(4097)}`],
		['--axis', `${'x'.repeat(256)}=y`], ['--tree', 'a\nb'], ['--tree', 'x'.repeat(256)], ['--tree', '']])
		assert.equal(store('native', good, option, value).status, 2, `${option} ${JSON.stringify(value).slice(0, 20)}`);
	const bytes = spawnSync('sh', ['-c', '"$0" import native "$1" --dry-run --axis "$(printf \'x=\\377\')"', program, good]);
	assert.equal(bytes.status, 2);
});

test('beside a running server, which shows it at once', async () => {
	const s = await Server.start();
	try {
		const out = s.run(['import', 'native', file('beside.json', JSON.stringify(document('s', 42)))]);
		assert.equal(out, '1 created, 0 duplicate, 0 refused\n');
		const r = await s.upload(document('s', 42));
		assert.equal(r.status, 200);
		assert.equal(r.json.submissions[0].status, 'duplicate');
	} finally {
		await s.end();
	}
});

await finish();
rmSync(folder, { recursive: true, force: true });
