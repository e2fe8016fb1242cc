/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON documents among a program's other output (json_piece.h) that hold one long array, which is
 * read element by element (json_parts.h): a document may be as long as the file then.
 */
#ifndef IMPORTERS_JSON_DOCUMENTS_H
#define IMPORTERS_JSON_DOCUMENTS_H

#include "importers/json_parts.h"

struct json_documents {
	struct ctx *ctx;
	const char *bytes, *p, *end;
	struct json_span now; /* the document that was found last */
	size_t line;          /* where it begins, from 1 */
};

void json_documents_begin(struct json_documents *d, struct ctx *c, const char *bytes, size_t n);
/* Finds the next one. False: no more; or it is cut off or nested too deeply: E_SYNTAX, with the
 * line. */
bool json_documents_next(struct json_documents *d);
/* The document with an empty array in place of the one that is among its members; array.p NULL: as
 * it is. The caller gives it back with json_decref. NULL: E_SYNTAX or E_TOO_LARGE. */
json_t *json_document_without(const struct json_documents *d, struct json_span array);
/* json_elements_begin for an array of the document. */
bool json_document_elements(const struct json_documents *d, struct json_elements *e,
			    struct json_span array, const struct json_at *at);

#endif
