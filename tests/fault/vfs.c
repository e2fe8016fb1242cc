/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The faulty VFS. Every file is the real one behind a small head; each method asks whether it is
 * its turn to fail, passes the call on, and notes it when a record is kept. One mutex guards the
 * counters and the record: the writer's thread and the test's are both here.
 */
#include "tests/fault/vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <unistd.h>

struct file {
	sqlite3_file base;
	bool traced, unsynced_entry;
	enum trace_file kind;
	sqlite3_file *real; /* behind this struct */
};

const char *const trace_suffixes[TRACE_FILES] = {"", "-wal", "-journal"};

static const char *const op_names[VFS_OPS] = {
	"open", "read", "write", "sync", "truncate", "delete", "lock", "shm", "size",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	enum vfs_op op;
	int64_t k, times, seen;
	int code;
	bool failed;
	int64_t writes, exit_at;
} armed;
static bool tracing;
static struct trace trace;
static sqlite3_vfs *below;

const char *vfs_op_name(enum vfs_op op)
{
	return op_names[op];
}

void vfs_fail_at(enum vfs_op op, int64_t k, int64_t times, int code)
{
	pthread_mutex_lock(&lock);
	armed.op = op;
	armed.k = k;
	armed.times = times;
	armed.code = code;
	armed.seen = armed.writes = 0;
	if (k)
		armed.failed = false;
	pthread_mutex_unlock(&lock);
}

bool vfs_failed(void)
{
	pthread_mutex_lock(&lock);
	bool failed = armed.failed;
	pthread_mutex_unlock(&lock);
	return failed;
}

int64_t vfs_writes(void)
{
	pthread_mutex_lock(&lock);
	int64_t n = armed.writes;
	pthread_mutex_unlock(&lock);
	return n;
}

void vfs_exit_at_write(int64_t k)
{
	pthread_mutex_lock(&lock);
	armed.exit_at = k;
	armed.writes = 0;
	pthread_mutex_unlock(&lock);
}

/* SQLITE_OK, or the code of the fault whose turn it is. */
static int turn(enum vfs_op op)
{
	int rc = SQLITE_OK;

	pthread_mutex_lock(&lock);
	armed.writes += op == VFS_WRITE;
	if (armed.exit_at && op == VFS_WRITE && armed.writes == armed.exit_at)
		_exit(0);
	if (armed.k && armed.op == op) {
		armed.seen++;
		if (armed.seen >= armed.k &&
		    (armed.times == VFS_FOREVER || armed.seen < armed.k + armed.times)) {
			armed.failed = true;
			rc = armed.code;
		}
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static bool read_faults_armed(void)
{
	pthread_mutex_lock(&lock);
	bool on = armed.k && armed.op == VFS_READ;
	pthread_mutex_unlock(&lock);
	return on;
}

/* --- the record --- */

static void note(struct trace_op op, const void *data)
{
	pthread_mutex_lock(&lock);
	if (tracing) {
		if (trace.n == trace.cap) {
			trace.cap = trace.cap ? 2 * trace.cap : 1024;
			trace.ops = realloc(trace.ops, trace.cap * sizeof(*trace.ops));
			if (!trace.ops)
				abort();
		}
		if (data) {
			op.data = malloc((size_t)op.length);
			if (!op.data)
				abort();
			memcpy(op.data, data, (size_t)op.length);
		}
		trace.ops[trace.n++] = op;
	}
	pthread_mutex_unlock(&lock);
}

void vfs_trace_begin(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < trace.n; i++)
		free(trace.ops[i].data);
	trace.n = 0;
	tracing = true;
	pthread_mutex_unlock(&lock);
}

const struct trace *vfs_trace_end(void)
{
	pthread_mutex_lock(&lock);
	tracing = false;
	pthread_mutex_unlock(&lock);
	return &trace;
}

void vfs_trace_ack(int job)
{
	note((struct trace_op){.kind = TRACE_ACK, .job = job}, NULL);
}

/* Which of a database's files a name is. */
static enum trace_file kind_of_name(const char *name)
{
	size_t n = strlen(name);

	for (enum trace_file f = FILE_WAL; f < TRACE_FILES; f++) {
		size_t k = strlen(trace_suffixes[f]);

		if (n > k && strcmp(name + n - k, trace_suffixes[f]) == 0)
			return f;
	}
	return FILE_MAIN;
}

/* --- files --- */

#define REAL(f) (((struct file *)(f))->real)

static int file_close(sqlite3_file *f)
{
	return REAL(f)->pMethods->xClose(REAL(f));
}

static int file_read(sqlite3_file *f, void *buf, int n, sqlite3_int64 at)
{
	int rc = turn(VFS_READ);

	return rc ? rc : REAL(f)->pMethods->xRead(REAL(f), buf, n, at);
}

static int file_write(sqlite3_file *f, const void *buf, int n, sqlite3_int64 at)
{
	struct file *own = (struct file *)f;
	int fault = turn(VFS_WRITE);
	int rc;

	if (fault)
		n /= 2;
	if (n == 0)
		return fault;
	rc = REAL(f)->pMethods->xWrite(REAL(f), buf, n, at);
	if (rc == SQLITE_OK && own->traced)
		note(
			(struct trace_op){
				.kind = TRACE_WRITE, .file = own->kind, .offset = at, .length = n},
			buf);
	return fault ? fault : rc;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct file *own = (struct file *)f;
	int rc = turn(VFS_TRUNCATE);

	if (rc)
		return rc;
	if (own->traced)
		note((struct trace_op){.kind = TRACE_TRUNCATE, .file = own->kind, .offset = size},
		     NULL);
	return REAL(f)->pMethods->xTruncate(REAL(f), size);
}

static int file_sync(sqlite3_file *f, int flags)
{
	struct file *own = (struct file *)f;
	int rc = turn(VFS_SYNC);

	(void)flags;
	if (rc)
		return rc;
	if (own->traced)
		note((struct trace_op){.kind = TRACE_SYNC,
				       .file = own->kind,
				       .folder = own->unsynced_entry},
		     NULL);
	own->unsynced_entry = false;
	return SQLITE_OK;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size)
{
	int rc = turn(VFS_SIZE);

	return rc ? rc : REAL(f)->pMethods->xFileSize(REAL(f), size);
}

static int file_lock(sqlite3_file *f, int level)
{
	int rc = turn(VFS_LOCK);

	return rc ? rc : REAL(f)->pMethods->xLock(REAL(f), level);
}

static int file_unlock(sqlite3_file *f, int level)
{
	return REAL(f)->pMethods->xUnlock(REAL(f), level);
}

static int file_check_lock(sqlite3_file *f, int *out)
{
	return REAL(f)->pMethods->xCheckReservedLock(REAL(f), out);
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
	return REAL(f)->pMethods->xFileControl(REAL(f), op, arg);
}

static int file_sector(sqlite3_file *f)
{
	return REAL(f)->pMethods->xSectorSize(REAL(f));
}

static int file_traits(sqlite3_file *f)
{
	return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f));
}

static int file_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	int rc = turn(VFS_SHM);

	return rc ? rc : REAL(f)->pMethods->xShmMap(REAL(f), page, size, extend, out);
}

static int file_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	int rc = flags & SQLITE_SHM_LOCK ? turn(VFS_LOCK) : SQLITE_OK;

	return rc ? rc : REAL(f)->pMethods->xShmLock(REAL(f), offset, n, flags);
}

static void file_shm_barrier(sqlite3_file *f)
{
	REAL(f)->pMethods->xShmBarrier(REAL(f));
}

static int file_shm_unmap(sqlite3_file *f, int remove)
{
	return REAL(f)->pMethods->xShmUnmap(REAL(f), remove);
}

static int file_fetch(sqlite3_file *f, sqlite3_int64 at, int n, void **out)
{
	*out = NULL; /* then it is read */
	return read_faults_armed() ? SQLITE_OK : REAL(f)->pMethods->xFetch(REAL(f), at, n, out);
}

static int file_unfetch(sqlite3_file *f, sqlite3_int64 at, void *p)
{
	return REAL(f)->pMethods->xUnfetch(REAL(f), at, p);
}

static const sqlite3_io_methods methods = {
	.iVersion = 3,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_check_lock,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_traits,
	.xShmMap = file_shm_map,
	.xShmLock = file_shm_lock,
	.xShmBarrier = file_shm_barrier,
	.xShmUnmap = file_shm_unmap,
	.xFetch = file_fetch,
	.xUnfetch = file_unfetch,
};

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	struct file *own = (struct file *)f;
	int there = 0, rc = turn(VFS_OPEN);

	(void)v;
	*own = (struct file){.real = (sqlite3_file *)(own + 1)};
	if (rc)
		return rc;
	if (name)
		below->xAccess(below, name, SQLITE_ACCESS_EXISTS, &there);
	rc = below->xOpen(below, name, own->real, flags, out_flags);
	if (rc != SQLITE_OK)
		return rc;
	own->base.pMethods = &methods;
	own->traced = name != NULL;
	own->kind = name ? kind_of_name(name) : FILE_MAIN;
	if (name && !there && flags & SQLITE_OPEN_CREATE) {
		/* As unix does: the first sync of a new journal or log syncs its folder. */
		own->unsynced_entry = own->kind != FILE_MAIN;
		note((struct trace_op){.kind = TRACE_CREATE, .file = own->kind}, NULL);
	}
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync_folder)
{
	int rc = turn(VFS_DELETE);

	(void)v;
	if (rc)
		return rc;
	rc = below->xDelete(below, name, 0);
	if (rc == SQLITE_OK)
		note((struct trace_op){.kind = TRACE_DELETE,
				       .file = kind_of_name(name),
				       .folder = sync_folder != 0},
		     NULL);
	return rc;
}

void vfs_install(void)
{
	static sqlite3_vfs vfs;

	below = sqlite3_vfs_find(NULL);
	if (!below)
		abort();
	vfs = *below; /* the rest is the real one's, which looks at nothing in it but its own data
		       */
	vfs.szOsFile = (int)sizeof(struct file) + below->szOsFile;
	vfs.zName = "fault";
	vfs.pNext = NULL;
	vfs.xOpen = vfs_open;
	vfs.xDelete = vfs_delete;
	if (sqlite3_vfs_register(&vfs, 1) != SQLITE_OK)
		abort();
}
