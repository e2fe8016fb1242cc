/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A large JSON document, read part by part: members of its top are found without building anything,
 * whatever their order, and a long array is read element by element, so that memory goes by the
 * largest element. As in json_piece.h an element is at most JSON_PIECE_MAX, and NaN is an empty
 * text.
 */
#ifndef IMPORTERS_JSON_PARTS_H
#define IMPORTERS_JSON_PARTS_H

#include "importers/json_piece.h"
#include "importers/json_read.h"

/* The bytes of a value; p NULL: there is none. */
struct json_span {
	const char *p, *end;
};

/* Makes faults and failure of one reading those of another, and forgets them in the first. */
void json_hand_over(struct ctx *from, struct ctx *to);

/* The document's only value, without a byte order mark. False: E_SYNTAX, with the line. */
bool json_document(struct ctx *c, const char *bytes, size_t n, struct json_span *top);
/* The members of the object under these names (of several the last); others are passed over. False:
 * it is no object, or ends wrongly; the failure is set. */
bool json_find_members(struct ctx *c, const char *bytes, struct json_span object,
		       const char *const *keys, size_t n, struct json_span *out);
/* Builds a value, which must be an object: the caller gives it back with json_decref. NULL: a fault
 * at the place, or E_SYNTAX or E_TOO_LARGE; also when there is no value or null, without any. */
json_t *json_span_object(struct ctx *c, const char *bytes, struct json_span v,
			 const struct json_at *at);
/* The same of one that was read before, from its first byte on: nobody asks for its line. */
json_t *json_read_again(struct ctx *c, const char *begin, const char *end);

/* An array, element by element. What is read in one goes by own: its texts live until the next is
 * read, and its faults become those of the reading then. */
struct json_elements {
	struct json_pieces pieces;
	const struct json_at *at;
	struct ctx own;
	size_t index;          /* of the last element */
	struct json_span last; /* its bytes */
	bool begun;
};
/* The elements of an array, which must be objects; what is not is a fault and passed over. at must
 * outlive e. False: no array, a fault; else it wants json_elements_end. */
bool json_elements_begin(struct json_elements *e, struct ctx *c, const char *bytes,
			 struct json_span array, const struct json_at *at);
/* The next one, given back with json_decref. NULL: no more, or E_SYNTAX or E_TOO_LARGE is set. */
json_t *json_elements_next(struct json_elements *e);
/* Whatever the reading came to. Returns the failure that there is. */
int json_elements_end(struct json_elements *e);

#endif
