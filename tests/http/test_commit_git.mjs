// SPDX-License-Identifier: GPL-2.0-or-later
// The commit page of a repository that git itself made: every fact is held against git's own output, for commits of
// every kind, with hostile bytes in names, messages and contents; a diff of 50 MB; repositories that are shallow,
// damaged, or removed while they are served.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const work = mkdtempSync(path.join(tmpdir(), 'plumbline-git-'));
const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_AUTHOR_NAME: 'Ada L', GIT_AUTHOR_EMAIL: 'ada@example.org',
	GIT_COMMITTER_NAME: 'Bob M', GIT_COMMITTER_EMAIL: 'bob@example.org' };
let clock = 1_600_000_000;
const gitIn = (folder) => (...args) => execFileSync('git', ['-C', path.join(work, folder), ...args], { env: { ...env, GIT_AUTHOR_DATE: `${clock} +0200`,
	GIT_COMMITTER_DATE: `${clock + 7} +0000` }, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
const git = gitIn('main');
const inMain = (...names) => path.join(work, 'main', ...names);
const put = (name, bytes) => { mkdirSync(path.dirname(inMain(name)), { recursive: true }); writeFileSync(inMain(name), bytes); };
const lines = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('');
const ids = {};

// Commits what is there, with a message of any bytes, and remembers it.
function commit(name, message = name, ...args) {
	clock += 60;
	writeFileSync(path.join(work, 'message'), message);
	git('add', '-A');
	git(...args, 'commit', '-q', '--allow-empty', '--cleanup=verbatim', '-F', path.join(work, 'message'));
	ids[name] = git('rev-parse', 'HEAD').trim();
	return ids[name];
}

const evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'&lt;';
const escapes = '\x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eesrever \x9b';

function make() {
	mkdirSync(inMain());
	git('init', '-q', '-b', 'main');
	put('mm/slub.c', lines(1, 300));
	put('small', lines(1, 10));
	put('blob.bin', Buffer.from([0, 1, 2, 3]));
	commit('root', 'first commit');
	git('tag', '-a', '-m', 'x', 'v1.0');
	commit('empty', 'nothing at all');
	put('mm/slub.c', lines(1, 300).replace('line 50\n', 'line fifty\n').replace('line 200\n', 'a\nb\n'));
	commit('change', `slub: change two places\n\nSee https://bugzilla.example.org/show?id=1&x="2" and ${ids.root.slice(0, 12)} ("first commit"),\n`
		+ `not javascript:alert(1), nor 1234567890ab.\n\nFixes: ${ids.root.slice(0, 12)} ("first commit")\nCloses: https://example.org/bug/7\n`
		+ 'Message-Id: <20260101-change-v1-1@example.org>\nReported-by: Ann <ann@example.org>\nSigned-off-by: Ada L <ada@example.org>\n');
	git('mv', 'mm/slub.c', 'mm/slab.c');
	put('mm/slab.c', readFileSync(inMain('mm/slab.c'), 'utf8').replace('line 7\n', 'line seven\n'));
	commit('rename');
	git('tag', 'light');
	put('blob.bin', Buffer.from([0, 1, 2, 4]));
	commit('binary');
	clock += 60;
	git('update-index', '--add', '--cacheinfo', `160000,${'12'.repeat(20)},lib`);
	git('commit', '-q', '-m', 'submodule');
	ids.submodule = git('rev-parse', 'HEAD').trim();
	git('checkout', '-q', '-b', 'topic/side', 'HEAD~2');
	put('side.c', lines(1, 20));
	commit('side');
	git('checkout', '-q', '-f', 'main');
	clock += 60;
	git('merge', '-q', '--no-ff', '-m', 'Merge the side', 'topic/side');
	ids.merge = git('rev-parse', 'HEAD').trim();
	git('tag', '-a', '-m', 'x', 'v1.1-rc1');
	put(`a ${'\x01\t"<script>'}`.replace('/', ''), `${evil}\n${escapes}\n`);
	writeFileSync(Buffer.concat([Buffer.from(inMain('bad-\xff'), 'latin1')]), Buffer.from('caf\xe9 \xff\xfe\n', 'latin1'));
	commit('hostile', `${evil}\n\n${escapes}\n${evil}\n\nReported-by: ${evil}\n`);
	put('latin', 'x\n');
	commit('latin1', Buffer.from('Gr\xfc\xdfe aus K\xf6ln\n\n\xa4\n', 'latin1'), '-c', 'i18n.commitEncoding=ISO-8859-1');
	put('latin', 'y\n');
	commit('undeclared', Buffer.from('caf\xe9 without a word\n', 'latin1'));
	symlinkSync('small', inMain('link'));
	put('no-newline', 'end');
	rmSync(inMain('small'));
	commit('others');
}

// 50 MB that git has no trouble with, once as one file and once as many.
function makeLarge() {
	const row = createHash('sha256').update('x').digest('hex');
	put('one-file', `${row}\n`.repeat(50_000_000 / 65));
	commit('large');
	for (let i = 0; i < 100; i++)
		put(`many/${i}`, `${i} ${row}\n`.repeat(8000));
	commit('many');
	put('newlines', '\n'.repeat(7_000_000));
	commit('newlines');
	put('newlines', 'x\n'.repeat(3_400_000));
	commit('other newlines');
	git('rm', '-rq', 'many', 'one-file', 'newlines');
	commit('all gone');
}

make();
makeLarge();
const s = await Server.start();
s.run(['repo', 'add', 'main', inMain()]);
const page = async (id, form = 'json') => {
	const r = await s.get(`/commit/${id}?format=${form}`, { accept: '*/*' });
	assert.equal(r.status, 200, r.text.slice(0, 300));
	return form === 'json' ? JSON.parse(r.text) : r.text;
};
const small = () => Object.entries(ids).filter(([name]) => !['large', 'many', 'newlines', 'other newlines', 'all gone'].includes(name));

// "added removed path" of git, renames by both names.
function numstat(id) {
	const parts = execFileSync('git', ['-C', inMain(), 'show', '-m', '--first-parent', '--format=', '--numstat', '-M', '-z', id], { env, encoding: 'latin1', maxBuffer: 1 << 28 }).split('\0');
	const out = [];
	const text = (x) => Buffer.from(x, 'latin1').toString('utf8');
	for (let i = 0; i < parts.length - 1; i++) {
		const [added, removed, name] = parts[i].replace(/^\n+/, '').split('\t').reduce((a, x, n) => (n < 3 ? [...a, x] : [a[0], a[1], `${a[2]}\t${x}`]), []);
		out.push({ added: added === '-' ? null : Number(added), removed: removed === '-' ? null : Number(removed),
			...(name === '' ? { old_path: text(parts[++i]), path: text(parts[++i]) } : { old_path: null, path: text(name) }) });
	}
	return out;
}

test('files as git counts them, for every kind of commit', async () => {
	for (const [name, id] of small()) {
		const j = await page(id);
		const want = numstat(id).sort((a, b) => (a.path < b.path ? -1 : 1));
		const got = j.files.map(({ path: p, old_path, added, removed }) => ({ added, removed, old_path, path: p })).sort((a, b) => (a.path < b.path ? -1 : 1));
		assert.deepEqual(got, want, name);
		assert.equal(j.diffstat.files, want.length, name);
		assert.equal(j.diffstat.added, want.reduce((n, f) => n + (f.added ?? 0), 0), name);
	}
	const { files } = await page(ids.rename);
	assert.deepEqual(files, [{ path: 'mm/slab.c', old_path: 'mm/slub.c', added: 1, removed: 1, binary: false, submodule: false }]);
	assert.ok((await page(ids.binary)).files[0].binary);
	assert.ok((await page(ids.submodule)).files.find((f) => f.path === 'lib').submodule);
});

test('describe, tags, branches, parents and people are those of git', async () => {
	for (const [name, id] of small()) {
		const j = await page(id);
		assert.equal(j.describe, git('describe', '--tags', '--abbrev=12', id).trim(), name);
		assert.deepEqual([...j.tags].sort(), git('tag', '--contains', id).split('\n').filter(Boolean).sort(), name);
		assert.deepEqual([...j.branches].sort(), git('branch', '--contains', id, '--format=%(refname:short)').split('\n').filter(Boolean).sort(), name);
		assert.deepEqual(j.parents, git('log', '-1', '--format=%P', id).trim().split(' ').filter(Boolean), name);
		const [an, ae, at, cn, ct] = git('log', '-1', '--format=%an%n%ae%n%at%n%cn%n%ct', id).split('\n');
		assert.deepEqual([j.author.name, j.author.email, Date.parse(j.author.date) / 1000, j.committer.name, Date.parse(j.committer.date) / 1000],
			[an, ae, Number(at), cn, Number(ct)], name);
	}
});

test('messages: as git decodes them', async () => {
	for (const [name, id] of small().filter(([n]) => n !== 'undeclared' && n !== 'hostile'))
		assert.equal((await page(id)).message.trimEnd(), git('log', '-1', '--format=%B', '--encoding=UTF-8', id).trimEnd(), name);
	assert.equal((await page(ids.latin1)).message, 'Grüße aus Köln\n\n¤\n');
	assert.equal((await page(ids.undeclared)).message, 'café without a word\n');
	assert.ok((await page(ids.hostile)).message.includes(`${evil}\n\n\x1b[31mred`));
});

test('the message has links where they are certain', async () => {
	const text = await page(ids.change, 'html');
	assert.ok(text.includes(`href="/commit/${ids.root}">${ids.root.slice(0, 12)}</a> (&#34;first commit&#34;),`));
	assert.ok(text.includes('href="https://bugzilla.example.org/show?id=1&amp;x="'));
	assert.ok(text.includes('href="https://example.org/bug/7"'));
	assert.ok(text.includes('href="https://lore.kernel.org/r/20260101-change-v1-1@example.org"'));
	assert.ok(!/href="javascript/.test(text) && !text.includes('/commit/1234567890ab'));
	const j = await page(ids.change);
	assert.deepEqual(j.fixes.map((x) => [x.id, x.subject]), [[ids.root, 'first commit']]);
	assert.deepEqual((await page(ids.root)).fixed_by.map((x) => [x.id, x.trees[0].first_tag]), [[ids.change, 'light']]);
	assert.deepEqual(j.trailers.map((x) => x.name), ['Fixes', 'Closes', 'Message-Id', 'Reported-by', 'Signed-off-by']);
});

test('hostile bytes hurt no form', async () => {
	for (const id of [ids.hostile, ids.latin1, ids.undeclared, ids.merge]) {
		const html = await page(id, 'html');
		assert.ok(!/<script|<img/.test(html));
		assert.ok(!/[\x00-\x08\x0b-\x1f\x7f]/.test(html));
		const txt = await page(id, 'txt');
		assert.ok(!/[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e]/.test(txt), 'a terminal is not driven');
		const wire = Buffer.from(await (await fetch(`${s.url}/commit/${id}?format=json`)).arrayBuffer());
		assert.equal(wire.toString('utf8').includes('\ufffd'), id === ids.hostile);
		JSON.parse(wire.toString('utf8'));
		assert.ok(!wire.includes('<'));
	}
	const j = await page(ids.hostile);
	assert.ok(j.files.some((f) => f.path === 'bad-\ufffd'));
	assert.ok((await page(ids.hostile, 'txt')).includes('+caf\ufffd') || (await page(ids.hostile, 'txt')).includes('+caf'));
});

test('the diff has the lines of git', async () => {
	const txt = await page(ids.change, 'txt');
	const own = git('show', '--format=', ids.change).split('\n').filter((l) => /^[-+ @]/.test(l) && !/^(---|\+\+\+) /.test(l));
	const at = txt.indexOf('=== mm/slub.c\n') + '=== mm/slub.c\n'.length;
	assert.deepEqual(txt.slice(at).split('\n').slice(0, own.length), own);
	const html = await page(ids.change, 'html');
	assert.ok(html.includes('<details class="diff">'));
	assert.ok(html.includes('<span class="diff-del">-line 50</span>\n<span class="diff-add">+line fifty</span>'));
});

// Bytes of memory that are the process's own.
const memory = () => Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${s.child.pid}/status`, 'utf8'))[1]) * 1024;

// The address sanitizer keeps what was freed for a while, 256 MB of it.
const room = 100_000_000 + (readFileSync(`/proc/${s.child.pid}/maps`, 'utf8').includes('libasan') ? 300_000_000 : 0);

test('50 MB take neither time nor memory, and what is left out is said', async () => {
	const before = memory();
	const large = await page(ids.large);
	assert.deepEqual(large.files, [{ path: 'one-file', old_path: null, added: null, removed: null, binary: false, submodule: false }]);
	assert.equal(large.diffstat.not_counted, 1);
	assert.match(await page(ids.large, 'html'), /too large to count/);
	const many = await page(ids.many);
	assert.equal(many.files.length, 100);
	assert.equal(many.files.filter((f) => f.added === 8000).length, 100 - many.diffstat.not_counted);
	assert.ok(many.diffstat.not_counted > 20 && many.diffstat.not_counted < 80);
	assert.match(many.diff_cut, /^it ends after \d+ of more than \d+ lines; \d+ files are too large to be read$/);
	assert.equal((await page(ids.newlines)).files[0].added, 7_000_000);
	assert.equal((await page(ids['other newlines'])).diffstat.not_counted, 1);
	assert.equal((await page(ids['all gone'])).files.length, 102);
	assert.ok((await page(ids.many, 'html')).length < 3_000_000);
	assert.ok(memory() - before < room, `${memory() - before} bytes more`);
});

test('nothing was measured: full pages all the same, and the way to what was', async () => {
	const j = await page(ids.merge);
	assert.deepEqual([j.results, j.nearest_measured, j.sentence], [[], { before: null, after: null }, 'nothing was measured on this commit']);
	const put1 = (id) => s.upload({ axes: { testcase: 't', tbox_group: 'm' }, commit: { id }, runs: [{ 't.x': 1 }] });
	assert.equal((await put1(ids.change)).status, 201);
	assert.equal((await put1(ids.hostile)).status, 201);
	assert.deepEqual((await page(ids.merge)).nearest_measured, { before: ids.change, after: ids.hostile });
	const html = await page(ids.merge, 'html');
	assert.ok(html.includes(`href="/compare?commits=${ids.change}%2C${ids.hostile}"`) || html.includes(`href="/compare?commits=${ids.change},${ids.hostile}"`));
});

test('by tag, branch, prefix and a step', async () => {
	for (const name of ['v1.1-rc1', 'topic/side', ids.rename.slice(0, 9), 'main~2', 'v1.1-rc1^2'])
		assert.equal((await s.json(`/commit.json?rev=${encodeURIComponent(name)}`)).json.parents.join(' '), git('log', '-1', '--format=%P', `${name}^{commit}`).trim(), name);
});

test('a commit that git does not know is as it was', async () => {
	const id = 'f'.repeat(40);
	assert.equal((await s.upload({ axes: { testcase: 't', tbox_group: 'm' }, commit: { id, message: 'x\n\nLink: https://example.org/y' }, runs: [{ 't.x': 1 }] })).status, 201);
	const j = await page(id);
	for (const k of ['files', 'describe', 'branches', 'tags', 'fixes', 'fixed_by', 'same_change'])
		assert.equal(j[k], null, k);
	assert.ok((await page(id, 'html')).includes('href="https://example.org/y"'));
});

test('a shallow repository says so', async () => {
	execFileSync('git', ['clone', '-q', '--depth', '1', `file://${inMain()}`, path.join(work, 'shallow')], { env });
	const other = await Server.start();
	try {
		try {
			other.run(['repo', 'add', 'shallow', path.join(work, 'shallow')]);
		} catch { /* it may be refused, and is said */ }
		const r = await other.get(`/commit/${git('rev-parse', 'HEAD').trim()}.json`);
		assert.ok([200, 404].includes(r.status), r.text);
		if (r.status === 200) {
			assert.match(JSON.parse(r.text).problem, /shallow/);
			assert.match((await other.get(`/commit/${git('rev-parse', 'HEAD').trim()}`, { accept: 'text/html' })).text, /Its files cannot be shown: .*shallow/);
		}
	} finally {
		await other.end();
	}
});

// Every loose object and pack of a folder.
function objects(folder) {
	return readdirSync(path.join(folder, '.git', 'objects'), { recursive: true }).map((f) => path.join(folder, '.git', 'objects', f)).filter((f) => statSync(f).isFile());
}

test('a repository that is damaged or removed while it is served is no failure', async () => {
	execFileSync('git', ['clone', '-q', `file://${inMain()}`, path.join(work, 'copy')], { env });
	const other = await Server.start();
	try {
		other.run(['repo', 'add', 'copy', path.join(work, 'copy')]);
		const get = async (id) => {
			const r = await other.json(`/commit/${id}.json`);
			assert.equal(r.status, 200, r.text);
			return r.json;
		};
		assert.equal((await get(ids.rename)).problem, null);
		renameSync(path.join(work, 'copy'), path.join(work, 'elsewhere'));
		const gone = await get(ids.change);
		assert.equal(gone.problem, 'the repository copy is gone');
		assert.equal(gone.files, null);
		assert.equal(gone.subject, 'slub: change two places');
		assert.deepEqual(gone.tags.sort(), git('tag', '--contains', ids.change).trim().split('\n').sort());
		renameSync(path.join(work, 'elsewhere'), path.join(work, 'copy'));
		assert.equal((await get(ids.side)).problem, null);
		objects(path.join(work, 'copy')).forEach((f) => { execFileSync('chmod', ['u+w', f]); truncateSync(f, 100); });
		await other.stop();
	} finally {
		await other.stop().catch(() => null);
	}
	const again = await Server.start({ folder: other.folder });
	const r = await again.json(`/commit/${ids.binary}.json`);
	assert.equal(r.status, 200, r.text);
	assert.match(r.json.problem, /^the repository copy (is damaged|cannot be opened)$|^no repository that is followed has it any more$/);
	await again.end();
});

await finish();
await s.end();
rmSync(work, { recursive: true, force: true });
