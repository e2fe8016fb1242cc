-- SPDX-License-Identifier: GPL-2.0-or-later
-- What administrators say of metrics, and who said it when.

ALTER TABLE metric ADD COLUMN role INTEGER;       -- override, as the ones before it
ALTER TABLE metric ADD COLUMN overridden INTEGER; -- when an administrator ruled last; NULL: all by the rules

CREATE INDEX metric_overridden ON metric (overridden) WHERE overridden IS NOT NULL;
CREATE INDEX audit_by_object ON audit (action, object) WHERE object IS NOT NULL;
