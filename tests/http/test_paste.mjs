// SPDX-License-Identifier: GPL-2.0-or-later
// /paste: outputs side by side without storing. The figures of the two fio outputs are those of a thread on a kernel
// list; differences were reckoned from them by hand.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { evil, root } from './lab.mjs';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const s = await Server.start();
const mail = readFileSync(path.join(root, 'tests', 'data', 'raw', 'fio-mail.txt'), 'utf8');
const ranks = ['1.00', '5.00', '10.00', '20.00', '30.00', '40.00', '50.00', '60.00', '70.00', '80.00', '90.00', '95.00', '99.00', '99.50', '99.90', '99.95', '99.99'];
const before = [2311, 2343, 2343, 2343, 2343, 2376, 2376, 2376, 2409, 2933, 4359, 5276, 8291, 9110, 10945, 11469, 12256];
const after = [2835, 2835, 2835, 2868, 2868, 2868, 2868, 2900, 2933, 3425, 5080, 6259, 10159, 11076, 12649, 13435, 14484];
const by = [524, 492, 492, 525, 525, 492, 492, 524, 524, 492, 721, 983, 1868, 1966, 1704, 1966, 2228];
// lat and slat: min, max, mean, standard deviation
const others = { lat: [[179, 81], [14003, 15766], [2913.65, 3496.57], [1241.75, 1450.21]], slat: [[13, 18], [3855, 4378], [44.17, 52.59], [61.18, 63.66]] };

// An output as fio prints it, cut down to latencies.
const fio = (list, [min, max, avg, stdev]) => [
	`     lat (usec): min=${min}, max=${max}, avg=${avg}, stdev=${stdev}`,
	'    clat percentiles (usec):',
	`     | ${ranks.map((r, i) => `${r.padStart(5)}th=[${String(list[i]).padStart(5)}]`).join(', ')}`,
].join('\n') + '\n';
const pick = (list, i) => list.map((x) => x[i]);
const one = fio(before, pick(others.lat, 0));
const two = fio(after, pick(others.lat, 1));
const hackbench = (...times) => times.map((t) => `Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)
Each sender will pass 100 messages of 100 bytes
Time: ${t}\n`).join('');

// Fields may be texts or {file}. As a form of many parts, as browsers send them.
async function paste(fields, query = '?format=json', headers = {}) {
	const form = new FormData();
	for (const [name, value] of fields)
		form.append(name, typeof value === 'string' ? value : new Blob([value.file]), ...(typeof value === 'string' ? [] : ['x.txt']));
	return send(form, query, headers);
}

async function send(body, query = '?format=json', headers = {}) {
	const r = await fetch(`${s.url}/paste${query}`, { method: 'POST', body, headers });
	const text = await r.text();
	return { status: r.status, headers: r.headers, text, json: /json/.test(r.headers.get('content-type')) ? JSON.parse(text) : null };
}

const shown = (html) => html.replace(/<[^>]*>/g, ' ').replace(/&gt;/g, '>').replace(/\s+/g, ' ');
const rowOf = (json, metric) => json.rows.find((r) => r.metric === metric);

async function tidy(html) {
	const child = spawn('tidy', ['-q', '-e', '-utf8', '--show-info', 'no'], { stdio: ['pipe', 'ignore', 'pipe'] });
	let text = '';
	child.stderr.setEncoding('utf8').on('data', (d) => { text += d; });
	child.stdin.end(html);
	await new Promise((done) => child.on('close', done));
	return text.trim().split('\n').filter((l) => l && !/proprietary attribute "(aria-current|tabindex)"/.test(l));
}

function checkPercentiles(json, metric) {
	const d = json.distributions.find((x) => x.metric === metric);
	assert.ok(d, json.distributions.map((x) => x.metric).join());
	assert.equal(d.unit, 'us');
	assert.deepEqual(d.percentiles.map((p) => p.percentile), ranks);
	assert.deepEqual(d.percentiles.map((p) => p.values), ranks.map((_, i) => [before[i], after[i]]));
	assert.deepEqual(d.percentiles.map((p) => p.change_abs), by.map((x) => [null, x]));
	assert.ok(Math.abs(d.percentiles[6].change_pct[1] - 100 * 492 / 2376) < 1e-9);
}

function checkOthers(json, prefix, kind) {
	for (const [i, what] of ['_min_us', '_max_us', kind === 'slat' ? '_avg_us' : '_mean_us', '_stddev_us'].entries()) {
		const row = rowOf(json, `${prefix}${kind}${what}`);
		assert.deepEqual(row.cells.map((c) => c.mean), others[kind][i], row.metric);
		assert.deepEqual([row.unit, ...row.cells.map((c) => c.n)], ['us', 1, 1]);
	}
}

test('a whole mail: both outputs, every figure of them, called as the mail calls them', async () => {
	const { status, json } = await paste([['text', mail], ['text', ''], ['label', ''], ['label', ''], ['format', 'auto'], ['outputs', 'auto']]);
	assert.equal(status, 200);
	assert.equal(json.schema, 'plumbline.paste/1');
	assert.deepEqual(json.columns.map((c) => c.label), ['Baseline (without my patch)', 'Modified (with my patch)']);
	assert.deepEqual(json.texts, [{ label: null, format: 'fio', words: 'taken as fio' }]);
	assert.deepEqual(json.columns.map((c) => c.base), [null, 0]);
	checkPercentiles(json, 'fio.read_clat_us'); // its job file says rw=read
	checkOthers(json, 'fio.read_', 'lat');
	checkOthers(json, 'fio.read_', 'slat');
	assert.match(json.sentence, /^read_clat is higher at every percentile: median 2376 -> 2868 us \(\+492 us, \+20\.7 %\), and \+492 us or more at each of the 17$/);
});

test('two texts, as they are and quoted, as one body, as fields, as files', async () => {
	const quoted = (text, mark) => text.replace(/^/gm, mark);
	const pairs = [[one, two], [one, quoted(two, '> > > ')], [quoted(one, '>> '), quoted(two, '> ')], [one.replace(/\n/g, '\r\n'), two]];
	for (const [a, b] of pairs) {
		const { json } = await paste([['text', a], ['text', b]]);
		checkPercentiles(json, 'fio.clat_us');
		checkOthers(json, 'fio.', 'lat');
		assert.deepEqual(json.columns.map((c) => c.label), ['Before', 'After']);
		assert.match(json.sentence, /^clat is higher at every percentile: median 2376 -> 2868 us \(\+492 us, \+20\.7 %\)/);
	}
	checkPercentiles((await paste([['file', { file: one }], ['file', { file: two }]])).json, 'fio.clat_us');
	checkPercentiles((await paste([['text', one], ['file', { file: '' }], ['text', ''], ['file', { file: two }]])).json, 'fio.clat_us');
	checkPercentiles((await send(new URLSearchParams([['text', one], ['text', two]]))).json, 'fio.clat_us');
	checkPercentiles((await send(one + two, '?format=json', { 'content-type': 'text/plain' })).json, 'fio.clat_us');
	checkPercentiles((await send(gzipSync(mail), '?format=json', { 'content-type': 'text/plain', 'content-encoding': 'gzip' })).json, 'fio.read_clat_us');
});

test('quoting goes off what does not know it: JSON, in lines and in a document', async () => {
	const line = (id, v) => JSON.stringify({ axes: { testcase: 't', tbox_group: 'box' }, commit: { id }, runs: [{ 't.x': v }] });
	const lines = await paste([['text', `>> ${line('abcdef1', 1)}\n>>\n> > ${line('abcdef2', 3)}\n`]]);
	assert.deepEqual(rowOf(lines.json, 't.x').cells.map((c) => c.mean), [1, 3]);
	assert.deepEqual(lines.json.columns.map((c) => c.commit), ['abcdef1', 'abcdef2']);
	const matrix = (await paste([['text', '> {\n>  "t.x": [1, 2],\n> "t.y": [3, 5]\n> }'], ['format', 'lkp-matrix']])).json;
	assert.deepEqual(rowOf(matrix, 't.y').cells.map((c) => [c.n, c.mean]), [[2, 4]]);
	assert.deepEqual(matrix.columns.map((c) => [c.commit, c.axes]), [[null, {}]]);
});

test('the page: sentence, tables, picture and text have the figures', async () => {
	const r = await paste([['text', mail]], '', { accept: 'text/html' });
	assert.equal(r.status, 200);
	assert.match(r.headers.get('content-type'), /^text\/html/);
	assert.equal(r.headers.get('cache-control'), 'no-store');
	assert.deepEqual(await tidy(r.text), []);
	const [tables, text] = r.text.split('<h2 id="text">');
	const words = shown(tables.replace(/<svg[^]*?<\/svg>/g, ''));
	for (const [i, rank] of ranks.entries())
		assert.ok(words.includes(`${rank}th ${before[i]} ${after[i]} +${by[i]} us, +${(100 * by[i] / before[i]).toFixed(1)} %`), rank);
	assert.ok(words.includes('fio.read_lat_mean_us us 2913.65 3496.57 +582.92 us, +20.0 % not judged'), words);
	assert.match(words, /no repeated runs to tell the noise by/);
	const pre = shown(text.split('</pre>')[0]);
	for (const [i, rank] of ranks.entries())
		assert.ok(pre.includes(`${rank}th ${before[i]} ${after[i]} +${by[i]} us`), rank);
	const plain = await paste([['text', mail]], '?format=txt');
	assert.match(plain.headers.get('content-type'), /^text\/plain/);
	assert.equal(shown(plain.text), shown(text.split('<pre class="robot" tabindex="0">')[1].split('</pre>')[0]).replace(/&#39;/g, '\''));
	assert.ok(plain.text.split('\n').every((l) => l === l.trimEnd()));
});

test('what only one side has is shown, and not held against anything', async () => {
	const short = `clat percentiles (usec):\n | 50.00th=[ 2868], 99.00th=[10159]\n`;
	const { json } = await paste([['text', one], ['text', short]]);
	const [d] = json.distributions;
	assert.deepEqual(d.percentiles.map((p) => p.values), ranks.map((r, i) => [before[i], r === '50.00' ? 2868 : r === '99.00' ? 10159 : null]));
	assert.deepEqual(d.percentiles[0].change_abs, [null, null]);
	assert.match(json.sentence, /^clat is higher at every percentile: .* at each of the 2$/);
	const { text } = await paste([['text', one], ['text', short]], '?format=txt');
	assert.match(text, /^ {2}1\.00th +2311 +- +-$/m);
	assert.match(text, /^ {2}99\.00th +8291 +10159 +\+1868 us, \+22\.5 %$/m);
	const nothing = (await paste([['text', one], ['text', hackbench('1.5')]])).json;
	assert.equal(nothing.sentence, 'One is of fio, the other of hackbench: no figure is in both');
	assert.deepEqual(nothing.columns.map((c) => c.label), ['Before (fio)', 'After (hackbench, mode: process, nr_tasks: 400)']);
	const again = (await paste([['text', one], ['text', 'slat (usec): min=1, max=2, avg=1.5, stdev=0.5\n']])).json;
	assert.equal(again.sentence, 'No figure is in both outputs');
	// the picture names no line that it has not
	const page = (await paste([['text', one], ['text', hackbench('1.5')]], '', { accept: 'text/html' })).text;
	assert.doesNotMatch(/<svg[^]*?<\/svg>/.exec(page)[0], /After/);
});

test('what the sentence is of: what stands in both texts, and what is good or bad', async () => {
	const two = (t) => hackbench(t) + `Running in threaded mode with 1 groups using 40 file descriptors each (== 40 tasks)
Each sender will pass 100 messages of 100 bytes\nTime: ${t}\n`;
	const { json } = await paste([['text', two('1')], ['text', hackbench('2')]]);
	assert.match(json.sentence, /^After( \(.*\))? against Before 1 /);
	const job = (bytes, iops) => JSON.stringify({ 'fio version': 'fio-3.33', jobs: [{ jobname: 'j', read: { io_bytes: bytes, bw: iops, iops, total_ios: 9 } }] });
	assert.match((await paste([['text', job(1000, 100)], ['text', job(9000, 110)]])).json.sentence, /^fio\.read_(iops|bw_MBps) is higher/);
});

test('one name in two units: times are converted, others are refused', async () => {
	const bench = (unit, v, extra = '') => JSON.stringify({ context: { date: '2024-01-01T00:00:00Z' }, benchmarks: [{ name: 'B', run_name: 'B', run_type: 'iteration',
		iterations: 1, real_time: v, cpu_time: v, time_unit: unit }] }) + extra;
	const { json } = await paste([['text', bench('us', 44.17)], ['text', bench('ns', 52590)]]);
	const row = json.rows.find((r) => /real_time$/.test(r.metric));
	assert.deepEqual([row.unit, ...row.cells.map((c) => c.mean)], ['us', 44.17, 52.59]);
	const table = (unit) => `commit,testcase,tbox_group,metric,value,unit\nabcdef1,t,b,x,7,${unit}\n`;
	const { status, json: bad } = await paste([['text', table('KB/s')], ['text', table('widgets')]]);
	assert.equal(status, 422);
	assert.deepEqual(bad.errors.map((e) => [e.path, e.message]), [['text[1]', 'x is in "widgets", in an output before in "KB/s"']]);
});

test('distributions that both have come first', async () => {
	const side = (v) => ({ bw: 1, iops: 1, total_ios: 9, clat_ns: { min: 1, max: 9, mean: v, stddev: 1, N: 9, percentile: { '50.000000': v } } });
	const job = (sides) => JSON.stringify({ 'fio version': 'fio-3.33', jobs: [{ jobname: 'j', ...sides }] });
	const { json } = await paste([['text', job({ read: side(3), write: side(5) })], ['text', job({ write: side(6) })]]);
	assert.deepEqual(json.distributions.map((d) => d.metric), ['fio.write_clat_ns', 'fio.read_clat_ns']);
});

test('percentiles of JSON are called as those of text', async () => {
	const json = JSON.stringify({ 'fio version': 'fio-3.33', jobs: [{ jobname: 'j', read: { bw: 1, iops: 1, total_ios: 9, clat_ns: { min: 1, max: 9, mean: 5, stddev: 1, N: 9,
		percentile: { '1.000000': 1, '99.990000': 9, '99.999000': 9 } } } }] });
	const r = await paste([['text', json], ['text', json]]);
	assert.deepEqual(r.json.distributions[0].percentiles.map((p) => p.percentile), ['1.00', '99.99', '99.999']);
});

// Where a mark stands that is drawn from its left end (circle, square) or its top.
const centres = (svg, line) => [...svg.matchAll(new RegExp(`<path class="chart-mark line-${line} chart-full" d="M([\\d.]+) ([\\d.]+)`, 'g'))].map((m) => [Number(m[1]) + 3.5, Number(m[2]) + (line ? 3.5 : 0)]);

test('the picture: percentiles along, latencies up, the difference below, and no line by colour alone', async () => {
	const { text } = await paste([['text', mail]], '', { accept: 'text/html' });
	const svg = /<svg[^]*?<\/svg>/.exec(text)[0];
	assert.match(svg, /fio\.read_clat_us \(us\)<\/text>/);
	assert.match(svg, /Difference \(us\)<\/text>/);
	assert.match(svg, /percentile of operations<\/text>/);
	assert.match(svg, />Baseline \(without my patch\)<\/text>[^]*>Modified \(with my patch\)<\/text>/);
	for (const [i, rank] of ranks.entries())
		assert.ok(svg.includes(`<title>${rank}th: Baseline (without my patch) ${before[i]} us, Modified (with my patch) ${after[i]} us (+${by[i]})</title>`), rank);
	for (const label of ['+524', '+492', '+1868', '+2228'])
		assert.ok(svg.includes(`>${label}</text>`), label);
	const base = centres(svg, 0); // one in the legend, one a percentile
	const now = centres(svg, 1); // and once more for the differences
	assert.equal(base.length, 1 + 17);
	assert.equal(now.length, 1 + 17 + 17);
	// along the axis by ln(p / (100 - p)): the median lies half way from the 1st to the 99th
	const x = now.slice(1, 18).map((p) => p[0]);
	assert.ok(Math.abs(x[6] - (x[0] + x[12]) / 2) < 0.2, x.join());
	// up: the scale that two values give holds for all
	const unit = (base[1 + 16][1] - base[1][1]) / (before[16] - before[0]);
	for (const [i] of ranks.entries()) {
		assert.ok(Math.abs(base[1 + i][1] - (base[1][1] + unit * (before[i] - before[0]))) < 0.3, ranks[i]);
		assert.ok(Math.abs(now[1 + i][1] - (base[1][1] + unit * (after[i] - before[0]))) < 0.3, ranks[i]);
	}
	const fall = (now[18 + 16][1] - now[18 + 1][1]) / (by[16] - by[1]);
	for (const [i] of ranks.entries())
		assert.ok(Math.abs(now[18 + i][1] - (now[18 + 1][1] + fall * (by[i] - by[1]))) < 0.3, ranks[i]);
	const css = await (await fetch(s.url + /href="(\/static\/[^"]+\.css)"/.exec(text)[1])).text();
	assert.match(css, /\.line-1\.chart-line[^}]*stroke-dasharray/);
});

test('runs on both sides are judged, one a side is not', async () => {
	const six = (from) => [0, 1, 2, 3, 4, 5].map((i) => (from + [0, 0.02, 0.01, 0.03, 0.01, 0.02][i]).toFixed(3));
	const slow = (await paste([['text', hackbench(...six(1.25))], ['text', hackbench(...six(1.5))]])).json;
	const row = rowOf(slow, 'hackbench.throughput');
	assert.deepEqual(slow.columns.map((c) => c.runs), [6, 6]);
	// 4,000,000 bytes in 1.25 s are 3125 KiB/s
	assert.equal(row.cells[0].max, 3125);
	assert.equal(row.cells[1].verdict, 'regression');
	assert.match(slow.sentence, /regression$/);
	const single = rowOf((await paste([['text', hackbench('1.25')], ['text', hackbench('1.5')]])).json, 'hackbench.throughput');
	assert.deepEqual([single.cells[0].mean, single.cells[1].verdict], [3125, 'no-data']);
	assert.match(single.cells[1].reason, /no repeated runs/);
});

test('what several outputs in one text are', async () => {
	const runs = async (fields) => (await paste(fields)).json.columns.map((c) => c.runs);
	const four = hackbench('1.1', '1.2', '1.3', '1.4');
	assert.deepEqual(await runs([['text', four]]), [1, 1, 1, 1]);
	assert.deepEqual(await runs([['text', four], ['text', four]]), [4, 4]);
	assert.deepEqual(await runs([['text', four], ['outputs', 'runs']]), [4]);
	assert.deepEqual(await runs([['text', four], ['text', hackbench('1')], ['outputs', 'columns']]), [1, 1, 1, 1, 1]);
	const whole = one + two;
	assert.deepEqual(await runs([['text', whole]]), [1, 1]);
	const together = (await paste([['text', whole], ['outputs', 'runs']])).json;
	assert.deepEqual(together.columns.map((c) => c.runs), [2]);
	assert.deepEqual(together.distributions[0].percentiles[6].values, [(2376 + 2868) / 2]);
	const matrix = JSON.stringify({ 'hackbench.throughput': [1, 2, 3], 'time.elapsed_time': [4, 5, 6] });
	assert.deepEqual(await runs([['text', matrix], ['format', 'lkp-matrix']]), [3]);
});

test('report mails: a column a commit, printed changes as they were printed', async () => {
	const report = readFileSync(path.join(root, 'tests', 'data', 'mails', '04-four-columns.txt'), 'utf8');
	const { json } = await paste([['text', report]]);
	assert.deepEqual(json.columns.map((c) => c.commit.slice(0, 10)), ['b1b4705d54', '09edf4d381', 'v5.5', 'v5.7-rc1']);
	const row = rowOf(json, 'filebench.sum_bytes_mb/s');
	assert.deepEqual(row.cells.map((c) => c.mean), [59.4, 59.4, 58.93, 58.8]);
	assert.deepEqual(row.cells.slice(1).map((c) => c.printed.change_pct), [0, -0.8, -1.0]);
	assert.equal(row.cells[3].origin, 'reported');
	// two machines, two commits: each is held against its own machine's first
	const boxes = (await paste([['text', readFileSync(path.join(root, 'tests', 'data', 'mails', '05-two-machines.eml'), 'utf8')]])).json;
	assert.deepEqual(boxes.columns.map((c) => c.base), [null, 0, null, 2]);
	assert.match(boxes.columns[3].label, /tbox_group: /);
});

test('the form that is shown is the form that is read', async () => {
	const { text } = await s.get('/paste', { accept: 'text/html' });
	assert.deepEqual(await tidy(text), []);
	assert.match(text, /<form class="paste" action="\/paste" method="post" enctype="multipart\/form-data">/);
	const names = [...text.split('class="paste"')[1].matchAll(/<(?:input|textarea|select)[^>]* name="(\w+)"/g)].map((m) => m[1]);
	assert.deepEqual(names, ['label', 'text', 'file', 'label', 'text', 'file', 'format', 'outputs']);
	const formats = [...text.matchAll(/<option value="([^"]*)"/g)].map((m) => m[1]);
	assert.equal(formats[0], 'auto');
	assert.ok(formats.includes('fio') && !formats.includes('lkp-result'));
	const texts = [mail, one];
	const r = await paste(names.map((n) => [n, n === 'text' ? texts.shift() : n === 'file' ? { file: '' } : n === 'label' ? 'My "label" & <more>' : 'auto']), '', { accept: 'text/html' });
	assert.equal(r.status, 200);
	assert.ok(r.text.includes('value="My &#34;label&#34; &amp; &lt;more&gt;"') || r.text.includes('value="My &quot;label&quot; &amp; &lt;more&gt;"'));
	assert.match(r.text, /name="text" rows="12" cols="60" spellcheck="false">\nAnn Writer wrote:\n&gt; &gt; On/);
});

test('nothing is stored, and a server that takes no results shows them too', async () => {
	assert.deepEqual((await s.json('/series.json')).json.series, []);
	assert.deepEqual((await s.json('/runs.json')).json.runs, []);
	const first = await Server.start(); // makes the database
	await first.stop();
	const closed = await Server.start({ folder: first.folder, args: ['--read-only'] });
	const r = await fetch(`${closed.url}/paste?format=json`, { method: 'POST', body: mail, headers: { 'content-type': 'text/plain' } });
	assert.equal(r.status, 200);
	await closed.end();
});

test('what is wrong is said of each text, and the form comes back', async () => {
	const r = await paste([['text', 'nothing that we know'], ['text', `${one}    clat percentiles (usec):\n     | 1.00th=[ x]\n`], ['label', 'a']]);
	assert.equal(r.status, 422);
	assert.deepEqual(r.json.errors.map((e) => e.path), ['text[0]', 'text[1]']);
	assert.match(r.json.errors[0].message, /no format of ours fits.*fio/);
	assert.match(r.json.errors[1].message, /line \d+/);
	const page = await paste([['text', 'nothing that we know'], ['label', evil.slice(0, 60)]], '', { accept: 'text/html' });
	assert.equal(page.status, 422);
	assert.deepEqual(await tidy(page.text), []);
	assert.match(page.text, /Text 1: no format of ours fits/);
	assert.match(page.text, />\nnothing that we know<\/textarea>/);
});

test('hostile names and texts stay text', async () => {
	const label = evil.replace('\u2028', '').slice(0, 90);
	const native = (id) => JSON.stringify({ axes: { testcase: evil, tbox_group: evil, [evil]: evil }, commit: { id }, runs: [{ [`t.${evil}`]: id === 'abcdef1' ? 1 : 2 }],
		units: { [`t.${evil}`]: '<b>' }, distributions: { [`t.${evil}.d`]: { unit: '<u>', percentiles: { 50: 1, 99: 2 } } } });
	const fields = [['text', native('abcdef1')], ['text', native('abcdef2')], ['label', label], ['label', '</title></svg><script>']];
	const r = await paste(fields, '', { accept: 'text/html' });
	assert.equal(r.status, 200);
	assert.deepEqual(await tidy(r.text), []);
	assert.ok(!/<script|<img|<b>|<u>/.test(r.text.replace(/<u>|<b>(?=My|"|&quot;|&#34;|&lt;)/g, (x) => (x === '<u>' ? x : ''))));
	assert.match(r.headers.get('content-security-policy'), /default-src 'self'; script-src 'self'/);
	assert.ok(!/ on\w+=| style="/.test(r.text.replace(/&[^;]+;[^<]*/g, '')));
	assert.equal((await paste(fields)).json.columns[0].label.startsWith(label), true);
});

test('bounds: texts, columns, rows, fields, names and bytes', async () => {
	const many = (n, name, value) => Array.from({ length: n }, () => [name, value]);
	assert.equal((await paste(many(8, 'text', one))).json.columns.length, 8);
	assert.equal((await paste(many(9, 'text', one))).status, 422);
	assert.equal((await paste(many(65, 'x', '1'))).status, 422);
	const ten = (await paste([['text', one.repeat(10)]])).json;
	assert.deepEqual([ten.columns.length, ten.columns_left_out], [8, 2]);
	const wide = Object.fromEntries(Array.from({ length: 2100 }, (_, i) => [`wide.m${i}`, i]));
	const rows = (await paste([['text', JSON.stringify(wide)], ['format', 'lkp-stats']])).json;
	assert.deepEqual([rows.rows.length, rows.rows_left_out], [2000, 100]);
	const wider = Object.fromEntries(Array.from({ length: 10001 }, (_, i) => [`wide.m${i}`, i]));
	assert.equal((await paste([['text', JSON.stringify(wider)], ['format', 'lkp-stats']])).status, 413);
	const wrong = { label: ['x'.repeat(101)], format: ['nonsense', 'x'.repeat(200)], outputs: ['all'] };
	for (const [name, values] of Object.entries(wrong))
		for (const v of values)
			assert.equal((await paste([['text', one], [name, v]])).json.errors[0].path, name);
	assert.equal((await paste([['label', 'alone']])).status, 422);
	assert.equal((await paste([['text', ' \r\n\t']])).status, 422);
	const large = Buffer.alloc((8 << 20) + 1, 'x');
	assert.equal((await send(large, '?format=json', { 'content-type': 'text/plain' })).status, 413);
	assert.equal((await send(gzipSync(large), '?format=json', { 'content-type': 'text/plain', 'content-encoding': 'gzip' })).status, 413);
});

test('an image is no text', async () => {
	const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex');
	const { status, text } = await paste([['file', { file: png }]], '', { accept: 'text/html' });
	assert.equal(status, 422);
	assert.match(shown(text), /Text 1: it is no text, nor an output of a program: is it an image, or packed\?/);
});

test('broken forms are 400', async () => {
	const multi = (body, type = 'multipart/form-data; boundary=B') => send(body, '?format=json', { 'content-type': type });
	const part = (name, text) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
	assert.equal((await multi(`${part('text', one)}${part('text', two)}--B--\r\n`)).status, 200);
	assert.equal((await multi(`${part('text', one)}${part('text', two)}--B--\r\n`, 'multipart/form-data; charset=x; boundary="B"')).status, 200);
	assert.equal((await multi(`a preamble\r\n${part('text', one)}--B--`)).status, 200);
	for (const body of ['', '--B', part('text', one), `--B\r\nX: y\r\n\r\nz\r\n--B--`, `--B\r\nContent-Disposition: form-data\r\n\r\nz\r\n--B--`, `--B\r\nContent-Disposition: form-data; name="text"`])
		assert.equal((await multi(body)).status, 400, body.slice(0, 60));
	assert.equal((await multi(part('text', one), 'multipart/form-data')).status, 400);
	assert.equal((await multi(`${part('', one)}--B--`)).status, 422);
	assert.equal((await send('text=%', '?format=json', { 'content-type': 'application/x-www-form-urlencoded' })).status, 400);
});

test('readers who need a token need one here', async () => {
	const closed = await Server.start({ args: ['--readers-need-token'] });
	const ask = (headers) => fetch(`${closed.url}/paste?format=json`, { method: 'POST', body: mail, headers: { 'content-type': 'text/plain', ...headers } });
	assert.equal((await ask({})).status, 401);
	assert.equal((await ask({ authorization: `Bearer ${closed.token('upload')}` })).status, 200);
	await closed.end();
});

await finish();
await s.end();
