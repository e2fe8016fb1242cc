/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A VFS over SQLite's own, registered as the default before the program opens a database: so the
 * program under test is the one that ships. It counts operations and fails the k-th of a kind; it
 * can keep a record of everything that reached the files, from which power cuts are played. Syncs
 * are noted and not done: only a real power cut would tell the difference.
 */
#ifndef TESTS_FAULT_VFS_H
#define TESTS_FAULT_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vfs_op {
	VFS_OPEN,
	VFS_READ,
	VFS_WRITE,
	VFS_SYNC,
	VFS_TRUNCATE,
	VFS_DELETE,
	VFS_LOCK, /* of the file and of the shared index */
	VFS_SHM,
	VFS_SIZE,
	VFS_OPS,
};
const char *vfs_op_name(enum vfs_op op);

/* Once, before anything else uses SQLite. */
void vfs_install(void);
/* Fails the operations k, k + 1 … k + times - 1 of the kind, counted from now, with an SQLite
 * code; a write is half done then. Times VFS_FOREVER: until told otherwise. k 0: no faults. */
#define VFS_FOREVER INT64_MAX
void vfs_fail_at(enum vfs_op op, int64_t k, int64_t times, int code);
/* Whether an operation failed since vfs_fail_at. */
bool vfs_failed(void);
/* Operations of all kinds since the last vfs_fail_at; writes alone. */
int64_t vfs_writes(void);
/* The process ends by _exit(0), without a word, before the k-th write from now. */
void vfs_exit_at_write(int64_t k);

/* for (k = 1; the fault was reached with k - 1; k += step) arm; body; … */
#define FAULT_LOOP(k, step, arm)                                                                   \
	for (int64_t k = 1, k##_last = 0; !k##_last && ((arm), true);                              \
	     k##_last = !vfs_failed(), k += (step))

enum trace_kind {
	TRACE_CREATE, /* a file that was not there */
	TRACE_WRITE,
	TRACE_TRUNCATE, /* offset: the new length */
	TRACE_SYNC,
	TRACE_DELETE,
	TRACE_ACK, /* a job was told that it is on disk */
};
enum trace_file { FILE_MAIN, FILE_WAL, FILE_JOURNAL, TRACE_FILES };
struct trace_op {
	enum trace_kind kind;
	enum trace_file file;
	bool folder; /* the folder is synced along: with SYNC by a new log's first, with DELETE */
	int64_t offset, length;
	unsigned char *data;
	int job;
};
struct trace {
	struct trace_op *ops;
	size_t n, cap;
};
/* Begins a new record; the files of one database are expected, which do not exist yet. */
void vfs_trace_begin(void);
/* Ends it; the caller reads it until the next begin. */
const struct trace *vfs_trace_end(void);
/* Notes, in the order of the operations, that the job was acknowledged. */
void vfs_trace_ack(int job);
/* What the files are called after the database's name: "", "-wal", "-journal". */
extern const char *const trace_suffixes[TRACE_FILES];

#endif
