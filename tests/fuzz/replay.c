/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a target over the files of a folder, without libFuzzer: replay FOLDER. One line of TAP; the
 * comments before it name the inputs, so that the last one is the guilty one.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_file(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;
	long n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	printf("# %s\n", path);
	fflush(stdout);
	f = fopen(path, "rb");
	must(f && !fseek(f, 0, SEEK_END) && (n = ftell(f)) >= 0, "%s", path);
	rewind(f);
	uint8_t *bytes = malloc((size_t)n ? (size_t)n : 1); /* to the byte: reading on is seen */
	must(bytes && fread(bytes, 1, (size_t)n, f) == (size_t)n, "%s", path);
	fclose(f);
	LLVMFuzzerTestOneInput(bytes, (size_t)n);
	free(bytes);
}

int main(int argc, char **argv)
{
	struct dirent **list;
	int files = 0;
	int n = argc == 2 ? scandir(argv[1], &list, NULL, alphasort) : -1;

	if (n < 0) {
		fprintf(stderr, "usage: %s FOLDER, which must be there\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.') {
			run_file(argv[1], list[i]->d_name);
			files++;
		}
		free(list[i]);
	}
	free(list);
	printf("%s 1 - %s: %d inputs\n1..1\n", files ? "ok" : "not ok", strrchr(argv[1], '/') + 1,
	       files);
	return !files;
}
