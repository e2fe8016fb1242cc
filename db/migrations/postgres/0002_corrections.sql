-- SPDX-License-Identifier: GPL-2.0-or-later
-- Corrections say what each run and summary was before and what it became, so that an undo puts back exactly that.
-- Machines remember what they said of themselves, so that a change of it is an event. Nothing wrote correction_run
-- before this.

DROP TABLE correction_run;

ALTER TABLE correction ADD COLUMN runs bigint NOT NULL DEFAULT 0;
ALTER TABLE correction ADD COLUMN summaries bigint NOT NULL DEFAULT 0;

CREATE TABLE correction_run (          -- what each run was before, and what it became
	correction_id bigint NOT NULL REFERENCES correction,
	series_id bigint NOT NULL,         -- before; a series that only a correction made may be gone after its undo
	run_id bigint NOT NULL,
	old_status bigint NOT NULL,
	old_commit_id bigint NOT NULL,
	new_series_id bigint NOT NULL,
	new_status bigint NOT NULL,
	new_commit_id bigint NOT NULL,
	PRIMARY KEY (correction_id, series_id, run_id)
);
CREATE INDEX correction_run_by_run ON correction_run (run_id, correction_id);
CREATE INDEX correction_run_by_cell ON correction_run (series_id, old_commit_id, correction_id);
CREATE INDEX correction_run_by_new_cell ON correction_run (new_series_id, new_commit_id, correction_id);

CREATE TABLE correction_summary (      -- the same of summaries
	correction_id bigint NOT NULL REFERENCES correction,
	series_id bigint NOT NULL,
	summary_id bigint NOT NULL,
	old_status bigint NOT NULL,
	old_commit_id bigint NOT NULL,
	new_series_id bigint NOT NULL,
	new_status bigint NOT NULL,
	new_commit_id bigint NOT NULL,
	PRIMARY KEY (correction_id, series_id, summary_id)
);
CREATE INDEX correction_summary_by_summary ON correction_summary (summary_id, correction_id);
CREATE INDEX correction_summary_by_cell ON correction_summary (series_id, old_commit_id, correction_id);
CREATE INDEX correction_summary_by_new_cell ON correction_summary (new_series_id, new_commit_id, correction_id);

CREATE TABLE machine_fact (            -- what a machine said of itself, a row a change: db/machine_facts.def
	machine text COLLATE "C" NOT NULL,              -- tbox_group
	host text COLLATE "C" NOT NULL,                 -- of several in one group; '' where uploads do not say
	key text COLLATE "C" NOT NULL,
	since bigint NOT NULL,             -- the first time it was said
	last bigint NOT NULL,              -- the last, to the hour
	value text COLLATE "C" NOT NULL,
	event_id bigint REFERENCES event,  -- of the change to it; NULL: it was the first
	PRIMARY KEY (machine, host, key, since)
);
