/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /help/reading - how to read a table, from a real one: what each column says, what a blank
 * means, and that the sign of a change does not tell whether it is good. HTML alone; no parameters.
 */
#include "server/pages/pages.h"

#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/url.h"

static void write_example(struct req *r)
{
	html(r->out,
	     "<p class=\"lead\">A table holds two or more commits against each other. The first "
	     "column is the "
	     "base; every change is one against it. One table is one series: one test, one setup, "
	     "one "
	     "machine.</p>\n<h2>A real one</h2>\n"
	     "<p>Six runs of hackbench on each of two commits, as text and mails show it:</p>\n"
	     "<pre class=\"robot\">"
	     "7bc162d5cc4de5c3 a0fd217e6d6fbd23e91f8796787 \n"
	     "---------------- --------------------------- \n"
	     "         %%stddev     %%change         %%stddev\n"
	     "             \\          |                \\  \n"
	     "    479042           -12.5%%     419357        hackbench.throughput\n"
	     "    222503 ± 86%%    +108.7%%     464342 ± 58%%  numa-meminfo.node1.Active\n"
	     "</pre>\n");
	html(r->out, "<dl>\n"
		     "<dt>479042<dd>the mean of the base's six runs. Means are printed without "
		     "their fraction from 1000 "
		     "on, and in short form (4.77e+10) from 100 million on.\n"
		     "<dt>419357<dd>the mean of the other commit's six runs.\n"
		     "<dt>-12.5%%<dd>the change from the base: 100 × (419357 - 479042) / 479042. "
		     "hackbench.throughput is "
		     "better when it is higher, so this is a regression.\n"
		     "<dt>± 86%%<dd>the standard deviation of the runs in percent of their mean. ");
	html(r->out, "With 86 %% on one side and 58 %% on the other, +108.7 %% says little: the "
		     "runs of one commit differ "
		     "among themselves as much as the commits do. No verdict is made of it.\n"
		     "<dt>a blank where ± would stand<dd>2 %% or less. It does not mean that the "
		     "spread is unknown.\n"
		     "</dl>\n");
}

static void write_failures(struct req *r)
{
	html(r->out, "<h2>Failures</h2>\n<pre class=\"robot\">"
		     "       fail:runs  %%reproduction    fail:runs\n"
		     "           |             |             |    \n"
		     "           :6           50%%           3:6     dmesg.BUG:soft_lockup\n"
		     "</pre>\n"
		     "<dl>\n<dt>:6<dd>it happened in none of six runs.\n"
		     "<dt>3:6<dd>it happened in three of six runs.\n"
		     "<dt>50%%<dd>%%reproduction, how much more often it happens: 3 of 6 less 0 of "
		     "6.\n</dl>\n");
}

static void write_direction(struct req *r)
{
	html(r->out,
	     "<h2>Is it good or bad?</h2>\n"
	     "<p><b>The sign is not the direction.</b> -12.5 %% of a throughput is bad, "
	     "-12.5 %% of a latency is "
	     "good. Every metric has its direction written beside it: “higher is better”, "
	     "“lower is better”, or "
	     "none. A metric without a direction can change, but nothing here calls that a "
	     "regression. A metric's "
	     "own page says which rule gave its direction.</p>\n"
	     "<h2>Percentages are compared by difference</h2>\n"
	     "<p>A metric that is a percentage itself, or a share of a profile, shows the "
	     "difference in points and "
	     "no %% sign: from 40 %% to 43 %% is +3.0, not +7.5 %%. So a change without %% "
	     "in a table is a difference, "
	     "not a ratio.</p>\n"
	     "<h2>± and ≈ on these pages</h2>\n<dl>\n"
	     "<dt>±1.4 %%<dd>the standard deviation of single runs in percent of their "
	     "mean (the text form divides "
	     "by n, as the test robot does; JSON and pages by n-1). It tells how far runs "
	     "scatter, not how sure the "
	     "mean is.\n"
	     "<dt>≈ -12.4 %%<dd>computed from means that came rounded out of a printed "
	     "table, so its last digit may "
	     "be off. A change that was printed itself is shown as it was printed, without "
	     "≈.\n"
	     "<dt>87 %% recovered (95 %% interval: 82 to 91 %%)<dd>a later version of a patch, or "
	     "a fix that is tried, "
	     "has -2.9 %% where there was -21.8 %%: 1 - 2.9/21.8. The interval is Fieller's for "
	     "the ratio of two "
	     "changes; there is none without samples on all sides, or when the first change "
	     "itself may be none.\n</dl>\n");
}

static void verdict_line(struct req *r, enum verdict v, const char *words)
{
	html(r->out, "<dt>");
	part_verdict(r->out, v);
	html(r->out, "<dd>%s\n", words);
}

static void write_verdicts(struct req *r)
{
	html(r->out, "<h2>Verdicts</h2>\n<p>The arrow says worse or better; it does not say up or "
		     "down.</p>\n<dl>\n");
	verdict_line(r, VERDICT_REGRESSION, "It changed, and in the bad direction.");
	verdict_line(r, VERDICT_IMPROVEMENT, "It changed, and in the good direction.");
	verdict_line(r, VERDICT_CHANGED, "It changed, and nobody said which direction is good.");
	verdict_line(r, VERDICT_SUSPECT,
		     "It may have changed; the runs are too few or too noisy to say so. "
		     "More runs on both commits would tell.");
	verdict_line(r, VERDICT_SAME,
		     "No change was found. A change smaller than the noise can hide here.");
	verdict_line(r, VERDICT_NO_DATA, "One side has no value. Absent is not zero.");
	verdict_line(r, VERDICT_FAILED, "The runs that should have measured it failed.");
	html(r->out, "</dl>\n<p>“as reported” beside a verdict: the figures came from a printed "
		     "table without samples, so "
		     "the verdict is what the printed change says and nothing was tested here. "
		     "When the base of a table is "
		     "the younger commit, pages turn the words round: what reads as a regression "
		     "from base to commit is "
		     "then what the younger one gained.</p>\n<p>");
	html_link(r->out, url_path(r->ctx.arena, "/help/verdicts"), "How a verdict is made");
	html(r->out, " · ");
	html_link(r->out, url_path(r->ctx.arena, "/series"), "Look at some series");
	html(r->out, "</p>\n");
}

int page_help_reading(struct req *r)
{
	req_page_begin(r, "How to read a table", "reading");
	write_example(r);
	write_direction(r);
	write_failures(r);
	write_verdicts(r);
	return req_page_end(r, 200);
}
