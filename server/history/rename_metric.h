/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How alike two files are, measured as git does it for -M: both are cut into chunks (a line, of a
 * long one 64 bytes each), and the score is the share of the larger file's bytes that stand in
 * chunks which both have. For libgit2, whose own measure differs and gives up on small files.
 */
#ifndef HISTORY_RENAME_METRIC_H
#define HISTORY_RENAME_METRIC_H

#include <git2/diff.h>

extern git_diff_similarity_metric rename_metric;

#endif
