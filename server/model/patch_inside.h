/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of model/patch: finding the parts, holding versions against each other, and against what
 * their bases lost. */
#ifndef MODEL_PATCH_INSIDE_H
#define MODEL_PATCH_INSIDE_H

#include "server/model/patch.h"

/* Fills parts, subject, in_git. */
int patch_find(struct ctx *c, const char *message_id, struct patch_page *out);
/* Fills steps from parts. */
int patch_steps(struct ctx *c, struct patch_page *out);
/* The row of the base that was told of a part; 0: it is not known here. */
int patch_base_row(struct ctx *c, const char *base, int64_t *row);
/* Fills recovered of the parts; measured is known. */
int patch_find_recovered(struct ctx *c, struct patch_page *out);

#endif
