-- SPDX-License-Identifier: GPL-2.0-or-later
-- What git says: an index of every commit of every repository, so that names, ancestors, ranges and the order of
-- charts need no repository at hand, and a rebased or removed tree takes nothing away.

CREATE TABLE repo (
	repo_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,          -- the tree, as uploads name it
	url TEXT NOT NULL,                  -- where it is fetched from; in place: its folder
	path TEXT NOT NULL,                 -- the folder that is read
	in_place INTEGER NOT NULL,          -- 1: somebody else's folder, nothing is written there
	refs TEXT NOT NULL,                 -- patterns of refs that are followed, a line each; '' all branches and tags
	line TEXT,                          -- the ref whose first parents are the line of charts; NULL: not known yet
	snapshots INTEGER NOT NULL,         -- 1: each tag is a tree of its own, as in linux-next
	added INTEGER NOT NULL,
	tried INTEGER,                      -- last attempt to refresh
	synced INTEGER,                     -- last one that went well
	next_try INTEGER NOT NULL,
	failures INTEGER NOT NULL,          -- in a row
	problem TEXT,                       -- of the last attempt; NULL: none
	commits INTEGER NOT NULL DEFAULT 0, -- reached from its refs at the last refresh
	removed INTEGER                     -- no longer followed; its commits stay
) STRICT;

CREATE TABLE git_commit (              -- every commit of every repository, once; never deleted
	position INTEGER PRIMARY KEY,       -- parents before children, given once
	id TEXT NOT NULL UNIQUE,            -- 40 digits
	parents BLOB NOT NULL,              -- their positions, 4 bytes each, little-endian, first first
	date INTEGER NOT NULL,              -- the committer's
	author_date INTEGER NOT NULL,
	subject TEXT NOT NULL,
	subject_key INTEGER NOT NULL,       -- of the subject, to find the same change elsewhere
	patch_id TEXT                       -- NULL: not looked at yet; '' a merge or an empty change
) STRICT;
CREATE INDEX git_commit_by_subject ON git_commit (subject_key);
CREATE INDEX git_commit_by_patch_id ON git_commit (patch_id) WHERE patch_id IS NOT NULL AND patch_id <> '';

CREATE TABLE git_link (                -- what a message says of other commits and mails
	position INTEGER NOT NULL REFERENCES git_commit,
	n INTEGER NOT NULL,
	kind INTEGER NOT NULL,              -- 0 fixes, 1 the same change upstream, 2 reverts, 3 its Message-Id
	target TEXT NOT NULL,               -- hex as written in lower case, or the Message-Id
	target_key TEXT NOT NULL,           -- the first 7 digits, or the Message-Id
	PRIMARY KEY (position, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX git_link_by_target ON git_link (kind, target_key);

CREATE TABLE repo_ref (                -- branches and tags at the last refresh
	repo_id INTEGER NOT NULL REFERENCES repo,
	name TEXT NOT NULL,                 -- refs/heads/master, refs/tags/v6.5
	position INTEGER NOT NULL REFERENCES git_commit,
	gone INTEGER,                       -- since when it is no longer there; tags of snapshots stay known
	PRIMARY KEY (repo_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX repo_ref_by_name ON repo_ref (name);

ALTER TABLE commits ADD COLUMN position INTEGER;   -- of git_commit, where git knows it
CREATE INDEX commits_by_position ON commits (position) WHERE position IS NOT NULL;
ALTER TABLE commits ADD COLUMN git_text INTEGER NOT NULL DEFAULT 0;   -- 1: its texts are git's
CREATE INDEX commits_without_git_text ON commits (commit_id) WHERE position IS NOT NULL AND git_text = 0;
CREATE INDEX commits_stubs ON commits (name) WHERE kind = 1;
CREATE INDEX commits_refs_untied ON commits (commit_id) WHERE kind = 2 AND position IS NULL;
