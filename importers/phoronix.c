/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * composite.xml of the Phoronix Test Suite, read element by element: memory goes by the texts that
 * are figures. Nothing is fetched, no entity is expanded, and a document type is refused, since the
 * suite writes none. What it means is in phoronix_result.c.
 */
#include "importers/phoronix.h"

#include <libxml/xmlreader.h>

#include "importers/formats.h"
#include "importers/program_output.h"
#include "server/base/arena.h"

#define DEPTH_MAX   16
#define TEXT_MAX    ((size_t)1 << 20) /* of one element; the rest is cut */
#define ENTRIES_MAX 10000             /* of a result: systems that were compared */
#define SYSTEMS_MAX 10000

enum place { PLACE_OTHER, PLACE_SYSTEM, PLACE_RESULT, PLACE_DATA, PLACE_ENTRY };

static const struct {
	enum place in;
	const char *name;
	int field;
} fields[] = {
	{PLACE_SYSTEM, "Identifier", SYSTEM_IDENTIFIER},
	{PLACE_SYSTEM, "Hardware", SYSTEM_HARDWARE},
	{PLACE_SYSTEM, "Software", SYSTEM_SOFTWARE},
	{PLACE_SYSTEM, "User", SYSTEM_USER},
	{PLACE_SYSTEM, "TimeStamp", SYSTEM_TIME},
	{PLACE_SYSTEM, "Notes", SYSTEM_NOTES},
	{PLACE_RESULT, "Identifier", RESULT_IDENTIFIER},
	{PLACE_RESULT, "Title", RESULT_TITLE},
	{PLACE_RESULT, "AppVersion", RESULT_VERSION},
	{PLACE_RESULT, "Arguments", RESULT_ARGUMENTS},
	{PLACE_RESULT, "Description", RESULT_DESCRIPTION},
	{PLACE_RESULT, "Scale", RESULT_SCALE},
	{PLACE_RESULT, "Proportion", RESULT_PROPORTION},
	{PLACE_RESULT, "DisplayFormat", RESULT_FORMAT},
	{PLACE_ENTRY, "Identifier", ENTRY_IDENTIFIER},
	{PLACE_ENTRY, "Value", ENTRY_VALUE},
	{PLACE_ENTRY, "RawString", ENTRY_RAW},
};

struct reading {
	struct phoronix p;
	struct ctx *c;
	const char *bytes, *end;  /* what the parser has not got yet */
	struct arena *kept, *own; /* own: of one result */
	struct phoronix_system tested;
	const char *result[RESULT_FIELDS];
	struct phoronix_entry *entries;
	size_t n, cap;
	enum place places[DEPTH_MAX + 1]; /* of the open elements */
	const char **target; /* where the text of the open element goes; NULL: nowhere */
	char *text;
	size_t len, text_cap;
};

static int feed(void *arg, char *buf, int room)
{
	struct reading *r = arg;
	size_t n = (size_t)(r->end - r->bytes);

	n = n < (size_t)room ? n : (size_t)room;
	memcpy(buf, r->bytes, n);
	r->bytes += n;
	return (int)n;
}

static void begin_result(struct reading *r)
{
	arena_reset(r->own);
	r->entries = NULL;
	r->n = r->cap = 0;
	for (size_t i = 0; i < RESULT_FIELDS; i++)
		r->result[i] = "";
}

static void begin_entry(struct reading *r, int line)
{
	if (r->n == ENTRIES_MAX) {
		fail(r->c, E_TOO_LARGE, "line %d: the result has more than %d entries", line,
		     ENTRIES_MAX);
		return;
	}
	r->entries = arena_grow(r->own, r->entries, &r->cap, r->n + 1, sizeof(*r->entries));
	r->entries[r->n++] = (struct phoronix_entry){{"", "", ""}, line};
}

static enum place place_of(enum place in, int depth, const char *name)
{
	if (depth == 1 && !strcmp(name, "System"))
		return PLACE_SYSTEM;
	if (depth == 1 && !strcmp(name, "Result"))
		return PLACE_RESULT;
	if (in == PLACE_RESULT && !strcmp(name, "Data"))
		return PLACE_DATA;
	return in == PLACE_DATA && !strcmp(name, "Entry") ? PLACE_ENTRY : PLACE_OTHER;
}

static const char **target_of(struct reading *r, enum place in, const char *name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		int field = fields[i].field;

		if (fields[i].in != in || strcmp(fields[i].name, name) != 0)
			continue;
		if (in == PLACE_SYSTEM)
			return &r->tested.text[field];
		return in == PLACE_RESULT ? &r->result[field] : &r->entries[r->n - 1].text[field];
	}
	return NULL;
}

static void open_element(struct reading *r, const char *name, int depth, int line)
{
	enum place in = depth ? r->places[depth - 1] : PLACE_OTHER;

	if (depth == 0 && strcmp(name, "PhoronixTestSuite") != 0)
		fail(r->c, E_INVALID, "line %d: the document is a <%.60s>, not PhoronixTestSuite",
		     line, name);
	r->places[depth] = place_of(in, depth, name);
	if (r->places[depth] == PLACE_SYSTEM) {
		for (size_t i = 0; i < SYSTEM_FIELDS; i++)
			r->tested.text[i] = "";
	} else if (r->places[depth] == PLACE_RESULT) {
		begin_result(r);
	} else if (r->places[depth] == PLACE_ENTRY) {
		begin_entry(r, line);
	}
	r->len = 0;
	r->target = r->c->err ? NULL : target_of(r, in, name);
}

static void add_text(struct reading *r, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (!r->target || !n || r->len == TEXT_MAX)
		return;
	n = n < TEXT_MAX - r->len ? n : TEXT_MAX - r->len;
	r->text = arena_grow(r->kept, r->text, &r->text_cap, r->len + n, 1);
	memcpy(r->text + r->len, text, n);
	r->len += n;
}

static void close_element(struct reading *r, int depth)
{
	struct phoronix *p = &r->p;

	if (r->target) {
		bool of_system = depth && r->places[depth - 1] == PLACE_SYSTEM;

		*r->target =
			arena_strn(of_system ? r->kept : r->own, r->text ? r->text : "", r->len);
		r->target = NULL;
	}
	if (r->places[depth] == PLACE_RESULT) {
		phoronix_result(p, r->result, r->entries, r->n);
		if (p->in->after_document && !r->c->err)
			p->in->after_document(p->in->after_arg);
	} else if (r->places[depth] == PLACE_SYSTEM) {
		if (p->nsystems == SYSTEMS_MAX)
			fail(r->c, E_TOO_LARGE, "there are more than %d systems", SYSTEMS_MAX);
		else {
			p->systems = arena_grow(r->kept, p->systems, &p->system_cap,
						p->nsystems + 1, sizeof(*p->systems));
			p->systems[p->nsystems++] = r->tested;
		}
	}
}

static void read_node(struct reading *r, xmlTextReaderPtr x)
{
	int line = xmlTextReaderGetParserLineNumber(x), depth = xmlTextReaderDepth(x);
	bool is_empty;

	if (depth > DEPTH_MAX) {
		fail(r->c, E_SYNTAX, "line %d: elements are nested too deeply", line);
		return;
	}
	switch (xmlTextReaderNodeType(x)) {
	case XML_READER_TYPE_ENTITY_REFERENCE:
		fail(r->c, E_SYNTAX, "line %d: entities are not taken", line);
		break;
	case XML_READER_TYPE_ELEMENT:
		is_empty = xmlTextReaderIsEmptyElement(x) == 1;
		open_element(r, (const char *)xmlTextReaderConstName(x), depth, line);
		if (is_empty && !r->c->err)
			close_element(r, depth);
		break;
	case XML_READER_TYPE_TEXT:
	case XML_READER_TYPE_CDATA:
		add_text(r, (const char *)xmlTextReaderConstValue(x));
		break;
	case XML_READER_TYPE_END_ELEMENT:
		close_element(r, depth);
		break;
	default:
		break;
	}
}

static void say_syntax(struct reading *r)
{
	const xmlError *e = xmlGetLastError();
	char text[200];

	snprintf(text, sizeof(text), "%s", e && e->message ? e->message : "is not XML\n");
	text[strcspn(text, "\n")] = '\0';
	for (char *p = text; *p; p++) { /* it quotes from the file */
		if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7f)
			*p = '?';
	}
	fail(r->c, E_SYNTAX, "line %d: %s", e ? e->line : 1, text);
}

/* The suite writes UTF-8; another encoding would hide markup from phoronix_check_markup. */
static xmlTextReaderPtr reader_of(struct reading *r)
{
	xmlTextReaderPtr x =
		xmlReaderForIO(feed, NULL, r, NULL, "UTF-8",
			       XML_PARSE_IGNORE_ENC | XML_PARSE_NONET | XML_PARSE_NOERROR |
				       XML_PARSE_NOWARNING | XML_PARSE_COMPACT);

	if (!x)
		die("out of memory");
	return x;
}

int import_phoronix(struct import *in, const char *bytes, size_t n)
{
	auto_arena struct arena *own = arena_new();
	struct reading r = {
		.c = in->ctx, .bytes = bytes, .end = bytes + n, .kept = in->ctx->arena, .own = own};
	xmlTextReaderPtr x;
	int more;

	if (phoronix_check_markup(in->ctx, bytes, n) < 0)
		return in->ctx->err;
	x = reader_of(&r);
	phoronix_init(&r.p, in);
	xmlResetLastError();
	while ((more = xmlTextReaderRead(x)) == 1 && r.c->err != E_SYNTAX &&
	       r.c->err != E_TOO_LARGE)
		read_node(&r, x);
	if (more < 0)
		say_syntax(&r);
	xmlFreeTextReader(x);
	return r.c->err ? (int)r.c->err : phoronix_end(&r.p);
}

int phoronix_sniff(const char *bytes, size_t n)
{
	return sniff_finds(bytes, n, "<PhoronixTestSuite") ? 97 : 0;
}
