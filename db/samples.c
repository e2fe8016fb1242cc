/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packed forms of what was measured. Everything is little-endian, whatever the machine.
 *
 * A summary is a byte 1 (the version), the number of cells in 4 bytes, and each cell: metric id in
 * 4 bytes, 2 bytes of flags that say which figures follow, a byte with the kind of printing, then
 * those figures in the order of the flags, 8 bytes each, and last the printed base, 2 bytes of
 * length and the text. Unpacking trusts nothing: what does not add up is refused whole.
 */
#include "db/samples.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "server/base/arena.h"

#define SUMMARY_VERSION  1
#define SUMMARY_CELL_MIN 7 /* id, flags, kind */
#define PRINTED_KINDS    5 /* of enum printed_kind */

static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

static uint64_t load(const uint8_t *p, unsigned nbytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < nbytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static void store(struct out *o, uint64_t v, unsigned nbytes)
{
	for (unsigned i = 0; i < nbytes; i++)
		out_char(o, (char)(v >> (8 * i) & 0xff));
}

static double bits_to_double(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static uint64_t double_to_bits(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* --- samples and layouts --- */

void samples_pack(const double *values, size_t n, struct out *o)
{
	if (is_little) {
		out_bytes(o, values, n * sizeof *values);
		return;
	}
	for (size_t i = 0; i < n; i++)
		store(o, double_to_bits(values[i]), 8);
}

const double *samples_unpack(struct arena *a, const void *bytes, size_t nbytes, size_t n)
{
	if (nbytes % 8 != 0 || nbytes / 8 != n)
		return NULL;
	if (is_little && n && (uintptr_t)bytes % _Alignof(double) == 0)
		return bytes;
	double *values = arena_array(a, double, n);
	for (size_t i = 0; i < n; i++)
		values[i] = bits_to_double(load((const uint8_t *)bytes + 8 * i, 8));
	return values;
}

void layout_pack(const uint32_t *ids, size_t n, struct out *o)
{
	for (size_t i = 0; i < n; i++)
		store(o, ids[i], 4);
}

const uint32_t *layout_unpack(struct arena *a, const void *bytes, size_t nbytes, size_t *n)
{
	if (nbytes % 4 != 0)
		return NULL;
	uint32_t *ids = arena_array(a, uint32_t, nbytes / 4);
	for (size_t i = 0; i < nbytes / 4; i++) {
		ids[i] = (uint32_t)load((const uint8_t *)bytes + 4 * i, 4);
		if (i && ids[i] <= ids[i - 1])
			return NULL;
	}
	*n = nbytes / 4;
	return ids;
}

long layout_find(const struct layout *l, uint32_t metric_id)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->metric_ids[mid] < metric_id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->n && l->metric_ids[lo] == metric_id ? (long)lo : -1;
}

/* --- summaries --- */

/* The figures of a cell in the order of their flags: first the real ones, then the whole ones. */
enum { REALS = 6, WHOLES = 3, BASE_FLAG = 1 << (REALS + WHOLES) };

static void cell_fields(const struct stored_cell *k, const double *reals[REALS],
			const int64_t *wholes[WHOLES])
{
	reals[0] = &k->mean;
	reals[1] = &k->stddev;
	reals[2] = &k->stddev_pct;
	reals[3] = &k->min;
	reals[4] = &k->max;
	reals[5] = &k->printed_change;
	wholes[0] = &k->n;
	wholes[1] = &k->fails;
	wholes[2] = &k->runs;
}

static void pack_cell(const struct stored_cell *k, struct out *o)
{
	const double *reals[REALS];
	const int64_t *wholes[WHOLES];
	unsigned flags = 0;

	cell_fields(k, reals, wholes);
	for (unsigned i = 0; i < REALS; i++)
		flags |= isnan(*reals[i]) ? 0 : 1U << i;
	for (unsigned i = 0; i < WHOLES; i++)
		flags |= *wholes[i] < 0 ? 0 : 1U << (REALS + i);
	if (k->printed_base)
		flags |= BASE_FLAG;
	store(o, k->metric_id, 4);
	store(o, flags, 2);
	store(o, (uint64_t)k->printed, 1);
	for (unsigned i = 0; i < REALS; i++)
		if (flags & 1U << i)
			store(o, double_to_bits(*reals[i]), 8);
	for (unsigned i = 0; i < WHOLES; i++)
		if (flags & 1U << (REALS + i))
			store(o, (uint64_t)*wholes[i], 8);
	if (k->printed_base) {
		size_t len = strlen(k->printed_base);
		assert(len <= UINT16_MAX);
		store(o, len, 2);
		out_bytes(o, k->printed_base, len);
	}
}

void summary_pack(const struct stored_cell *cells, size_t n, struct out *o)
{
	assert(n <= UINT32_MAX);
	store(o, SUMMARY_VERSION, 1);
	store(o, n, 4);
	for (size_t i = 0; i < n; i++) {
		assert(i == 0 || cells[i].metric_id > cells[i - 1].metric_id);
		assert(cells[i].printed >= 0 && cells[i].printed < PRINTED_KINDS);
		pack_cell(&cells[i], o);
	}
}

/* Takes bytes from the front; past the end it gives 0 and remembers. */
struct reader {
	const uint8_t *p;
	size_t left;
	bool failed;
};

static const uint8_t *take(struct reader *r, size_t n)
{
	if (r->failed || r->left < n) {
		r->failed = true;
		return NULL;
	}
	const uint8_t *p = r->p;
	r->p += n;
	r->left -= n;
	return p;
}

static uint64_t take_number(struct reader *r, unsigned nbytes)
{
	const uint8_t *p = take(r, nbytes);

	return p ? load(p, nbytes) : 0;
}

static double take_real(struct reader *r, bool present)
{
	return present ? bits_to_double(take_number(r, 8)) : (double)NAN;
}

static int64_t take_whole(struct reader *r, bool present)
{
	int64_t v = present ? (int64_t)take_number(r, 8) : -1;

	r->failed |= present && v < 0;
	return v;
}

static void unpack_cell(struct arena *a, struct reader *r, struct stored_cell *k)
{
	k->metric_id = (uint32_t)take_number(r, 4);
	unsigned flags = (unsigned)take_number(r, 2);
	k->printed = (int)take_number(r, 1);
	k->mean = take_real(r, flags & 1U << 0);
	k->stddev = take_real(r, flags & 1U << 1);
	k->stddev_pct = take_real(r, flags & 1U << 2);
	k->min = take_real(r, flags & 1U << 3);
	k->max = take_real(r, flags & 1U << 4);
	k->printed_change = take_real(r, flags & 1U << 5);
	k->n = take_whole(r, flags & 1U << 6);
	k->fails = take_whole(r, flags & 1U << 7);
	k->runs = take_whole(r, flags & 1U << 8);
	if (flags & BASE_FLAG) {
		size_t len = (size_t)take_number(r, 2);
		const uint8_t *text = take(r, len);
		k->printed_base = text ? arena_strn(a, (const char *)text, len) : NULL;
	}
	r->failed |= flags >= BASE_FLAG * 2U || k->printed >= PRINTED_KINDS;
}

int summary_unpack(struct ctx *c, const void *bytes, size_t nbytes, struct stored_cell **cells,
		   size_t *n)
{
	struct reader r = {bytes, nbytes, false};
	uint64_t version = take_number(&r, 1);
	uint64_t count = take_number(&r, 4);

	/* The count is bounded by the bytes before memory is taken for it. */
	if (r.failed || version != SUMMARY_VERSION || count > r.left / SUMMARY_CELL_MIN)
		return fail(c, E_INTERNAL, "a stored summary is damaged");
	*cells = arena_array(c->arena, struct stored_cell, count);
	*n = (size_t)count;
	for (size_t i = 0; i < *n && !r.failed; i++) {
		unpack_cell(c->arena, &r, &(*cells)[i]);
		r.failed |= i && (*cells)[i].metric_id <= (*cells)[i - 1].metric_id;
	}
	if (r.failed || r.left)
		return fail(c, E_INTERNAL, "a stored summary is damaged");
	return E_OK;
}
