// SPDX-License-Identifier: GPL-2.0-or-later
// range.mjs FOLDER WALK: what range.sh measures. git is measured inside of one process, so that its start does not count:
// `git rev-list` of the range, less `git rev-list` of an empty one.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { gitEnv } from '../git/history.mjs';
import { makeRepo } from '../git/make_repo.mjs';
import { Server } from '../http/server.mjs';

const [folder, walk] = process.argv.slice(2);
const repo = path.join(folder, 'repo');
const RANGE = ['v1.0', 'master'];
const REPEATS = 41;

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const git = (...args) => execFileSync('git', ['-C', repo, ...args], { env: gitEnv, stdio: ['ignore', 'ignore', 'ignore'], maxBuffer: 1 << 28 });
function timed(run) {
	run();
	return median(Array.from({ length: REPEATS }, () => {
		const start = performance.now();
		run();
		return performance.now() - start;
	}));
}

makeRepo(repo, 50000, 9);
git('-c', 'commitGraph.generationVersion=1', 'commit-graph', 'write', '--reachable');
const s = await Server.start();
try {
	s.run(['repo', 'add', 'main', repo]);
	const [us, commits] = execFileSync(walk, [s.database, ...RANGE, String(REPEATS)], { encoding: 'utf8' }).trim().split(' ').map(Number);
	const empty = timed(() => git('rev-list', '--topo-order', '--count', 'master..master'));
	const theirs = timed(() => git('rev-list', '--topo-order', '--count', RANGE.join('..')));
	console.log(`warm walk of ${commits} commits: ${(us / 1000).toFixed(2)} ms, git rev-list --topo-order ${(theirs - empty).toFixed(2)} ms ` +
		`(and ${empty.toFixed(2)} ms to start), ratio ${(us / 1000 / (theirs - empty)).toFixed(2)} (goal 1.2)`);
	for (const [form, accept] of [['', 'text/html'], ['.json', '*/*']]) {
		const times = [];
		for (let i = 0; i < REPEATS; i++) { // another page each time, or the page cache would answer
			const start = performance.now();
			const r = await s.get(`/range/${RANGE.join('..')}${form}?limit=500&cursor=${1000 + i}`, { accept });
			times.push(performance.now() - start);
			if (r.status !== 200) throw new Error(r.text);
		}
		console.log(`page of 500 rows${form ? ' as JSON' : ''}: ${median(times).toFixed(1)} ms (goal 50)`);
	}
} finally {
	await s.end();
}
