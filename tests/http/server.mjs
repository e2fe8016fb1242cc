// SPDX-License-Identifier: GPL-2.0-or-later
// A private server for one test file: its own folder, database, port and tokens; stopped by its pid.
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, openSync, closeSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

export const program = path.resolve(process.env.PLUMBLINE ?? 'build/plumbline');

export class Server {
	// options: args (more arguments of serve), folder (an existing state folder to start on)
	static async start(options = {}) {
		const s = new Server();
		s.folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'plumbline test-'));
		s.database = path.join(s.folder, 'plumbline.db');
		s.log = path.join(s.folder, 'log');
		const log = openSync(s.log, 'a');
		s.child = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--database', s.database,
			...(options.args ?? [])], { stdio: ['ignore', 'pipe', log] });
		closeSync(log);
		s.exited = new Promise((done) => s.child.on('exit', (code, signal) => done({ code, signal })));
		const first = await Promise.race([
			new Promise((done) => readline.createInterface({ input: s.child.stdout }).once('line', done)),
			s.exited.then((e) => { throw new Error(`server ended: ${JSON.stringify(e)}\n${s.logText()}`); }),
		]);
		const m = /^listening on http:\/\/(127\.0\.0\.1):(\d+)$/.exec(first);
		if (!m) throw new Error(`unexpected first line: ${first}`);
		s.port = Number(m[2]);
		s.url = `http://127.0.0.1:${s.port}`;
		return s;
	}

	logText() {
		return readFileSync(this.log, 'utf8');
	}

	// Runs a subcommand on this server's database; returns standard output.
	run(args, options = {}) {
		return execFileSync(program, [...args, '--database', this.database],
			{ encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 1 << 28, ...options });
	}

	token(scope = 'upload', ...more) {
		return this.run(['token', 'create', '--name', `test-${scope}`, '--scope', scope, ...more]).trim();
	}

	async get(url, headers = {}) {
		const r = await fetch(this.url + url, { headers, redirect: 'manual' });
		return { status: r.status, headers: r.headers, text: await r.text() };
	}

	async json(url) {
		const r = await this.get(url, { accept: 'application/json' });
		return { ...r, json: JSON.parse(r.text) };
	}

	async post(url, body, headers = {}) {
		const r = await fetch(this.url + url, {
			method: 'POST', body,
			headers: { 'content-type': 'application/json', authorization: `Bearer ${this.uploadToken()}`, ...headers },
		});
		const text = await r.text();
		let json = null;
		try { json = JSON.parse(text); } catch { /* the caller looks at text */ }
		return { status: r.status, headers: r.headers, text, json };
	}

	uploadToken() {
		return this.cachedToken ??= this.token();
	}

	upload(document, headers) {
		return this.post('/api/v1/runs', JSON.stringify(document), headers);
	}

	// Asks for a clean stop and returns {code, signal}.
	async stop(signal = 'SIGTERM') {
		this.child.kill(signal);
		return await this.exited;
	}

	async end() {
		const e = this.child.exitCode === null && this.child.signalCode === null ? await this.stop() : await this.exited;
		rmSync(this.folder, { recursive: true, force: true });
		return e;
	}
}
