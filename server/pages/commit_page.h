/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the commit page: its forms, and parts of them, a file each. */
#ifndef PAGES_COMMIT_PAGE_H
#define PAGES_COMMIT_PAGE_H

#include <stddef.h>

struct arena;
struct commit_git;
struct commit_page;
struct diff_line;
struct jw;
struct out;
struct req;
struct url;

int commit_page_html(struct req *r, const struct commit_page *p);
/* What was measured, in HTML: the part after the commit itself. */
void commit_page_results(struct req *r, const struct commit_page *p);
void commit_page_json(struct req *r, const struct commit_page *p);
/* A line a row that changed. */
void commit_page_csv(struct req *r, const struct commit_page *p);
void commit_page_txt(struct req *r, const struct commit_page *p);

/* HTML of what git tells (commit_git_html.c): notes for the top; the same change in other trees;
 * fixes, branches and tags as rows of the table of facts; files and diff. */
void commit_git_notes(struct req *r, const struct commit_git *g);
void commit_git_same(struct req *r, const struct commit_git *g);
void commit_git_facts(struct req *r, const struct commit_git *g);
void commit_git_files(struct req *r, const struct commit_git *g);
/* A message with its links, and its trailers as fields (commit_message.c). */
int commit_message_html(struct req *r, const struct commit_page *p);
/* Lines of a diff in a <pre>. */
void commit_diff_html(struct req *r, const struct diff_line *lines, size_t n);
/* An address on the mailing lists' archive, NULL when the id has no such form. */
struct url *commit_lore_url(struct arena *a, const char *message_id);
/* A Message-Id as a link to it, or as text. */
void commit_message_id(struct req *r, const char *message_id);

/* The members of the JSON that only git fills; git NULL: they are null. */
void commit_git_json(struct jw *w, const struct commit_git *g);
/* The part of the text form that git fills. */
void commit_git_txt(struct out *o, const struct commit_git *g);
/* One line of text from outside: no control characters, nothing that moves a cursor. n bytes. */
void commit_plain(struct out *o, const char *s, size_t n);

#endif
