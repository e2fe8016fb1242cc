// SPDX-License-Identifier: GPL-2.0-or-later
// Report mails, from the mail to the page: the table that a reader gets is the one that was mailed, a
// mail that comes again stores nothing, and a reply that quotes a part of it shows nothing twice.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lab.mjs';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();

function mail(name) {
	return readFileSync(path.join(root, 'tests', 'data', 'mails', name), 'utf8');
}

// From the rule above its axes to the empty line below its rows.
function tableOf(text) {
	const from = text.indexOf('='.repeat(89));
	const heads = text.indexOf('\n----------------', from);
	const end = text.indexOf('\n\n', heads);

	return text.slice(from, end < 0 ? text.length : end + 1).trimEnd();
}

function importText(name, text) {
	const file = path.join(s.folder, name);

	writeFileSync(file, text);
	return s.run(['import', 'robot-mail', file]);
}

async function compareText(...commits) {
	const r = await s.get(`/compare.txt?commits=${commits.join(',')}`);

	assert.equal(r.status, 200, r.text);
	return r.text;
}

// The body as a reply quotes it, with a sentence of the replier's among the rows.
function reply(text, change = (x) => x) {
	const body = text.slice(text.indexOf('\n\n') + 2);
	const quoted = change(body).trimEnd().split('\n').map((l) => (l ? `> ${l}` : '>'));
	const middle = quoted.findIndex((l) => l.includes('dbench.max_latency_harmonic_mean'));

	quoted.splice(middle, 0, '', 'That one is what we looked for.', '');
	return ['From: Kim Example <kim@example.org>', 'Date: Thu, 6 Jun 2024 11:00:00 +0200', 'Subject: Re: the same',
		'Message-ID: <reply@example.org>', '', 'Lab Rat wrote:', ...quoted, ''].join('\n');
}

const report = mail('06-fails-and-means.eml');

test('what was mailed comes back as it was mailed', async () => {
	assert.equal(importText('report.eml', report), '2 created, 0 duplicate, 0 refused\n');
	const text = await compareText('de71d4e211', 'eccbbc7c00');
	// only the order is ours: axes by name, and the test's own group first
	const wanted = tableOf(report).replace('disk/fs2/fs/', 'disk/fs/fs2/').replace('1HDD/nfs/btrfs/', '1HDD/btrfs/nfs/');
	const lines = (x) => x.trimEnd().split('\n').map((l) => l.trimEnd()).sort();

	assert.deepEqual(lines(text), lines(wanted));
});

test('four columns, two of them tags', async () => {
	const four = mail('04-four-columns.txt');
	importText('four.txt', four);
	const text = await compareText('b1b4705d54ab', '09edf4d38195', 'v5.5', 'v5.7-rc1');
	const below = (t) => t.slice(t.indexOf('\nb1b4705d54abedfd ')).trimEnd();
	const rows = (t) => below(t).split('\n').filter((l) => l.includes('filebench.')).map((l) => l.trimEnd()).sort();

	assert.deepEqual(rows(text), rows(tableOf(four)));
	assert.equal(rows(text).length, 5);
	assert.deepEqual(below(text).trimStart().split('\n').slice(0, 4).map((l) => l.trimEnd()),
		below(tableOf(four)).trimStart().split('\n').slice(0, 4).map((l) => l.trimEnd()));
});

test('the same mail again is a duplicate, by whatever way it comes', async () => {
	assert.equal(importText('again.eml', report), '0 created, 2 duplicate, 0 refused\n');
	const r = await s.post('/api/v1/import/robot-mail', report, { 'content-type': 'message/rfc822' });
	assert.equal(r.status, 200, r.text);
});

test('a reply shows nothing twice', async () => {
	const before = await compareText('de71d4e211', 'eccbbc7c00');
	const list = async () => (await s.json('/series.json?axis.testcase=dbench')).json.series.map((x) => x.digest);
	const series = await list();

	assert.equal(importText('reply.eml', reply(report)), '0 created, 2 duplicate, 0 refused\n');
	assert.equal(await compareText('de71d4e211', 'eccbbc7c00'), before);
	// one that leaves rows out is kept, since it is another mail; its figures are the same ones
	importText('part.eml', reply(report, (b) => b.split('\n').filter((l) => !l.includes('perf-stat.i.')).join('\n')));
	assert.equal(await compareText('de71d4e211', 'eccbbc7c00'), before);
	assert.deepEqual(await list(), series);
	const { results } = (await s.json('/commit/eccbbc7c00.json')).json;
	assert.equal(results.length, 1);
});

const lost = ['From: a@example.org', 'Subject: two tables', '',
	'1bc162d5cc4de5c3 10fd217e6d6fbd23e91f8796787 ', '---------------- --------------------------- ',
	'         %stddev     %change         %stddev', '             \\          |                \\  ',
	'     -2.00 ± -5%     +50.0%      -3.00 ±-12%  sched_debug.a.min',
	'      0.00            +Inf%       1.00 ±  7%  sched_debug.b.min', '',
	'This is what we saw before that one:', '',
	'      3.00           +50.0%       4.50        vmstat.procs.c', ''].join('\n');
const leftOut = 'left out: 1 row of figures under no row of commits (first in "two tables")';

test('what is printed without digits comes back, too, also by way of native lines', async () => {
	const dry = path.join(s.folder, 'lost.ndjson');

	assert.equal(importText('lost.eml', lost), '2 created, 0 duplicate, 0 refused\n');
	const rows = (t) => t.split('\n').filter((l) => l.includes('sched_debug.')).map((l) => l.trimEnd());
	assert.deepEqual(rows(await compareText('1bc162d5cc4d', '10fd217e6d6f')), rows(lost));
	writeFileSync(dry, s.run(['import', 'robot-mail', path.join(s.folder, 'lost.eml'), '--dry-run', '--axis', 'tbox_group=again']));
	assert.equal(s.run(['import', 'native', dry]), '2 created, 0 duplicate, 0 refused\n');
	const two = await compareText('1bc162d5cc4d', '10fd217e6d6f');
	assert.deepEqual(rows(two), [...rows(lost), ...rows(lost)]);
});

test('rows that are nobody\'s are told, by the command and on the page', async () => {
	const r = spawnSync(program, ['import', 'robot-mail', path.join(s.folder, 'lost.eml'), '--dry-run'], { encoding: 'utf8' });

	assert.ok(r.stderr.includes(`lost.eml: ${leftOut}\n`), r.stderr);
	const page = await s.post('/paste', new URLSearchParams({ text: lost }).toString(), { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' });
	assert.equal(page.status, 200);
	assert.match(page.text, /taken as robot-mail; left out: 1 row of figures under no row of commits/);
});

await finish();
await s.end();
