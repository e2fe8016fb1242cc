/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of /help/upload for administrators: corrections, machines, events, metrics. Limits and
 * keys come from where they are kept. */
#include "server/pages/help_corrections.h"

#include "db/corrections.h"
#include "server/pages/req.h"
#include "server/view/html.h"
#include "server/view/url.h"

static void write_corrections(struct req *r)
{
	html(r->out,
	     "<h2 id=\"corrections\">What was uploaded wrongly</h2>\n"
	     "<p>An administrator marks runs invalid or ok again, moves them to another commit or "
	     "to the series with another value of an axis, or marks them deleted. What is selected "
	     "must fit everything that is named; <code>\"dry_run\": true</code> only counts. "
	     "Nothing disappears: values are kept, pages say what was corrected, by whom and why, "
	     "and every correction can be undone, the newest first.</p>\n"
	     "<pre>curl -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: application/json\" "
	     "-d '{\n"
	     "  \"select\": {\"machine\": \"lkp-icl-2sp2\", \"received\": [\"2023-07-20\", "
	     "\"2023-07-21\"], \"info.microcode\": \"0x1\"},\n"
	     "  \"set\": {\"status\": \"invalid\"},\n"
	     "  \"reason\": \"the fan was off\", \"dry_run\": true\n"
	     "}' $URL/api/v1/corrections\n"
	     "curl -X POST -H \"Authorization: Bearer $TOKEN\" "
	     "$URL/api/v1/correction/5/undo</pre>\n"
	     "<p><code>select</code>: machine, token, received, series, commit, run, "
	     "info.<i>key</i>. <code>set</code>: <code>{\"status\": \"invalid\"}</code> or "
	     "<code>\"ok\"</code>, <code>{\"commit\": ID}</code>, <code>{\"axis\": {NAME: "
	     "VALUE}}</code> or <code>{\"delete\": true}</code>. One correction changes at most %d "
	     "runs. ",
	     CORRECTION_MOST);
	html_link(r->out, url_path(r->ctx.arena, "/corrections"), "All corrections");
	html(r->out, "</p>\n");
}

static void write_facts(struct req *r)
{
	static const char *const keys[] = {
#define FACT(key) key,
#define VARIES(begin)
#include "db/machine_facts.def"
#undef FACT
#undef VARIES
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		html(r->out, "%s<code>%s</code>", i ? ", " : "", keys[i]);
}

static void write_machines(struct req *r)
{
	html(r->out,
	     "<h2 id=\"machines\">Machines</h2>\n"
	     "<pre>curl -X PUT -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: "
	     "application/json\" -d '{\n"
	     "  \"description\": \"Ice Lake, 2 sockets\", \"state\": \"quarantined\", "
	     "\"expect_every\": \"6h\"\n"
	     "}' $URL/api/v1/machine/lkp-icl-2sp2</pre>\n"
	     "<p>What is not named stays; null takes description or interval away. A machine is "
	     "active, quarantined (its results are taken and shown, with their changes, but "
	     "nothing "
	     "of them is called more than suspect) or retired. <code>expect_every</code> is a "
	     "number of seconds or a text like 90m, 6h, 2d, 1w. A machine is <b>silent</b> when "
	     "its "
	     "last upload is longer ago; where nobody said how often it uploads, when it is longer "
	     "ago than five times the median gap between its last 20 uploads and than two "
	     "days.</p>\n<p>Events come from <code>POST /api/v1/events</code> with machine, key, "
	     "at, old, new and note, and by themselves when uploads of a machine tell another ");
	write_facts(r);
	html(r->out, " in their info than before, host by host. ");
	html_link(r->out, url_path(r->ctx.arena, "/events"), "All events");
	html(r->out, "</p>\n");
}

static void write_metrics(struct req *r)
{
	html(r->out,
	     "<h2 id=\"metrics\">Metrics</h2>\n"
	     "<pre>curl -X PUT -H \"Authorization: Bearer $TOKEN\" -H \"Content-Type: "
	     "application/json\" -d '{\n"
	     "  \"direction\": \"higher\", \"threshold_pct\": 3, \"reason\": \"3 %% is what a "
	     "rebuild moves\", \"dry_run\": true\n"
	     "}' $URL/api/v1/metric/unixbench.score</pre>\n"
	     "<p>Says what a metric is, over the rule for its name: <code>unit</code>, "
	     "<code>direction</code> (higher, lower, none), <code>kind</code> (value, percent, "
	     "functional), <code>role</code> (primary, monitor), <code>threshold_pct</code> (the "
	     "smallest change that counts, in percent or points), <code>floor</code> (the smallest "
	     "value that counts where the base is 0). What is not named stays; null goes back to "
	     "the rule. With <code>dry_run</code> the answer tells how many verdicts would change. "
	     "It holds at once, and the metric's page shows who said it and why. A name with a "
	     "slash may come as <code>/api/v1/metric?name=</code>.</p>\n");
}

void help_write_corrections(struct req *r)
{
	write_corrections(r);
	write_machines(r);
	write_metrics(r);
}
