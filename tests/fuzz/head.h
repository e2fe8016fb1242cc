/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests without sockets: everything of server/http/ and the pages runs as it does in the server,
 * on a small lab in a temporary folder. What libmicrohttpd does for it stands in head.c. What is
 * uploaded is stored and then undone, so that every input meets the same lab.
 */
#ifndef TESTS_FUZZ_HEAD_H
#define TESTS_FUZZ_HEAD_H

#include <stddef.h>

/* The head of a request, an empty line, and its body. Line ends are LF or CR LF; "Bearer TOKEN"
 * stands for a real one. */
void head_request(const char *bytes, size_t n);

#endif
