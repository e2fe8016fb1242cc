// SPDX-License-Identifier: GPL-2.0-or-later
// How pages answer: forms, headers, conditional requests, compression, methods, and faults before routing.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const commit = 'c0ffee'.repeat(6) + 'abcd';
await s.upload({ axes: { testcase: 'forms', tbox_group: 'box' }, commit: { id: commit, subject: 'a change' },
	runs: [...Array(40).keys()].map((i) => Object.fromEntries([...Array(60).keys()].map((m) => [`forms.m${m}`, i + m]))) });

// Sends raw bytes and returns everything until the server closes or answered with Connection: close.
const raw = (text) => new Promise((done, failed) => {
	const c = connect(s.port, '127.0.0.1', () => c.write(text));
	let got = '';
	c.setTimeout(10000, () => failed(new Error(`no end of answer, so far: ${got}`)));
	c.on('data', (d) => { got += d; });
	c.on('end', () => done(got));
	c.on('close', () => done(got));
	c.on('error', failed);
});
const rawStatus = async (text) => Number((await raw(text)).split(' ')[1]);

test('suffix, format and api alias are one resource', async () => {
	const a = await s.get('/series.json');
	const b = await s.get('/series?format=json');
	const c = await s.get('/api/v1/series');
	assert.equal(a.text, b.text);
	assert.equal(a.text, c.text);
	assert.match(a.headers.get('content-type'), /^application\/json/);
});

test('Accept: text/html or none is HTML, */* is text where there is text', async () => {
	const url = `/compare?commits=${commit}`;
	assert.match((await s.get(url, { accept: 'text/html,*/*;q=.8' })).headers.get('content-type'), /^text\/html/);
	assert.match((await s.get(url, { accept: '*/*' })).headers.get('content-type'), /^text\/plain/);
	assert.match((await s.get('/machines', { accept: '*/*' })).headers.get('content-type'), /^text\/html/);
	assert.match(await raw(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`), /content-type: text\/html/i);
	assert.match((await s.get(url)).headers.get('vary'), /Accept/);
});

test('a form that is not there is 404, an unknown format 422, an unknown parameter nothing', async () => {
	assert.equal((await s.get('/machines.csv')).status, 404);
	assert.equal((await s.get('/series?format=xml')).status, 422);
	assert.equal((await s.get('/series.json?colour=red')).status, 200);
	assert.equal((await s.get('/series.json?limit=0')).status, 422);
	assert.equal((await s.get('/series.json?limit=1001')).status, 422);
});

test('errors are problem+json for programs and a page for people', async () => {
	const p = await s.get('/commit/1234567.json');
	assert.equal(p.status, 404);
	assert.match(p.headers.get('content-type'), /^application\/problem\+json/);
	const body = JSON.parse(p.text);
	assert.equal(body.status, 404);
	assert.ok(body.title && body.detail && body.type);
	const h = await s.get('/commit/1234567', { accept: 'text/html' });
	assert.equal(h.status, 404);
	assert.match(h.text, /<form[^>]+search/);
	assert.equal((await s.get('/no/such/page', { accept: 'text/html' })).status, 404);
	assert.match((await s.get('/api/v1/nothing')).headers.get('content-type'), /problem\+json/);
	assert.equal((await s.get('/compare.json')).status, 422);
	assert.equal((await s.get('/compare.json?commits=deadbeef12')).status, 404);
});

test('security headers on every answer', async () => {
	for (const url of ['/', '/series.json', '/compare', '/no', '/healthz']) {
		const r = await s.get(url, { accept: 'text/html' });
		assert.equal(r.headers.get('x-content-type-options'), 'nosniff', url);
		if (/html/.test(r.headers.get('content-type'))) {
			assert.match(r.headers.get('content-security-policy'), /default-src/);
			assert.doesNotMatch(r.headers.get('content-security-policy'), /unsafe/);
			assert.doesNotMatch(r.text, /<script>| style="| on[a-z]+="/);
		}
	}
});

test('If-None-Match: 304 until something is written', async () => {
	const url = `/compare.json?commits=${commit}`;
	const a = await s.get(url);
	const etag = a.headers.get('etag');
	assert.ok(etag);
	assert.equal((await s.get(url, { 'if-none-match': etag })).status, 304);
	await s.upload({ axes: { testcase: 'forms2', tbox_group: 'box' }, commit: { id: commit }, runs: [{ 'forms2.x': 1 }] });
	const b = await s.get(url, { 'if-none-match': etag });
	assert.equal(b.status, 200);
	assert.notEqual(b.headers.get('etag'), etag);
	assert.equal(JSON.parse(b.text).tables.length, 2);
});

test('gzip when asked for, and the same text inside', async () => {
	const url = `/compare.json?commits=${commit}`;
	const plain = await s.get(url, { 'accept-encoding': 'identity' });
	const packed = await s.get(url, { 'accept-encoding': 'gzip' }); // fetch unpacks it
	assert.equal(packed.headers.get('content-encoding'), 'gzip');
	assert.equal(plain.headers.get('content-encoding'), null);
	assert.equal(plain.text, packed.text);
});

test('methods: HEAD has no body, others are 405 with Allow', async () => {
	const head = await fetch(`${s.url}/series.json`, { method: 'HEAD' });
	assert.equal(head.status, 200);
	assert.equal(await head.text(), '');
	const del = await fetch(`${s.url}/series`, { method: 'DELETE' });
	assert.equal(del.status, 405);
	assert.match(del.headers.get('allow'), /GET/);
	const get = await fetch(`${s.url}/api/v1/runs`, { method: 'PUT', body: 'x' });
	assert.equal(get.status, 405);
	assert.match(get.headers.get('allow'), /POST/);
});

test('requests that are not to be trusted', async () => {
	const h = 'Host: x\r\nConnection: close\r\n';
	assert.equal(await rawStatus(`GET /%00 HTTP/1.1\r\n${h}\r\n`), 400);
	assert.equal(await rawStatus(`GET /series/%zz HTTP/1.1\r\n${h}\r\n`), 400);
	assert.equal(await rawStatus(`GET /a%2Fb HTTP/1.1\r\n${h}\r\n`), 404);
	assert.equal(await rawStatus('GET / HTTP/1.1\r\nConnection: close\r\n\r\n'), 400);
	const post = `POST /api/v1/runs HTTP/1.1\r\n${h}Authorization: Bearer ${s.uploadToken()}\r\nContent-Type: application/json\r\n`;
	assert.equal(await rawStatus(`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`), 400);
	assert.equal(await rawStatus(`${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`), 400);
	assert.ok([414, 431].includes(await rawStatus(`GET /series?x=${'a'.repeat(60000)} HTTP/1.1\r\n${h}\r\n`)));
});

test('a refused large body is read before the answer, so that the client sees it', async () => {
	const r = await fetch(`${s.url}/api/v1/runs`, { method: 'POST', body: Buffer.alloc(3 << 20, 32),
		headers: { 'content-type': 'application/json' } });
	assert.equal(r.status, 401);
});

test('health, readiness, Prometheus', async () => {
	assert.equal((await s.get('/healthz')).status, 200);
	assert.equal((await s.get('/readyz')).status, 200);
	const m = await s.get('/metrics');
	assert.match(m.headers.get('content-type'), /^text\/plain/);
	assert.match(m.text, /^# TYPE plumbline_\w+ (counter|gauge)$/m);
	for (const line of m.text.trim().split('\n'))
		assert.match(line, /^(# (TYPE|HELP) .+|[a-z_]+(\{[^{}]*\})? [0-9.e+-]+)$/);
});

test('findings are an empty list for now', async () => {
	assert.deepEqual((await s.json('/findings.json')).json, { findings: [], next: null });
});

test('lists page through by cursor without loss or repeat', async () => {
	for (let i = 0; i < 7; i++)
		await s.upload({ axes: { testcase: 'paged', tbox_group: `box${i}` }, commit: { id: commit }, runs: [{ 'paged.x': i }] });
	const seen = [];
	let cursor = '';
	do {
		const { json } = await s.json(`/series.json?axis.testcase=paged&limit=3${cursor}`);
		seen.push(...json.series.map((x) => x.digest));
		cursor = json.next && `&cursor=${json.next}`;
	} while (cursor);
	assert.equal(seen.length, 7);
	assert.equal(new Set(seen).size, 7);
});

test('static files: hashed, immutable, no other file is ever served', async () => {
	const home = await s.get('/', { accept: 'text/html' });
	const css = /href="(\/static\/app\.[0-9a-f]+\.css)"/.exec(home.text)[1];
	const r = await s.get(css);
	assert.equal(r.status, 200);
	assert.match(r.headers.get('cache-control'), /immutable/);
	assert.match(r.headers.get('content-type'), /^text\/css/);
	for (const u of ['/static/', '/static/../Makefile', '/static/..%2f..%2fetc/passwd', '/static/app.css'])
		assert.equal((await s.get(u)).status, 404, u);
});

test('the log has one line an event, and hostile text cannot make a second', async () => {
	await s.get('/search?q=%0Aevent=forged%0A');
	await s.get('/%0Aevent=forged');
	await s.stop(); // all lines are written
	assert.match(s.logText(), /forged/);
	for (const line of s.logText().trim().split('\n'))
		assert.match(line, /^ts=\S+ level=\w+ event=[a-z_]+( |$)/);
});

await finish();
await s.end();
