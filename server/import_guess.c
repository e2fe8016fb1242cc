/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the import command guesses of a file from its name and its beginning: the format, by asking
 * every importer how sure it is, and whether it has a submission a line. */
#include "server/import_guess.h"

#include <string.h>

#include "importers/json_scan.h"

const struct importer *import_guess(const char *p, size_t n)
{
	const struct importer *best = NULL;
	int most = 0;

	for (size_t i = 0; i < importer_count(); i++) {
		const struct importer *one = importer_at(i);
		int sure = one->sniff ? one->sniff(p, n) : 0;

		if (sure > most) {
			most = sure;
			best = one;
		}
	}
	return best;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

bool import_has_lines(const char *name, const char *p, size_t n)
{
	const char *end = p + n, *stop, *line_end;

	if (ends_with(name, ".ndjson") || ends_with(name, ".jsonl"))
		return true;
	p = json_skip_space(p, end);
	if (p == end || *p != '{')
		return false;
	line_end = memchr(p, '\n', (size_t)(end - p));
	if (!line_end)
		return false;
	return json_scan_value(p, line_end, 64, UINT_MAX, &stop) == JSON_SCAN_OK &&
	       json_skip_space(stop, line_end) == line_end;
}
