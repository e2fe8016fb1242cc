/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the message of a commit says of other commits and of its own mail. */
#ifndef HISTORY_MESSAGE_LINKS_H
#define HISTORY_MESSAGE_LINKS_H

#include "db/git_commits.h"

#define MESSAGE_LINKS_MAX 50 /* of one message; more are not kept */

/* The links of a message (valid UTF-8), each once, in their order, in the arena:
 *
 *	Fixes: 7bc162d5cc4d ("…")                                 LINK_FIXES
 *	commit 7bc1… upstream.     [ Upstream commit 7bc1… ]
 *	(cherry picked from commit 7bc1…)                         LINK_UPSTREAM
 *	This reverts commit 7bc1….                                LINK_REVERTS
 *	Link: https://lore.kernel.org/r/<Message-Id>
 *	Message-Id: <…>                                           LINK_MESSAGE_ID
 *
 * A Link: below Reported-by: or with a number behind it ("[1]") leads to a report or a discussion,
 * not to the commit's own mail, and is left out. */
size_t message_links(struct arena *a, const char *message, struct git_link **out);

#endif
