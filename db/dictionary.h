/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What metrics.c and layouts.c do for each other when a transaction ends; nobody else includes it.
 */
#ifndef DB_DICTIONARY_H
#define DB_DICTIONARY_H

/* The transaction is on disk, or undone: the writer's cache keeps its layouts or drops them. */
void layouts_publish(void);
void layouts_forget_pending(void);
void layouts_forget_all(void);

#endif
