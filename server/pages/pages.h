/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages that routes.def names, one function an address; each fills r->out and returns a status.
 */
#ifndef PAGES_PAGES_H
#define PAGES_PAGES_H

struct req;

int page_home(struct req *r);
int page_series_list(struct req *r);
int page_series(struct req *r);
int page_commit(struct req *r);
int page_patch(struct req *r);
int page_run(struct req *r);
int page_runs(struct req *r);
int page_metric(struct req *r);
int page_testcases(struct req *r);
int page_testcase(struct req *r);
int page_machines(struct req *r);
int page_machine(struct req *r);
int page_repositories(struct req *r);
int page_search(struct req *r);
int page_findings(struct req *r);
int page_events(struct req *r);
int page_formats(struct req *r);
int page_help_reading(struct req *r);
int page_help_upload(struct req *r);
int page_help_verdicts(struct req *r);
int page_openapi(struct req *r);

#endif
