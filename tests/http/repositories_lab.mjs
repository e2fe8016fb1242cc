// SPDX-License-Identifier: GPL-2.0-or-later
// What the tests of repositories share: a server, a folder for repositories, small histories, and short ways to ask.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, watch } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { History } from '../git/history.mjs';
import { Server, program } from './server.mjs';

export const s = await Server.start();
const work = mkdtempSync(path.join(tmpdir(), 'plumbline-repos-'));
chmodSync(work, 0o755);
export const at = (name) => path.join(work, name);

export async function end() {
	await s.end();
	rmSync(work, { recursive: true, force: true });
}

// A subcommand, with its exit status and what it said.
export const command = (args, options = {}) => {
	const r = spawnSync(options.program ?? program, [...args, '--database', options.database ?? s.database], { encoding: 'utf8', ...options });
	return { status: r.status, out: r.stdout, err: r.stderr };
};
export const repo = (...args) => command(['repo', ...args]);
export const ok = (r) => { assert.equal(r.status, 0, r.err); return r; };
export const list = async () => (await s.json('/repositories.json')).json.repositories;
export const one = async (name) => (await list()).find((r) => r.name === name);
export const problem = async (name) => (await one(name)).problem;
export const sql = (text) => execFileSync('sqlite3', [s.database, `.timeout 5000`, text], { encoding: 'utf8' }).trim();
export const alive = async () => assert.equal((await s.get('/healthz')).status, 200);
export const upload = async (commit, key, more = {}) => {
	const r = await s.upload({ key, axes: { testcase: 'hackbench', tbox_group: 'box' }, commit: { ...commit }, runs: [{ 'hackbench.throughput': 100 }], ...more });
	assert.equal(r.status, 201, r.text);
	return r.json.submissions[0].runs[0];
};
// Resolves when the log has a line that fits.
export const logged = (pattern) => new Promise((done) => {
	const look = () => pattern.test(s.logText()) && (watcher.close(), done());
	const watcher = watch(s.log, look);
	look();
});

// Seconds of the next commit.
export const clock = { now: 1_700_000_000 };
export const chain = (h, n, parent, name = 'change') => {
	const all = [];
	for (let i = 0; i < n; i++) {
		const commit = h.commit({ message: `mm: ${name} ${i}\n\nWhy it is so.\n\nSigned-off-by: Ann Author <ann@example.org>\n`, date: clock.now++,
			parents: all.length ? [all.at(-1)] : parent ? [parent] : [], files: { [`mm/${name}${i}.c`]: `int x${i};\n` } });
		all.push(commit);
	}
	return all;
};
// A bare repository with a line of n commits and a tag on the last.
export const simple = (name, n = 5) => {
	const h = new History();
	const commits = chain(h, n, null, name);
	h.ref('refs/heads/master', commits.at(-1));
	h.tag('v1.0', commits.at(-1));
	h.write(at(name));
	return commits;
};
export const everything = (dir) => execFileSync('find', [dir, '-printf', '%p %s %m %T@ %C@\n'], { encoding: 'utf8' });

// A server of git's protocol that takes connections and says nothing.
export async function silentServer() {
	const sockets = [];
	const server = net.createServer((socket) => {
		socket.on('error', () => {});
		sockets.push(socket);
		server.emit('someone');
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	// Resolves when so many have come.
	const someone = async (n = 1) => {
		while (sockets.length < n)
			await new Promise((done) => server.once('someone', done));
	};
	return { url: `git://127.0.0.1:${server.address().port}/linux.git`, someone,
		end: () => { sockets.forEach((k) => k.destroy()); server.close(); } };
}
