/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finished answers of unchanged data, ready to send. The key is a digest over everything the answer
 * depends on, the data's generation included, so nothing is ever invalidated: what is old is never
 * asked for again and leaves as the least recently used. Any thread.
 */
#ifndef HTTP_PAGE_CACHE_H
#define HTTP_PAGE_CACHE_H

#include <microhttpd.h>
#include <stddef.h>

#include "server/base/digest.h"

struct page_cache;
struct counters;

/* max 0 keeps nothing. */
struct page_cache *page_cache_new(size_t max, struct counters *counters);
void page_cache_free(struct page_cache *pc);
/* The kept answer, to be given back by page_cache_release when it was queued; NULL when there is
 * none. */
struct cached_page *page_cache_get(struct page_cache *pc, const struct digest *key);
struct MHD_Response *cached_page_response(struct cached_page *p);
size_t cached_page_bytes(const struct cached_page *p);
/* Keeps an answer of nbytes, owned by the cache from now on, and returns it as page_cache_get does.
 * NULL when it is too large to keep: then the caller still owns the answer. */
struct cached_page *page_cache_put(struct page_cache *pc, const struct digest *key,
				   struct MHD_Response *answer, size_t nbytes);
void page_cache_release(struct page_cache *pc, struct cached_page *p);

#endif
