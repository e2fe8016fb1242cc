/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands say to people on standard error of files that came from anywhere. */
#ifndef SERVER_SAY_H
#define SERVER_SAY_H

/* A line. Control characters, marks that turn text round, and bytes that are not UTF-8 are shown as
 * "\n", "\x1b": neither a file's name nor what stands in it can act on a terminal or look like a
 * line of its own. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
