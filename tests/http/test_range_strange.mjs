// SPDX-License-Identifier: GPL-2.0-or-later
// Histories that are legal and rare, with git as the judge: many merge bases, wide octopuses, dates out of this world, subjects that
// begin late or are none, texts that would control a terminal, branches called like ids, one tag in two trees.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { History, git, gitEnv } from '../git/history.mjs';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const enc = encodeURIComponent;
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-strange-'));
const dir = path.join(folder, 'strange');
let date = 1_700_000_000;
const h = new History();
const change = (message, parents, at = date++, more = {}) => h.commit({ message, parents, date: at, ...more });

const root = change('the root\n', []);
const subjects = ['equal date\n', 'equal date again\n', '', '\n\n', '   \n\nsubject below a blank line\n', 'on two\nlines\n\nbody\n', '  indented\n \n body\n',
	'on two  \n\tlines, tabs\tand  spaces \nand a third \n\nbody\n', 'crlf\r\n\r\nbody\r\n', 'no newline at its end', '\t\n\f\n late\n'];
const plain = [];
for (const s of subjects) plain.push(change(s, [plain.at(-1) ?? root], 1_700_000_000));
const dated = [0, 4294967295, 7258118400].reduce((list, at) => [...list, change(`dated ${at}\n`, [list.at(-1)], at)], [plain.at(-1)]);
const wide = (n, on) => change(`octopus of ${n}\n`, [on, ...Array.from({ length: n - 1 }, (_, i) => change(`arm ${i} of ${n}\n`, [root]))]);
const main = wide(127, wide(66, dated.at(-1)));
let left = change('left\n', [main]);
let right = change('right\n', [main]);
for (let i = 0; i < 3; i++) [left, right] = [change(`left ${i}\n`, [left, right]), change(`right ${i}\n`, [right, left])];
const roots = Array.from({ length: 40 }, (_, i) => change(`root ${i}\n`, []));
left = change('left has all roots\n', [left, ...roots]);
right = change('right has all roots\n', [right, ...roots]);
const hostile = change('esc \x1b[31mred \x07 c1 \u009b31m bidi \u202egnp.exe \u2066iso\u2069 <script>alert(1)</script>\n\nbody \x1b]0;title\x07\u202e\n', [root],
	date++, { author: 'Ann \x1b[1m\u202e\u009b1m <ann\u202e@example.org>' });
h.ref('refs/heads/master', main);
h.ref('refs/heads/left', left);
h.ref('refs/heads/right', right);
h.ref('refs/heads/hostile', hostile);
h.ref('refs/heads/bidi\u202ex', hostile);
h.ref('refs/heads/deadbeef', left);
h.ref('refs/heads/cafe123/abc', right);
h.tag('v1.0', main);
h.write(dir);
// What fast-import does not write: dates before 1970 and far beyond, nobody as the author, one parent twice, another encoding.
const raw = (text) => execFileSync('git', ['-C', dir, 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], { input: text, env: gitEnv, encoding: 'latin1' }).trim();
const tree = git(dir, 'rev-parse', 'left^{tree}');
const people = (who, at) => `author ${who} ${at} +0000\ncommitter ${who} ${at} +0000\n`;
let odd = left.id;
odd = raw(`tree ${tree}\nparent ${odd}\n${people('N <n@example.org>', -5000)}\nnegative\n`);
odd = raw(`tree ${tree}\nparent ${odd}\n${people('N <n@example.org>', 99999999999999)}\nhuge\n`);
odd = raw(`tree ${tree}\nparent ${odd}\n${people(' <>', 1700000000)}\nnobody\n`);
odd = raw(`tree ${tree}\nparent ${odd}\nparent ${odd}\n${people('X <x@example.org>', 1700000000)}\nthe same parent twice\n`);
odd = raw(Buffer.from(`tree ${tree}\nparent ${odd}\n${people('J\xf6rg <x@example.org>', 1700000000)}encoding ISO-8859-1\n\nlatin \xe4\xf6\xfc\n`, 'latin1'));
git(dir, 'update-ref', 'refs/heads/odd', odd);
git(dir, 'tag', 'of-tree-1', 'v1.0^{tree}');
git(dir, 'tag', '-a', '-m', 'a tag of a tag', 'of-tag-1', 'v1.0');

const s = await Server.start();
s.run(['repo', 'add', 'strange', dir]);

test('ranges over them are what git log --topo-order says, line by line', async () => {
	const ranges = [`${root.id}..master`, 'master..left', 'left..right', 'left...right', 'right...left', 'master..odd', 'hostile...odd', 'of-tag-1..left'];
	for (const range of ranges)
		for (const more of ['', '--first-parent']) {
			const want = git(dir, ...['log', '--oneline', '--abbrev=12', '--topo-order', '--no-decorate', more, range].filter(Boolean));
			const { text } = await s.get(`/range.txt?range=${enc(range)}${more && '&first_parent=1'}`);
			// git knows nothing of terminals
			assert.deepEqual(text.replace(/\n$/, '').split('\n'), want.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '?').split('\n'), `${range} ${more}`);
		}
});

test('a measured commit of git has the subject of git', async () => {
	const bare = [];
	for (const [i, k] of plain.entries()) {
		const r = await s.upload({ key: `s${i}`, axes: { testcase: 'hackbench', tbox_group: 'box' }, commit: { id: k.id }, runs: [{ 'hackbench.throughput': 100 }] });
		assert.equal(r.status, 201, r.text);
	}
	s.run(['repo', 'sync', 'strange']);
	for (const k of plain) bare.push((await s.json(`/commit/${k.id}.json`)).json.subject ?? '');
	assert.deepEqual(bare, plain.map((k) => git(dir, 'log', '-1', '--format=%s', k.id)));
});

test('a branch that is called like an id is found where no commit has that id', async () => {
	for (const name of ['deadbeef', 'deadbeef~1', 'strange/deadbeef', 'of-tag-1'])
		assert.equal((await s.json(`/commit.json?rev=${enc(name)}`)).json.id, git(dir, 'rev-parse', `${name.replace('strange/', '')}^{commit}`), name);
	assert.equal((await s.json('/commit/of-tree-1.json')).status, 404);
	assert.equal((await s.json('/commit/beefdead.json')).status, 404);
});

test('no text of a commit or a ref controls a terminal or turns a page round', async () => {
	const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
	const build = { config: 'defconfig', status: 'failed', warnings: [{ file: 'a\u2066b.c', message: 'one\u202e' }] };
	const r = await s.upload({ key: 'hostile', axes: { testcase: 'hack\u202ebench', tbox_group: 'box', mode: 'a\u2066b' }, runs: [{ 'hackbench.through\u202eput': 1 }],
		commit: { id: hostile.id, label: 'label \u202e', build } });
	assert.equal(r.status, 201, r.text);
	const of = r.json.submissions[0].series_digest;
	const metric = enc('hackbench.through\u202eput');
	const range = `${root.id}..hostile`;
	for (const url of [`/commit/${hostile.id}`, `/range/${range}`, `/range/${range}?series=${of}&metric=${metric}`, `/history?series=${of}&metric=${metric}`, '/repositories'])
		for (const accept of ['text/html', 'text/plain']) {
			const got = await s.get(url, { accept });
			assert.equal(got.status, 200, url);
			assert.doesNotMatch(got.text, control, `${url} ${accept}`);
			assert.ok(!got.text.includes('<script>alert') || accept === 'text/plain', url);
		}
});

test('one tag in two trees: asked for alone it is either, and each has an address of its own', async () => {
	const other = new History();
	const first = other.commit({ message: 'elsewhere\n', date: 1_600_000_000 });
	other.tag('v1.0', other.commit({ message: 'tagged elsewhere\n', parents: [first], date: 1_600_000_001 }));
	other.write(path.join(folder, 'other'));
	s.run(['repo', 'add', 'other', path.join(folder, 'other')]);
	for (const [i, tree] of ['strange', 'other', 'nowhere'].entries()) {
		const r = await s.upload({ key: tree, axes: { testcase: 'tagged', tbox_group: 'box' }, commit: { id: 'v1.0', tree }, runs: [{ 'tagged.score': 10 + i }] });
		assert.equal(r.status, 201, r.text);
	}
	for (const url of ['/commit/v1.0', '/range/v1.0~1..v1.0', '/compare?commits=v1.0,left']) {
		const json = await s.json(url.replace(/(\?|$)/, '.json$1'));
		assert.equal(json.status, 300, url);
		assert.deepEqual(json.json.errors.map((e) => e.path).sort(), ['nowhere/v1.0', 'other/v1.0', 'strange/v1.0'], url);
		const page = await s.get(url, { accept: 'text/html' });
		assert.equal(page.status, 300);
		const links = [...page.text.matchAll(/<a class="commit" href="([^"]+)"/g)].map((m) => m[1].replaceAll('&amp;', '&').replaceAll('&#38;', '&'));
		assert.equal(links.length, 3, url);
		if (!url.startsWith('/range')) // its other side is to be chosen next
			for (const link of links) assert.equal((await s.get(link, { accept: 'text/html' })).status, 200, link);
	}
	const ids = {};
	for (const tree of ['strange', 'other', 'nowhere']) {
		const { status, json } = await s.json(`/commit/${tree}%2Fv1.0.json`);
		assert.equal(status, 200, tree);
		assert.equal(json.results.length, 1);
		ids[tree] = json.id;
	}
	assert.deepEqual(ids, { strange: git(dir, 'rev-parse', 'v1.0^{commit}'), other: git(path.join(folder, 'other'), 'rev-parse', 'v1.0^{commit}'), nowhere: 'v1.0' });
	// whoever has it as a parent names it as git does
	const child = git(dir, 'rev-list', '--max-count=1', '--reverse', '--ancestry-path', 'v1.0..left');
	assert.deepEqual((await s.json(`/commit/${child}.json`)).json.parents, git(dir, 'log', '-1', '--format=%P', child).split(' '));
	const { json } = await s.json('/range/strange%2Fv1.0..left.json');
	assert.deepEqual([json.from.id, json.to.id], [ids.strange, left.id]);
});

test('whatever it was uploaded as, a commit has one page with all of its results', async () => {
	const own = new History();
	const line = [];
	for (let i = 0; i < 8; i++) line.push(own.commit({ message: `of many names ${i}\n`, parents: line.slice(-1), date: 1_650_000_000 + i }));
	own.tag('v7.1', line[3]);
	own.tag('v7.2', line[6]);
	own.write(path.join(folder, 'names'));
	const boxes = [];
	const put = async (id, box, value) => {
		const build = { config: box, status: 'ok', warnings: [{ message: `on ${box}` }] };
		const r = await s.upload({ key: `${id} ${box}`, axes: { testcase: 'named', tbox_group: box }, commit: { id, build },
			runs: [0, 1, 2, 3].map((i) => ({ 'named.throughput': value + i / 10 })) });
		assert.equal(r.status, 201, r.text);
	};
	const both = async (box, of, how) => { boxes.push(box); await put(how(line[3], 'v7.1'), box, 100); await put(how(line[6], 'v7.2'), box, of); };
	await both('box-7', 80, (k) => k.id.slice(0, 7));
	await both('box-12', 80, (k) => k.id.slice(0, 12));
	await both('box-tag', 80, (k, tag) => tag);
	s.run(['repo', 'add', 'names', path.join(folder, 'names')]);
	await both('box-id', 80, (k) => k.id);
	await put(line[3].id, 'box-mixed', 100); // another name on either side
	await put('v7.2', 'box-mixed', 80);
	boxes.push('box-mixed');
	assert.deepEqual((await s.json('/range/v7.1~1..v7.2.json')).json.commits.map((k) => k.series), [boxes.length, 0, 0, boxes.length]);
	for (const name of [line[6].id, line[6].id.slice(0, 7), line[6].id.slice(0, 12), line[6].id.slice(0, 9), 'v7.2']) {
		const { json } = await s.json(`/commit/${name}.json`);
		assert.equal(json.id, line[6].id, name);
		assert.deepEqual(json.results.map((x) => x.series.axes.tbox_group).sort(), [...boxes].sort(), name);
		assert.ok(json.results.every((x) => x.worst.length === 1 && Math.abs(x.worst[0].change_pct + 2000 / 100.15) < 1e-9), name);
		assert.deepEqual(json.warnings.map((x) => x.message).sort(), boxes.map((b) => `on ${b}`).sort(), name);
		const page = await s.get(`/commit/${name}`, { accept: 'text/html' });
		for (const [, link] of page.text.matchAll(/href="(\/(?:compare|runs)\?[^"]+)"/g)) {
			const got = await s.json(link.replaceAll('&amp;', '&').replaceAll('&#38;', '&').replace('?', '.json?'));
			assert.equal(got.status, 200, link);
			assert.ok((got.json.tables ?? got.json.runs).length > 0, link);
		}
	}
});

test('pages lead to what lies between, and to branches and tags of the tree they name', async () => {
	const of = (await s.json('/series.json?axis.testcase=named&axis.tbox_group=box-id')).json.series[0].digest;
	const start = [`/commit/${git(dir, 'rev-parse', 'v1.0~1')}`, '/commit/v7.2', '/compare?commits=v7.1,v7.2', '/compare?commits=v7.2,v7.1', '/range/v7.1..v7.2',
		`/history?series=${of}&metric=named.throughput`, `/commit/${git(dir, 'rev-parse', 'left')}`];
	const wanted = new Set();
	for (const url of start) {
		const page = await s.get(url, { accept: 'text/html' });
		assert.equal(page.status, 200, url);
		for (const [, link] of page.text.matchAll(/href="(\/(?:commit|range|compare|repositories|patch)\b[^"]*)"/g)) wanted.add(link.replaceAll('&amp;', '&').replaceAll('&#38;', '&'));
	}
	const links = [...wanted];
	for (const link of links) assert.equal((await s.get(link, { accept: 'text/html' })).status, 200, link);
	const names = git(path.join(folder, 'names'), 'rev-list', 'v7.1..v7.2').split('\n');
	for (const range of ['v7.1..v7.2', `${git(path.join(folder, 'names'), 'rev-parse', 'v7.1^{commit}')}..${names[0]}`])
		assert.ok(links.some((l) => l.startsWith(`/range/${range}`)), `${range} of ${links.filter((l) => l.startsWith('/range')).join(' ')}`);
	assert.ok(links.includes('/repositories'));
	assert.ok(links.includes('/commit?rev=strange/left'), links.filter((l) => l.includes('strange')).join(' '));
	assert.ok(!links.some((l) => l.startsWith('/range/v7.2..v7.1')), 'the older one comes first');
});

await finish();
await s.end();
rmSync(folder, { recursive: true });
