-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the database looks like after all migrations, as SQLite tells it: made by db/schema.sh, never edited.
-- Times are seconds since 1970 in UTC. Samples and printed figures are packed (db/samples.h).

CREATE TABLE generation (              -- raised once by every write transaction: validates ETags
	one INTEGER PRIMARY KEY CHECK (one = 1),
	n INTEGER NOT NULL
) STRICT;

CREATE TABLE setting (                 -- facts about this database
	name TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
	series_id INTEGER PRIMARY KEY,
	digest TEXT NOT NULL UNIQUE,        -- BLAKE2b-128 over all axes, 32 hex digits: what links carry
	peer_digest TEXT NOT NULL,          -- over all but the axes of class machine: "other machines"
	test_digest TEXT NOT NULL,          -- over the axes of class test alone: neighbours
	testcase TEXT NOT NULL,
	tbox_group TEXT NOT NULL,
	created INTEGER NOT NULL
) STRICT;
CREATE INDEX series_by_peers ON series (peer_digest);
CREATE INDEX series_by_test ON series (test_digest);
CREATE INDEX series_by_machine ON series (tbox_group, testcase);
CREATE INDEX series_by_testcase ON series (testcase);

CREATE TABLE series_axis (
	series_id INTEGER NOT NULL REFERENCES series,
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (series_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_axis_by_value ON series_axis (name, value, series_id);

CREATE TABLE metric (
	metric_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	unit TEXT,                          -- overrides; NULL: as analysis/metric_rules.def says
	direction INTEGER,
	kind INTEGER,
	threshold_pct REAL,                 -- smallest change that counts, NULL: the rule's
	floor REAL,                         -- smallest value that counts where the base is 0
	created INTEGER NOT NULL
, role INTEGER, overridden INTEGER) STRICT;

CREATE TABLE layout (                  -- the sorted list of metric ids that runs share
	layout_id INTEGER PRIMARY KEY,
	digest BLOB NOT NULL UNIQUE,        -- BLAKE2b-128 over the sorted names
	metric_ids BLOB NOT NULL
) STRICT;

CREATE TABLE series_layout (
	series_id INTEGER NOT NULL REFERENCES series,
	layout_id INTEGER NOT NULL REFERENCES layout,
	PRIMARY KEY (series_id, layout_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE series_metric (
	series_id INTEGER NOT NULL REFERENCES series,
	metric_id INTEGER NOT NULL REFERENCES metric,
	unit TEXT,                          -- as uploaded
	PRIMARY KEY (series_id, metric_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_metric_by_metric ON series_metric (metric_id, series_id);

CREATE TABLE commits (
	commit_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,                 -- 40 digits, a stub's 7 to 39, or a ref name
	tree TEXT NOT NULL,                 -- in which a ref name was said; '' for ids
	kind INTEGER NOT NULL,              -- 0 full id, 1 stub, 2 ref
	subject TEXT,
	message TEXT,
	label TEXT,
	author_name TEXT, author_email TEXT, author_date INTEGER,
	committer_name TEXT, committer_email TEXT, committer_date INTEGER,
	date INTEGER,
	patch_id TEXT,
	first_received INTEGER NOT NULL, position INTEGER, git_text INTEGER NOT NULL DEFAULT 0,
	UNIQUE (name, tree)
) STRICT;
CREATE INDEX commits_by_patch_id ON commits (patch_id) WHERE patch_id IS NOT NULL;

CREATE TABLE commit_alias (            -- a stub's name after its full id became known
	name TEXT NOT NULL,
	tree TEXT NOT NULL,
	commit_id INTEGER NOT NULL REFERENCES commits,
	received INTEGER NOT NULL,
	PRIMARY KEY (name, tree)
) STRICT, WITHOUT ROWID;
CREATE INDEX commit_alias_by_commit ON commit_alias (commit_id);

CREATE TABLE commit_tree (
	commit_id INTEGER NOT NULL REFERENCES commits,
	tree TEXT NOT NULL,
	PRIMARY KEY (commit_id, tree)
) STRICT, WITHOUT ROWID;
CREATE INDEX commit_tree_by_tree ON commit_tree (tree, commit_id);

CREATE TABLE commit_parent (           -- as uploaded; git's own word replaces it where git knows
	commit_id INTEGER NOT NULL REFERENCES commits,
	n INTEGER NOT NULL,                 -- 0: first parent
	parent_id INTEGER NOT NULL REFERENCES commits,
	PRIMARY KEY (commit_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX commit_parent_by_parent ON commit_parent (parent_id);

CREATE TABLE patch (                   -- a commit that is a patch under test
	commit_id INTEGER PRIMARY KEY REFERENCES commits,
	message_id TEXT,
	version INTEGER,
	part INTEGER,
	total INTEGER,
	base TEXT,
	diff TEXT
) STRICT;
CREATE INDEX patch_by_message_id ON patch (message_id);

CREATE TABLE build (
	build_id INTEGER PRIMARY KEY,
	commit_id INTEGER NOT NULL REFERENCES commits,
	digest BLOB NOT NULL,               -- over all that follows, so that one build is kept once
	config TEXT,
	compiler TEXT,
	status TEXT,
	received INTEGER NOT NULL,
	UNIQUE (commit_id, digest)
) STRICT;

CREATE TABLE build_warning (
	build_id INTEGER NOT NULL REFERENCES build,
	n INTEGER NOT NULL,
	file TEXT,
	line INTEGER,
	col INTEGER,
	message TEXT NOT NULL,
	PRIMARY KEY (build_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
	token_id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	digest BLOB NOT NULL UNIQUE,        -- BLAKE2b-256 of the secret
	scopes INTEGER NOT NULL,            -- 1 upload, 2 triage, 4 admin
	machine TEXT,
	created INTEGER NOT NULL,
	revoked INTEGER
) STRICT;

CREATE TABLE audit (
	audit_id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	token_id INTEGER REFERENCES token,  -- NULL: the command line
	who TEXT NOT NULL,
	action TEXT NOT NULL,
	object TEXT,
	detail TEXT
) STRICT;
CREATE INDEX audit_by_time ON audit (at);

CREATE TABLE report (                  -- where results were published
	report_id INTEGER PRIMARY KEY,
	digest BLOB NOT NULL UNIQUE,
	message_id TEXT,
	subject TEXT,
	url TEXT,
	date INTEGER
) STRICT;
CREATE INDEX report_by_message_id ON report (message_id);

CREATE TABLE info (                    -- what does not split a series; JSON object, shared by equal runs
	info_id INTEGER PRIMARY KEY,
	digest BLOB NOT NULL UNIQUE,
	data TEXT NOT NULL
) STRICT;

CREATE TABLE submission (              -- one accepted document
	submission_id INTEGER PRIMARY KEY,
	series_id INTEGER NOT NULL REFERENCES series,
	key TEXT NOT NULL,
	content BLOB NOT NULL,              -- BLAKE2b-128: the same key again with other content is refused
	kind INTEGER NOT NULL,              -- 0 runs, 1 summary, 2 neither
	commit_id INTEGER NOT NULL REFERENCES commits,
	commit_as TEXT NOT NULL,            -- the id as it was given
	started INTEGER,
	received INTEGER NOT NULL,
	token_id INTEGER REFERENCES token,
	report_id INTEGER REFERENCES report,
	replaced_by INTEGER REFERENCES submission,
	UNIQUE (series_id, key)
) STRICT;
CREATE INDEX submission_by_received ON submission (received);
CREATE INDEX submission_by_commit ON submission (commit_id);
CREATE INDEX submission_by_report ON submission (report_id) WHERE report_id IS NOT NULL;

CREATE TABLE headline (                -- what a report claimed
	submission_id INTEGER PRIMARY KEY REFERENCES submission,
	metric TEXT,
	base TEXT,
	change_pct REAL,
	verdict TEXT
) STRICT;

CREATE TABLE run (
	run_id INTEGER PRIMARY KEY,
	series_id INTEGER NOT NULL REFERENCES series,
	commit_id INTEGER NOT NULL REFERENCES commits,
	submission_id INTEGER NOT NULL REFERENCES submission,
	position INTEGER NOT NULL,          -- in its submission, from 0
	status INTEGER NOT NULL,            -- 0 ok, 1 incomplete, 2 failed, 3 invalid
	boot TEXT,
	boot_order INTEGER NOT NULL,        -- of the run within its boot, from 0
	build_id INTEGER REFERENCES build,
	info_id INTEGER REFERENCES info,
	layout_id INTEGER NOT NULL REFERENCES layout,
	samples BLOB NOT NULL               -- last: the columns before it are read without it
) STRICT;
CREATE INDEX run_by_cell ON run (series_id, commit_id, run_id);
CREATE INDEX run_by_submission ON run (submission_id);

CREATE TABLE summary (                 -- figures without samples
	summary_id INTEGER PRIMARY KEY,
	series_id INTEGER NOT NULL REFERENCES series,
	commit_id INTEGER NOT NULL REFERENCES commits,
	submission_id INTEGER NOT NULL REFERENCES submission,
	status INTEGER NOT NULL,
	info_id INTEGER REFERENCES info,
	cells BLOB NOT NULL
) STRICT;
CREATE INDEX summary_by_cell ON summary (series_id, commit_id, summary_id);
CREATE INDEX summary_by_submission ON summary (submission_id);

CREATE TABLE measured (                -- counts a series and commit: the map that lists and pages read
	series_id INTEGER NOT NULL REFERENCES series,
	commit_id INTEGER NOT NULL REFERENCES commits,
	runs INTEGER NOT NULL,              -- status ok
	failed INTEGER NOT NULL,            -- failed or incomplete
	summaries INTEGER NOT NULL,
	first_received INTEGER NOT NULL,
	last_received INTEGER NOT NULL,
	PRIMARY KEY (series_id, commit_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX measured_by_commit ON measured (commit_id, series_id);
CREATE INDEX measured_by_time ON measured (last_received);

CREATE TABLE distribution (            -- percentiles and buckets of a latency
	series_id INTEGER NOT NULL REFERENCES series,
	run_id INTEGER NOT NULL REFERENCES run,
	metric_id INTEGER NOT NULL REFERENCES metric,
	data BLOB NOT NULL,
	PRIMARY KEY (series_id, run_id, metric_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE artifact (                -- files, once each
	digest BLOB PRIMARY KEY,            -- BLAKE2b-256 of the plain bytes
	size INTEGER NOT NULL,
	encoding TEXT NOT NULL,             -- of data: identity, zstd
	data BLOB NOT NULL
) STRICT;

CREATE TABLE run_artifact (
	series_id INTEGER NOT NULL REFERENCES series,
	run_id INTEGER NOT NULL REFERENCES run,
	name TEXT NOT NULL,
	digest BLOB NOT NULL REFERENCES artifact,
	received INTEGER NOT NULL,
	token_id INTEGER REFERENCES token,
	PRIMARY KEY (series_id, run_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_artifact_by_digest ON run_artifact (digest);

CREATE TABLE machine (                 -- only what was told about one; names come from the axes
	name TEXT PRIMARY KEY,
	description TEXT,
	state TEXT NOT NULL,                -- active, quarantined, retired
	expect_every INTEGER,               -- seconds between uploads, NULL: no expectation
	changed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE event (                   -- something changed on a machine
	event_id INTEGER PRIMARY KEY,
	machine TEXT NOT NULL,
	at INTEGER NOT NULL,
	key TEXT NOT NULL,
	old TEXT,
	new TEXT,
	note TEXT,
	token_id INTEGER REFERENCES token,  -- NULL: seen by the service
	created INTEGER NOT NULL
) STRICT;
CREATE INDEX event_by_machine ON event (machine, at);
CREATE INDEX event_by_time ON event (at);

CREATE TABLE finding (
	finding_id INTEGER PRIMARY KEY,
	series_id INTEGER NOT NULL REFERENCES series,
	metric_id INTEGER NOT NULL REFERENCES metric,
	good_commit INTEGER NOT NULL REFERENCES commits,
	bad_commit INTEGER NOT NULL REFERENCES commits,
	verdict TEXT NOT NULL,
	state TEXT NOT NULL,
	change_pct REAL,
	change_abs REAL,
	p REAL,
	q REAL,
	rule TEXT NOT NULL,                 -- version of the rule that judged
	reason TEXT NOT NULL,
	accepted_size REAL,                 -- of a dismissal: worse than this opens it again
	until INTEGER,
	merged_into INTEGER REFERENCES finding,
	opened INTEGER NOT NULL,
	changed INTEGER NOT NULL
) STRICT;
CREATE INDEX finding_by_cell ON finding (series_id, metric_id);
CREATE INDEX finding_by_commit ON finding (bad_commit);
CREATE INDEX finding_by_state ON finding (state, changed);

CREATE TABLE finding_log (
	finding_id INTEGER NOT NULL REFERENCES finding,
	n INTEGER NOT NULL,
	at INTEGER NOT NULL,
	token_id INTEGER REFERENCES token,
	who TEXT NOT NULL,
	action TEXT NOT NULL,
	note TEXT,
	url TEXT,
	detail TEXT,                        -- JSON: the figures of that moment
	PRIMARY KEY (finding_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE finding_mail (            -- what left the house, frozen
	finding_id INTEGER NOT NULL REFERENCES finding,
	message_id TEXT NOT NULL,
	at INTEGER NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (finding_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE correction (
	correction_id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	token_id INTEGER REFERENCES token,
	who TEXT NOT NULL,
	selection TEXT NOT NULL,            -- JSON, as asked
	change TEXT NOT NULL,               -- JSON, as asked
	reason TEXT NOT NULL,
	undone_at INTEGER,
	undone_by TEXT
, runs INTEGER NOT NULL DEFAULT 0, summaries INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE analysis_queue (          -- cells with new results that nobody has judged yet
	series_id INTEGER NOT NULL REFERENCES series,
	commit_id INTEGER NOT NULL REFERENCES commits,
	queued INTEGER NOT NULL,
	PRIMARY KEY (series_id, commit_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE correction_run (          -- what each run was before, and what it became
	correction_id INTEGER NOT NULL REFERENCES correction,
	series_id INTEGER NOT NULL,         -- before; a series that only a correction made may be gone after its undo
	run_id INTEGER NOT NULL,
	old_status INTEGER NOT NULL,
	old_commit_id INTEGER NOT NULL,
	new_series_id INTEGER NOT NULL,
	new_status INTEGER NOT NULL,
	new_commit_id INTEGER NOT NULL,
	PRIMARY KEY (correction_id, series_id, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX correction_run_by_run ON correction_run (run_id, correction_id);
CREATE INDEX correction_run_by_cell ON correction_run (series_id, old_commit_id, correction_id);
CREATE INDEX correction_run_by_new_cell ON correction_run (new_series_id, new_commit_id, correction_id);

CREATE TABLE correction_summary (      -- the same of summaries
	correction_id INTEGER NOT NULL REFERENCES correction,
	series_id INTEGER NOT NULL,
	summary_id INTEGER NOT NULL,
	old_status INTEGER NOT NULL,
	old_commit_id INTEGER NOT NULL,
	new_series_id INTEGER NOT NULL,
	new_status INTEGER NOT NULL,
	new_commit_id INTEGER NOT NULL,
	PRIMARY KEY (correction_id, series_id, summary_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX correction_summary_by_summary ON correction_summary (summary_id, correction_id);
CREATE INDEX correction_summary_by_cell ON correction_summary (series_id, old_commit_id, correction_id);
CREATE INDEX correction_summary_by_new_cell ON correction_summary (new_series_id, new_commit_id, correction_id);

CREATE TABLE machine_fact (            -- what a machine said of itself, a row a change: db/machine_facts.def
	machine TEXT NOT NULL,              -- tbox_group
	host TEXT NOT NULL,                 -- of several in one group; '' where uploads do not say
	key TEXT NOT NULL,
	since INTEGER NOT NULL,             -- the first time it was said
	last INTEGER NOT NULL,              -- the last, to the hour
	value TEXT NOT NULL,
	event_id INTEGER REFERENCES event,  -- of the change to it; NULL: it was the first
	PRIMARY KEY (machine, host, key, since)
) STRICT, WITHOUT ROWID;

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
CREATE INDEX commits_by_position ON commits (position) WHERE position IS NOT NULL;
CREATE INDEX commits_without_git_text ON commits (commit_id) WHERE position IS NOT NULL AND git_text = 0;
CREATE INDEX commits_stubs ON commits (name) WHERE kind = 1;
CREATE INDEX commits_refs_untied ON commits (commit_id) WHERE kind = 2 AND position IS NULL;
CREATE INDEX metric_overridden ON metric (overridden) WHERE overridden IS NOT NULL;
CREATE INDEX audit_by_object ON audit (action, object) WHERE object IS NOT NULL;
