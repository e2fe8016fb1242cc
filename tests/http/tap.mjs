// SPDX-License-Identifier: GPL-2.0-or-later
// Tests in the order they are written, printed as TAP: test('name', async () => {…}); await finish();
const tests = [];

export function test(name, run) {
	tests.push({ name, run });
}

export async function finish() {
	let n = 0;
	let failed = 0;
	for (const t of tests) {
		n++;
		try {
			await t.run();
			console.log(`ok ${n} - ${t.name}`);
		} catch (e) {
			failed++;
			console.log(`not ok ${n} - ${t.name}`);
			console.log(String(e.stack ?? e).replace(/^/gm, '# '));
		}
	}
	console.log(`1..${n}`);
	process.exitCode = failed ? 1 : 0;
}
