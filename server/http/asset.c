/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up static files. They are a handful, so a walk over the table is the quickest index. */
#include "server/http/asset.h"

#include <string.h>

const struct asset *asset_find(const char *path)
{
	for (size_t i = 0; i < asset_count; i++) {
		if (!strcmp(assets[i].path, path))
			return &assets[i];
	}
	return NULL;
}

const char *asset_path(const char *name)
{
	for (size_t i = 0; i < asset_count; i++) {
		if (!strcmp(assets[i].name, name))
			return assets[i].path;
	}
	return NULL;
}
