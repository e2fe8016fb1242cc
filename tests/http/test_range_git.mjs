// SPDX-License-Identifier: GPL-2.0-or-later
// Ranges and names of commits with git as the judge, on a made repository with merges, criss-crosses, octopuses, two roots and
// dates that go back. RANGE_COMMITS=50000 RANGE_COUNT=200 asks for more than `make check` does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { git, gitEnv } from '../git/history.mjs';
import { makeRepo } from '../git/make_repo.mjs';
import { asGit, randomRanges, wholeSet } from '../git/range_judge.mjs';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const COMMITS = Number(process.env.RANGE_COMMITS ?? 3000);
const COUNT = Number(process.env.RANGE_COUNT ?? 80);
const enc = encodeURIComponent;

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-ranges-'));
const repo = path.join(folder, 'repo');
makeRepo(repo, COMMITS, 5);
// Without it git's own walk trusts dates, and lists ancestors of A in A..B where they go back.
execFileSync('git', ['-C', repo, '-c', 'commitGraph.generationVersion=1', 'commit-graph', 'write', '--reachable'], { env: gitEnv, stdio: 'ignore' });
const s = await Server.start();
try {
	s.run(['repo', 'add', 'main', repo]);
} catch (e) {
	await s.end();
	throw e;
}

const text = async (range, firstParent) => {
	const r = await s.get(`/range.txt?range=${enc(range)}${firstParent ? '&first_parent=1' : ''}`);
	assert.equal(r.status, 200, `${range}: ${r.text}`);
	return r.text;
};

test(`${COUNT} random ranges of ${COMMITS} commits are what git log --topo-order says, line by line`, async () => {
	let lines = 0;
	for (const [range, firstParent] of randomRanges(repo, COUNT, 17)) {
		const want = asGit(repo, range, firstParent);
		assert.equal(await text(range, firstParent), want, `${range}${firstParent ? ' --first-parent' : ''}`);
		lines += want.split('\n').length - 1;
	}
	assert.ok(lines > COUNT, 'the ranges are not all empty');
});

test('as sets they are the ancestors of one end without those of the other, each listed whole by git', async () => {
	for (const [range] of randomRanges(repo, Math.ceil(COUNT / 4), 23)) {
		const got = new Set((await text(range)).split('\n').filter(Boolean).map((l) => l.slice(0, 12)));
		assert.deepEqual([...got].sort(), wholeSet(repo, range).map((id) => id.slice(0, 12)).sort(), range);
	}
});

test('pages of a range follow one another without a gap', async () => {
	const range = 'v1.0..master';
	const ids = [];
	for (let cursor = 0; cursor !== null;) {
		const { json } = await s.json(`/range/${range}.json?limit=777&cursor=${cursor}`);
		assert.ok(json.commits.length === 777 || json.next === null);
		ids.push(...json.commits.map((c) => c.id));
		cursor = json.next;
	}
	assert.deepEqual(ids, git(repo, 'rev-list', '--topo-order', range).split('\n'));
	const { json } = await s.json(`/range/${range}.json?limit=1`);
	assert.equal(json.total, ids.length);
});

test('thirty forms of a name are what git rev-parse says', async () => {
	const tags = git(repo, 'tag').split('\n');
	const merge = git(repo, 'rev-list', '--min-parents=2', '--max-count=1', 'master');
	const octopus = git(repo, 'rev-list', '--min-parents=3', '--max-count=1', 'master') || merge;
	const branch = git(repo, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n').find((b) => b.startsWith('linux-'));
	const t = tags[tags.length >> 1];
	const described = git(repo, 'describe', '--abbrev=12', 'master~3');
	const forms = [merge, merge.toUpperCase(), merge.slice(0, 12), merge.slice(0, 20).toUpperCase(), 'master', 'heads/master', 'refs/heads/master',
		'master~0', 'master^0', 'master~', 'master^', 'master~7', 'master^^^', 'master~3^', 'master^~2', 'master^{}', 'master^{commit}', 'master^{commit}~2',
		t, `tags/${t}`, `refs/tags/${t}`, `${t}^{}`, `${t}^{commit}`, `${t}~2`, `${t}^0`, `${merge.slice(0, 10)}^2`, `${merge}^2~1`, `${merge}^1`, `${octopus}^2`,
		'HEAD', 'HEAD~2', branch, `heads/${branch}~1`, described, `${described}^`, `${t}^{}^{commit}^^`];
	assert.ok(forms.length >= 30);
	for (const name of forms) {
		const { status, json } = await s.json(`/commit.json?rev=${enc(name)}`);
		assert.equal(status, 200, name);
		assert.equal(json.id, git(repo, 'rev-parse', '--verify', `${name}^{commit}`), name);
	}
	// A tree's name in front is ours.
	assert.equal((await s.json(`/commit.json?rev=${enc('main/master~1')}`)).json.id, git(repo, 'rev-parse', 'master~1'));
});

test('what is no name of a commit is refused, and nothing is looked up or run', async () => {
	const hostile = ['--upload-pack=touch x', '-x', 'refs/../..', '../master', '@{-1}', '@', 'master@{1}', 'HEAD@{yesterday}', ':/text', ':0:file', 'master:file',
		'^{/re}', 'master^{/re}', 'master^{tree}', '^master', 'master^!', 'master^@', 'master~100000', 'master\n', 'mas*', 'x'.repeat(10240), 'master..v1.0'];
	for (const name of hostile) {
		for (const url of [`/commit.json?rev=${enc(name)}`, `/range.json?range=${enc(`${name}..master`)}`, `/range.json?range=${enc(`v1.0..${name}`)}`]) {
			const r = await s.json(url);
			// /commit keeps saying 404 of a word that could be a branch
			assert.ok(r.status === 422 || r.status === 404 || r.status === 414, `${url.slice(0, 80)}: ${r.status}`);
			assert.notEqual(r.json.id, git(repo, 'rev-parse', 'master'));
		}
	}
	assert.equal((await s.get('/range/v1.0%00..master.json')).status, 400);
	for (const range of ['master', 'v1.0..', '..master', 'v1.0....master', 'v1.0..master..v1.1', ' ..'])
		assert.equal((await s.get(`/range.json?range=${enc(range)}`)).status, 422, range);
	assert.equal((await s.get('/range/v1.0..no-such-branch.json')).status, 404);
	assert.equal((await s.get('/range')).status, 404);
});

await finish();
await s.end();
rmSync(folder, { recursive: true });
