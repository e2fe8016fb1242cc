// SPDX-License-Identifier: GPL-2.0-or-later
// What the load tests share: an HTTP client that keeps its connections and can break them, waiting as a rig waits
// when it is told to come again, and the server's memory watched all along.
import http from 'node:http';
import { readFileSync } from 'node:fs';
import timers from 'node:timers/promises';

export const MIB = 1 << 20;

export class Client {
	constructor(server, sockets) {
		this.server = server;
		this.token = server.token();
		this.agent = new http.Agent({ keepAlive: true, maxSockets: sockets });
	}

	// body: a Buffer, or an iterable of pieces with their sum as length. breakOff: the connection is torn down once
	// the body has been handed to the system; nobody knows then what became of it, and the answer is null.
	post(body, headers = {}, { breakOff = false, length = body.length, path = '/api/v1/runs' } = {}) {
		return new Promise((done, failed) => {
			const req = http.request(this.server.url + path, {
				method: 'POST', agent: breakOff ? undefined : this.agent,
				headers: { authorization: `Bearer ${this.token}`, 'content-length': length, ...headers },
			}, (res) => collect(res).then((text) => done({ status: res.statusCode, headers: res.headers, text }), failed));
			req.on('error', (e) => breakOff ? done(null) : failed(Object.assign(e, { kept: req.reusedSocket })));
			if (Buffer.isBuffer(body))
				req.end(body, () => breakOff && (req.destroy(), done(null)));
			else
				writePieces(req, body).catch(failed);
		});
	}

	// Again and again until the answer is another than 503; and where a kept connection was closed by the server just
	// when it was used again, at once on another. make: gives the body anew each time.
	async postUntilTaken(make, headers, options, onBusy = () => {}) {
		for (;;) {
			let r;
			try {
				r = await this.post(make(), headers, options);
			} catch (e) {
				if (!e.kept || !/ECONNRESET|EPIPE/.test(e.code)) throw e;
				continue;
			}
			if (r?.status !== 503) return r;
			const wait = Number(r.headers['retry-after']);
			if (!(wait > 0)) throw new Error(`503 without Retry-After: ${r.text}`);
			onBusy();
			await timers.setTimeout(wait * 1000 * (0.5 + Math.random()));
		}
	}

	async json(url) {
		return JSON.parse(await new Promise((done, failed) => {
			http.get(this.server.url + url, { agent: this.agent }, (res) => collect(res).then(done, failed)).on('error', failed);
		}));
	}
}

async function collect(res) {
	const parts = [];
	for await (const p of res) parts.push(p);
	return Buffer.concat(parts).toString();
}

async function writePieces(req, pieces) {
	for (const p of pieces) {
		if (req.destroyed || req.writableEnded) return;
		if (req.write(p)) continue;
		await new Promise((go) => {
			const on = () => { req.off('drain', on).off('close', on); go(); };
			req.on('drain', on).on('close', on);
		});
	}
	req.end();
}

// The most anonymous memory that the server had, looked at every few milliseconds.
export class Memory {
	constructor(server) {
		this.pid = server.child.pid;
		this.peak = 0;
		this.watch = setInterval(() => { this.peak = Math.max(this.peak, this.now()); }, 4);
	}

	now() {
		return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
	}

	stop() {
		clearInterval(this.watch);
		return this.peak;
	}
}

// Runs work(i) for i below n, at most so many at once.
export async function inParallel(n, atOnce, work) {
	let next = 0;
	await Promise.all(Array.from({ length: atOnce }, async () => {
		while (next < n) await work(next++);
	}));
}
