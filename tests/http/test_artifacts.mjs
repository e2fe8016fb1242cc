// SPDX-License-Identifier: GPL-2.0-or-later
// Files of runs: in by PUT, out by digest, kept once, never changed.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const upload = async (machine, key) => (await s.upload({ axes: { testcase: 't', tbox_group: machine }, commit: { id: 'a'.repeat(40) }, key,
	runs: [{ m: 1 }] })).json.submissions[0].runs[0];
const a = await upload('box-a', 'k1'), b = await upload('box-b', 'k2');
const put = async (run, name, body, headers = {}) => {
	const r = await fetch(`${s.url}/api/v1/run/${run}/artifacts/${name}`, { method: 'PUT', body,
		headers: { authorization: `Bearer ${s.uploadToken()}`, 'content-type': 'text/x-anything', ...headers } });
	const text = await r.text();
	return { status: r.status, headers: r.headers, text, json: JSON.parse(text) };
};
const get = async (digest, headers = {}, query = '') => {
	const r = await fetch(`${s.url}/artifact/${digest}${query}`, { headers });
	return { status: r.status, headers: r.headers, body: Buffer.from(await r.arrayBuffer()) };
};
const log = `[    0.000000] Linux version 6.5\t\u001b[0m é\n`.repeat(4000);
// b2sum -l 256 of "hello\n"
const hello = '93becc6e9882211c3ec3708c95bcd69baab7bb59c7f4bc84ce637b88a534b783';
let logDigest;

test('PUT keeps the bytes under the digest of BLAKE2b-256', async () => {
	const r = await put(a, 'hello', 'hello\n');
	assert.equal(r.status, 201, r.text);
	assert.deepEqual(r.json, { run: a, name: 'hello', status: 'created', digest: r.json.digest, size: 6 });
	assert.match(r.json.digest, /^[0-9a-f]{64}$/);
	assert.equal(r.headers.get('location'), `/artifact/${r.json.digest}`);
	const x = await get(r.json.digest);
	assert.equal(x.status, 200);
	assert.equal(x.body.toString(), 'hello\n');
	assert.equal(r.json.digest, hello);
});

test('the same again: 200; other bytes under the name: 409, and the first stay', async () => {
	const r = await put(a, 'hello', 'hello\n');
	assert.equal(r.status, 200);
	assert.equal(r.json.status, 'duplicate');
	const other = await put(a, 'hello', 'hello!\n');
	assert.equal(other.status, 409);
	assert.match(other.json.detail, /hello/);
	const { json } = await s.json(`/run/${a}.json`);
	assert.deepEqual(json.artifacts.map((f) => [f.name, f.size, f.url]), [['hello', 6, `/artifact/${hello}`]]);
});

test('text comes as text, anything else to be saved; both for ever', async () => {
	logDigest = (await put(a, 'dmesg', log)).json.digest;
	const text = await get(logDigest, { 'accept-encoding': 'gzip' });
	assert.equal(text.body.toString(), log);
	assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
	assert.equal(text.headers.get('content-disposition'), null);
	assert.equal(text.headers.get('x-content-type-options'), 'nosniff');
	assert.equal(text.headers.get('etag'), `"${logDigest}"`);
	assert.match(text.headers.get('cache-control'), /immutable/);
	for (const bytes of [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]), Buffer.from([0xff, 0xfe]), Buffer.from('a\0b')]) {
		const { json } = await put(a, `bin-${bytes.toString('hex')}`, bytes);
		const x = await get(json.digest, {}, '?name=vm%22linux');
		assert.ok(x.body.equals(bytes));
		assert.equal(x.headers.get('content-type'), 'application/octet-stream');
		assert.equal(x.headers.get('x-content-type-options'), 'nosniff');
		assert.match(x.headers.get('content-disposition'), /^attachment; filename="vm_linux"$/);
	}
	const page = await put(a, 'page.html', '<script>alert(1)</script>');
	assert.equal((await get(page.json.digest)).headers.get('content-type'), 'text/plain; charset=utf-8');
});

test('who has it gets 304', async () => {
	for (const tag of [`"${logDigest}"`, `W/"${logDigest}"`, '*', `"x", "${logDigest}"`]) {
		const r = await get(logDigest, { 'if-none-match': tag });
		assert.equal(r.status, 304);
		assert.equal(r.body.length, 0);
		assert.equal(r.headers.get('etag'), `"${logDigest}"`);
	}
	assert.equal((await get(logDigest, { 'if-none-match': '"x"' })).status, 200);
});

test('one file of two runs is kept once, and compressed', async () => {
	const r = await put(b, 'dmesg.txt', gzipSync(log), { 'content-encoding': 'gzip' });
	assert.equal(r.json.digest, logDigest);
	const stored = s.run(['export']).trim().split('\n').map((l) => JSON.parse(l)).filter((l) => l.artifact?.digest === logDigest);
	assert.deepEqual(stored.map((l) => [l.artifact.key, typeof l.artifact.data]), [['k1', 'string'], ['k2', 'undefined']]);
	assert.ok(stored[0].artifact.data.length < log.length / 10);
});

test('empty, and incompressible', async () => {
	const none = await put(b, 'empty', '');
	assert.equal(none.status, 201, none.text);
	assert.equal((await get(none.json.digest)).body.length, 0);
	const noise = Buffer.alloc(1 << 20);
	let x = 1;
	for (let i = 0; i < noise.length; i++) noise[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >> 16;
	const r = await put(b, 'noise', noise);
	assert.ok((await get(r.json.digest)).body.equals(noise));
});

test('names: one segment of a path', async () => {
	for (const name of ['job.yaml', 'a b', 'ünï.txt', '%25', 'x'.repeat(255), 'stats.json', 'config-6.5.txt']) {
		const r = await put(b, encodeURIComponent(name), `of ${name}`);
		assert.equal(r.status, 201, r.text);
		assert.equal(r.json.name, name);
	}
	for (const name of ['a%2Fb', '%2E%2E', '%2E', '%0A', 'a%7F', '%C2%85', '%FF', 'x'.repeat(256)]) {
		const raw = await put(b, name, 'x').catch((e) => ({ status: String(e) }));
		assert.ok([404, 422].includes(raw.status), `${name}: ${raw.status}`);
	}
	assert.equal((await put(b, 'a%00b', 'x')).status, 400);
	assert.equal((await put(b, 'a/b', 'x')).status, 404);
});

test('the page of a run lists them, escaped', async () => {
	await put(b, encodeURIComponent('<b>"&'), 'markup');
	const page = (await s.get(`/run/${b}`, { accept: 'text/html' })).text;
	assert.match(page, />&lt;b&gt;&#34;&amp;<\/a>/);
	assert.ok(page.includes(`/artifact/${logDigest}?name=dmesg.txt`));
});

test('who may: a token with the scope, for its machine', async () => {
	const bound = s.token('upload', '--machine', 'box-a');
	const auth = { authorization: `Bearer ${bound}` };
	assert.equal((await put(a, 'mine', 'x', auth)).status, 201);
	assert.equal((await put(b, 'mine', 'x', auth)).status, 403);
	assert.equal((await put(a, 'n', 'x', { authorization: `Bearer ${s.token('triage')}` })).status, 403);
	assert.equal((await put(a, 'n', 'x', { authorization: 'none' })).status, 401);
	const { json } = await s.json(`/run/${a}.json`);
	assert.equal(json.artifacts.find((f) => f.name === 'mine').token, 'test-upload');
});

test('what is not there, or not so', async () => {
	assert.equal((await put(99999, 'x', 'x')).status, 404);
	assert.equal((await put('x', 'x', 'x')).status, 404);
	assert.equal((await get('0'.repeat(64))).status, 404);
	for (const bad of ['0'.repeat(63), 'z'.repeat(64), '%2e%2e%2fetc']) assert.ok([404, 400].includes((await get(bad)).status));
	assert.equal((await fetch(`${s.url}/api/v1/run/${a}/artifacts/x`, { method: 'POST', body: 'x' })).status, 405);
	assert.equal((await put(a, 'big', Buffer.alloc((64 << 20) + 1))).status, 413);
	assert.equal((await put(a, 'big', Buffer.alloc(64 << 20))).status, 201);
	s.run(['check']);
});

await finish();
await s.end();
