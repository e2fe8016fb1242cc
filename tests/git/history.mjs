// SPDX-License-Identifier: GPL-2.0-or-later
// Builds histories for tests: commits with ids known before git has seen them (so that messages can speak of other
// commits), written by `git fast-import`. The same calls make the same ids on every machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Nothing of the machine's own git settings reaches a test.
export const gitEnv = {
	PATH: process.env.PATH,
	HOME: '/nonexistent',
	LC_ALL: 'C',
	GIT_CONFIG_NOSYSTEM: '1',
	GIT_AUTHOR_NAME: 'Ann Author',
	GIT_AUTHOR_EMAIL: 'ann@example.org',
	GIT_COMMITTER_NAME: 'Carl Committer',
	GIT_COMMITTER_EMAIL: 'carl@example.org',
};

export function git(dir, ...args) {
	return execFileSync('git', ['-C', dir, ...args], {
		encoding: 'utf8',
		env: gitEnv,
		maxBuffer: 1 << 28,
		stdio: ['ignore', 'pipe', 'pipe'],
	}).trimEnd();
}

export function objectId(kind, bytes) {
	const body = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
	return createHash('sha1').update(`${kind} ${body.length}\0`).update(body).digest('hex');
}

const rawId = (hex) => Buffer.from(hex, 'hex');

// Entries: [mode, name, id]; git sorts folders as if their names ended in a slash.
function treeId(entries) {
	const key = ([mode, name]) => Buffer.from(mode === '40000' ? `${name}/` : name);
	entries.sort((a, b) => Buffer.compare(key(a), key(b)));
	return objectId('tree', Buffer.concat(entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), rawId(id)])));
}

// The files of a commit, at most one folder deep; shared with its parents where nothing changed.
class Tree {
	constructor(folders = new Map()) {
		this.folders = folders; // name -> { files: Map name -> blob id, id }
	}

	with(files) {
		const folders = new Map(this.folders);
		const fresh = new Set();
		for (const [path, blob] of files) {
			const [folder, name] = path.includes('/') ? path.split('/') : ['', path];
			if (!fresh.has(folder)) {
				folders.set(folder, { files: new Map(folders.get(folder)?.files), id: null });
				fresh.add(folder);
			}
			if (blob === null) folders.get(folder).files.delete(name);
			else folders.get(folder).files.set(name, blob);
		}
		return new Tree(folders);
	}

	id() {
		const entries = [];
		for (const [name, folder] of this.folders) {
			const files = [...folder.files].map(([file, blob]) => ['100644', file, blob]);
			if (name === '') entries.push(...files);
			else if (files.length) entries.push(['40000', name, (folder.id ??= treeId(files))]);
		}
		return treeId(entries);
	}
}

export class History {
	constructor() {
		this.work = mkdtempSync(join(tmpdir(), 'plumbline-history-'));
		this.fd = openSync(join(this.work, 'stream'), 'w+');
		this.chunks = [];
		this.size = 0;
		this.marks = 0;
		this.refs = new Map();
		this.emit('feature done\n');
	}

	emit(text) {
		this.chunks.push(Buffer.from(text));
		this.size += text.length;
		if (this.size > 1 << 22) this.flush();
	}

	flush() {
		const all = Buffer.concat(this.chunks);
		for (let at = 0; at < all.length; ) at += writeSync(this.fd, all, at);
		this.chunks = [];
		this.size = 0;
	}

	// files: { path: text or null (removed) } against the first parent. Returns { id, mark, tree, … }.
	commit({ message, parents = [], files = {}, date, author = 'Ann Author <ann@example.org>', authorDate = date,
		committer = 'Carl Committer <carl@example.org>' }) {
		const changes = Object.entries(files);
		const tree = (parents[0]?.tree ?? new Tree()).with(
			changes.map(([path, text]) => [path, text === null ? null : objectId('blob', text)]));
		const lines = [`tree ${tree.id()}`, ...parents.map((p) => `parent ${p.id}`), `author ${author} ${authorDate} +0000`,
			`committer ${committer} ${date} +0000`];
		const id = objectId('commit', `${lines.join('\n')}\n\n${message}`);
		const mark = ++this.marks;
		let text = `commit refs/plumbline/making\nmark :${mark}\nauthor ${author} ${authorDate} +0000\n` +
			`committer ${committer} ${date} +0000\ndata ${Buffer.byteLength(message)}\n${message}\n`;
		if (parents.length === 0) text = `reset refs/plumbline/making\n${text}`;
		parents.forEach((p, i) => (text += `${i ? 'merge' : 'from'} :${p.mark}\n`));
		for (const [path, body] of changes)
			text += body === null ? `D ${path}\n` : `M 100644 inline ${path}\ndata ${Buffer.byteLength(body)}\n${body}\n`;
		this.emit(`${text}\n`);
		return { id, mark, tree, message, parents: parents.map((p) => p.id), date };
	}

	ref(name, commit) {
		this.refs.set(name, commit.id);
		this.emit(`reset ${name}\nfrom :${commit.mark}\n\n`);
	}

	// An annotated tag.
	tag(name, commit, message = `${name}\n`) {
		this.refs.set(`refs/tags/${name}`, commit.id);
		this.emit(`tag ${name}\nfrom :${commit.mark}\ntagger Carl Committer <carl@example.org> ${commit.date} +0000\n` +
			`data ${Buffer.byteLength(message)}\n${message}\n`);
	}

	// Into a new bare repository, or one that is there already (force: refs may go back).
	write(dir) {
		this.emit('reset refs/plumbline/making\nfrom 0000000000000000000000000000000000000000\n\ndone\n');
		this.flush();
		if (!existsSync(join(dir, 'HEAD')))
			execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=master', dir], { env: gitEnv });
		const stream = openSync(join(this.work, 'stream'), 'r');
		const made = spawnSync('git', ['-C', dir, 'fast-import', '--quiet', '--force'], { env: gitEnv, stdio: [stream, 'pipe', 'pipe'] });
		closeSync(stream);
		closeSync(this.fd);
		rmSync(this.work, { recursive: true });
		if (made.status !== 0) throw new Error(`git fast-import: ${made.stderr}`);
		for (const [name, id] of this.refs) {
			const has = git(dir, 'rev-parse', `${name}^{commit}`);
			if (has !== id) throw new Error(`${name} is ${has} and should be ${id}`);
		}
	}
}
