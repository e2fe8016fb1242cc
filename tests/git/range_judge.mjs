// SPDX-License-Identifier: GPL-2.0-or-later
// Ranges of a repository as git walks them, to hold a server against: random pairs of its commits, tags and branches.
import { git } from './history.mjs';
import { random } from './make_repo.mjs';

// count random ranges: [A..B or A...B, first parents alone].
export function randomRanges(dir, count, seed) {
	const next = random(seed);
	const pick = (list) => list[Math.floor(next() * list.length)];
	const ids = git(dir, 'rev-list', '--all').split('\n');
	const refs = git(dir, 'for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/tags').split('\n');
	const name = () => {
		const what = next();
		if (what < 0.4) return pick(refs);
		if (what < 0.6) return `${pick(refs)}~${Math.floor(next() * 40)}`;
		return pick(ids).slice(0, 12 + Math.floor(next() * 29));
	};
	const list = [];
	while (list.length < count) {
		const range = `${name()}${next() < 0.25 ? '...' : '..'}${name()}`;
		try {
			for (const side of range.split(/\.\.\.?/)) git(dir, 'rev-parse', '--verify', '--quiet', `${side}^{commit}`);
		} catch {
			continue; // ~n went past the root
		}
		list.push([range, next() < 0.25]);
	}
	return list;
}

// As `git log --oneline` prints it, in the order that git calls topological.
export function asGit(dir, range, firstParent) {
	const text = git(dir, 'log', '--oneline', '--abbrev=12', '--topo-order', '--no-decorate', ...(firstParent ? ['--first-parent'] : []), range, '--');
	return text ? `${text}\n` : '';
}

// By another road, and whatever dates say: all ancestors of one end without all of the other; of A...B what only one has.
export function wholeSet(dir, range) {
	const [from, to] = range.split(/\.\.\.?/).map((name) => new Set(git(dir, 'rev-list', name, '--').split('\n')));
	const only = (a, b) => [...a].filter((id) => !b.has(id));
	return range.includes('...') ? [...only(to, from), ...only(from, to)] : only(to, from);
}
