/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of object ids, each with a mark: about 40 bytes an id. Of one thread. */
#ifndef HISTORY_OID_SET_H
#define HISTORY_OID_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <git2/oid.h>

struct oid_slot {
	git_oid id;
	bool used;
	bool bad; /* the mark: it, or an ancestor of it, cannot be read */
};
struct oid_set {
	struct oid_slot *slots;
	size_t n, cap; /* cap: a power of two, or 0 */
};

/* Adds an id unless it is there; true: it is new. *slot (valid until the next call) is its own. */
bool oid_set_add(struct oid_set *s, const git_oid *id, struct oid_slot **slot);
/* NULL: it is not there. */
struct oid_slot *oid_set_find(const struct oid_set *s, const git_oid *id);
void oid_set_free(struct oid_set *s);

#endif
