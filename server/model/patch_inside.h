/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of model/patch: finding the parts, and holding versions against each other. */
#ifndef MODEL_PATCH_INSIDE_H
#define MODEL_PATCH_INSIDE_H

#include "server/model/patch.h"

/* Fills parts, subject, in_git. */
int patch_find(struct ctx *c, const char *message_id, struct patch_page *out);
/* Fills steps from parts. */
int patch_steps(struct ctx *c, struct patch_page *out);

#endif
