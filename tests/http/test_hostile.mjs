// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile names everywhere: whatever is uploaded comes out as text and nothing else, on every page and form.
import assert from 'node:assert/strict';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&lt;\u2028`;
const metrics = ['hackbench.throughput', `hackbench.${evil}`, 'a/b->c[0](x)+#:%', `=cmd|'/c calc'!A1`, 'ünïcödé.metric', '__proto__', 'x'.repeat(1000)];
const commit = { id: 'e'.repeat(40), subject: evil, message: `${evil}\n\nReported-by: ${evil}`, tree: evil, label: evil,
	author: { name: evil, email: evil, date: '2026-01-01T00:00:00Z' }, parents: ['d'.repeat(40)],
	patch: { message_id: evil, version: 1, index: 1, total: 1, base: 'd'.repeat(40) },
	build: { config: evil, compiler: evil, status: 'ok', warnings: [{ file: evil, line: 1, column: 2, message: evil }] } };
const axes = { testcase: `t${evil}`, tbox_group: `m${evil}`, [`axis${evil}`]: evil };
const run = (v) => Object.fromEntries(metrics.map((m) => [m, v]));

test('hostile names are stored as they are', async () => {
	const up = async (c, v) => {
		const r = await s.upload({ key: `${evil}${v}`, axes, commit: c, info: { boot: evil, hostname: evil, [evil]: evil },
			runs: [run(v), run(v + 1), run(v + 2)], units: { [metrics[1]]: evil },
			report: { message_id: evil, subject: evil, url: `javascript:alert(1)//${evil}` },
			headline: { metric: metrics[1], base: 'd'.repeat(40), change_pct: -1, verdict: 'regression' } });
		assert.equal(r.status, 201, r.text);
		return r.json.submissions[0];
	};
	await up({ id: 'd'.repeat(40), subject: 'base' }, 1);
	s.one = await up(commit, 100);
	const { json } = await s.json(`/compare.json?commits=${'d'.repeat(40)},${'e'.repeat(40)}`);
	assert.deepEqual(json.tables[0].rows.map((r) => r.metric).sort(), [...metrics].sort());
	assert.equal(json.commits[1].subject, evil);
	assert.equal(json.tables[0].series.axes[`axis${evil}`], evil);
});

const enc = encodeURIComponent;
const pages = () => ['/', '/series', `/series/${s.one.series_digest}`, `/compare?commits=${'d'.repeat(40)},${'e'.repeat(40)}&changed=0`,
	`/commit/${'e'.repeat(40)}`, `/c/${'d'.repeat(40)}`, `/run/${s.one.runs[0]}`, '/runs', '/machines', `/machine?name=${enc(axes.tbox_group)}`,
	'/testcases', `/testcase?name=${enc(axes.testcase)}`, `/metric?name=${enc(metrics[1])}`, `/search?q=${enc(evil)}`, '/search?q=script',
	`/history?series=${s.one.series_digest}&metric=${enc(metrics[1])}`, `/series?axis.testcase=${enc(axes.testcase)}`, '/findings', '/events',
	'/status', '/help/reading', '/help/upload', '/help/verdicts', `/commit/${enc(evil)}`, `/machine/${enc('<b>')}`, `/metric/${enc('<b>x')}`,
	`/compare?commits=${enc(evil)}`, `/nothing/${enc(evil)}`, `/series/${enc(evil)}`, `/runs?machine=${enc(evil)}`];

test('no page lets a name become markup', async () => {
	for (const url of pages()) {
		const r = await s.get(url, { accept: 'text/html' });
		assert.ok(r.status < 500, `${url}: ${r.status}`);
		assert.match(r.headers.get('content-type'), /^text\/html/, url);
		assert.doesNotMatch(r.text, /<script>|<img|<b>x|onerror=alert\(2\)>(?!)/, url);
		assert.doesNotMatch(r.text, /href="javascript:/i, url);
		for (const tag of r.text.match(/<[^>]*>/g) ?? [])
			assert.doesNotMatch(tag.replace(/="[^"]*"/g, ''), /alert|onerror/, `${url}: ${tag}`);
	}
});

test('every tag that a page opens is closed, every attribute is quoted', async () => {
	const empty = new Set(['meta', 'link', 'input', 'br', 'hr', 'img', 'wbr', 'col', 'circle', 'line', 'path', 'rect', 'polyline', 'polygon']);
	const optional = new Set(['p', 'li', 'td', 'th', 'tr', 'dt', 'dd', 'option', 'tbody', 'thead', 'html', 'body', 'head', 'colgroup']);
	for (const url of pages()) {
		const { text } = await s.get(url, { accept: 'text/html' });
		const stack = [];
		for (const [, close, name, attributes] of text.matchAll(/<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^>"]|"[^"]*")*)>/g)) {
			const tag = name.toLowerCase();
			if (!close) {
				const left = attributes.replace(/\s[\w:-]+="[^"]*"/g, '').replace(/\s[\w-]+(?=[\s/]|$)/g, '').replace(/\/$/, '').trim();
				assert.equal(left, '', `${url}: attributes of <${tag}${attributes}>`);
				if (!empty.has(tag) && !attributes.endsWith('/'))
					stack.push(tag);
				continue;
			}
			while (stack.length && stack.at(-1) !== tag && optional.has(stack.at(-1)))
				stack.pop();
			assert.equal(stack.pop(), tag, `${url}: </${tag}>`);
		}
		assert.deepEqual(stack.filter((t) => !optional.has(t)), [], url);
	}
});

test('links on the pages lead somewhere', async () => {
	const seen = new Set();
	for (const url of pages()) {
		const { text } = await s.get(url, { accept: 'text/html' });
		for (const [, href] of text.matchAll(/href="([^"]*)"/g)) {
			const link = href.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
			if (link.startsWith('#') || seen.has(link))
				continue;
			seen.add(link);
			assert.match(link, /^(\/|\?|https?:\/\/)/, `${url}: ${link}`);
			if (!link.startsWith('/'))
				continue;
			const r = await s.get(link.split('#')[0], { accept: 'text/html' });
			assert.ok(r.status === 200 || r.status === 302 || (/nothing|commits=%22|%3Cb%3E|%22%3E/.test(url + link) && r.status < 500),
				`${link} on ${url}: ${r.status}`);
		}
	}
	assert.ok(seen.size > 40);
});

test('JSON writes no <, CSV no formula, text no control bytes', async () => {
	const pair = `commits=${'d'.repeat(40)},${'e'.repeat(40)}`;
	const j = await s.get(`/compare.json?${pair}`);
	assert.doesNotMatch(j.text, /</);
	const c = await s.get(`/compare.csv?${pair}`);
	assert.doesNotMatch(c.text, /^=|,=|^"=|,"=/m);
	const t = await s.get(`/compare.txt?${pair}`);
	assert.doesNotMatch(t.text, /[\x00-\x08\x0b-\x1f\x7f]/);
});

test('hostile values of every parameter are 4xx or harmless', async () => {
	const values = [evil, '-1', '99999999999999999999', '%', '../../etc/passwd', '--upload-pack=x', '@{-1}', ':/text', '^{/re}', 'a..b', '', '\u0001', 'x'.repeat(3000)];
	const urls = ['/compare.json?commits=V', '/compare.json?commits=' + 'd'.repeat(40) + ',V', '/history.json?series=V&metric=x', '/history.json?series=1&metric=V',
		'/series.json?cursor=V', '/series.json?limit=V', '/series/V', '/commit/V', '/run/V', '/runs.json?received=V', '/runs.json?cursor=V',
		'/metric.json?name=V', '/search.json?q=V', `/compare.json?commits=${'d'.repeat(40)}&role=V`, `/compare.json?commits=${'d'.repeat(40)}&sort=V`,
		`/compare.json?commits=${'d'.repeat(40)}&metric=V`, `/compare.json?commits=${'d'.repeat(40)}&series=V`, `/compare.json?commits=${'d'.repeat(40)}&cursor=V`];
	for (const u of urls)
		for (const v of values) {
			const r = await s.get(u.replace('V', enc(v)), { accept: 'application/json' });
			assert.ok(r.status < 500, `${u} with ${v}: ${r.status} ${r.text}`);
			if (r.status >= 400)
				assert.match(r.headers.get('content-type'), /json/, `${u} with ${v}`);
		}
	await s.stop(); // all lines are written
	const log = s.logText();
	assert.doesNotMatch(log, /level=error/);
});

await finish();
await s.end();
