/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The form of /paste. It works without scripts; what was sent is shown in it again, so that a text
 * need not be pasted twice. Files are the browser's: they have to be chosen again. */
#include "server/pages/paste_page.h"

#include "importers/import.h"
#include "server/pages/parts.h"
#include "server/view/html.h"

#define SLOTS    2                   /* at least */
#define ECHO_MAX ((size_t)256 << 10) /* a larger text is not sent back */

static const char *slot_name(struct arena *a, size_t i)
{
	return i < 2 ? i ? "After" : "Before" : arena_fmt(a, "Text %zu", i + 1);
}

/* Without the returns that a form's ends of lines have: the browser puts them in again. */
static void write_echo(struct out *o, const char *s, size_t n)
{
	const char *end = s + n, *stop;

	while (s < end && (stop = memchr(s, '\r', (size_t)(end - s)))) {
		html_text(o, s, (size_t)(stop - s));
		s = stop + 1;
	}
	html_text(o, s, (size_t)(end - s));
}

static void write_slot(struct req *r, const struct paste_form *f, size_t i)
{
	const char *name = slot_name(r->ctx.arena, i), *label = f->slots[i].label;
	struct out *o = r->out;

	html(o,
	     "<fieldset>\n<legend>%s</legend>\n<p><label for=\"label-%zu\">Called</label> "
	     "<input id=\"label-%zu\" name=\"label\" value=\"%s\" placeholder=\"%s\" "
	     "maxlength=\"%d\"></p>\n<p><label for=\"text-%zu\">Output of a program, or a "
	     "mail</label>"
	     "\n<textarea id=\"text-%zu\" name=\"text\" rows=\"12\" cols=\"60\" "
	     "spellcheck=\"false\">\n",
	     name, i, i, label ? label : "", name, PASTE_LABEL_MAX, i, i);
	if (f->slots[i].n <= ECHO_MAX)
		write_echo(o, f->slots[i].text ? f->slots[i].text : "", f->slots[i].n);
	html(o,
	     "</textarea></p>\n<p><label for=\"file-%zu\">or a file</label> "
	     "<input id=\"file-%zu\" type=\"file\" name=\"file\"></p>\n</fieldset>\n",
	     i, i);
}

static void write_option(struct out *o, const char *value, const char *words, const char *chosen)
{
	html(o, "<option value=\"%s\"%s>%s</option>\n", value,
	     chosen && !strcmp(chosen, value) ? " selected" : "", words);
}

static void write_formats(struct req *r, const struct paste_form *f)
{
	html(r->out, "<p><label for=\"format\">Format</label> <select id=\"format\" "
		     "name=\"format\">\n");
	write_option(r->out, "auto", "auto: whichever fits", f->format);
	for (size_t i = 0; i < importer_count(); i++) {
		const struct importer *one = importer_at(i);

		if (!one->folder)
			write_option(r->out, one->name, one->name, f->format);
	}
	html(r->out, "</select></p>\n<p><label for=\"outputs\">Several outputs in one text are"
		     "</label> <select id=\"outputs\" name=\"outputs\">\n");
	write_option(r->out, "auto", "what they look like", f->outputs);
	write_option(r->out, "columns", "columns of their own", f->outputs);
	write_option(r->out, "runs", "runs of one column", f->outputs);
	html(r->out, "</select></p>\n");
}

void paste_write_form(struct req *r, const struct paste_form *f)
{
	html(r->out, "<form class=\"paste\" action=\"/paste\" method=\"post\" "
		     "enctype=\"multipart/form-data\">\n<div class=\"texts\">\n");
	for (size_t i = 0; i < SLOTS || i < f->nslots; i++)
		write_slot(r, f, i);
	html(r->out, "</div>\n<div class=\"choices\">\n");
	write_formats(r, f);
	html(r->out,
	     "<p><button>Lay them side by side</button></p>\n</div>\n</form>\n"
	     "<p class=\"muted\">Up to %d columns, of together 8 MiB. From a terminal:</p>\n"
	     "<pre>curl -F text=@before.txt -F text=@after.txt %s/paste</pre>\n",
	     PASTE_COLUMNS_MAX, part_own_address(r));
}
