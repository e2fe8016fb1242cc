/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of chains and a list in order of use, under one lock that is held for a few pointer
 * moves. A page that leaves while it is being sent stays alive until its last user gives it back.
 */
#include "server/http/page_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "server/base/err.h"
#include "server/pages/counters.h"

#define BUCKETS       4096u
#define OVERHEAD      1024 /* of an answer besides its body: headers and bookkeeping */
#define LARGEST_SHARE 8    /* one page may fill no more than this part of the cache */

struct cached_page {
	struct digest key;
	struct MHD_Response *answer;
	size_t bytes;
	unsigned users; /* and one for the cache while it is in */
	struct cached_page *chain;
	struct cached_page *newer, *older;
};

struct page_cache {
	pthread_mutex_t lock;
	size_t max, used;
	struct cached_page *newest, *oldest;
	struct counters *counters;
	struct cached_page *buckets[BUCKETS];
};

struct page_cache *page_cache_new(size_t max, struct counters *counters)
{
	struct page_cache *pc = calloc(1, sizeof(*pc));

	if (!pc)
		die("out of memory");
	pthread_mutex_init(&pc->lock, NULL);
	pc->max = max;
	pc->counters = counters;
	return pc;
}

static struct cached_page **bucket_of(struct page_cache *pc, const struct digest *key)
{
	uint32_t h;

	memcpy(&h, key->b, sizeof(h)); /* a digest is well mixed already */
	return &pc->buckets[h % BUCKETS];
}

static void drop(struct cached_page *p)
{
	assert(p->users > 0);
	if (--p->users == 0) {
		MHD_destroy_response(p->answer);
		free(p);
	}
}

static void list_remove(struct page_cache *pc, struct cached_page *p)
{
	*(p->newer ? &p->newer->older : &pc->newest) = p->older;
	*(p->older ? &p->older->newer : &pc->oldest) = p->newer;
}

static void list_add(struct page_cache *pc, struct cached_page *p)
{
	p->newer = NULL;
	p->older = pc->newest;
	*(pc->newest ? &pc->newest->newer : &pc->oldest) = p;
	pc->newest = p;
}

static void evict(struct page_cache *pc, struct cached_page *p)
{
	struct cached_page **at = bucket_of(pc, &p->key);

	while (*at != p)
		at = &(*at)->chain;
	*at = p->chain;
	list_remove(pc, p);
	pc->used -= p->bytes + OVERHEAD;
	pc->counters->cache_bytes -= (int64_t)(p->bytes + OVERHEAD);
	pc->counters->cache_pages--;
	drop(p);
}

void page_cache_free(struct page_cache *pc)
{
	while (pc->oldest)
		evict(pc, pc->oldest);
	pthread_mutex_destroy(&pc->lock);
	free(pc);
}

static struct cached_page *find(struct page_cache *pc, const struct digest *key)
{
	struct cached_page *p = *bucket_of(pc, key);

	while (p && !digest_equal(&p->key, key))
		p = p->chain;
	return p;
}

struct cached_page *page_cache_get(struct page_cache *pc, const struct digest *key)
{
	pthread_mutex_lock(&pc->lock);
	struct cached_page *p = find(pc, key);
	if (p) {
		p->users++;
		list_remove(pc, p);
		list_add(pc, p);
	}
	pthread_mutex_unlock(&pc->lock);
	if (p)
		pc->counters->cache_hits++;
	else
		pc->counters->cache_misses++;
	return p;
}

struct MHD_Response *cached_page_response(struct cached_page *p)
{
	return p->answer;
}

size_t cached_page_bytes(const struct cached_page *p)
{
	return p->bytes;
}

struct cached_page *page_cache_put(struct page_cache *pc, const struct digest *key,
				   struct MHD_Response *answer, size_t nbytes)
{
	if (nbytes + OVERHEAD > pc->max / LARGEST_SHARE)
		return NULL;
	struct cached_page *p = calloc(1, sizeof(*p));
	if (!p)
		die("out of memory");
	*p = (struct cached_page){.key = *key, .answer = answer, .bytes = nbytes, .users = 2};

	pthread_mutex_lock(&pc->lock);
	struct cached_page *same =
		find(pc, key); /* two threads made it at once: the later one stays */
	if (same)
		evict(pc, same);
	while (pc->used + nbytes + OVERHEAD > pc->max)
		evict(pc, pc->oldest);
	struct cached_page **bucket = bucket_of(pc, key);
	p->chain = *bucket;
	*bucket = p;
	list_add(pc, p);
	pc->used += nbytes + OVERHEAD;
	pc->counters->cache_bytes += (int64_t)(nbytes + OVERHEAD);
	pc->counters->cache_pages++;
	pthread_mutex_unlock(&pc->lock);
	return p;
}

void page_cache_release(struct page_cache *pc, struct cached_page *p)
{
	pthread_mutex_lock(&pc->lock);
	drop(p);
	pthread_mutex_unlock(&pc->lock);
}
