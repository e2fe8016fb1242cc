// SPDX-License-Identifier: GPL-2.0-or-later
// Every HTML page is valid: the pages of the lab are followed from / by their links, each address in routes.def
// among them, and read by HTML Tidy; so are error pages, and every form of every parameter that the document names.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { A, P, V1, V2, evil, hostileAxes, hostileMetrics, root } from './lab.mjs';
import { Cases } from './openapi_cases.mjs';
import { test, finish } from './tap.mjs';

const MOST = 25; // pages of one address that are looked at
const cases = await Cases.start(JSON.parse(readFileSync(path.join(root, 'static', 'openapi.json'), 'utf8')));
const s = cases.server;
const enc = encodeURIComponent;

// What Tidy 5.6, of 2017, complains of and is right in today's HTML.
const known = [
	/proprietary attribute "aria-current"/, // WAI-ARIA 1.1
	/<a> proprietary attribute "href"/, // links inside <svg>: SVG 2
];

const patterns = [...readFileSync(path.join(root, 'server', 'http', 'routes.def'), 'utf8').matchAll(/^ROUTE\(GET, "([^"]+)", \w+, ([^)]+)\)/gm)]
	.filter(([, , flags]) => !/NO_HTML/.test(flags))
	.map(([, pattern]) => ({ pattern, fits: new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')}$`) }));
const patternOf = (url) => patterns.find((p) => p.fits.test(url.replace(/[?#].*/, '')))?.pattern ?? 'none';

// Groups of <dt> and <dd> in a <div> are right since HTML 5.2, and Tidy would take them apart.
const withoutGroups = (html) => html.replace(/<dl[^]*?<\/dl>/g, (list) => list.replace(/<\/?div[^>]*>/g, ''));

async function tidy(html) {
	const child = spawn('tidy', ['-q', '-e', '-utf8', '--show-info', 'no'], { stdio: ['pipe', 'ignore', 'pipe'] });
	let text = '';
	child.stderr.setEncoding('utf8').on('data', (d) => { text += d; });
	child.stdin.end(withoutGroups(html));
	const status = await new Promise((done, failed) => { child.on('close', done); child.on('error', failed); });
	assert.ok([0, 1, 2].includes(status), text);
	return text.trim().split('\n').filter((l) => l && !known.some((k) => k.test(l)));
}

const seen = new Map(); // address -> status
async function look(url) {
	const r = await s.get(url, { accept: 'text/html' });
	seen.set(url, r.status);
	if (r.status === 302 || /\.(json|csv|txt)(\?|$)|[?&]format=|^\/artifact\/|^\/static\//.test(url))
		return []; // other forms, and files
	assert.match(r.headers.get('content-type'), /^text\/html/, url);
	assert.deepEqual((await tidy(r.text)).slice(0, 5), [], url);
	const ids = [...r.text.matchAll(/ id="([^"]*)"/g)].map((m) => m[1]);
	assert.equal(new Set(ids).size, ids.length, `${url}: an id twice`);
	return [...r.text.matchAll(/<a(?: [^>]*)? href="([^"]*)"/g)].map((m) => m[1].replace(/&amp;/g, '&').replace(/&quot;/g, '"').replace(/&#39;/g, "'"));
}

// A few at once: Tidy is a process each.
async function all(urls, each) {
	const rest = [...urls];
	await Promise.all([1, 2, 3].map(async () => {
		while (rest.length)
			await each(rest.shift());
	}));
}

test('from the home page along every link', async () => {
	const counts = new Map();
	let next = ['/'];
	while (next.length) {
		const found = new Set();
		await all(next, async (url) => {
			const links = await look(url);
			assert.ok([200, 302].includes(seen.get(url)), `${url}, to which a page leads: ${seen.get(url)}`);
			links.forEach((l) => found.add(l.replace(/#.*/, '')));
		});
		next = [...found].filter((l) => {
			const pattern = patternOf(l);
			const n = counts.get(pattern) ?? 0;
			if (!l.startsWith('/') || seen.has(l) || pattern === 'none' || n >= MOST)
				return false;
			counts.set(pattern, n + 1);
			return true;
		});
	}
	assert.ok(seen.size > 100, `only ${seen.size} pages`);
});

const both = `commits=${P},${A}`;
const more = async () => [
	// of a distribution alone, and where every run failed
	...(await s.json('/metric.json?name=full.latency')).json.series.map((x) => `/history?series=${x.digest}&metric=full.latency`),
	...patterns.map(({ pattern }) => {
		const address = pattern.replace(/[:*](\w+)/g, '{$1}');
		return cases.url({ ...cases.document.paths[address].get, address }, {}, '');
	}),
	`/compare?${both}`, `/compare?${both}&changed=0&sort=name`, `/compare?commits=${A},${P}&changed=0`, `/compare?commits=${A}`, `/compare?${both}&view=matrix`,
	`/compare?commit=${P}&across=mode`, `/compare?commit=${P}&across=mode&changed=0`, `/compare?pairs=${P}..${V1},${P}..${V2}`, `/compare?${both}&metric=none`,
	`/compare?${both}&limit=1`, `/compare?commits=${'d'.repeat(40)},${'e'.repeat(40)}&changed=0`, `/compare?${both}&info.microcode=0x1&since=2020-01-01`,
	`/commit/${'e'.repeat(40)}`, `/machine?name=${enc(hostileAxes.tbox_group)}`, `/testcase?name=${enc(hostileAxes.testcase)}`, `/search?q=${enc(evil)}`,
	...hostileMetrics.map((m) => `/metric?name=${enc(m)}`), `/series?axis.testcase=${enc(hostileAxes.testcase)}&limit=1`, `/series?axis.testcase=none`,
	`/runs?machine=none`, '/runs?limit=1', '/machines?limit=1', '/testcases?limit=1', '/search', '/search?q=none-of-it', '/events?machine=none',
];

test('every address of routes.def with what it takes, and names that are hostile', async () => {
	const urls = (await more()).filter((u) => !seen.has(u));
	await all(urls, async (url) => {
		await look(url);
		assert.ok([200, 302, 404].includes(seen.get(url)), `${url}: ${seen.get(url)}`);
		assert.ok(seen.get(url) !== 404 || !url.startsWith('/history'), url);
	});
	for (const { pattern } of patterns)
		assert.ok([...seen].some(([u, status]) => patternOf(u) === pattern && status === 200), `${pattern} was not seen`);
});

test('error pages', async () => {
	const urls = { '/nothing': 404, '/commit/1234567': 404, '/commit/deadbee': 300, [`/compare?commits=deadbee,${P}`]: 300, '/commit/%00': 400, '/series/%zz': 400,
		'/compare': 422, '/compare?commits=,&since=soon&limit=0': 422, '/history': 422, '/series/zz': 422, '/run/0': 404, '/run/99999999': 404,
		'/machine/none': 404, '/testcase/none': 404, '/metric/full': 404, [`/metric/${enc(evil)}`]: 404, [`/nothing/${enc(evil)}`]: 404, '/machines?format=csv': 404,
		[`/compare?commits=${enc(evil)}`]: 422, [`/search?q=${'x'.repeat(400)}`]: 422 };
	for (const [url, status] of Object.entries(urls)) {
		const accept = /format/.test(url) ? '*/*' : 'text/html';
		if (accept === 'text/html')
			await look(url);
		assert.equal((await s.get(url, { accept })).status, status, url);
	}
});

test('an empty lab', async () => {
	const empty = await cases.another();
	for (const { pattern } of patterns.filter((p) => !/[:*]/.test(p.pattern))) {
		const r = await empty.get(pattern, { accept: 'text/html' });
		assert.deepEqual(await tidy(r.text), [], pattern);
	}
	await empty.end();
});

await finish();
await cases.end();
