/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An address alone, "/compare.json?commits=…": the pages and their parameters. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char end[] = " HTTP/1.1\nHost: x\nAccept: text/html\n\n";
	char *head;

	if (n > 8000 || memchr(bytes, ' ', n) || memchr(bytes, '\n', n))
		return 0;
	int len = asprintf(&head, "GET /%.*s%s", (int)n, (const char *)bytes, end);
	must(len >= 0);
	head_request(head, (size_t)len);
	free(head);
	return 0;
}
