/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which version of the rule judges. */
#ifndef PAGES_RULES_H
#define PAGES_RULES_H

struct req;

int page_rules(struct req *r);
/* A paragraph where another rule than the newest is in force, else nothing. */
int part_rule_note(struct req *r);

#endif
