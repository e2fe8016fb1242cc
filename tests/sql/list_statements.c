/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints every SQL statement of the program, id NUL text NUL, for prepare_postgres.sh. It is linked
 * with all of the program's objects, whose statements file themselves in a section. */
#include "db/engine.h"

int main(void)
{
	const struct sql *s = sql_first();

	for (size_t i = 0; i < sql_count(); i++)
		printf("%s%c%s%c", s[i].id, 0, s[i].text, 0);
	return fflush(stdout) == 0 ? 0 : 1;
}
