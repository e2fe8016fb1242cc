/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A metric: what is known of it, and what administrators say of it. */
#ifndef PAGES_METRIC_H
#define PAGES_METRIC_H

#include "db/metric_overrides.h"
#include "db/metrics.h"
#include "server/analysis/rule.h"
#include "server/pages/req.h"
#include "server/view/json.h"

#define METRIC_WORDS_SHOWN 20

int page_put_metric(struct req *r);

struct metric_said {
	struct metric_override override;
	struct metric_word *words; /* newest first */
	size_t nwords;
};
int metric_said_load(struct ctx *c, const struct metric *m, struct metric_said *out);
/* {"name", "unit", "direction", "kind", "meaning", "rule", "threshold_pct", "floor", "override"}
 * inside an object that is open. */
void metric_json_facts(struct jw *w, const struct metric *m, const struct metric_said *said);

#endif
