/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The short JSON documents by which people rule over what was uploaded: a correction, what is known
 * of a machine or a metric, an event. Strict like uploads: unknown keys are faults, and every fault
 * is listed.
 */
#ifndef IMPORTERS_ORDERS_H
#define IMPORTERS_ORDERS_H

#include "db/corrections.h"
#include "db/events.h"
#include "db/machines.h"
#include "db/metric_overrides.h"

#define ORDER_BYTES_MAX ((size_t)64 << 10)

/* Each reads a body of n bytes into *out, which lives in the arena. E_SYNTAX, E_TOO_LARGE,
 * E_INVALID. */
int order_read_correction(struct ctx *c, const char *bytes, size_t n, struct correction_in *out);
int order_read_machine(struct ctx *c, const char *bytes, size_t n, struct machine_change *out);
int order_read_metric(struct ctx *c, const char *bytes, size_t n,
		      struct metric_override_change *out);
/* at is TIME_NONE when it was not told. */
int order_read_event(struct ctx *c, const char *bytes, size_t n, struct event *out);

#endif
