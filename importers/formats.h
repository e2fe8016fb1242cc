/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The importers of importers.def, a file each, and how sure each is that bytes are its own (0 …
 * 100). What they return and how they fail is said at struct importer. */
#ifndef IMPORTERS_FORMATS_H
#define IMPORTERS_FORMATS_H

#include "importers/import.h"

#define FORMAT(name)                                                                               \
	int import_##name(struct import *in, const char *bytes, size_t n);                         \
	int name##_sniff(const char *bytes, size_t n)

/* one line a format, in the order of importers.def */
FORMAT(lkp_stats);
FORMAT(lkp_matrix);
FORMAT(lkp_json);
FORMAT(robot_mail);
/* A folder of the robot's result tree. Its bytes are none, and never guessed. */
int import_lkp_result(struct import *in, const char *bytes, size_t n);
int folder_lkp_result(struct import *in, const char *path, const struct import_part *parts,
		      size_t n);
FORMAT(fio);
FORMAT(hackbench);
FORMAT(filebench);
FORMAT(vm_scalability);
FORMAT(netperf);
FORMAT(iperf3);
FORMAT(will_it_scale);
FORMAT(unixbench);
FORMAT(dbench);
FORMAT(tbench);
FORMAT(stress_ng);
FORMAT(sysbench);
FORMAT(aim7);
FORMAT(reaim);
FORMAT(fsmark);
FORMAT(perf_stat);
FORMAT(perf_bench);
FORMAT(schbench);
FORMAT(cyclictest);
FORMAT(time);
FORMAT(build_log);
FORMAT(kcidb);
FORMAT(phoronix);
FORMAT(mmtests);
FORMAT(lnt);
FORMAT(hyperfine);
FORMAT(google_benchmark);
FORMAT(go_benchmark);
FORMAT(pytest_benchmark);
FORMAT(openmetrics);
FORMAT(csv);

#undef FORMAT

#endif
