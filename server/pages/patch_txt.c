/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a patch for terminals: what it says as HTML, without what versions do differently. */
#include "server/pages/patch_page.h"

#include <inttypes.h>

#include "server/base/arena.h"
#include "server/base/clock.h"
#include "server/model/patch.h"
#include "server/pages/compare.h"
#include "server/pages/req.h"
#include "server/report/robot_table.h"

/* A line of a label and text from outside. */
static void write_line(struct out *o, const char *label, const char *text)
{
	out_str(o, label);
	robot_text(o, text);
	out_char(o, '\n');
}

static void write_kept(struct req *r, const struct compare_kept *kept, size_t n)
{
	struct arena *a = r->ctx.arena;

	for (size_t i = 0; i < n; i++)
		write_line(r->out, "  ",
			   arena_fmt(a, "%s: %s%s%s", compare_kept_place(a, &kept[i]),
				     compare_kept_words(a, &kept[i]),
				     compare_kept_interval(a, &kept[i]),
				     compare_kept_fix(a, &kept[i])));
}

static void write_part(struct req *r, const struct patch_part *p)
{
	struct arena *a = r->ctx.arena;
	struct out *o = r->out;

	out_fmt(o, "\nv%" PRId64, p->version);
	if (p->index >= 0)
		out_fmt(o, ", part %" PRId64, p->index);
	if (p->index >= 0 && p->total > 0)
		out_fmt(o, " of %" PRId64, p->total);
	out_str(o, ": ");
	robot_text(o, commit_short(a, &p->commit));
	out_char(o, ' ');
	write_line(o, "", p->subject ? p->subject : "");
	write_line(o, "  mail ", p->message_id);
	write_line(o, "  base ", p->base ? compare_name(a, p->base) : "not told");
	write_line(o, "  ",
		   p->sentence   ? p->sentence
		   : p->measured ? "measured, see the commit"
				 : "not measured");
	for (size_t i = 0; i < p->nrecovered; i++)
		write_kept(r, p->recovered[i].kept, p->recovered[i].n);
}

static void write_step(struct req *r, const struct patch_step *s)
{
	struct out *o = r->out;

	out_fmt(o, "\nv%" PRId64 " and v%" PRId64 ": ", s->before->version, s->after->version);
	write_line(o, "", s->after->subject ? s->after->subject : "");
	write_kept(r, s->kept, s->nkept);
	if (s->has_diffs && !s->interdiff.different)
		out_str(o, "  Both versions change the same lines in the same way.\n");
	if (s->compare)
		write_line(o, "  compare pairs=", s->compare);
}

static void write_in_git(struct out *o, const struct linked_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct linked *x = &l->list[i];

		out_fmt(o, "%sin git: %.12s ", i ? "" : "\n", x->commit.id);
		robot_text(o, x->commit.subject);
		for (size_t k = 0; k < x->where.n; k++) {
			const struct position_tree *t = &x->where.trees[k];

			out_str(o, k ? ", " : " in ");
			robot_text(o, t->tree);
			if (t->ntags) {
				out_str(o, " since ");
				robot_text(o, t->tags[0]);
			}
		}
		out_char(o, '\n');
	}
}

void patch_page_txt(struct req *r, const struct patch_page *p)
{
	const struct compare_kept *first = patch_page_first(p);
	struct out *o = r->out;

	if (p->subject)
		write_line(o, "", p->subject);
	write_line(o, "mail ", p->message_id);
	if (first)
		write_kept(r, first, 1);
	for (size_t i = 0; i < p->nsteps; i++)
		write_step(r, &p->steps[i]);
	for (size_t i = p->nparts; i-- > 0;)
		write_part(r, &p->parts[i]);
	if (p->cut || p->nsteps < p->steps_seen)
		out_str(o, "\nThere are more parts than are shown.\n");
	write_in_git(o, &p->in_git);
}
