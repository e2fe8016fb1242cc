// SPDX-License-Identifier: GPL-2.0-or-later
// make_repo.mjs DIR COMMITS SEED: a bare repository with a history like a kernel's, the same for the same arguments:
// side branches that are merged (some criss-cross, some octopus, one with a root of its own), tags on the main line, dates that go
// back now and then, Fixes:, Link: and reverts, and stable branches with backports. Prints the id of master.
import { pathToFileURL } from 'node:url';

import { History } from './history.mjs';

// A small generator of numbers in 0 … 1.
export function random(seed) {
	let a = seed >>> 0;
	return () => {
		a = (a + 0x6d2b79f5) >>> 0;
		let t = Math.imul(a ^ (a >>> 15), 1 | a);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

const areas = ['mm', 'sched', 'net', 'block', 'ext4', 'x86', 'slub', 'perf'];
const verbs = ['avoid', 'batch', 'fix', 'drop', 'rework', 'speed up', 'simplify', 'account for'];
const nouns = ['lock contention', 'page reclaim', 'a stale counter', 'wakeups', 'list walks', 'cache misses', 'the slow path', 'refcounts'];

export function makeRepo(dir, commits, seed) {
	const next = random(seed);
	const pick = (list) => list[Math.floor(next() * list.length)];
	const h = new History();
	const old = []; // { id, subject } of single changes
	let made = 0;
	let clock = 1_400_000_000;

	const stamp = () => {
		clock += Math.floor(next() * 600) + 1;
		return next() < 0.02 ? clock - Math.floor(next() * 200_000) : clock;
	};
	const text = () => {
		const area = pick(areas);
		const subject = `${area}: ${pick(verbs)} ${pick(nouns)} (${made})`;
		let body = `\nMeasured on a box with two sockets, it is change number ${made}.\n\n`;
		const earlier = old.length ? old[Math.floor(old.length * next())] : null;
		if (earlier && next() < 0.1) body += `Fixes: ${earlier.id.slice(0, 12)} ("${earlier.subject}")\n`;
		if (next() < 0.5) body += `Link: https://lore.kernel.org/r/2023${made}.${seed}-1-ann@example.org\n`;
		body += 'Signed-off-by: Ann Author <ann@example.org>\n';
		return { area, subject, message: `${subject}\n${body}` };
	};
	const change = (parents, said = text()) => {
		const file = `${said.area}/file${Math.floor(next() * 16)}.c`;
		const commit = h.commit({ message: said.message, parents, files: { [file]: `/* ${made} */\nint x${made};\n` }, date: stamp() });
		old.push({ id: commit.id, subject: said.subject });
		made++;
		return commit;
	};
	const merge = (into, others, name) => {
		made++;
		return h.commit({ message: `Merge ${name} into the main line\n`, parents: [into, ...others], date: stamp() });
	};

	let master = change([]);
	let sides = [];
	const tags = [];
	while (made < commits) {
		const what = next();
		if (what < 0.06 && sides.length < 8) {
			const from = tags.length && next() < 0.2 ? pick(tags).commit : master;
			sides.push({ tip: change([from]), name: `topic-${made}` });
		} else if (what < 0.1 && sides.length > 0) {
			const i = Math.floor(next() * sides.length);
			const octopus = sides.length > 3 && next() < 0.1;
			const taken = octopus ? sides.splice(0, 3) : sides.splice(i, 1);
			master = merge(master, taken.map((s) => s.tip), taken.map((s) => `'${s.name}'`).join(', '));
		} else if (what < 0.11 && sides.length > 0) {
			const side = pick(sides);
			side.tip = merge(side.tip, [master], "'master'");
		} else if (what < 0.115 && old.length > 10) {
			const bad = pick(old);
			const message = `Revert "${bad.subject}"\n\nThis reverts commit ${bad.id}.\n`;
			master = change([master], { area: 'mm', subject: `Revert "${bad.subject}"`, message });
		} else if (what < 0.6 && sides.length > 0) {
			const side = pick(sides);
			side.tip = change([side.tip]);
		} else {
			master = change([master]);
		}
		if (made > (tags.length + 1) * (commits / 61)) {
			const name = `v${1 + Math.floor(tags.length / 9)}.${Math.floor((tags.length % 9) / 3)}${['-rc1', '-rc2', ''][tags.length % 3]}`;
			if (!tags.some((t) => t.name === name)) h.tag(name, master);
			tags.push({ name, commit: master });
		}
		if (made === Math.floor(commits / 3)) master = merge(master, [change([])], "'another root'");
	}
	for (const t of tags.filter((_, i) => i % 9 === 2)) {
		let tip = t.commit;
		for (let i = 0; i < 5; i++) {
			const up = pick(old);
			const words = i % 2 ? `[ Upstream commit ${up.id} ]\n` : `commit ${up.id} upstream.\n`;
			tip = change([tip], { area: 'mm', subject: up.subject, message: `${up.subject}\n\n${words}\nSigned-off-by: Ann Author <ann@example.org>\n` });
		}
		h.ref(`refs/heads/linux-${t.name.slice(1)}.y`, tip);
	}
	sides.forEach((s) => h.ref(`refs/heads/${s.name}`, s.tip));
	h.ref('refs/heads/master', master);
	h.write(dir);
	return master.id;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
	const [dir, commits, seed] = process.argv.slice(2);
	if (!dir || !(commits > 0)) {
		console.error('usage: make_repo.mjs DIR COMMITS SEED');
		process.exit(2);
	}
	console.log(makeRepo(dir, Number(commits), Number(seed ?? 1)));
}
