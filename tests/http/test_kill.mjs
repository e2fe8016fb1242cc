// SPDX-License-Identifier: GPL-2.0-or-later
// kill -9 while uploads stream in: whatever was answered 201 is there afterwards, once, and the database is whole.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { Server } from './server.mjs';
import { test, finish } from './tap.mjs';

const doc = (key) => ({
	key, axes: { testcase: 'kill', tbox_group: 'b' }, commit: { id: 'a'.repeat(40) },
	runs: [Object.fromEntries([...Array(200).keys()].map((i) => [`kill.m${i}`, i + Math.random()]))],
});

let folder;
const acknowledged = new Set();
const sent = new Set();

for (const round of [1, 2, 3, 4, 5]) {
	test(`round ${round}: killed after ${round * 20} answers; nothing acknowledged is lost, nothing is stored twice`, async () => {
		const s = await Server.start({ folder });
		folder = s.folder;
		s.uploadToken();
		let answers = 0;
		let n = 0;
		const client = async () => {
			for (;;) {
				const key = `r${round}-${n++}`;
				sent.add(key);
				let r;
				try {
					r = await s.upload(doc(key));
				} catch {
					return; // the connection died with the server: not acknowledged
				}
				assert.equal(r.status, 201, r.text);
				acknowledged.add(key);
				if (++answers === round * 20)
					s.child.kill('SIGKILL');
			}
		};
		await Promise.all([client(), client(), client(), client()]);
		assert.equal((await s.exited).signal, 'SIGKILL');

		const again = await Server.start({ folder });
		const check = again.run(['check']);
		assert.match(check, /: no complaints$/m);
		const stored = [];
		for (let cursor = ''; cursor !== null;) {
			const { json } = await again.json(`/runs.json?limit=1000${cursor}`);
			stored.push(...json.runs.map((r) => r.key));
			cursor = json.next === null ? null : `&cursor=${json.next}`;
		}
		assert.equal(new Set(stored).size, stored.length, 'no key twice');
		for (const key of acknowledged)
			assert.ok(stored.includes(key), `${key} was acknowledged and is lost`);
		for (const key of stored)
			assert.ok(sent.has(key), `${key} was never sent`);
		// What was sent and not answered may be there: sending it again must not store it twice.
		assert.deepEqual(await again.stop(), { code: 0, signal: null });
	});
}

test('SIGTERM under load: accepted uploads are answered, the rest is refused, exit status 0', async () => {
	const s = await Server.start({ folder });
	s.uploadToken();
	const statuses = [];
	let n = 0;
	const client = async () => {
		for (;;) {
			const key = `term-${n++}`;
			try {
				const r = await s.upload(doc(key));
				statuses.push(r.status);
				if (r.status === 201)
					acknowledged.add(key);
				if (statuses.length === 40)
					s.child.kill('SIGTERM');
			} catch {
				return;
			}
		}
	};
	await Promise.all([client(), client(), client(), client()]);
	assert.deepEqual(await s.exited, { code: 0, signal: null });
	assert.ok(statuses.every((x) => x === 201 || x === 503), statuses.join(' '));
	const again = await Server.start({ folder });
	const { json } = await again.json('/series.json');
	assert.ok(json.series[0].runs >= acknowledged.size);
	await again.stop();
});

await finish();
rmSync(folder, { recursive: true, force: true });
