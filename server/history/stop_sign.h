/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says to long work that the process ends: looked at between steps, and a descriptor that can be
 * waited for together with others. Raised once, never lowered. */
#ifndef HISTORY_STOP_SIGN_H
#define HISTORY_STOP_SIGN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct stop_sign {
	atomic_bool raised;
	int fd; /* of an eventfd: readable from then on */
};

/* NULL: a command, which a signal ends. */
static inline bool stop_raised(struct stop_sign *s)
{
	return s && atomic_load_explicit(&s->raised, memory_order_relaxed);
}

#endif
