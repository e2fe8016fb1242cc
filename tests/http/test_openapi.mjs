// SPDX-License-Identifier: GPL-2.0-or-later
// static/openapi.json against the running server, both ways: routes, forms, parameters, statuses, and every key of
// every answer. A new route is found by itself; what it needs to be called stands as examples in the document, and
// how its statuses are provoked in openapi_cases.mjs.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './lab.mjs';
import { Cases } from './openapi_cases.mjs';
import { Schemas } from './schema.mjs';
import { test, finish } from './tap.mjs';

const read = (...names) => readFileSync(path.join(root, ...names), 'utf8');
const doc = JSON.parse(read('static', 'openapi.json'));
const schemas = new Schemas(doc);
const cases = await Cases.start(doc);
const s = cases.server;

const operations = Object.entries(doc.paths).flatMap(([address, methods]) =>
	Object.entries(methods).map(([method, o]) => ({ ...o, address, method: method.toUpperCase(),
		id: `${method.toUpperCase()} ${address}`, parameters: (o.parameters ?? []).map((p) => schemas.open(p)) })));
const gets = operations.filter((o) => o.method === 'GET');
const answerOf = (o, status) => schemas.open(o.responses[status] ?? o.responses.default);
const contentOf = (o, status) => answerOf(o, status).content ?? {};

const rows = [...read('server', 'http', 'routes.def').matchAll(/^ROUTE\((\w+), "([^"]+)", (\w+), ([^)]+)\)/gm)].map(([, method, pattern, page, flags]) => ({
	id: `${method} ${pattern.replace(/[:*](\w+)/g, '{$1}')}`, page, flags: new Set(flags.split('|').map((f) => f.trim())) }));

// Holds an answer against what is written of its status; says what is wrong with it.
function check(o, r, what = o.id) {
	const content = contentOf(o, r.status);
	const type = r.headers.get('content-type')?.split(';')[0];
	assert.ok(r.status < 400 || answerOf(o, r.status).content, `${what}: ${r.status}`);
	if (r.text === '')
		return;
	assert.ok(content[type] || content['*/*'], `${what}: ${r.status} as ${type}, documented: ${Object.keys(content)}`);
	const schema = content[type]?.schema;
	if (!schema)
		return;
	const values = type === 'application/x-ndjson' ? r.text.trim().split('\n').map((l) => JSON.parse(l)) : [JSON.parse(r.text)];
	for (const v of values)
		assert.deepEqual(schemas.errors(schema, v).slice(0, 5), [], what);
}

test('the document is sound: references, keywords, names', () => {
	const text = JSON.stringify(doc);
	for (const [kind, entries] of Object.entries(doc.components))
		for (const name of Object.keys(entries))
			if (kind !== 'securitySchemes')
				assert.ok(text.includes(`"#/components/${kind}/${name}"`), `${kind}/${name} is used nowhere`);
	for (const [, ref] of text.matchAll(/"\$ref":"([^"]+)"/g))
		schemas.resolve(ref);
	for (const schema of Object.values(doc.components.schemas))
		schemas.reach(schema);
	const ids = operations.map((o) => o.operationId);
	assert.equal(new Set(ids).size, ids.length);
	for (const o of operations) {
		const inPath = [...o.address.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort();
		assert.deepEqual(o.parameters.filter((p) => p.in === 'path').map((p) => p.name).sort(), inPath, o.id);
		assert.ok(o.summary && o.tags.every((t) => doc.tags.some((x) => x.name === t)), o.id);
		for (const p of o.parameters)
			assert.ok(schemas.reach(p.schema) && (p.in !== 'path' || p.required), `${o.id}: ${p.name}`);
	}
});

test('it is served, with the address of the server', async () => {
	assert.deepEqual((await s.json('/openapi.json')).json, doc);
	assert.deepEqual((await s.json('/api/v1/openapi')).json, doc);
	const url = 'https://perf.example.org/lab';
	const other = await cases.another('--public-url', url);
	assert.deepEqual((await other.json('/openapi.json')).json, { ...doc, servers: [{ url }] });
	await other.end();
});

test('every row of routes.def is in it, and nothing else', () => {
	assert.ok(rows.length >= 30);
	assert.deepEqual(operations.map((o) => o.id).sort(), rows.map((r) => r.id).sort());
});

test('forms, bodies, tokens and 304 are those of routes.def', () => {
	for (const { id, flags } of rows) {
		const o = operations.find((x) => x.id === id);
		const ok = Object.keys(o.responses).filter((k) => /^2/.test(k)).flatMap((k) => Object.keys(contentOf(o, k)));
		const raw = flags.has('NO_HTML') && !flags.has('HAS_JSON'); // what the page writes, text or bytes
		assert.equal(ok.includes('text/html'), !flags.has('NO_HTML'), `${id}: HTML`);
		assert.equal(ok.includes('application/json'), flags.has('HAS_JSON'), `${id}: JSON`);
		assert.equal(ok.includes('text/csv'), flags.has('HAS_CSV'), `${id}: CSV`);
		assert.equal(ok.includes('text/plain') || ok.includes('*/*'), flags.has('HAS_TXT') || raw, `${id}: text`);
		assert.equal(Boolean(o.requestBody), flags.has('BODY'), `${id}: body`);
		assert.equal(ok.includes('text/markdown'), flags.has('HAS_MD'), `${id}: Markdown`);
		assert.ok('304' in o.responses || !flags.has('CACHED'), `${id}: 304`);
		const scopes = ['UPLOAD', 'TRIAGE', 'ADMIN'].filter((k) => flags.has(`NEEDS_${k}`)).map((k) => k.toLowerCase());
		const want = scopes.length ? scopes.map((x) => ({ token: [x] })) : flags.has('OPEN') ? [] : doc.security;
		assert.deepEqual(o.security ?? doc.security, want, `${id}: token`);
		if (!flags.has('NO_HTML') && flags.has('HAS_JSON'))
			assert.ok(o.parameters.some((p) => p.name === 'format'), `${id}: format`);
	}
});

test('every parameter that a page reads is described', () => {
	const described = new Set(operations.flatMap((o) => o.parameters.map((p) => p.name)));
	let found = 0;
	for (const f of readdirSync(path.join(root, 'server', 'pages')).filter((x) => x.endsWith('.c')))
		for (const [, name] of read('server', 'pages', f).matchAll(/(?:req_(?:param|int|enum|bool|time|axes)|text_param|read_bound)\(r,\s*"([a-z_]+)\.?"|req_name\(r, \d, "([a-z_]+)"/g))
			if (name) {
				found++;
				assert.ok(described.has(name), `${f}: ${name}`);
			}
	assert.ok(found > 25, `only ${found} found`);
});

test('a bad value of every parameter with a rule is 422', async () => {
	let tried = 0;
	for (const o of gets) {
		for (const p of o.parameters.filter((x) => x.in === 'query')) {
			const { type, format, pattern, minLength, minimum, maximum } = p.schema;
			const bad = [];
			if (p.schema.enum || format || pattern || type === 'integer')
				bad.push('nonsense');
			if (type === 'integer')
				bad.push(...[minimum - 1, maximum + 1].filter((n) => !Number.isNaN(n)));
			if (minLength > 1)
				bad.push('x'.repeat(minLength - 1), 'x'.repeat(p.schema.maxLength + 1));
			for (const v of bad) {
				const r = await s.get(cases.url(o, { [p.name]: v }, '.json'));
				assert.equal(r.status, 422, `${o.id}: ${p.name}=${v}: ${r.text}`);
				check(o, r);
				tried++;
			}
		}
	}
	assert.ok(tried > 60, `only ${tried} tried`);
});

test('what the document says of a good value is so', async () => {
	for (const o of gets)
		for (const p of o.parameters.filter((x) => x.in === 'query' && x.name !== 'format')) {
			const values = p.schema.enum ?? (p.schema.type === 'integer' ? [p.schema.minimum, p.schema.maximum ?? 5] : []);
			for (const v of values)
				check(o, cases.expect(await s.get(cases.url(o, { [p.name]: v }, '.json')), 200, `${o.id} ${p.name}=${v}`));
		}
});

test('every address answers in every form that is written, with the keys that are written', async () => {
	const suffixes = { 'application/json': '.json', 'text/csv': '.csv', 'text/plain': '.txt', 'text/markdown': '.md', 'text/html': '' };
	for (const o of gets) {
		for (const type of Object.keys(contentOf(o, 200)).filter((t) => suffixes[t] !== undefined)) {
			const plain = !('text/html' in contentOf(o, 200)) && type === 'text/plain';
			const url = cases.url(o, {}, plain ? '' : suffixes[type]);
			const r = cases.expect(await s.get(url, { accept: 'text/html' }), 200, url);
			assert.equal(r.headers.get('content-type').split(';')[0], type, url);
			check(o, r, url);
		}
	}
});

test('more of the lab: every list to its end, every name on it', async () => {
	const urls = await cases.everything();
	assert.ok(urls.length > 150, `only ${urls.length} addresses`);
	for (const url of urls) {
		const bare = url.replace(/\?.*/, '').replace(/\.json$/, '');
		const row = gets.filter((o) => new RegExp(`^${o.address.replace(/\{\w+\}/g, '.+')}$`).test(bare)).sort((a, b) => b.address.length - a.address.length)[0];
		assert.ok(row, url);
		check(row, cases.expect(await s.get(url), 200, url), url);
	}
});

test('every status that is written can be had, and has the body that is written', async () => {
	for (const o of operations) {
		for (const status of Object.keys(o.responses).filter((k) => /^\d+$/.test(k))) {
			const answers = await cases.provoke(o, Number(status));
			if (answers === null)
				continue;
			assert.ok(answers.length, `${o.id}: ${status} is provoked by nothing`);
			for (const r of answers) {
				assert.equal(r.status, Number(status), `${o.id}: ${r.text}`);
				check(o, r, `${o.id}: ${status}`);
				for (const [name, h] of Object.entries(answerOf(o, status).headers ?? {}))
					assert.ok(r.headers.get(name) || !h.required, `${o.id}: ${status} without ${name}`);
			}
		}
	}
});

test('every key that is written of an answer was sent', () => {
	const missing = new Set();
	for (const o of operations)
		for (const status of Object.keys(o.responses))
			for (const { schema } of Object.values(contentOf(o, status)))
				if (schema)
					schemas.unseen(schema).forEach((k) => missing.add(k));
	assert.deepEqual([...missing], []);
});

const bodies = () => operations.filter((o) => o.requestBody).flatMap((o) =>
	Object.entries(o.requestBody.content).filter(([type]) => /json$/.test(type)).map(([, c]) => c.schema).filter(Boolean));

test('what was uploaded fits the schema of uploads', () => {
	const submission = doc.components.schemas.Submission;
	for (const d of cases.uploaded)
		assert.deepEqual(schemas.errors(submission, d).slice(0, 5), [], d.key);
	assert.deepEqual(schemas.unseen(submission), []);
});

test('the keys of bodies are those that the importers know', () => {
	const described = new Set();
	for (const schema of bodies())
		for (const x of schemas.reach(schema))
			if (x.properties)
				described.add(Object.keys(x.properties).sort().join(' '));
	const known = new Set();
	for (const f of ['native', 'native_commit', 'native_distributions', 'native_runs', 'native_summary', 'orders', 'order_metric'])
		for (const [, list] of read('importers', `${f}.c`).matchAll(/(?:known|select_keys)\[\] = \{([^}]*)NULL\}/g)) {
			const names = [...list.matchAll(/"(\w+)"/g)].map((m) => m[1]);
			// "stored" is what a copy of a database says of itself; only the command line takes it
			known.add(names.filter((n) => n !== 'stored').sort().join(' '));
		}
	assert.deepEqual([...described].sort(), [...known].sort());
});

await finish();
await cases.end();
