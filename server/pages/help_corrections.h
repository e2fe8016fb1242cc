/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How administrators correct what was uploaded, and tell of machines. */
#ifndef PAGES_HELP_CORRECTIONS_H
#define PAGES_HELP_CORRECTIONS_H

struct req;

void help_write_corrections(struct req *r);

#endif
