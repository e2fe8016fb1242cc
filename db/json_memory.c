/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of jansson. Its lexer does not look whether a buffer could grow (the digit that has no
 * place is left out, and the number is another one), and a document that it had no memory for is
 * reported like one that is not JSON, for which a client would drop its data. So its failed
 * allocations end the process like our own. Set before main(), since all threads use it.
 */
#include <jansson.h>

#include "server/base/err.h"

static void *allocate(size_t n)
{
	void *p = malloc(n);

	if (!p)
		die("out of memory in jansson (%zu bytes)", n);
	return p;
}

__attribute__((constructor)) static void set_allocator(void)
{
	json_set_alloc_funcs(allocate, free);
}
