// SPDX-License-Identifier: GPL-2.0-or-later
// HTTP by hand: bytes in, bytes out, for what a well-behaved client never sends. Every wait is bounded.
import net from 'node:net';

const LONGEST_WAIT = 15000;

// The first answer in the bytes, or null when it is not whole: {status, headers, body, rest}.
function parseAnswer(bytes, isHead) {
	const end = bytes.indexOf('\r\n\r\n');
	if (end < 0)
		return null;
	const [first, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
	const headers = Object.fromEntries(lines.map((l) => [l.slice(0, l.indexOf(':')).toLowerCase(), l.slice(l.indexOf(':') + 1).trim()]));
	const status = Number(first.split(' ')[1]);
	const none = isHead || status < 200 || status === 304;
	const length = none ? 0 : Number(headers['content-length'] ?? 0);
	const from = end + 4;
	if (bytes.length < from + length)
		return null;
	return { status, headers, body: bytes.subarray(from, from + length).toString(), rest: bytes.subarray(from + length) };
}

export class Wire {
	static async open(port) {
		const w = new Wire();
		w.bytes = Buffer.alloc(0);
		w.wake = [];
		w.socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
		w.socket.on('data', (d) => { w.bytes = Buffer.concat([w.bytes, d]); w.poke(); });
		for (const event of ['end', 'error', 'close'])
			w.socket.on(event, () => { w.closed = true; w.poke(); });
		await new Promise((done) => w.socket.once('connect', done));
		return w;
	}

	poke() {
		for (const f of this.wake.splice(0))
			f();
	}

	// Waits until look() gives something, for a while.
	async until(what, look) {
		const limit = AbortSignal.timeout(LONGEST_WAIT);
		limit.addEventListener('abort', () => this.poke());
		for (;;) {
			const r = look();
			if (r)
				return r;
			if (limit.aborted)
				throw new Error(`${what} did not come in time; so far: ${this.bytes.toString('latin1').slice(0, 300)}`);
			await new Promise((done) => this.wake.push(done));
		}
	}

	// False: the other side does not take it any more.
	send(bytes) {
		return new Promise((done) => this.socket.write(bytes, (e) => done(!e)));
	}

	half() {
		this.socket.end();
	}

	// The next answer; null: the connection ended before one was whole.
	async answer(isHead = false) {
		const a = await this.until('an answer', () => parseAnswer(this.bytes, isHead) ?? (this.closed ? 'closed' : null));
		if (a === 'closed')
			return null;
		this.bytes = a.rest;
		return a;
	}

	async ended() {
		await this.until('the end', () => this.closed);
		this.destroy();
	}

	destroy() {
		this.socket.destroy();
	}
}

// One exchange on a connection of its own. closed tells whether the server ended it.
export async function ask(port, bytes, { head = false, half = false } = {}) {
	const w = await Wire.open(port);
	await w.send(bytes);
	if (half)
		w.half();
	const a = await w.answer(head);
	if (a && a.headers.connection === 'close') {
		await w.ended();
		a.closed = true;
	}
	w.destroy();
	return a;
}
