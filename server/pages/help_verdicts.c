/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /help/verdicts - how results are judged, for somebody who never read of statistics: one
 * comparison worked through with its real figures, then the rule step by step, what stands beside a
 * verdict, and what none of it can do. HTML alone; no parameters.
 */
#include "server/pages/pages.h"

#include "server/analysis/equivalence.h"
#include "server/analysis/verdict.h"
#include "server/model/others.h"
#include "server/pages/parts.h"
#include "server/pages/rules.h"
#include "server/view/html.h"
#include "server/view/url.h"

/* The figures are those that the rule gives these samples; a test uploads them and compares. */
static void write_example(struct req *r)
{
	html(r->out,
	     "<p class=\"lead\">A verdict answers one question: did this metric change between "
	     "these two commits, or do its runs just scatter?</p>\n<h2>An example</h2>\n"
	     "<p>hackbench ran six times on each of two kernels, and said how much it moved, in "
	     "KB/s. Higher is better.</p>\n"
	     "<table>\n<thead><tr><th scope=\"col\">Kernel<th scope=\"col\">Six runs"
	     "<th scope=\"col\" class=\"num\">Mean<th scope=\"col\" class=\"num\">Scatter</thead>\n"
	     "<tbody>\n<tr><td>base<td>480200, 478713, 480692, 476796, 478545, 479310"
	     "<td class=\"num\">479043<td class=\"num\">± 1381\n"
	     "<tr><td>with the patch<td>422654, 419018, 416817, 423286, 414307, 420062"
	     "<td class=\"num\">419358<td class=\"num\">± 3431\n</tbody></table>\n");
	html(r->out,
	     "<ol>\n<li><b>How much is it?</b> The middle values (medians) are 479012 and 419540: "
	     "12.4 %% less. Below 1 %% nobody would ask further.\n"
	     "<li><b>How much do runs scatter anyway?</b> Within either kernel by 0.62 %% of their "
	     "value (standard deviation).\n"
	     "<li><b>Could it be chance?</b> Means of six such runs each differ by chance by 0.36 "
	     "%% or so (the standard error). The difference is 37.5 times as much. So much, or "
	     "more, comes by chance in 4 of 10<sup>12</sup> cases: p is 4e-12.\n"
	     "<li><b>Among how many metrics?</b> Who looks at a thousand finds something rare in "
	     "some. Here it is the only figure of the test's own, so the corrected value, q, is "
	     "the same.\n"
	     "<li><b>Do the runs overlap?</b> Every run with the patch is below every run without: "
	     "Cliff's delta is -1, the most there is.\n"
	     "<li><b>Are there enough of them?</b> Six a side; it takes four.\n</ol>\n"
	     "<p>All gates are passed, and less is worse: a <b>regression</b>. Had nothing been "
	     "found, the page would say that it would have seen 1.1 %%. On a second machine a "
	     "report says -5.9 %%: the regression is <b>confirmed</b> there. No commits before "
	     "the base were measured, so how much kernels differ without a reason is not known, "
	     "and the page says that too.</p>\n");
}

static void write_noise(struct req *r)
{
	html(r->out,
	     "<h2>The newest rule, " VERDICT_RULE ", step by step</h2>\n<ol>\n"
	     "<li>Figures are compared by their logarithms, so that percent count; percentages as "
	     "they are; counts with zeros by their roots; all others as parts of what is usual "
	     "for them.\n"
	     "<li>How far the runs of a commit scatter is learnt from all commits at hand. Since "
	     "few runs say little, each metric borrows from all others of the comparison, as far "
	     "as those agree (Smyth 2004).\n"
	     "<li>Where at least six commits before the base were measured, up to twenty of them "
	     "tell how much commits differ although nothing changed, and the change is held "
	     "against the level of the last five, not against one base that may stand apart.\n"
	     "<li>A comparison has hundreds of metrics, so some would look changed by chance. The "
	     "p values of all metrics of one role (the test's own; monitors; failures) in one "
	     "series are corrected together (Benjamini and Hochberg) to q. What a page hides or "
	     "shows does not alter q.\n");
}

static void write_gates(struct req *r)
{
	html(r->out,
	     "<li>It <b>changed</b> when q is at most .05; when the medians differ by at least 1 "
	     "%% (percentages: 1 point; more where the metric has a threshold of its own); when "
	     "hardly any run of one side reaches into the other (Cliff's delta .6; 1 with three "
	     "runs); and when both sides have four runs, or three with six commits before.\n"
	     "<li>The metric's direction then makes it a <b>regression</b> or an "
	     "<b>improvement</b>; without a direction it stays <b>changed</b>.\n"
	     "<li>What is rare by itself (p at most .05, 1 %%, delta .6) but does not pass all of "
	     "that is <b>suspect</b>: worth three more runs a side, in turn. So is what comes "
	     "from one boot of the machine alone. Everything else is the <b>same</b>, and the "
	     "reason says how small a change would still have been seen in 4 of 5 cases.\n"
	     "<li>Failures are counted in runs and tested by Fisher's exact test; at least two "
	     "runs must have failed. Runs that died of something else count neither way.\n"
	     "<li>Figures that came printed, without samples, get the verdict that their printed "
	     "change gives, from 1 %% on, and are marked as reported.\n"
	     "<li>Of a machine in quarantine nothing is more than suspect.\n</ol>\n");
}

static void write_beside(struct req *r)
{
	html(r->out,
	     "<h2>What stands beside a verdict</h2>\n<dl>\n"
	     "<dt>Other machines<dd>The same metric and commits wherever test, setup and build are "
	     "the same and only the machine is another. <b>Confirmed</b>: it changed the same way "
	     "on at least one of them. <b>The other way</b> (contradicted): it changed there, but "
	     "never the same way. <b>Only here</b>: others measured it, and it changed on none; a "
	     "suspect confirms nothing. <b>Not measured</b>: no other machine has it on both "
	     "commits. Each was judged in its own comparison; what a report printed counts as "
	     "what it says, and is marked. At most %d others are looked at.\n",
	     OTHERS_MAX);
	html(r->out,
	     "<dt>What else changed<dd>Microcode, firmware, kernel command line (but for the words "
	     "that name the kernel or the job) or compiler that are others for these runs too, "
	     "and what happened to the machine between the first and the last of them. Then the "
	     "commit may not be the reason.\n"
	     "<dt>Fixed<dd>Of base, culprit and fix side by side the page says how much of the "
	     "regression the fix takes back. “Not changed any more” would be a poor proof of a "
	     "fix: with two noisy runs everything is. So it must be shown to lie within 1 %% of "
	     "the old level, or within a third of what was lost where that is more, by two "
	     "one-sided tests: the 90 %% interval of what is left lies within that margin, from "
	     "at least %d runs a side and more than one boot. Outside of it, the fix is <b>not "
	     "fixed</b>; where runs are too few to tell, or were never told, the page says just "
	     "that.\n",
	     EQUIVALENCE_RUNS);
	html(r->out,
	     "<dt>All numbers<dd>Each row that changed leads to a page with all samples as dots, "
	     "both standard deviations (n - 1, as an estimate of what more runs would do, and n, "
	     "as the test robot prints it), quartiles and the median absolute deviation, and the "
	     "gate that decided. Beside them, deciding nothing: Welch's test; the exact test of "
	     "Mann and Whitney, which knows only which run is above which; the shift of Hodges "
	     "and Lehmann, the median of all differences; Hedges' g, the difference in standard "
	     "deviations.\n</dl>\n");
}

static void write_limits(struct req *r)
{
	html(r->out,
	     "<h2>What it cannot do</h2>\n<ul>\n"
	     "<li>With one or two runs a side it never says changed.\n"
	     "<li>Without history it knows the noise between runs, not the noise between commits: "
	     "a rebuilt kernel can move code in memory and gain or lose some percent for no "
	     "reason of its own. The reason then says so.\n"
	     "<li>Six runs of one boot are less than six boots. The tables say how many boots "
	     "there were, where the uploads told.\n"
	     "<li>Values that jump between two levels, or drift, are named as such; they need more "
	     "runs than others.\n"
	     "<li>“Same” is no proof of equality: it says that nothing was found.\n"
	     "<li>Of all that is called changed, at most about one in twenty should be false in "
	     "the long run; on one page it can be more.\n</ul>\n<p>");
	html_link(r->out, url_path(r->ctx.arena, "/help/reading"), "How to read a table");
	html(r->out, " · ");
	html_link(r->out, url_path(r->ctx.arena, "/rules"), "The versions of the rule");
	html(r->out, "</p>\n");
}

int page_help_verdicts(struct req *r)
{
	int e;

	req_page_begin(r, "How a verdict is made", NULL);
	e = part_rule_note(r);
	if (e < 0)
		return e;
	write_example(r);
	write_noise(r);
	write_gates(r);
	write_beside(r);
	write_limits(r);
	return req_page_end(r, 200);
}
