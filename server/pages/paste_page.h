/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of /paste share; for nobody else. */
#ifndef PAGES_PASTE_PAGE_H
#define PAGES_PASTE_PAGE_H

#include "server/model/paste.h"
#include "server/pages/req.h"

/* The form as it was sent, to be shown again. */
struct paste_form {
	struct {
		const char *label, *text; /* NULL: empty */
		size_t n;
	} slots[PASTE_TEXTS_MAX];
	size_t nslots;
	const char *format, *outputs; /* NULL: auto */
};

void paste_write_form(struct req *r, const struct paste_form *f);
void paste_html(struct req *r, const struct paste *p);
void paste_json(struct req *r, const struct paste *p);
/* The table in plain text, as it is shown on the page to be copied, too. */
void paste_txt(struct out *o, struct arena *a, const struct paste *p);
#endif
