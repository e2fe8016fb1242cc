/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The short documents of people: corrections, machines, events. */
#include "fuzz.h"

#include "importers/orders.h"
#include "server/base/arena.h"
#include "server/base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	auto_arena struct arena *a = arena_new();
	char *text = bytes_alone(bytes, n);
	struct correction_in correction;
	struct machine_change machine;
	struct event event;

	for (int i = 0; i < 3; i++) {
		struct ctx c;

		ctx_init(&c, a, NULL);
		int e = i == 0   ? order_read_correction(&c, text, n, &correction)
			: i == 1 ? order_read_machine(&c, text, n, &machine)
				 : order_read_event(&c, text, n, &event);
		must(e == (int)c.err);
		must(e >= 0 || c.detail[0], "refused without a word");
		if (e >= 0 && i == 0)
			must(correction.reason && correction.selection && correction.change);
		if (e >= 0 && i == 2)
			must(event.machine && event.key);
	}
	free(text);
	return 0;
}
