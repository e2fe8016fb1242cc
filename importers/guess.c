/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file may be: every importer is asked how sure it is, and what is said of it to people. */
#include "importers/import.h"

#include "server/base/arena.h"

#define SURE  60 /* from here on one answer is enough … */
#define AHEAD 20 /* … when it is so far ahead of the others */

void importer_guess(const char *bytes, size_t n, struct import_guess *out)
{
	*out = (struct import_guess){0};
	for (size_t i = 0; i < importer_count(); i++) {
		const struct importer *one = importer_at(i);
		int sure = one->sniff ? one->sniff(bytes, n) : 0;
		size_t at = out->n < IMPORT_GUESSES ? out->n : IMPORT_GUESSES;

		if (sure <= 0)
			continue;
		while (at > 0 && out->list[at - 1].sure < sure) {
			if (at < IMPORT_GUESSES)
				out->list[at] = out->list[at - 1];
			at--;
		}
		if (at < IMPORT_GUESSES) {
			out->list[at].format = one;
			out->list[at].sure = sure;
			out->n += out->n < IMPORT_GUESSES;
		}
	}
}

/* "a, b and c" of the guesses from first on. */
static const char *names(struct arena *a, const struct import_guess *g, size_t first, size_t n)
{
	const char *text = "";

	for (size_t i = first; i < n; i++)
		text = arena_fmt(a, "%s%s%s", text,
				 i == first   ? ""
				 : i + 1 == n ? " or "
					      : ", ",
				 g->list[i].format->name);
	return text;
}

const char *importer_names(struct arena *a)
{
	const char *text = importer_at(0)->name;

	for (size_t i = 1; i < importer_count(); i++)
		text = arena_fmt(a, "%s %s", text, importer_at(i)->name);
	return text;
}

const char *importer_guess_words(struct arena *a, const struct import_guess *g)
{
	size_t rivals = 1;

	if (!g->n)
		return arena_fmt(a, "no format of ours fits what is in it; there are: %s",
				 importer_names(a));
	while (rivals < g->n &&
	       (g->list[0].sure < SURE || g->list[rivals].sure + AHEAD > g->list[0].sure))
		rivals++;
	if (rivals > 1)
		return arena_fmt(a, "taken as %s; it could be %s as well", g->list[0].format->name,
				 names(a, g, 1, rivals));
	return arena_fmt(a, "taken as %s", g->list[0].format->name);
}
