// SPDX-License-Identifier: GPL-2.0-or-later
// The protocol by raw sockets: heads that can be read in two ways, lengths, bodies too large or broken, connections
// that are reused, cut or half closed. What is refused is refused with an answer that the client sees.
import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { Server } from './server.mjs';
import { Wire, ask } from './wire.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const small = await Server.start({ args: ['--max-body', '64K'] });
const MIB = 1 << 20;
let n = 0;
const doc = (more = {}) => JSON.stringify({
	axes: { testcase: 'wire', tbox_group: 'b' }, commit: { id: 'a'.repeat(40) }, key: `w${n++}`, runs: [{ 'wire.x': 1 }], ...more,
});
const auth = (server) => `Authorization: Bearer ${server.uploadToken()}\r\n`;
const post = (body, headers = '', server = s, version = '1.1') => Buffer.concat([
	Buffer.from(`POST /api/v1/runs HTTP/${version}\r\nHost: x\r\n${auth(server)}Content-Type: application/json\r\n${headers}` +
		(/content-length|transfer-encoding/i.test(headers) ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`) + '\r\n'),
	Buffer.from(body)]);
const get = (path, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const chunk = (bytes) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;
const stored = async (server = s) => (await server.json('/runs.json?limit=1000')).json.runs.map((r) => r.key);

test('a head that two readers may read differently is refused and the connection ends', async () => {
	const body = doc();
	const heads = {
		'two lengths': `Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n`,
		'two lengths that differ': `Content-Length: ${body.length}\r\nContent-Length: 0\r\n`,
		'a list of lengths': `Content-Length: ${body.length}, ${body.length}\r\n`,
		'length and chunks': `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`,
		'chunks and length': `Transfer-Encoding: chunked\r\nContent-Length: 0\r\n`,
		'chunks twice': `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`,
		'another coding': `Transfer-Encoding: gzip, chunked\r\n`,
		'no coding': `Transfer-Encoding: identity\r\n`,
		'a sign': `Content-Length: +${body.length}\r\n`,
		'a minus': `Content-Length: -1\r\n`,
		'hexadecimal': `Content-Length: 0x10\r\n`,
		'no digits': `Content-Length: \r\n`,
		'a space before the colon': `Content-Length : ${body.length}\r\n`,
		'a tab before the colon': `Transfer-Encoding\t: chunked\r\nX: Content-Length\r\n`,
		'no name': `: x\r\nContent-Length: ${body.length}\r\n`,
		'two hosts': `Host: x\r\nContent-Length: ${body.length}\r\n`,
	};
	for (const [name, head] of Object.entries(heads)) {
		const w = await Wire.open(s.port);
		await w.send(Buffer.concat([post(body, head), Buffer.from(get('/healthz'))]));
		const a = await w.answer();
		assert.equal(a?.status, 400, name);
		await w.ended();
		assert.doesNotMatch(w.bytes.toString('latin1'), /HTTP\/1\.1 [^4]/, `${name}: a second request was read out of the first`);
	}
	const old = await ask(s.port, post('0\r\n\r\n', 'Transfer-Encoding: chunked\r\n', s, '1.0'));
	assert.equal(old.status, 400);
	assert.match(old.body, /HTTP\/1\.0/);
	assert.deepEqual(await stored(), []);
});

test('a Host is needed, once, except in HTTP/1.0', async () => {
	assert.equal((await ask(s.port, 'GET /healthz HTTP/1.1\r\n\r\n')).status, 400);
	assert.equal((await ask(s.port, 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')).status, 400);
	assert.equal((await ask(s.port, 'GET /healthz HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n')).status, 400);
	const old = await ask(s.port, 'GET /healthz HTTP/1.0\r\n\r\n');
	assert.equal(old.status, 200);
	assert.ok(old.closed);
	const kept = await Wire.open(s.port);
	await kept.send('GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'.repeat(2));
	assert.equal((await kept.answer()).status, 200);
	assert.equal((await kept.answer()).status, 200);
	kept.destroy();
});

test('request lines: absolute form, bad escapes, NUL, unknown methods and versions', async () => {
	const line = async (l, more = '') => await ask(s.port, `${l}\r\nHost: x\r\n${more}\r\n`);
	assert.equal((await line('GET http://elsewhere.example/healthz HTTP/1.1')).body, 'ok\n');
	assert.match((await line('GET http://elsewhere.example HTTP/1.1', 'Accept: application/json\r\n')).body, /"counts"/);
	assert.equal((await line('GET http://elsewhere.example?x=%zz HTTP/1.1')).status, 400);
	for (const path of ['/%', '/%4', '/%zz', '/a%00b', '/%00', '/series?limit=%00', '/series?limit=%', '/' + 'a/'.repeat(40), '*', 'series'])
		for (const accept of ['application/json', 'text/html', 'text/plain']) {
			const a = await line(`GET ${path} HTTP/1.1`, `Accept: ${accept}\r\n`);
			assert.equal(a.status, 400, path);
			assert.match(a.headers['content-type'], accept === 'application/json' ? /problem\+json/ : new RegExp(accept), path);
		}
	assert.equal((await line('GET /healthz%2Fx HTTP/1.1')).status, 404);
	assert.equal((await line('GET /a b HTTP/1.1')).status, 404);
	for (const method of ['DELETE', 'OPTIONS', 'TRACE', 'get', 'PROPFIND']) {
		const a = await line(`${method} /compare HTTP/1.1`);
		assert.equal(a.status, 405, method);
		assert.equal(a.headers.allow, 'GET, HEAD', method);
	}
	assert.equal((await line('PUT /api/v1/runs HTTP/1.1')).headers.allow, 'GET, HEAD, POST');
	assert.equal((await line('GET /healthz HTTP/2.0')).status, 505);
	assert.equal((await ask(s.port, 'GET /healthz\r\n\r\n')).status, 400);
});

test('long heads: 414 and 431 say so, and a usual long head passes', async () => {
	for (const [path, more, status] of [['/' + 'a'.repeat(17 << 10), '', 414], ['/healthz', `X: ${'a'.repeat(13 << 10)}\r\n`, 431],
		['/series?' + 'a&'.repeat(500), '', 414]]) {
		const a = await ask(s.port, get(path, `Accept: application/json\r\n${more}`));
		assert.equal(a.status, status);
		assert.equal(a.headers['content-type'], 'application/problem+json');
		assert.equal(JSON.parse(a.body).status, status);
	}
	assert.equal((await ask(s.port, get('/' + 'a'.repeat(60000)))).status, 414);
	assert.equal((await ask(s.port, get('/healthz', `X: ${'a'.repeat(60000)}\r\n`))).status, 431);
	const many = [...Array(300).keys()].map((i) => i.toString(16).padStart(40, '0')).join(',');
	const long = await ask(s.port, get(`/compare.json?commits=${many}`, `X: ${'a'.repeat(11 << 10)}\r\n`));
	assert.equal(long.headers['content-type'], 'application/problem+json', 'the page itself has answered');
	assert.ok([404, 422].includes(long.status), `${long.status}`);
});

test('a body that is too large is refused with 413, which the client gets to see', async () => {
	const large = Buffer.alloc(65 * MIB, 0x20);
	const w = await Wire.open(s.port);
	await w.send(post('', `Content-Length: ${large.length}\r\n`));
	assert.ok(await w.send(large));
	const a = await w.answer();
	assert.equal(a.status, 413);
	assert.match(JSON.parse(a.body).detail, /67108864/);
	w.destroy();

	const c = await Wire.open(small.port);
	await c.send(post('', 'Transfer-Encoding: chunked\r\n', small));
	for (let i = 0; i < 40; i++)
		await c.send(chunk(' '.repeat(8000)));
	await c.send('0\r\n\r\n' + get('/healthz'));
	assert.equal((await c.answer()).status, 413);
	assert.equal((await c.answer()).status, 200, 'the connection can be used again');
	c.destroy();
	assert.equal((await ask(small.port, post(' '.repeat(65537), '', small))).status, 413);
	assert.equal((await ask(small.port, post(doc().padEnd(65536), '', small))).status, 201);
	const never = await ask(s.port, post('', `Content-Length: ${1e12}\r\n`));
	assert.equal(never.status, 413);
	assert.ok(never.closed);
});

test('Expect: 100-continue is answered with the refusal instead, and else with 100', async () => {
	const head = (headers) => `POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n${headers}\r\n`;
	for (const [status, headers] of [[413, `${auth(s)}Content-Length: ${65 * MIB}\r\n`], [401, 'Content-Length: 10\r\n'],
		[401, 'Authorization: Bearer nope\r\nTransfer-Encoding: chunked\r\n'], [415, `${auth(s)}Content-Encoding: br\r\nContent-Length: 10\r\n`]]) {
		const a = await ask(s.port, head(headers));
		assert.equal(a.status, status);
		assert.ok(a.closed);
	}
	const w = await Wire.open(s.port);
	const body = doc();
	await w.send(head(`${auth(s)}Content-Length: ${body.length}\r\n`));
	assert.equal((await w.answer()).status, 100);
	await w.send(body);
	assert.equal((await w.answer()).status, 201);
	w.destroy();
});

test('a refused token is seen by a client that sends 2 MB first', async () => {
	const body = ' '.repeat(2e6);
	for (let i = 0; i < 20; i++) {
		const w = await Wire.open(s.port);
		assert.ok(await w.send(`POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer no\r\nContent-Length: ${body.length}\r\n\r\n${body}${get('/healthz')}`));
		const a = await w.answer();
		assert.equal(a.status, 401);
		assert.match(a.headers['www-authenticate'], /^Bearer/);
		assert.equal((await w.answer()).status, 200);
		w.destroy();
	}
});

test('gzip bodies: whole, in members, truncated, with garbage, empty, a bomb', async () => {
	const gz = (bytes) => ask(s.port, Buffer.concat([post('', `Content-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n`), bytes]));
	const text = doc();
	const whole = zlib.gzipSync(text);
	assert.equal((await gz(whole)).status, 201);
	const members = doc();
	assert.equal((await gz(Buffer.concat([zlib.gzipSync(members.slice(0, 30)), zlib.gzipSync(''), zlib.gzipSync(members.slice(30))]))).status, 201);
	const spoilt = Buffer.from(whole);
	spoilt[spoilt.length - 6] ^= 1; // the checksum
	for (const bad of [whole.subarray(0, -1), whole.subarray(0, 12), Buffer.concat([whole, Buffer.from('x')]), Buffer.concat([whole, Buffer.alloc(4)]),
		Buffer.alloc(0), Buffer.from(text), zlib.deflateSync(text), spoilt]) {
		const a = await gz(bad);
		assert.equal(a.status, 400);
		assert.match(JSON.parse(a.body).detail, /gzip/);
	}
	assert.equal((await gz(zlib.gzipSync(Buffer.alloc(65 * MIB, 0x20)))).status, 413);
	assert.equal((await gz(zlib.gzipSync(Buffer.alloc(64 * MIB, 0x20)))).status, 400, '64 MiB exactly may be unpacked; then it is no JSON');
	const br = await ask(s.port, post('xx', 'Content-Encoding: br\r\nContent-Length: 2\r\n'));
	assert.equal(br.status, 415);
	assert.equal(br.headers['accept-encoding'], 'gzip, zstd');
	const { json } = await s.json('/runs.json?limit=1000');
	assert.equal(json.runs.filter((r) => r.key === JSON.parse(members).key).length, 1);
});

test('chunks: extensions and trailers are read over, broken ones end the connection', async () => {
	const body = doc();
	const w = await Wire.open(s.port);
	await w.send(post(`3;a="b"\r\n${body.slice(0, 3)}\r\n${chunk(body.slice(3))}0\r\nContent-Length: 5\r\n\r\n`, 'Transfer-Encoding: chunked\r\n') + get('/healthz'));
	assert.equal((await w.answer()).status, 201);
	assert.equal((await w.answer()).body, 'ok\n');
	w.destroy();
	for (const bad of ['xyz\r\n\r\n', 'fffffffffffffffff\r\n\r\n', '-1\r\n\r\n', '2\r\n{}}\r\n0\r\n\r\n']) {
		const c = await Wire.open(s.port);
		await c.send(post(bad, 'Transfer-Encoding: chunked\r\n') + get('/healthz'));
		const a = await c.answer();
		assert.ok(a === null || a.status === 400 || a.status === 413, `${bad}: ${a?.status}`);
		await c.ended();
	}
});

test('requests in one pipe are answered in order', async () => {
	const w = await Wire.open(s.port);
	await w.send(get('/healthz') + get('/nothing', 'Accept: text/plain\r\n') + get('/series.json') + get('/healthz').replace('GET', 'HEAD') + get('/readyz'));
	assert.equal((await w.answer()).body, 'ok\n');
	assert.equal((await w.answer()).status, 404);
	assert.match((await w.answer()).body, /^\{"series":/);
	assert.equal((await w.answer(true)).status, 200);
	assert.equal((await w.answer()).body, 'ready\n');

	const keys = [];
	let all = Buffer.alloc(0);
	for (let i = 0; i < 20; i++) {
		const body = doc();
		keys.push(JSON.parse(body).key);
		all = Buffer.concat([all, post(body), Buffer.from(get(`/series.json?i=${i}`))]);
	}
	await w.send(all);
	for (const key of keys) {
		const a = await w.answer();
		assert.equal(a.status, 201);
		assert.equal(JSON.parse(a.body).submissions[0].key, key);
		assert.match((await w.answer()).body, /^\{"series":\[\{/);
	}
	// A body that nobody asked for is no second request.
	await w.send(get('/healthz', `Content-Length: ${get('/nothing').length}\r\n`) + get('/nothing') + get('/readyz', 'Connection: close\r\n'));
	assert.equal((await w.answer()).body, 'ok\n');
	assert.equal((await w.answer()).body, 'ready\n');
	await w.ended();
	assert.equal(w.bytes.length, 0);
});

test('a piece at a time, and blank lines before a request', async () => {
	const w = await Wire.open(s.port);
	for (const c of `\r\n${get('/healthz')}`)
		await w.send(c);
	assert.equal((await w.answer()).body, 'ok\n');
	const bytes = post(doc());
	for (let i = 0; i < bytes.length; i += 7)
		await w.send(bytes.subarray(i, i + 7));
	assert.equal((await w.answer()).status, 201);
	w.destroy();
});

test('304: one of several etags, weak or strong, or any', async () => {
	for (const url of ['/series.json', '/series', '/help/reading', '/']) {
		const first = await ask(s.port, get(url, 'Accept: text/html\r\n'));
		const etag = first.headers.etag;
		assert.match(etag, /^W\/"[0-9a-f]+"$/, url);
		for (const list of [etag, `"x", ${etag}`, `W/"y",${etag},"z"`, etag.slice(2), '*']) {
			const a = await ask(s.port, get(url, `Accept: text/html\r\nIf-None-Match: ${list}\r\n`));
			assert.equal(a.status, 304, `${url} ${list}`);
			assert.equal(a.headers.etag, etag);
			assert.equal(a.headers.vary, 'Accept, Accept-Encoding');
			assert.equal(a.headers['cache-control'], 'no-cache');
		}
		for (const list of ['"x"', 'W/"x", "y"', '', etag.toUpperCase(), etag.slice(0, -3) + '"'])
			assert.equal((await ask(s.port, get(url, `Accept: text/html\r\nIf-None-Match: ${list}\r\n`))).status, 200, `${url} ${list}`);
	}
	assert.equal((await ask(s.port, get('/c/abcdefabcdef', 'If-None-Match: *\r\n'))).status, 404, 'there is no such page');
	const etag = (await ask(s.port, get('/series.json'))).headers.etag;
	assert.equal((await ask(s.port, post(doc()))).status, 201);
	assert.equal((await ask(s.port, get('/series.json', `If-None-Match: ${etag}\r\n`))).status, 200, 'new data, new page');
});

test('HEAD has the head of GET and nothing after it', async () => {
	for (const url of ['/', '/series.json', '/series.csv', '/compare.txt?commits=' + 'a'.repeat(40), '/healthz', '/nothing', '/c/fffffff', '/help/upload', '/api/v1/series'])
		for (const more of ['', 'Accept-Encoding: gzip\r\n', 'Accept: application/json\r\n']) {
			const w = await Wire.open(s.port);
			await w.send(get(url, more) + get(url, more).replace('GET', 'HEAD') + get('/healthz'));
			const a = await w.answer();
			const b = await w.answer(true);
			assert.equal(b.status, a.status, url);
			// The number of a failed request is its own, so its body may be a digit longer.
			for (const h of [a.headers, b.headers])
				delete h.date, a.status >= 400 && delete h['content-length'];
			assert.deepEqual(b.headers, a.headers, url);
			assert.equal((await w.answer()).body, 'ok\n');
			w.destroy();
		}
});

test('who closes his side after asking is answered all the same', async () => {
	for (let i = 0; i < 20; i++)
		for (const path of ['/series.json', '/healthz', '/nothing'])
			assert.equal((await ask(s.port, get(path), { half: true })).status, path === '/nothing' ? 404 : 200);
	// libmicrohttpd may drop the answer of a request that was suspended; what was uploaded is there once all the same.
	const body = doc();
	const { key } = JSON.parse(body);
	for (let i = 0; i < 20; i++)
		await ask(s.port, post(body), { half: true });
	const again = await ask(s.port, post(body));
	assert.equal(again.status, 200);
	assert.equal(JSON.parse(again.body).submissions[0].status, 'duplicate');
	assert.equal((await stored()).filter((k) => k === key).length, 1);
});

test('clients that go away while their upload is under way harm nobody', async () => {
	const before = (await stored()).length;
	const open = (text) => Number(/^plumbline_connections (\d+)$/m.exec(text)[1]);
	const most = open((await s.get('/metrics')).text) + 1;
	for (let i = 0; i < 60; i++) {
		const w = await Wire.open(s.port);
		await w.send(post(doc()));
		if (i % 2)
			w.socket.resetAndDestroy();
		else
			w.destroy();
	}
	// What came whole was stored whole, or not at all; and nothing is held for them any more.
	const quiet = (text) => /^plumbline_suspended_requests 0$/m.test(text) && open(text) <= most && /^plumbline_request_body_bytes 0$/m.test(text);
	let text = '';
	for (let i = 0; i < 2000 && !(text && quiet(text)); i++)
		text = (await ask(s.port, get('/metrics', 'Connection: close\r\n'))).body;
	assert.ok(quiet(text), text);
	const keys = await stored();
	assert.equal(new Set(keys).size, keys.length);
	assert.ok(keys.length >= before && keys.length <= before + 60);
	assert.equal((await ask(s.port, post(doc()))).status, 201);
	assert.match(s.run(['check']), /: no complaints$/m);
});

await finish();
for (const server of [s, small]) {
	const e = await server.end();
	assert.deepEqual(e, { code: 0, signal: null });
}
