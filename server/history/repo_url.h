/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, addresses and patterns of repositories, as an operator gives them. Nothing is looked up.
 */
#ifndef HISTORY_REPO_URL_H
#define HISTORY_REPO_URL_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Letters, digits and ._-/ ; no part of it empty, "." or "..", none that begins with "-" or ends in
 * .git or .lock (they are names of our own files); at most 100 bytes. */
bool repo_name_valid(const char *name);

/* An address of another machine ("https://…", "file://…", "user@host:path"), or a folder here. */
bool repo_url_is_remote(const char *url);
/* Why an address is refused, a sentence; NULL: it may be given to git. */
const char *repo_url_fault(const char *url);
/* A text with the credentials of every address in it left out: "https://me:secret@host/" becomes
 * "https://host/". The name alone before an ssh host is none. Control characters and what is no
 * UTF-8 become "?". */
char *repo_url_shown(struct arena *a, const char *text);

/* "master" is refs/heads/master, "tags/v6.*" is refs/tags/v6.*; one "*" fits anything. NULL: it is
 * no pattern of refs. */
char *repo_ref_pattern(struct arena *a, const char *ref);
/* Whether a full ref name is followed: patterns, a line each; "" is all branches and tags. */
bool repo_ref_followed(const char *patterns, const char *name);

#endif
