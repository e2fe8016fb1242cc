/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one name means, without steps. Nobody outside of history/ includes it. */
#ifndef HISTORY_REVISION_NAME_H
#define HISTORY_REVISION_NAME_H

#include "db/commits.h"

/* name has the form that revision.c checks. E_NOTFOUND, E_AMBIGUOUS with *many. */
int revision_name(struct ctx *c, const char *name, struct commit *out, struct commit_list *many);

#endif
