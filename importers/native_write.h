/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A submission as native JSON on one line, which import_native_line reads back to the same
 * submission. */
#ifndef IMPORTERS_NATIVE_WRITE_H
#define IMPORTERS_NATIVE_WRITE_H

#include "db/submission.h"
#include "server/base/out.h"

/* Without a line end. Samples are written as "runs". What is not known is left out. */
void native_write(struct out *o, const struct submission *s);

#endif
