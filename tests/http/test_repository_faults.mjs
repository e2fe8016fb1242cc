// SPDX-License-Identifier: GPL-2.0-or-later
// Every way in which a repository can be broken, or is no repository: said in plain words by the command and on the
// page, and nothing stops.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { History, git, gitEnv } from '../git/history.mjs';
import { alive, at, chain, clock, command, end, ok, one, problem, repo, s, simple, sql } from './repositories_lab.mjs';
import { program } from './server.mjs';
import { test, finish } from './tap.mjs';

const asRoot = process.getuid() === 0;
const NOBODY = 65534;

// Added though it is broken, with the same words by the command and on the page.
async function broken(name, from, words) {
	const r = repo('add', name, from);
	assert.equal(r.status, 1, r.out);
	assert.match(r.err, words);
	assert.match(await problem(name), words);
	const page = await s.get('/repositories');
	assert.equal(page.status, 200);
	await alive();
	return r;
}
// Refused: a folder that cannot be one is not added.
async function refused(name, from, words, status = 1) {
	const r = repo('add', name, from);
	assert.equal(r.status, status, r.err);
	assert.match(r.err, words);
	assert.equal(await one(name), undefined);
	await alive();
}

test('missing, a file, a plain folder, other formats: refused in words', async () => {
	await refused('none', at('nothing'), /its folder is not there/);
	writeFileSync(at('file'), 'x');
	await refused('file', at('file'), /it is not a git repository/);
	mkdirSync(at('folder'));
	await refused('folder', at('folder'), /it is not a git repository/);
	execFileSync('git', ['init', '--quiet', '--bare', '--object-format=sha256', at('sha256.git')], { env: gitEnv });
	await refused('sha256', at('sha256.git'), /its names are not SHA-1/);
	simple('wt.git', 2);
	const perTree = (name) => {
		git(at(name), 'config', 'core.repositoryformatversion', '1');
		git(at(name), 'config', 'extensions.worktreeConfig', 'true');
	};
	perTree('wt.git');
	await refused('wt', at('wt.git'), /extensions\.worktreeConfig/);
	simple('ext.git', 2);
	git(at('ext.git'), 'config', 'core.repositoryformatversion', '1');
	git(at('ext.git'), 'config', 'extensions.fancy', 'true');
	await refused('ext', at('ext.git'), /unsupported extension name extensions\.fancy/);
});

test('one that breaks later is said at the next sync, and its commits stay', async () => {
	const commits = simple('later.git', 3);
	ok(repo('add', 'later', at('later.git')));
	for (const [breakIt, words] of [
		[() => git(at('later.git'), 'config', 'core.repositoryformatversion', '7'), /damaged|unsupported repository version/],
		[() => writeFileSync(path.join(at('later.git'), 'HEAD'), 'nonsense'), /it is (not a git repository|damaged)|unsupported/],
		[() => rmSync(at('later.git'), { recursive: true }), /^its folder is not there$/],
	]) {
		breakIt();
		assert.equal(repo('sync', 'later').status, 1);
		assert.match(await problem('later'), words);
		assert.equal((await s.get(`/commit/${commits[0].id}`)).status, 200);
		assert.equal((await one('later')).commits, 3);
	}
});

test('an empty one, and one with nothing that is followed', async () => {
	execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=master', at('empty.git')], { env: gitEnv });
	await broken('empty', at('empty.git'), /it has no commits yet/);
	await broken('empty-there', `file://${at('empty.git')}`, /it has no commits yet/);
	simple('unfollowed.git', 2);
	assert.equal(repo('add', 'unfollowed', at('unfollowed.git'), '--ref', 'next').status, 1);
	assert.match(await problem('unfollowed'), /none of its branches and tags is followed/);
	// It fills up.
	const h = new History();
	h.ref('refs/heads/master', chain(h, 2, null, 'filled').at(-1));
	h.write(at('empty.git'));
	ok(repo('sync', 'empty'));
	ok(repo('sync', 'empty-there'));
	assert.deepEqual([(await one('empty')).commits, await problem('empty'), (await one('empty-there')).commits], [2, null, 2]);
});

test('a shallow one', async () => {
	simple('deep.git', 6);
	execFileSync('git', ['clone', '--quiet', '--bare', '--depth=2', `file://${at('deep.git')}`, at('shallow.git')], { env: gitEnv, stdio: 'pipe' });
	await broken('shallow', at('shallow.git'), /it is shallow/);
	git(at('shallow.git'), 'fetch', '--quiet', '--unshallow', 'origin');
	assert.match(ok(repo('sync', 'shallow')).out, /^shallow: 6 commits/);
});

test('damage: what is whole is added, and what cannot be read is named', async () => {
	const h = new History();
	const good = chain(h, 3, null, 'good');
	const bad = chain(h, 4, good[0], 'bad');
	const beyond = [h.commit({ message: 'Merge bad into good\n', parents: [good[2], bad[3]], date: clock.now++ })];
	h.ref('refs/heads/good', good[2]);
	h.ref('refs/heads/bad', bad[3]);
	h.ref('refs/heads/beyond', beyond[0]);
	h.write(at('damaged.git'));
	const dir = at('damaged.git');
	const objects = path.join(dir, 'objects');
	const file = (id) => path.join(objects, id.slice(0, 2), id.slice(2));
	chmodSync(file(bad[1].id), 0o644);
	writeFileSync(file(bad[1].id), 'garbage');
	await broken('damaged', dir, new RegExp(`it is damaged: commit ${bad[1].id} cannot be read`));
	assert.equal((await s.get(`/commit/${good[2].id}`)).status, 200);
	for (const k of [bad[0], bad[1], bad[3], beyond[0]])
		assert.equal(sql(`SELECT count(*) FROM git_commit WHERE id = '${k.id}'`), '0');
	// An object that is gone altogether, and a ref that leads nowhere.
	rmSync(file(bad[1].id));
	assert.equal(repo('sync', 'damaged').status, 1);
	mkdirSync(path.join(dir, 'refs', 'heads'), { recursive: true });
	writeFileSync(path.join(dir, 'refs', 'heads', 'nowhere'), `${'1'.repeat(40)}\n`);
	assert.equal(repo('sync', 'damaged').status, 1);
	assert.match(await problem('damaged'), /it is damaged: (what refs\/heads\/nowhere is|commit)/);
});

test('a pack that is cut off', async () => {
	const commits = simple('cut.git', 50);
	const folder = path.join(at('cut.git'), 'objects', 'pack');
	const pack = path.join(folder, readdirSync(folder).find((f) => f.endsWith('.pack')));
	chmodSync(pack, 0o644);
	truncateSync(pack, Math.floor(statSync(pack).size / 2));
	await broken('cut', at('cut.git'), /it is damaged/);
	await broken('cut-there', `file://${at('cut.git')}`, /git fetch says: /);
	assert.ok(commits.length === 50);
});

test('what a fetch that was killed left behind in our mirror does not stop the next one; what is fresh is somebody\'s', async () => {
	simple('killed.git', 3);
	const url = `file://${at('killed.git')}`;
	git(at('killed.git'), 'branch', 'topic', 'master~1');
	ok(repo('add', 'killed', url));
	const mirror = path.join(s.folder, 'repos', 'killed.git');
	const locks = ['packed-refs.lock', 'refs/heads/new.lock', 'refs/heads/topic.lock', 'objects/info/commit-graph.lock', 'config.lock'].map((f) => path.join(mirror, f));
	const leave = (seconds) => locks.forEach((f) => {
		mkdirSync(path.dirname(f), { recursive: true });
		writeFileSync(f, '');
		utimesSync(f, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
	});
	git(at('killed.git'), 'branch', '-D', 'topic');
	git(at('killed.git'), 'branch', 'new', 'master~2');
	leave(30);
	assert.equal(repo('sync', 'killed').status, 1);
	assert.match(await problem('killed'), /git fetch says: .*lock/);
	leave(3600);
	ok(repo('sync', 'killed'));
	assert.equal(git(mirror, 'for-each-ref', '--format=%(refname)', 'refs/heads'), 'refs/heads/master\nrefs/heads/new');
	assert.ok(!locks.some((f) => existsSync(f)));
	// one that was cut off while it was made
	rmSync(path.join(mirror, 'objects'), { recursive: true });
	rmSync(path.join(mirror, 'config'));
	ok(repo('sync', 'killed'));
	assert.equal(git(mirror, 'rev-parse', 'new'), git(at('killed.git'), 'rev-parse', 'new'));
});

test(`a repository of another owner is read${asRoot ? '' : ' (made by this user: only root can give one away)'}`, async () => {
	simple('theirs.git', 3);
	if (asRoot)
		execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, at('theirs.git')]);
	assert.match(ok(repo('add', 'theirs', at('theirs.git'))).out, /^theirs: 3 commits/);
});

test('one that may not be read', () => {
	// As another user when this one is root, who may read everything; the program may lie where that user cannot go.
	const state = at('state');
	mkdirSync(state);
	simple('secret.git', 2);
	const options = { database: path.join(state, 'x.db') };
	if (asRoot) {
		chownSync(state, NOBODY, NOBODY);
		options.program = at('plumbline');
		copyFileSync(program, options.program);
		Object.assign(options, { uid: NOBODY, gid: NOBODY, env: { PATH: process.env.PATH, HOME: '/nonexistent' } });
	}
	const as = (...args) => command(['repo', ...args], options);
	assert.equal(as('add', 'secret', at('secret.git')).status, 0);
	for (const inside of ['objects', 'HEAD', '']) {
		chmodSync(path.join(at('secret.git'), inside), 0);
		const r = as('sync');
		assert.equal(r.status, 1);
		assert.equal(r.err, 'plumbline: repository secret: the user of this service may not read it\n', inside);
		chmodSync(path.join(at('secret.git'), inside), inside === 'HEAD' ? 0o644 : 0o755);
	}
	assert.equal(as('sync').status, 0);
});

test('an address that cannot be reached, with a password that is shown nowhere', async () => {
	const r = await broken('far', 'https://me:secret@127.0.0.1:1/linux.git', /git fetch says: .*127\.0\.0\.1/);
	const texts = [r.out, r.err, repo('list').out, s.logText(), (await s.get('/repositories')).text, (await s.get('/repositories.json')).text,
		(await s.get('/metrics')).text, sql("SELECT detail FROM audit WHERE object = 'far'")];
	for (const t of texts)
		assert.ok(!t.includes('secret'), t);
	assert.equal((await one('far')).url, 'https://127.0.0.1:1/linux.git');
	assert.equal(sql("SELECT url FROM repo WHERE name = 'far'"), 'https://me:secret@127.0.0.1:1/linux.git');
});

test('hostile names and addresses are refused, and nothing is run', async () => {
	const mark = at('was-run');
	simple('kernel.git', 2);
	ok(repo('add', 'kernel', at('kernel.git')));
	for (const url of [`ext::sh -c touch% ${mark}`, `ext::touch ${mark}`, '-oProxyCommand=x', `--upload-pack=touch ${mark}`, `ssh://-oProxyCommand=touch${mark}/x`,
		`git@-oProxyCommand=touch:x`, 'fd::7', 'ftp://host/x', 'https://a b/', ''])
		for (const args of [[url], ['--', url]]) {
			const r = repo('add', 'evil', ...args);
			assert.ok(r.status === 1 || r.status === 2, `${url}: ${r.status} ${r.out}`);
			assert.equal(await one('evil'), undefined, url);
		}
	assert.ok(!existsSync(mark));
	for (const name of ['..', 'a/../b', '/etc', 'a b', '', '-x', 'x.git', 'x.lock', 'a//b', 'x\ny', 'a'.repeat(101)])
		assert.equal(command(['repo', 'add', '--', name, at('kernel.git')]).status, 2, name);
	for (const ref of ['-x', 'a..b', '*/*', 'a:b', ''])
		assert.equal(repo('add', 'evil', at('kernel.git'), `--ref=${ref}`).status, 2, ref);
	assert.equal(repo('add', 'evil', at('kernel.git'), '--history=whole').status, 2);
	for (const args of [[], ['add'], ['add', 'x'], ['remove'], ['list', 'x'], ['sync', 'a', 'b'], ['fly']])
		assert.equal(repo(...args).status, 2, args.join(' '));
	for (const args of [['sync', 'nobody'], ['remove', 'nobody']]) {
		const r = repo(...args);
		assert.deepEqual([r.status, r.err], [1, 'plumbline: there is no repository nobody\n']);
	}
	const again = repo('add', 'kernel', at('kernel.git'));
	assert.deepEqual([again.status, again.err], [1, 'plumbline: there is a repository kernel already\n']);
});

test('git\'s own settings and variables of the caller have no part in it', async () => {
	const home = at('home');
	mkdirSync(home);
	const commits = simple('plain.git', 2);
	writeFileSync(path.join(home, 'hook'), `#!/bin/sh\ntouch ${at('hook-ran')}\n`, { mode: 0o755 });
	const env = { ...process.env, GIT_DIR: at('kernel.git'), GIT_WORK_TREE: home, GIT_EXEC_PATH: home, GIT_SSH_COMMAND: path.join(home, 'hook'),
		GIT_ALLOW_PROTOCOL: 'ext', GIT_OBJECT_DIRECTORY: home, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: home };
	const r = command(['repo', 'add', 'plain', `file://${at('plain.git')}`], { env });
	assert.equal(r.status, 0, r.err);
	assert.equal((await one('plain')).commits, commits.length);
	assert.ok(!existsSync(at('hook-ran')));
});

await finish();
await end();
