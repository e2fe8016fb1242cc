/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab.h"

#include <stdlib.h>
#include <unistd.h>

#include "db/artifacts.h"
#include "db/corrections.h"
#include "db/events.h"
#include "db/machines.h"
#include "db/metrics.h"
#include "db/migrate.h"
#include "db/runs.h"
#include "fuzz.h"
#include "importers/import.h"
#include "importers/orders.h"
#include "server/base/arena.h"
#include "server/base/log.h"

#define LAB_TIME 1689822060
#define BASE     "7bc162d5cc4de5c33c570dba48a03ebea54b10fd"
#define NEXT     "a0fd217e6d6fbd23e91f8796787b621e7d576088"

static const char documents[] =
	"[{\"key\":\"b\",\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"box\",\"mode\":"
	"\"process\"},"
	"\"commit\":{\"id\":\"" BASE
	"\",\"subject\":\"Merge slab\",\"date\":\"2023-06-16T09:00:00Z\"},"
	"\"started\":\"2023-07-01T00:00:00Z\",\"info\":{\"microcode\":\"1\",\"boot\":\"b1\"},"
	"\"units\":{\"hackbench.throughput\":\"KB/s\"},\"matrix\":{"
	"\"hackbench.throughput\":[480,479,481,477,478,479],\"hackbench.idle%\":[3,3.1,3,3.2,3,3],"
	"\"vmstat.system.in\":[100,101,99,100,102,98]}},"
	"{\"key\":\"n\",\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"box\",\"mode\":"
	"\"process\"},"
	"\"commit\":{\"id\":\"" NEXT
	"\",\"subject\":\"Optimize slub\",\"date\":\"2023-07-20T03:01:00Z\","
	"\"parents\":[\"" BASE
	"\"],\"tree\":\"vbabka/slab\",\"message\":\"x\\n\\nAcked-by: A <a@b>\\n\"},"
	"\"started\":\"2023-07-20T03:01:00Z\",\"info\":{\"microcode\":\"2\"},\"runs\":["
	"{\"hackbench.throughput\":422,\"dmesg.oops\":1},{\"hackbench.throughput\":419},"
	"{\"hackbench.throughput\":416},{\"hackbench.throughput\":423,\"dmesg.oops\":1}]},"
	"{\"key\":\"p\",\"axes\":{\"testcase\":\"fio\",\"tbox_group\":\"box/"
	"2\"},\"commit\":{\"id\":\"" BASE
	"\"},\"summary\":{\"fio.bw_MBps\":{\"mean\":100,\"stddev_pct\":3,\"printed\":{}}}},"
	"{\"key\":\"q\",\"axes\":{\"testcase\":\"fio\",\"tbox_group\":\"box/"
	"2\"},\"commit\":{\"id\":\"" NEXT "\"},\"summary\":{\"fio.bw_MBps\":{\"mean\":80,\"stddev_"
	"pct\":2,\"printed\":{\"base\":\"" BASE "\",\"change_pct\":-20}}}},"
	"{\"key\":\"t\",\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"box\",\"mode\":"
	"\"threads\"},"
	"\"commit\":{\"id\":\"v5.7-rc1\",\"tree\":\"mainline\"},\"runs\":[{\"hackbench."
	"throughput\":1}]},"
	"{\"key\":\"a\",\"axes\":{\"testcase\":\"hackbench\",\"tbox_group\":\"box2\",\"mode\":"
	"\"process\"},"
	"\"commit\":{\"id\":\"a0fd217ffff\"},\"status\":\"failed\",\"runs\":[{\"hackbench."
	"throughput\":7}]}]";

static struct fuzz_lab lab;

static void remove_lab(void)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	char name[120];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", lab.path, ends[i]);
		unlink(name);
	}
	rmdir(lab.folder);
}

static void fill(struct ctx *c)
{
	struct import in = {.ctx = c};

	must(import_native(&in, documents, sizeof(documents) - 1) >= 0, "%s", c->detail);
	struct accepted *done = arena_array(c->arena, struct accepted, in.n);
	must(db_begin_write(c) >= 0, "%s", c->detail);
	must(submissions_check(c, in.subs, in.n, done) >= 0, "%s", c->detail);
	must(submissions_store(c, in.subs, in.n, -1, LAB_TIME, done) >= 0, "%s", c->detail);
	must(token_create(c, "fuzz", SCOPE_UPLOAD | SCOPE_TRIAGE | SCOPE_ADMIN, NULL, LAB_TIME,
			  lab.token) >= 0);
	must(generation_bump(c) >= 0 && db_commit(c) >= 0, "%s", c->detail);
	metrics_publish();
}

/* A correction of the last run, a file of the first, an event, and a machine that is not judged. */
static void tell(struct ctx *c)
{
	static const char order[] = "{\"select\":{\"machine\":\"box2\"},\"set\":{\"status\":"
				    "\"invalid\"},\"reason\":\"a bad disk\"}";
	struct machine_change quarantine = {.state = "quarantined"};
	struct event event = {.machine = "box", .at = LAB_TIME, .key = "microcode"};
	struct artifact_in file = {.run_id = 1, .name = "dmesg", .who = "fuzz"};
	struct correction_in in;
	struct correction_plan plan;
	int64_t id;

	artifact_pack(c->arena, "hello\n", 6, &file.file);
	must(order_read_correction(c, order, sizeof(order) - 1, &in) >= 0, "%s", c->detail);
	must(db_begin_write(c) >= 0, "%s", c->detail);
	must(correction_plan(c, &in, &plan) >= 0, "%s", c->detail);
	must(correction_store(c, &in, &plan, 0, "fuzz", LAB_TIME, &id) >= 0, "%s", c->detail);
	must(artifact_check(c, &file) >= 0, "%s", c->detail);
	must(artifact_store(c, &file, LAB_TIME) >= 0, "%s", c->detail);
	must(event_tell(c, &event, 0, "fuzz", LAB_TIME, &id) >= 0, "%s", c->detail);
	must(machine_write(c, "box/2", &quarantine, 0, "fuzz", LAB_TIME) >= 0, "%s", c->detail);
	must(generation_bump(c) >= 0 && db_commit(c) >= 0, "%s", c->detail);
}

struct fuzz_lab *fuzz_lab(void)
{
	struct db *db;

	if (lab.path[0])
		return &lab;
	snprintf(lab.folder, sizeof(lab.folder), "/tmp/plumbline-fuzz-XXXXXX");
	must(mkdtemp(lab.folder));
	snprintf(lab.path, sizeof(lab.path), "%s/lab.db", lab.folder);
	atexit(remove_lab);
	log_set_level(LOG_ERROR);
	ctx_init(&lab.c, arena_new(), NULL);
	must(db_open_migrated(&lab.c, lab.path, &db) >= 0, "%s", lab.c.detail);
	lab.c.db = db;
	fill(&lab.c);
	tell(&lab.c);
	return &lab;
}
