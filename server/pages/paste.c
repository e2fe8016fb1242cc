/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GET /paste - a form for outputs of any format.
 * POST /paste - reads what was pasted and shows it side by side. Nothing of it is stored. Fields,
 * each as often as there are texts and paired in order: text, file (of those that are empty none
 * counts), label; and once: format (a name of /formats, or auto), outputs (auto, columns, runs:
 * what several outputs in one text are). A body that is no form is one text.
 */
#include "server/pages/paste.h"

#include "importers/import.h"
#include "server/pages/form_fields.h"
#include "server/pages/paste_page.h"
#include "server/pages/upload.h"
#include "server/view/html.h"
#include "server/view/url.h"

int page_paste(struct req *r)
{
	const struct paste_form empty = {0};

	req_page_begin(r, "Paste", "paste");
	html(r->out,
	     "<p class=\"lead\">Two outputs of fio, hackbench, perf stat or any other format that "
	     "is "
	     "read here, side by side: as they came from the terminal, or quoted out of a mail. "
	     "Nothing of it is stored.</p>\n");
	paste_write_form(r, &empty);
	return req_page_end(r, 200);
}

/* --- what was sent --- */

/* The slot of the n-th field of a kind; NULL: there are too many, which is a fault. */
static bool has_slot(struct req *r, struct paste_form *f, size_t n)
{
	if (n >= PASTE_TEXTS_MAX) {
		fault(&r->ctx, "text", "more than %d texts", PASTE_TEXTS_MAX);
		return false;
	}
	if (n >= f->nslots)
		f->nslots = n + 1;
	return true;
}

static bool is_blank(const char *s, size_t n)
{
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r' || s[n - 1] == '\n'))
		n--;
	return n == 0;
}

static void add_text(struct req *r, struct paste *p, const struct paste_form *f, size_t slot,
		     const struct form_field *k)
{
	if (is_blank(k->value, k->n))
		return;
	if (p->ntexts == PASTE_TEXTS_MAX) {
		fault(&r->ctx, "text", "more than %d texts", PASTE_TEXTS_MAX);
		return;
	}
	p->texts[p->ntexts++] =
		(struct paste_text){.label = f->slots[slot].label, .bytes = k->value, .n = k->n};
}

static const char *text_of(struct req *r, const struct form_field *k, size_t max)
{
	const char *text = arena_strn(r->ctx.arena, k->value, k->n);

	if (!k->n)
		return NULL;
	if (strlen(text) == k->n && import_text_valid(text, max))
		return text;
	fault(&r->ctx, k->name, "must have at most %zu bytes of UTF-8, no control characters", max);
	return NULL;
}

/* Labels first: they belong to texts that may stand before them. */
static void read_labels(struct req *r, const struct form_fields *fields, struct paste_form *f)
{
	size_t n = 0;

	for (size_t i = 0; i < fields->n; i++) {
		const struct form_field *k = &fields->list[i];

		if (!strcmp(k->name, "label") && has_slot(r, f, n))
			f->slots[n++].label = text_of(r, k, PASTE_LABEL_MAX);
		else if (!strcmp(k->name, "format"))
			f->format = text_of(r, k, PASTE_LABEL_MAX);
		else if (!strcmp(k->name, "outputs"))
			f->outputs = text_of(r, k, PASTE_LABEL_MAX);
	}
}

static void read_texts(struct req *r, const struct form_fields *fields, struct paste_form *f,
		       struct paste *p)
{
	const struct form_field *texts[PASTE_TEXTS_MAX] = {0}, *files[PASTE_TEXTS_MAX] = {0};
	size_t ntexts = 0, nfiles = 0;

	for (size_t i = 0; i < fields->n; i++) {
		const struct form_field *k = &fields->list[i];

		if (!strcmp(k->name, "text") && has_slot(r, f, ntexts))
			texts[ntexts++] = k;
		else if (!strcmp(k->name, "file") && has_slot(r, f, nfiles))
			files[nfiles++] = k;
	}
	for (size_t i = 0; i < f->nslots; i++) {
		if (texts[i]) {
			f->slots[i].text = texts[i]->value;
			f->slots[i].n = texts[i]->n;
			add_text(r, p, f, i, texts[i]);
		}
		if (files[i])
			add_text(r, p, f, i, files[i]);
	}
}

static void read_choices(struct req *r, const struct paste_form *f, struct paste *p)
{
	static const char *const words[] = {"auto", "columns", "runs"};
	int outputs = f->outputs ? -1 : PASTE_AUTO;

	for (int i = 0; f->outputs && i < 3; i++)
		outputs = strcmp(f->outputs, words[i]) == 0 ? i : outputs;
	if (outputs < 0)
		fault(&r->ctx, "outputs", "\"%.40s\" is none of: auto, columns, runs", f->outputs);
	else
		p->outputs = (enum paste_outputs)outputs;
	if (f->format && strcmp(f->format, "auto") != 0) {
		p->format = importer_find(f->format);
		if (!p->format)
			fault(&r->ctx, "format", "\"%.40s\" is none of: auto %s", f->format,
			      importer_names(r->ctx.arena));
	}
}

static bool is_form(const char *type)
{
	return type && (!strcmp(type, "multipart/form-data") ||
			!strcmp(type, "application/x-www-form-urlencoded"));
}

/* E_OK, or a failure; of faults with what was sent, so far as it could be read. */
static int read_form(struct req *r, struct paste_form *f, struct paste *p)
{
	struct form_fields *fields = arena_array(r->ctx.arena, struct form_fields, 1);
	const struct form_field whole = {"text", r->body, r->body_len, NULL};
	int e = E_OK;

	if (is_form(r->content_type))
		e = form_fields_read(r, fields);
	else
		e = form_add(&r->ctx, fields, &whole);
	if (e < 0)
		return e;
	read_labels(r, fields, f);
	read_texts(r, fields, f, p);
	read_choices(r, f, p);
	if (!p->ntexts)
		fault(&r->ctx, "text",
		      "there is no text: a form has it in fields called text or file, any other "
		      "body "
		      "is one itself");
	return req_status(r);
}

/* --- the answer --- */

/* "text[0].line" is "Text 1, line" for people. */
static const char *place_words(struct arena *a, const char *path)
{
	long number;
	int used = 0;

	if (sscanf(path, "text[%ld]%n", &number, &used) != 1 || !used)
		return path;
	path += used;
	return arena_fmt(a, "Text %ld%s%s", number + 1, *path ? ", " : "",
			 *path == '.' ? path + 1 : path);
}

/* What was wrong, and the form with all that was sent. */
static int refuse_html(struct req *r, const struct paste_form *f)
{
	req_page_begin(r, "Paste", "paste");
	html(r->out, "<div class=\"error\"><p>✗ This could not be read:</p>\n<ul>\n");
	for (size_t i = 0; i < r->ctx.nfaults; i++)
		html(r->out, "<li>%s: %s\n", place_words(r->ctx.arena, r->ctx.faults[i].path),
		     r->ctx.faults[i].message);
	html(r->out, "</ul></div>\n");
	paste_write_form(r, f);
	req_page_end(r, 422);
	return 422;
}

static int write_answer(struct req *r, const struct paste *p, const struct paste_form *f)
{
	if (r->form == FORM_JSON) {
		paste_json(r, p);
		return 200;
	}
	if (r->form == FORM_TXT) {
		paste_txt(r->out, r->ctx.arena, p);
		return 200;
	}
	req_page_begin(r, "Side by side", "paste");
	paste_html(r, p);
	html(r->out, "<h2>Another look</h2>\n");
	paste_write_form(r, f);
	return req_page_end(r, 200);
}

int page_post_paste(struct req *r)
{
	struct paste_form *f = arena_array(r->ctx.arena, struct paste_form, 1);
	struct paste *p = arena_array(r->ctx.arena, struct paste, 1);
	int e;

	p->charge = upload_charge;
	p->charge_arg = r;
	r->no_store = true;
	e = r->reserve(r, IMPORT_COST * r->body_len);
	if (e >= 0)
		e = read_form(r, f, p);
	if (e >= 0)
		e = paste_compare(&r->ctx, p);
	if (r->form == FORM_HTML)
		r->forms = 0; /* they have no address */
	if (e == E_INVALID && r->form == FORM_HTML)
		return refuse_html(r, f);
	return e < 0 ? e : write_answer(r, p, f);
}
