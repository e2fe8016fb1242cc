// SPDX-License-Identifier: GPL-2.0-or-later
// Repositories: added, read, refreshed, removed; and what git says afterwards. What is expected comes from git.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { History, git, gitEnv, objectId } from '../git/history.mjs';
import { makeRepo } from '../git/make_repo.mjs';
import { alive, at, chain, clock, end, everything, logged, ok, one, problem, repo, s, silentServer, simple, sql, upload } from './repositories_lab.mjs';
import { Server, program } from './server.mjs';
import { test, finish } from './tap.mjs';

// --- what works ---

test('a folder is read in place and not written to', async () => {
	const head = makeRepo(at('kernel.git'), 3000, 7);
	const before = everything(at('kernel.git'));
	const added = ok(repo('add', 'kernel', at('kernel.git')));
	const count = Number(git(at('kernel.git'), 'rev-list', '--all', '--count'));
	const refs = git(at('kernel.git'), 'for-each-ref', '--format=%(refname)').split('\n').length;
	assert.match(added.out, new RegExp(`^kernel: ${count} commits in ${refs} branches and tags, ${count} of them new`));
	assert.equal(everything(at('kernel.git')), before);
	const { added: when, tried, refreshed, next, ...rest } = await one('kernel');
	assert.deepEqual(rest, { name: 'kernel', url: at('kernel.git'), in_place: true, follows: [], line: 'refs/heads/master', snapshots: false,
		commits: count, refs, failures: 0, problem: null });
	assert.equal(tried, refreshed);
	assert.equal(Date.parse(next) - Date.parse(tried), 300_000);
	assert.ok(when <= tried);
	assert.equal(git(at('kernel.git'), 'rev-parse', 'master'), head);
	const short = (t) => `${t.slice(0, 10)} ${t.slice(11, 16)}`;
	const text = await s.get('/repositories', { accept: '*/*' });
	assert.match(text.headers.get('content-type'), /^text\/plain/);
	assert.ok(text.text.includes(`kernel\n  ${at('kernel.git')}\n  refreshed ${short(refreshed)}`), text.text);
	assert.ok(text.text.includes(`\n  ${refs} branches and tags, ${count} commits; line of charts refs/heads/master\n`), text.text);
	assert.match(ok(repo('list')).out, /^kernel +\S+Z +\d+ +\d+ refs\/heads\/master/m);
});

test('every commit is in the index: parents before children, subjects, dates and links as git says', () => {
	const dir = at('kernel.git');
	const rows = new Map(sql('SELECT id, position, date, author_date, hex(parents), subject FROM git_commit').split('\n').map((l) => {
		const [id, position, date, author, parents, ...subject] = l.split('|');
		return [id, { position: Number(position), date, author, parents, subject: subject.join('|') }];
	}));
	const said = git(dir, 'log', '--all', '--format=%H|%ct|%at|%P|%s').split('\n');
	assert.equal(rows.size, said.length);
	for (const line of said) {
		const [id, date, author, parents, ...subject] = line.split('|');
		const row = rows.get(id);
		const positions = parents.split(' ').filter(Boolean).map((p) => rows.get(p).position);
		assert.deepEqual([row.date, row.author, row.subject], [date, author, subject.join('|')]);
		assert.equal(row.parents, Buffer.from(Uint32Array.from(positions).buffer).toString('hex').toUpperCase());
		for (const p of positions)
			assert.ok(p < row.position);
	}
	const links = sql("SELECT g.id || ' ' || l.target FROM git_link l JOIN git_commit g ON g.position = l.position WHERE l.kind = 0").split('\n').sort();
	const fixes = git(dir, 'log', '--all', '--format=%H %(trailers:key=Fixes,valueonly,separator=%x20)').split('\n')
		.map((l) => l.split(' ').slice(0, 2)).filter(([, f]) => f).map((l) => l.join(' ')).sort();
	assert.ok(fixes.length > 100);
	assert.deepEqual(links, fixes);
	const messages = git(dir, 'log', '--all', '--format=%B%x00').split('\0').join('\n');
	const kinds = sql('SELECT kind, count(*) FROM git_link GROUP BY kind ORDER BY kind').split('\n');
	const matches = (re) => [...messages.matchAll(re)].length;
	assert.deepEqual(kinds, [`0|${fixes.length}`, `1|${matches(/^commit [0-9a-f]{40} upstream\.$|^\[ Upstream commit [0-9a-f]{40} \]$/gm)}`,
		`2|${matches(/^This reverts commit [0-9a-f]{40}\.$/gm)}`, `3|${matches(/^Link: https:\/\/lore/gm)}`]);
});

test('a second sync adds only what is new', async () => {
	assert.match(ok(repo('sync', 'kernel')).out, /, 0 of them new,/);
	const h = new History();
	const [a, b] = [chain(h, 3, null, 'grow'), null];
	h.ref('refs/heads/master', a.at(-1));
	h.write(at('grow'));
	ok(repo('add', 'grow', at('grow')));
	const more = new History();
	const same = [];
	clock.now -= 3;
	same.push(...chain(more, 3, null, 'grow'));
	assert.equal(same.at(-1).id, a.at(-1).id);
	const side = chain(more, 2, same[0], 'side');
	const merge = more.commit({ message: 'Merge side\n', parents: [same.at(-1), side.at(-1)], date: clock.now++ });
	more.ref('refs/heads/master', merge);
	more.write(at('grow'));
	assert.match(ok(repo('sync', 'grow')).out, /^grow: 6 commits in 1 branches and tags, 3 of them new/);
	assert.equal(b, null);
});

test('an address is fetched into a mirror of our own, with a commit-graph that libgit2 can use', async () => {
	const commits = simple('origin.git', 8);
	const url = `file://${at('origin.git')}`;
	ok(repo('add', 'team/origin', url));
	const mirror = path.join(s.folder, 'repos', 'team', 'origin.git');
	assert.equal(git(mirror, 'rev-parse', 'master'), commits.at(-1).id);
	git(mirror, 'commit-graph', 'verify');
	const graph = readFileSync(path.join(mirror, 'objects', 'info', 'commit-graph'));
	assert.equal(graph.indexOf('GDA2'), -1); // generation numbers of the second version
	assert.ok(graph.indexOf('CDAT') > 0);
	const { in_place: inPlace, line, url: shown } = await one('team/origin');
	assert.deepEqual([inPlace, line, shown], [false, 'refs/heads/master', url]);
	assert.equal((await s.get(`/commit/${commits[3].id}`)).status, 200);
});

test('only the refs that are asked for are followed', async () => {
	const h = new History();
	const base = chain(h, 2, null, 'base');
	const stable = chain(h, 2, base[0], 'stable');
	const topic = chain(h, 2, base[0], 'topic');
	h.ref('refs/heads/master', base.at(-1));
	h.ref('refs/heads/linux-6.1.y', stable.at(-1));
	h.ref('refs/heads/topic', topic.at(-1));
	h.tag('v6.1', base[0]);
	h.tag('v5.9', topic[0]);
	h.write(at('refs.git'));
	for (const [name, from] of [['refs-here', at('refs.git')], ['refs-there', `file://${at('refs.git')}`]]) {
		ok(repo('add', name, from, '--ref', 'linux-6.*', '--ref', 'tags/v6.*'));
		const r = await one(name);
		assert.deepEqual([r.refs, r.commits, r.line], [2, 3, 'refs/heads/linux-6.1.y']);
		assert.deepEqual(r.follows, ['refs/heads/linux-6.*', 'refs/tags/v6.*']);
	}
	assert.deepEqual(git(path.join(s.folder, 'repos', 'refs-there.git'), 'for-each-ref', '--format=%(refname)').split('\n'),
		['refs/heads/linux-6.1.y', 'refs/tags/v6.1']);
	assert.equal((await s.get(`/commit/${topic[1].id}.json`)).status, 404);
	ok(repo('add', 'next', at('refs.git'), '--history=snapshots'));
	assert.deepEqual([(await one('next')).snapshots, (await one('refs-here')).snapshots], [true, false]);
	assert.match((await s.get('/repositories', { accept: 'text/html' })).text, /next \(snapshots\)/);
});

test('tags of trees are passed over; hostile texts are kept as text', async () => {
	const dir = at('odd.git');
	execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=master', dir], { env: gitEnv });
	const tree = execFileSync('git', ['-C', dir, 'mktree'], { input: '', env: gitEnv, encoding: 'utf8' }).trim();
	const raw = (head, message) => execFileSync('git', ['-C', dir, 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'],
		{ env: gitEnv, encoding: 'utf8', input: Buffer.concat([Buffer.from(`tree ${tree}\nauthor A <a@example.org> 1700000000 +0000\n` +
			`committer A <a@example.org> 1700000000 +0000\n${head}\n`), message]) }).trim();
	const evil = '<script>alert(1)</script>\x1b[31m';
	const ids = [raw('', Buffer.from(`${evil}\n\nFixes: ${'a'.repeat(12)}\n`)), raw('encoding ISO-8859-1\n', Buffer.from('caf\xe9\n', 'latin1')),
		raw('', Buffer.from('bytes \xff\xfe here\n', 'latin1')), raw('', Buffer.from(''))];
	ids.forEach((id, i) => git(dir, 'update-ref', `refs/heads/b${i}`, id));
	git(dir, 'update-ref', 'refs/tags/a-tree', tree);
	ok(repo('add', 'odd', dir));
	const r = await one('odd');
	assert.deepEqual([r.commits, r.refs, r.problem], [4, 4, null]);
	const subjects = ids.map((id) => sql(`SELECT subject FROM git_commit WHERE id = '${id}'`));
	assert.equal(subjects[0], evil);
	assert.equal(subjects[1], 'café');
	assert.equal(subjects[3], '');
	const page = await s.get(`/commit/${ids[0]}`, { accept: 'text/html' });
	assert.equal(page.status, 200);
	assert.ok(!page.text.includes('<script>alert'));
});

// --- stubs, tags, texts ---

test('a stub becomes its commit at the sync and keeps its name; what git says wins', async () => {
	const commits = simple('late.git', 4);
	const { id, message } = commits[2];
	const run = await upload({ id: id.slice(0, 9), subject: 'as somebody wrote it' }, 'late-1');
	const tagged = await upload({ id: 'v1.0', tree: 'late' }, 'late-2');
	assert.equal((await s.json(`/commit/${id.slice(0, 9)}.json`)).json.id, id.slice(0, 9));
	ok(repo('add', 'late', at('late.git')));
	for (const name of [id, id.slice(0, 9), id.slice(0, 12)]) {
		const { json, status } = await s.json(`/commit/${name}.json`);
		assert.equal(status, 200, name);
		assert.deepEqual([json.id, json.subject, json.message], [id, message.split('\n')[0], message]);
		assert.deepEqual([json.author.name, json.author.email], ['Ann Author', 'ann@example.org']);
	}
	assert.equal((await s.json(`/run/${run}.json`)).json.commit.id, id);
	assert.equal(sql(`SELECT count(*) FROM commit_alias WHERE name = '${id.slice(0, 9)}'`), '1');
	assert.equal(sql("SELECT g.id FROM commits k JOIN git_commit g ON g.position = k.position WHERE k.name = 'v1.0' AND k.tree = 'late'"), commits[3].id);
	// One that comes later is completed at once.
	await upload({ id: commits[1].id.slice(0, 8) }, 'late-3');
	assert.equal((await s.json(`/commit/${commits[1].id.slice(0, 8)}.json`)).json.id, commits[1].id);
	assert.equal(Number.isInteger(tagged), true);
});

test('an upload of a commit that git knows gets its text from there', async () => {
	const [, b] = simple('texts.git', 3);
	ok(repo('add', 'texts', at('texts.git')));
	await upload({ id: b.id, subject: 'otherwise', message: 'otherwise\n' }, 'texts-1');
	ok(repo('sync', 'texts'));
	const { json } = await s.json(`/commit/${b.id}.json`);
	assert.deepEqual([json.subject, json.message], [b.message.split('\n')[0], b.message]);
	const patch = execFileSync('git', ['patch-id', '--stable'], { input: git(at('texts.git'), 'show', b.id), encoding: 'utf8' }).split(' ')[0];
	assert.equal(sql(`SELECT patch_id FROM git_commit WHERE id = '${b.id}'`), patch);
});

test('a stub whose prefix is a second commit\'s as well, later: its page says both, and results stay', async () => {
	// Two commits that share 7 digits: some twenty thousand are made up until two do.
	const h = new History();
	const root = h.commit({ message: 'root\n', date: 1_600_000_000 });
	const seen = new Map();
	const head = `tree ${root.tree.id()}\nparent ${root.id}\nauthor Ann Author <ann@example.org> 1600000001 +0000\n` +
		'committer Carl Committer <carl@example.org> 1600000001 +0000\n\n';
	let pair;
	for (let n = 0; !pair; n++) {
		const prefix = objectId('commit', `${head}try ${n}\n`).slice(0, 7);
		if (seen.has(prefix)) pair = [seen.get(prefix), n];
		seen.set(prefix, n);
	}
	const make = (history, parent, n) => history.commit({ message: `try ${n}\n`, parents: [parent], date: 1_600_000_001 });
	const first = make(h, root, pair[0]);
	const prefix = first.id.slice(0, 7);
	h.ref('refs/heads/master', first);
	h.write(at('twins.git'));
	const run = await upload({ id: prefix }, 'twins-1');
	ok(repo('add', 'twins', at('twins.git')));
	assert.equal((await s.json(`/commit/${prefix}.json`)).json.id, first.id);

	const h2 = new History();
	const again = h2.commit({ message: 'root\n', date: 1_600_000_000 });
	const second = make(h2, again, pair[1]);
	assert.equal(second.id.slice(0, 7), prefix);
	h2.ref('refs/heads/other', second);
	h2.write(at('twins.git'));
	ok(repo('sync', 'twins'));
	const page = await s.get(`/commit/${prefix}.json`, { accept: 'application/json' });
	assert.equal(page.status, 300, page.text);
	assert.ok(page.text.includes(first.id) && page.text.includes(second.id));
	const result = (await s.json(`/commit/${first.id}.json`)).json;
	assert.equal(result.results.length, 1);
	assert.equal((await s.json(`/run/${run}.json`)).json.commit.id, first.id);
	// A new stub of it stays one.
	await upload({ id: second.id.slice(0, 7) }, 'twins-2');
	assert.equal(sql(`SELECT count(*) FROM commits WHERE name = '${second.id}'`), '0');
});

// --- time goes on ---

test('a branch that is rewritten: its old commits stay known, and what was measured stays in the mirror', async () => {
	const old = simple('rewritten.git', 4);
	ok(repo('add', 'rewritten', `file://${at('rewritten.git')}`));
	await upload({ id: old[3].id, tree: 'rewritten' }, 'rewritten-1');
	ok(repo('sync', 'rewritten'));
	const dir = at('rewritten.git');
	git(dir, 'update-ref', '-d', 'refs/tags/v1.0');
	const fresh = git(dir, 'commit-tree', '-p', old[1].id, '-m', 'instead', `${old[1].id}^{tree}`);
	git(dir, 'update-ref', 'refs/heads/master', fresh);
	git(dir, 'reflog', 'expire', '--expire=now', '--all');
	git(dir, 'gc', '--quiet', '--prune=now');
	assert.match(ok(repo('sync', 'rewritten')).out, /^rewritten: 3 commits in 1 branches and tags, 1 of them new/);
	for (const k of old)
		assert.equal((await s.get(`/commit/${k.id}`)).status, 200);
	assert.notEqual(sql(`SELECT gone FROM repo_ref f JOIN repo r ON r.repo_id = f.repo_id WHERE r.name = 'rewritten' AND f.name = 'refs/tags/v1.0'`), '');
	const mirror = path.join(s.folder, 'repos', 'rewritten.git');
	git(mirror, 'reflog', 'expire', '--expire=now', '--all');
	git(mirror, 'gc', '--quiet', '--prune=now');
	assert.equal(git(mirror, 'rev-parse', `refs/plumbline/${old[3].id}`), old[3].id);
	assert.equal(git(mirror, 'cat-file', '-t', old[3].id), 'commit');
});

test('the server refreshes by itself, and says a problem once', async () => {
	const commits = simple('self.git', 2);
	ok(repo('add', 'self', at('self.git')));
	const next = git(at('self.git'), 'commit-tree', '-p', commits[1].id, '-m', 'one more', `${commits[1].id}^{tree}`);
	git(at('self.git'), 'update-ref', 'refs/heads/master', next);
	const due = () => sql("UPDATE repo SET next_try = 0 WHERE name = 'self'");
	due();
	await logged(/event=repository name=self added=1 /);
	assert.equal((await s.get(`/commit/${next}`)).status, 200);
	renameSync(at('self.git'), at('self.away'));
	due();
	await logged(/event=repository name=self problem="its folder is not there"/);
	assert.equal(await problem('self'), 'its folder is not there');
	assert.match((await s.get('/repositories', { accept: 'text/html' })).text, /its folder is not there/);
	assert.match((await s.get('/repositories.txt')).text, /^self\n  \S+self\.git\n  refreshed [^\n]+\n[^\n]+\n  problem: its folder is not there\n/m);
	assert.equal(repo('sync', 'self').status, 1);
	renameSync(at('self.away'), at('self.git'));
	due();
	await logged(/event=repository name=self added=0 /);
	assert.equal(await problem('self'), null);
	assert.equal([...s.logText().matchAll(/name=self problem=/g)].length, 1);
});

test('failures in a row: the next try is twice as far off, up to an hour', async () => {
	simple('back.git', 2);
	ok(repo('add', 'back', at('back.git')));
	rmSync(at('back.git'), { recursive: true });
	const waits = [];
	for (let i = 0; i < 6; i++) {
		const r = repo('sync', 'back');
		assert.equal(r.status, 1);
		assert.equal(r.err, 'plumbline: repository back: its folder is not there\n');
		const { next, tried, failures } = await one('back');
		assert.equal(failures, i + 1);
		waits.push((Date.parse(next) - Date.parse(tried)) / 1000);
	}
	assert.deepEqual(waits, [300, 600, 1200, 2400, 3600, 3600]);
	const metrics = (await s.get('/metrics')).text;
	assert.match(metrics, /^plumbline_repository_failures\{name="back"\} 6$/m);
	assert.match(metrics, /^plumbline_repository_failures\{name="kernel"\} 0$/m);
	assert.match(metrics, /^plumbline_repository_problems 1$/m);
	simple('back.git', 2);
	ok(repo('sync', 'back'));
	assert.equal((await one('back')).failures, 0);
	assert.equal((await s.json('/status.json')).json.figures.repository_problems, 0);
});

// --- removal, and several at once ---

test('removing takes our mirror away, keeps commits and results, and leaves the folders of others', async () => {
	const commits = simple('gone.git', 3);
	ok(repo('add', 'gone-here', at('gone.git')));
	ok(repo('add', 'gone-there', `file://${at('gone.git')}`));
	await upload({ id: commits[1].id }, 'gone-1');
	const mirror = path.join(s.folder, 'repos', 'gone-there.git');
	assert.ok(existsSync(mirror));
	const before = everything(at('gone.git'));
	ok(repo('remove', 'gone-here'));
	ok(repo('remove', 'gone-there'));
	assert.equal(everything(at('gone.git')), before);
	assert.ok(!existsSync(mirror));
	assert.ok(!existsSync(mirror.replace('.git', '.lock')));
	assert.equal(await one('gone-here'), undefined);
	assert.equal((await s.json(`/commit/${commits[1].id}.json`)).json.results.length, 1);
	assert.equal((await s.get(`/commit/${commits[2].id}`)).status, 200);
	assert.equal(sql("SELECT count(*) FROM repo_ref f JOIN repo r ON r.repo_id = f.repo_id WHERE r.name LIKE 'gone-%' AND f.gone IS NULL"), '0');
	// It can be taken up again.
	ok(repo('add', 'gone-there', at('gone.git')));
	assert.deepEqual([(await one('gone-there')).in_place, (await one('gone-there')).refs], [true, 2]);
});

test('a repository that is deleted while it is served', async () => {
	const commits = simple('deleted.git', 3);
	ok(repo('add', 'deleted', at('deleted.git')));
	await upload({ id: commits[1].id }, 'deleted-1');
	ok(repo('sync', 'deleted'));
	rmSync(at('deleted.git'), { recursive: true });
	for (const k of commits) {
		const r = await s.json(`/commit/${k.id}.json`);
		assert.equal(r.status, 200);
		assert.equal(r.json.subject, k.message.split('\n')[0]);
	}
	assert.equal((await s.json(`/commit/${commits[1].id}.json`)).json.message, commits[1].message); // its text was copied
	assert.equal(repo('sync', 'deleted').status, 1);
	await alive();
});

test('two processes at one repository: the second waits for the first', async () => {
	const silent = await silentServer();
	const run = (...args) => spawn(program, ['repo', ...args, '--database', s.database], { stdio: ['ignore', 'ignore', 'pipe'] });
	const ended = (k) => new Promise((done) => k.on('exit', (code) => done(code)));
	const first = run('add', 'slow', silent.url);
	const firstEnd = ended(first);
	await silent.someone();
	const second = run('sync', 'slow');
	const secondEnd = ended(second);
	const line = await Promise.race([silent.someone(2).then(() => 'it did not wait'),
		new Promise((done) => readline.createInterface({ input: second.stderr }).once('line', done))]);
	assert.equal(line, 'plumbline: waiting for another process that refreshes slow');
	silent.end();
	assert.deepEqual([await firstEnd, await secondEnd], [1, 1]);
	assert.equal((await one('slow')).failures, 2);
});

test('a server that stops in the middle of a fetch ends its git, and ends well', async () => {
	const silent = await silentServer();
	const other = await Server.start();
	const added = spawn(program, ['repo', 'add', 'slow', silent.url, '--database', other.database], { stdio: 'ignore' });
	const end = new Promise((done) => added.on('exit', (code, signal) => done(signal)));
	await silent.someone();
	added.kill('SIGKILL'); // it is in the database now, and due
	assert.equal(await end, 'SIGKILL');
	silent.end();
	const again = await silentServer();
	execFileSync('sqlite3', [other.database, '.timeout 5000', `UPDATE repo SET url = '${again.url}', next_try = 0`]);
	await again.someone();
	assert.deepEqual(await other.stop(), { code: 0, signal: null });
	const left = spawnSync('pgrep', ['-f', again.url], { encoding: 'utf8' });
	assert.equal(left.stdout, '');
	again.end();
	await other.end();
});

await finish();
await end();
