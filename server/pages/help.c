/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /help/upload - how results come in. HTML alone; no parameters. The example of an upload
 * carries this server's own address, so that it can be run as it stands.
 */
#include "server/pages/pages.h"

#include "server/pages/help_corrections.h"
#include "server/pages/parts.h"
#include "server/view/html.h"
#include "server/view/url.h"

static void write_first_upload(struct req *r)
{
	const char *address = part_own_address(r);

	html(r->out,
	     "<p class=\"lead\">Results come as JSON, one document for the runs of one test with "
	     "one setup on one "
	     "commit. The answer 201 means: it is on disk.</p>\n<h2>The first upload</h2>\n"
	     "<p>On the machine that runs Plumbline. DATABASE is the file that the server was "
	     "started with; "
	     "a token made in another one is answered with 401:</p>\n<pre>"
	     "TOKEN=$(plumbline token create --name my-rig --scope upload --database "
	     "DATABASE)</pre>\n"
	     "<p>Where the test ran:</p>\n<pre>"
	     "curl -sS %s/api/v1/runs \\\n"
	     "  -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\\n"
	     "  --data-binary '{\n"
	     "    \"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"my-rig\", "
	     "\"nr_threads\": \"100%%\"},\n"
	     "    \"commit\": {\"id\": \"7bc162d5cc4de5c3\"},\n"
	     "    \"runs\": [{\"hackbench.throughput\": 478113.6},\n"
	     "             {\"hackbench.throughput\": 479240.2},\n"
	     "             {\"hackbench.throughput\": 480002.9}]}'</pre>\n",
	     address);
	html(r->out,
	     "<p>The answer names the series and the runs. A second upload with the same axes "
	     "for "
	     "another commit, whose <code>parents</code> name the first, makes that commit's "
	     "page compare "
	     "the two:</p>\n<pre>"
	     "curl -sS %s/api/v1/runs \\\n"
	     "  -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\\n"
	     "  --data-binary '{\n"
	     "    \"axes\": {\"testcase\": \"hackbench\", \"tbox_group\": \"my-rig\", "
	     "\"nr_threads\": \"100%%\"},\n"
	     "    \"commit\": {\"id\": \"a0fd217e6d6fbd23\", \"parents\": "
	     "[\"7bc162d5cc4de5c3\"]},\n"
	     "    \"runs\": [{\"hackbench.throughput\": 419017.8},\n"
	     "             {\"hackbench.throughput\": 422654.2},\n"
	     "             {\"hackbench.throughput\": 416398.3}]}'\n"
	     "curl '%s/compare.txt?commits=7bc162d5cc4d,a0fd217e6d6f'</pre>\n"
	     "<p>A verdict needs four runs a side (three where six commits before were measured) "
	     "from more than one boot, and a metric whose direction is known by its name: "
	     "its own page tells. A time of your own ends in <code>.seconds</code> or "
	     "<code>.milliseconds</code>: then lower is better.</p>\n",
	     address, address);
}

static void write_formats(struct req *r)
{
	struct arena *a = r->ctx.arena;

	html(r->out,
	     "<h2>What programs print</h2>\n"
	     "<p>Nobody has to write JSON: the output of hackbench, fio, perf stat and many others "
	     "is read as it is, and so are report mails and the test robot's own files.</p>\n<pre>"
	     "hackbench | curl -sS --data-binary @- -H \"Authorization: Bearer $TOKEN\" \\\n"
	     "  '%s/api/v1/import/hackbench?axis.tbox_group=my-rig&amp;commit=7bc162d5cc4d'</pre>\n"
	     "<p>What the output does not say comes from the address: "
	     "<code>axis.NAME=VALUE</code>, <code>commit</code>, <code>tree</code>. With "
	     "<code>auto</code> as format the answer says what it was taken for. The same output "
	     "again is a duplicate; a true repeat with equal figures needs its own "
	     "<code>source=NAME</code>. <code>plumbline import</code> does the same on the machine "
	     "of the database, with whole folders too.</p>\n<p>",
	     part_own_address(r));
	html_link(r->out, url_path(a, "/formats"), "All formats");
	html(r->out, " · ");
	html_link(r->out, url_path(a, "/paste"), "Paste some output to see it, without storing");
	html(r->out, "</p>\n");
}

static const struct {
	const char *name, *needed, *words;
} fields[] = {
	{"axes", "yes",
	 "What identifies the measurement: texts by name. testcase and tbox_group must be there; "
	 "add "
	 "everything that makes figures differ (parameters, kconfig, compiler, rootfs). Another "
	 "axis "
	 "or value is another series."},
	{"commit.id", "yes", "7 to 40 hex digits, or a tag such as v5.7-rc1."},
	{"commit.subject, message, author, committer, date, tree, label", "no",
	 "What is known of the commit; what is missing can come with a later upload."},
	{"commit.parents", "no",
	 "Ids of the parents, prefixes allowed. They say which commit to compare with."},
	{"commit.patch", "no",
	 "message_id, version, index, total, base, diff of a patch under test. /patch/<message_id> "
	 "then shows all versions of it."},
	{"commit.build", "no",
	 "config, compiler, status, and warnings with file, line, column, message."},
	{"runs", "one of these",
	 "An object a run: metric and number. A metric that a run does not have is left out."},
	{"matrix", "one of these",
	 "The same the other way round: metric and an array, null where a run has none."},
	{"summary", "one of these",
	 "Metric and mean, stddev or stddev_pct, n, min, max; or fails and runs: for figures "
	 "without samples, out of a mail for example."},
	{"distributions", "one of these",
	 "Metric and unit, n, min, max, mean, stddev, percentiles {\"99.00\": 8291} and buckets "
	 "[[upper end, count]] of one run: alone, or beside runs or matrix of one run."},
	{"key", "no", "Your name for this document, unique within its series. See below."},
	{"replaces", "no",
	 "The key of an earlier upload of the series that was wrong. It stays, shown as replaced, "
	 "and counts no more. Each is replaced once; to correct again, replace the later one."},
	{"started", "no", "When it ran, as 2023-07-20T03:01:00Z."},
	{"status", "no", "ok, incomplete or failed. Only ok is compared; the others are counted."},
	{"info", "no",
	 "Surroundings that do not make another series: hostname, boot, microcode, kernel command "
	 "line."},
	{"units", "no", "Metric and unit. A unit that contradicts the series' is refused."},
	{"report, headline", "no", "Where the figures were published, and what was claimed there."},
};

static void write_fields(struct req *r)
{
	html(r->out, "<h2>Fields</h2>\n<table class=\"fields\">\n<thead><tr><th scope=\"col\">Field"
		     "<th scope=\"col\">Needed<th scope=\"col\">What it is</thead>\n<tbody>\n");
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		html(r->out, "<tr><td><code>%s</code><td>%s<td>%s\n", fields[i].name,
		     fields[i].needed, fields[i].words);
	html(r->out, "</tbody></table>\n"
		     "<p>A key that is not listed is an error, so that a typing mistake never "
		     "loses a value.</p>\n");
}

static void write_repeats(struct req *r)
{
	html(r->out,
	     "<h2>Sending again</h2>\n"
	     "<p>On a bad network send the same document again until it is answered. The same key "
	     "with the same "
	     "content is stored once and answered with <code>\"status\": \"duplicate\"</code> and "
	     "the run numbers of "
	     "the first time. The same key with other content is refused with 409. Without a key "
	     "the content is "
	     "its own key; a true repeat that gave exactly equal values then needs a key to be "
	     "told apart.</p>\n"
	     "<h2>Much at once</h2>\n"
	     "<p>An array of documents is taken as a whole or refused as a whole. With "
	     "<code>Content-Type: application/x-ndjson</code> each line is a document for itself "
	     "and is answered by a "
	     "line of its own. <code>Content-Encoding: gzip</code> and <code>zstd</code> are "
	     "understood:</p>\n"
	     "<pre>gzip -c results.ndjson | curl -sS %s/api/v1/runs \\\n"
	     "  -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/x-ndjson' \\\n"
	     "  -H 'Content-Encoding: gzip' --data-binary @-</pre>\n"
	     "<p>One document or line may have 4 MiB, a body 64 MiB; more than that is the "
	     "command's.</p>\n"
	     "<h2>Files of a run</h2>\n"
	     "<p>job.yaml, config, dmesg and the like, up to 64 MiB each, by the number of the "
	     "run. A name says one file for ever: the same again is 200, another is 409.</p>\n"
	     "<pre>curl -sS -T dmesg.txt -H \"Authorization: Bearer $TOKEN\" \\\n"
	     "  %s/api/v1/run/17/artifacts/dmesg.txt</pre>\n",
	     part_own_address(r), part_own_address(r));
}

static const struct {
	int status;
	const char *words;
} answers[] = {
	{201, "Stored, and on disk. 200: all of it was there already, or NDJSON, where each line "
	      "has its own answer."},
	{400, "Not JSON; the text says at which line and column."},
	{401, "No token, or not one of ours: was it made in this server's database?"},
	{403, "The token may not upload, or is bound to another machine."},
	{409, "This key was used before for other content; or what it replaces was replaced "
	      "already."},
	{413, "Too large."},
	{415, "Content-Type is neither application/json nor application/x-ndjson."},
	{422, "Well-formed but wrong: every fault is listed with its item and path. Nothing of it "
	      "was stored."},
	{503, "Busy; send the same again after the seconds in Retry-After."},
	{507, "The disk is nearly full; nothing was lost and nothing is taken."},
};

static void write_answers(struct req *r)
{
	html(r->out,
	     "<h2>Answers</h2>\n<table class=\"fields\">\n<thead><tr><th scope=\"col\">Status"
	     "<th scope=\"col\">What it means</thead>\n<tbody>\n");
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		html(r->out, "<tr><td>%d<td>%s\n", answers[i].status, answers[i].words);
	html(r->out, "</tbody></table>\n<p>Errors are problem documents (RFC 9457) with a list "
		     "<code>errors</code>.</p>\n<p>");
	html_link(r->out, url_path(r->ctx.arena, "/runs"), "See what came last");
	html(r->out, " · ");
	html_link(r->out, url_path(r->ctx.arena, "/openapi.json"), "All of it for programs");
	html(r->out, "</p>\n");
}

int page_help_upload(struct req *r)
{
	req_page_begin(r, "How to upload", "upload");
	write_first_upload(r);
	write_formats(r);
	write_fields(r);
	write_repeats(r);
	write_answers(r);
	help_write_corrections(r);
	return req_page_end(r, 200);
}
