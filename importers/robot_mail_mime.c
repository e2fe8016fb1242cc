/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One mail -> its texts, by GMime: transfer encodings, parts, forwarded mails. Of alternatives the
 * plain one is read, HTML where there is no other; attachments that are text are read too, since
 * replies attach whole comparisons. A mail that opens more parts or groups of addresses than any
 * person's is read as plain text: GMime goes down into every one of them.
 */
#include "importers/robot_mail.h"

/* of a function that is banned here; GMime has no use for it */
#define __G_ALLOCA_H__
#include <gmime/gmime.h>
#include <pthread.h>
#include <strings.h>

#include "server/base/arena.h"
#include "server/base/clock.h"

#define HEAD_FIELDS_MAX 400 /* looked at to tell a mail by its head */
#define TOO_LONG        "has a text of more than 16 MiB: no report is that long"
#define SUBJECT_LINES   15 /* of a saved text, in which its subject and date can stand */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
	g_mime_init();
}

/* Bytes of the field name and its colon at p; 0. A page's tag is none: archives show heads in
 * pages.
 */
static size_t field_name(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && q - p < 80 && *q > 32 && *q < 127 && *q != ':' && *q != '<')
		q++;
	return q > p && q < end && *q == ':' ? (size_t)(q - p) + 1 : 0;
}

bool mail_has_head(const char *bytes, size_t n)
{
	static const char *const fields[] = {
		"from:",         "date:",        "subject:",      "message-id:",
		"received:",     "return-path:", "mime-version:", "to:",
		"delivered-to:", "x-mailer:",    "content-type:",
	};
	const char *p = bytes, *end = bytes + n;
	size_t known = 0;

	for (int i = 0; i < HEAD_FIELDS_MAX && p < end; i++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t len = field_name(p, end);

		if (*p == '\n' || *p == '\r')
			break;
		if (!len && (i == 0 || (*p != ' ' && *p != '\t')))
			return false;
		for (size_t k = 0; len && k < sizeof(fields) / sizeof(fields[0]); k++) {
			known += len == strlen(fields[k]) && strncasecmp(p, fields[k], len) == 0;
		}
		p = stop ? stop + 1 : end;
	}
	return known >= 2;
}

static const char *text_of(struct mail *m, const char *s)
{
	char *copy;
	size_t n;

	if (!s)
		return NULL;
	n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		n--;
	copy = arena_strn(m->a, s, n > MAIL_TEXT_MAX ? MAIL_TEXT_MAX : n);
	for (char *p = copy; *p; p++) {
		if (*p == '\t' || *p == '\n' || *p == '\r')
			*p = ' ';
	}
	return import_text_valid(copy, MAIL_TEXT_MAX) ? copy : NULL;
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* An escape that plain text has no reason for: of the equals sign, of a space at a line's end, or
 * of what is not ASCII; or a line cut in two. */
static bool has_escapes(const char *s, size_t n)
{
	const char *end = s + n;

	for (const char *p = s; (p = memchr(p, '=', (size_t)(end - p))); p++) {
		if (end - p < 3)
			return false;
		if (is_one_of(p[1], "\r\n") && (p == s || p[-1] != '=')) /* not a rule's last */
			return true;
		if ((is_one_of(p[1], "89ABCDEF") && is_one_of(p[2], "0123456789ABCDEF")) ||
		    memcmp(p + 1, "3D", 2) == 0 ||
		    (memcmp(p + 1, "20", 2) == 0 && (end - p == 3 || is_one_of(p[3], "\r\n"))))
			return true;
	}
	return false;
}

/* The content in the arena, decoded if it is in this encoding. */
static const char *content_in(struct mail *m, GMimeDataWrapper *content,
			      GMimeContentEncoding encoding, size_t *n)
{
	GByteArray *array = g_byte_array_new();
	GMimeStream *to = g_mime_stream_mem_new_with_byte_array(array);
	const char *copy = NULL;

	*n = 0;
	g_mime_data_wrapper_set_encoding(content, encoding);
	g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(to), FALSE);
	if (g_mime_data_wrapper_write_to_stream(content, to) >= 0) {
		*n = array->len;
		copy = arena_copy(m->a, array->data ? array->data : (guint8 *)"", array->len);
	}
	g_object_unref(to);
	g_byte_array_free(array, TRUE);
	return copy;
}

/* Decoded, unless somebody has done that already and left the label. */
static const char *content_of(struct mail *m, GMimePart *part, size_t *n)
{
	GMimeDataWrapper *content = g_mime_part_get_content(part);
	GMimeContentEncoding encoding = g_mime_part_get_content_encoding(part);
	const char *copy;

	if (!content)
		return NULL;
	if (encoding == GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE) {
		copy = content_in(m, content, GMIME_CONTENT_ENCODING_DEFAULT, n);
		if (copy && !has_escapes(copy, *n))
			return copy;
	}
	return content_in(m, content, encoding, n);
}

/* Before it is decoded, which never makes it longer. */
static bool is_too_long(struct mail *m, GMimePart *part)
{
	GMimeDataWrapper *content = g_mime_part_get_content(part);
	GMimeStream *stream = content ? g_mime_data_wrapper_get_stream(content) : NULL;

	if (stream && g_mime_stream_length(stream) > (gint64)MAIL_TEXT_BYTES)
		m->excess = TOO_LONG;
	return m->excess != NULL;
}

static void read_part(struct mail *m, GMimePart *part)
{
	GMimeContentType *type = g_mime_object_get_content_type(GMIME_OBJECT(part));
	GMimeContentEncoding encoding = g_mime_part_get_content_encoding(part);
	const char *delsp = g_mime_content_type_get_parameter(type, "delsp");
	const char *content;
	struct mail_coding k = {
		.charset = g_mime_content_type_get_parameter(type, "charset"),
		.is_html = g_mime_content_type_is_type(type, "text", "html"),
		.delsp = delsp && strcasecmp(delsp, "yes") == 0,
		.may_be_quoted_printable = encoding != GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE &&
					   encoding != GMIME_CONTENT_ENCODING_BASE64,
	};
	size_t n;

	if (!g_mime_content_type_is_type(type, "text", "*") || is_too_long(m, part))
		return;
	content = content_of(m, part, &n);
	if (content)
		mail_text_add(m, content, n, &k);
}

static void walk(struct mail *m, GMimeObject *o, int nesting);

/* The plainest of several forms of one text. */
static void walk_alternatives(struct mail *m, GMimeMultipart *parts, int nesting)
{
	int n = g_mime_multipart_get_count(parts), best = n - 1;

	for (int i = n; i-- > 0;) {
		GMimeContentType *t =
			g_mime_object_get_content_type(g_mime_multipart_get_part(parts, i));

		if (g_mime_content_type_is_type(t, "text", "plain"))
			best = i;
	}
	if (best >= 0)
		walk(m, g_mime_multipart_get_part(parts, best), nesting);
}

static void walk(struct mail *m, GMimeObject *o, int nesting)
{
	if (!o || nesting > MAIL_NESTING_MAX)
		return;
	if (GMIME_IS_MULTIPART(o)) {
		GMimeMultipart *parts = GMIME_MULTIPART(o);
		int n = g_mime_multipart_get_count(parts);

		if (g_mime_content_type_is_type(g_mime_object_get_content_type(o), "multipart",
						"alternative")) {
			walk_alternatives(m, parts, nesting + 1);
			return;
		}
		for (int i = 0; i < n && i < MAIL_PARTS_MAX; i++)
			walk(m, g_mime_multipart_get_part(parts, i), nesting + 1);
	} else if (GMIME_IS_MESSAGE_PART(o)) {
		GMimeMessage *inner = g_mime_message_part_get_message(GMIME_MESSAGE_PART(o));

		if (inner)
			walk(m, g_mime_message_get_mime_part(inner), nesting + 1);
	} else if (GMIME_IS_PART(o)) {
		read_part(m, GMIME_PART(o));
	}
}

static void read_head(struct mail *m, GMimeMessage *message)
{
	GDateTime *date = g_mime_message_get_date(message);
	const char *at = g_mime_object_get_header(GMIME_OBJECT(message), "Archived-At");

	m->subject = text_of(m, g_mime_message_get_subject(message));
	m->message_id = text_of(m, g_mime_message_get_message_id(message));
	if (date)
		m->date = g_date_time_to_unix(date);
	if (at && *at == '<' && at[strlen(at) - 1] == '>')
		at = arena_strn(m->a, at + 1, strlen(at) - 2);
	m->url = at ? text_of(m, at) : NULL;
}

/* How many parts a mail can open at most: each says its type in a head of its own. */
static size_t count_parts(const char *bytes, size_t n)
{
	static const char *const types[] = {"multipart/", "message/"};
	size_t count = 0;

	for (size_t i = 0; i < 2; i++) {
		size_t len = strlen(types[i]);

		/* by the character that is rare in any case of letters */
		for (const char *p = bytes, *end = bytes + n;
		     (p = memchr(p, '/', (size_t)(end - p))); p++) {
			if ((size_t)(p - bytes) + 1 >= len &&
			    strncasecmp(p + 1 - len, types[i], len) == 0)
				count++;
		}
	}
	return count;
}

/* Of a line and those that carry it on. */
static size_t count_colons(const char *p, const char *end)
{
	size_t count = 0;

	for (; p < end && (*p != '\n' || (end - p > 1 && is_one_of(p[1], " \t"))); p++)
		count += *p == ':';
	return count;
}

/* The most colons that a field of addresses has: "a: b: c:" is a group in a group in a group. */
static size_t deepest_group(const char *bytes, size_t n)
{
	static const char *const fields[] = {"from:", "sender:", "reply-to:", "to:", "cc:", "bcc:"};
	const char *end = bytes + n, *next;
	size_t most = 0;

	for (const char *p = bytes; p < end; p = next) {
		size_t len = field_name(p, end), colons = 0;

		for (size_t k = 0; len && k < sizeof(fields) / sizeof(fields[0]); k++) {
			if (len == strlen(fields[k]) && strncasecmp(p, fields[k], len) == 0)
				colons = count_colons(p, end);
		}
		most = colons > most ? colons : most;
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next + 1 : end;
	}
	return most;
}

void mail_mime_read(struct mail *m, const char *bytes, size_t n)
{
	GByteArray borrowed = {.data = (guint8 *)bytes, .len = (guint)n};
	GMimeStream *stream;
	GMimeParser *parser;
	GMimeMessage *message;

	if (count_parts(bytes, n) > MAIL_PARTS_MAX || deepest_group(bytes, n) > MAIL_GROUPS_MAX) {
		mail_plain_read(m, bytes, n);
		return;
	}
	pthread_once(&once, init);
	stream = g_mime_stream_mem_new_with_byte_array(&borrowed);
	g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
	parser = g_mime_parser_new_with_stream(stream);
	message = g_mime_parser_construct_message(parser, NULL);
	if (message) {
		read_head(m, message);
		walk(m, g_mime_message_get_mime_part(message), 0);
		g_object_unref(message);
	}
	g_object_unref(parser);
	g_object_unref(stream);
}

static const char *after_field(const char *s, const char *name)
{
	size_t n = strlen(name);

	if (strncasecmp(s, name, n) != 0)
		return NULL;
	for (s += n; *s == ' '; s++)
		;
	return *s ? s : NULL;
}

static void guess_date(struct mail *m, const char *s)
{
	GDateTime *date = g_mime_utils_header_decode_date(s);

	if (!date)
		return;
	m->date = g_date_time_to_unix(date);
	g_date_time_unref(date);
}

void mail_plain_read(struct mail *m, const char *bytes, size_t n)
{
	const struct mail_coding k = {.is_html = mail_is_html(bytes, n),
				      .may_be_quoted_printable = true};
	const char *first = NULL;
	size_t words = 0;

	pthread_once(&once, init);
	if (n > MAIL_TEXT_BYTES) {
		m->excess = TOO_LONG;
		return;
	}
	mail_text_add(m, bytes, n, &k);
	for (size_t i = 0; i < m->nlines && words < SUBJECT_LINES; i++) {
		const struct mail_line *l = &m->lines[i];
		const char *s;

		if (!l->len || l->depth)
			continue;
		words++;
		if (!m->subject && (s = after_field(l->s, "subject:")))
			m->subject = text_of(m, s);
		else if (!m->message_id && (s = after_field(l->s, "message-id:")))
			m->message_id = text_of(
				m, *s == '<' ? arena_strn(m->a, s + 1, strcspn(s + 1, ">")) : s);
		else if (m->date == TIME_NONE && (s = after_field(l->s, "date:")))
			guess_date(m, s);
		if (!first)
			first = l->s;
	}
	if (!m->subject && first) {
		struct mail_setup claim = {0};

		if (mail_claim_read(m, first, &claim) || strncmp(first, "Re: ", 4) == 0 ||
		    strncmp(first, "[", 1) == 0)
			m->subject = text_of(m, first);
	}
}
