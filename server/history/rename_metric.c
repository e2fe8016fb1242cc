/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file's signature is the sorted list of its chunks' hashes with the bytes that each stands for;
 * two of them are merged. Chunks are as git takes them: up to and with the newline, at most 64
 * bytes, a carriage return before a newline left out in text.
 */
#include "server/history/rename_metric.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/digest.h"
#include "server/base/err.h"

#define CHUNK_MAX   64
#define BINARY_LOOK 8000

struct chunk {
	uint64_t hash;
	uint64_t bytes;
};

struct signature {
	size_t n, size;
	struct chunk chunks[];
};

static int by_hash(const void *x, const void *y)
{
	const struct chunk *a = x, *b = y;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Length of the chunk at the head of n bytes; what of it is hashed goes to buf. */
static size_t chunk_cut(const char *s, size_t n, bool text, char *buf, size_t *nbuf)
{
	size_t i = 0;

	*nbuf = 0;
	while (i < n && *nbuf < CHUNK_MAX) {
		char ch = s[i++];

		if (text && ch == '\r' && i < n && s[i] == '\n')
			continue;
		buf[(*nbuf)++] = ch;
		if (ch == '\n')
			break;
	}
	return i;
}

static size_t count_chunks(const char *s, size_t n, bool text)
{
	char buf[CHUNK_MAX];
	size_t count = 0, nbuf;

	for (size_t i = 0; i < n; count++)
		i += chunk_cut(s + i, n - i, text, buf, &nbuf);
	return count;
}

static int sign_buffer(void **out, const git_diff_file *file, const char *s, size_t n,
		       void *payload)
{
	bool text = !memchr(s, 0, n < BINARY_LOOK ? n : BINARY_LOOK);
	size_t count = count_chunks(s, n, text), at = 0;
	struct signature *sig = malloc(sizeof(*sig) + count * sizeof(struct chunk));
	char buf[CHUNK_MAX];
	size_t nbuf;

	(void)file;
	(void)payload;
	if (!sig)
		die("out of memory");
	sig->size = n;
	for (size_t i = 0; i < n; at++) {
		i += chunk_cut(s + i, n - i, text, buf, &nbuf);
		sig->chunks[at] = (struct chunk){hash_bytes(buf, nbuf), nbuf};
	}
	qsort(sig->chunks, count, sizeof(struct chunk), by_hash);
	sig->n = 0;
	for (size_t i = 0; i < count; i++) {
		if (sig->n && sig->chunks[sig->n - 1].hash == sig->chunks[i].hash)
			sig->chunks[sig->n - 1].bytes += sig->chunks[i].bytes;
		else
			sig->chunks[sig->n++] = sig->chunks[i];
	}
	*out = sig;
	return 0;
}

/* Only files of a working tree come by name, and there is none. */
static int sign_file(void **out, const git_diff_file *file, const char *path, void *payload)
{
	(void)path;
	return sign_buffer(out, file, "", 0, payload);
}

static void drop(void *sig, void *payload)
{
	(void)payload;
	free(sig);
}

static int measure(int *score, void *x, void *y, void *payload)
{
	const struct signature *a = x, *b = y;
	uint64_t common = 0, larger = a->size > b->size ? a->size : b->size;

	(void)payload;
	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct chunk *p = &a->chunks[i], *q = &b->chunks[k];

		if (p->hash == q->hash)
			common += p->bytes < q->bytes ? p->bytes : q->bytes;
		i += p->hash <= q->hash;
		k += q->hash <= p->hash;
	}
	*score = larger ? (int)(100 * common / larger) : 0;
	return 0;
}

git_diff_similarity_metric rename_metric = {
	.file_signature = sign_file,
	.buffer_signature = sign_buffer,
	.free_signature = drop,
	.similarity = measure,
};
