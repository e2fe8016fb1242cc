/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings, in one table: defaults, bounds, help, the file that `plumbline config` prints, and
 * the options of the command line all come from it. Sizes take K, M or G (powers of 1024). No
 * setting holds a secret.
 */
#include "server/config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#include "server/base/arena.h"
#include "server/base/num.h"

enum kind { TEXT, SWITCH, NUMBER, SIZE };

struct setting {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *preset;
	int64_t min, max;
	bool (*good)(const char *value); /* of a TEXT; NULL: any */
	const char *help;
};

/* Why each value is bounded: a typo in a file must not become a server that does nothing or eats
 * the machine. */
#define G (INT64_C(1) << 30)

static bool good_path(const char *s);
static bool good_listen(const char *s);
static bool good_public_url(const char *s);
static bool good_level(const char *s);

#define AT(field) offsetof(struct config, field)
static const struct setting settings[] = {
	{"database", TEXT, AT(database), "", 0, 0, good_path,
	 "the database file; when not set, plumbline.db in the state folder"},
	{"listen", TEXT, AT(listen), "127.0.0.1:8080", 0, 0, good_listen,
	 "address and port; [::1]:8080 for IPv6, port 0 picks a free one"},
	{"public_url", TEXT, AT(public_url), "", 0, 0, good_public_url,
	 "how readers reach this service, such as https://perf.example.org; makes links absolute"},
	{"read_only", SWITCH, AT(read_only), "no", 0, 0, NULL, "serve without accepting results"},
	{"readers_need_token", SWITCH, AT(readers_need_token), "no", 0, 0, NULL,
	 "show pages only to holders of a token"},
	{"max_body", SIZE, AT(max_body), "64M", 1024, G, NULL, "largest upload, as sent"},
	{"queue_jobs", NUMBER, AT(queue_jobs), "1000", 1, 100000, NULL,
	 "uploads that may wait to be written; more are told to come back"},
	{"queue_bytes", SIZE, AT(queue_bytes), "128M", 1 << 20, 16 * G, NULL, "and their size"},
	{"connections", NUMBER, AT(connections), "4000", 16, 100000, NULL,
	 "connections open at once"},
	{"disk_reserve", SIZE, AT(disk_reserve), "256M", 0, 1024 * G, NULL,
	 "room that must stay free on the database's disk; uploads are refused before"},
	{"page_cache", SIZE, AT(page_cache), "32M", 0, 16 * G, NULL,
	 "finished pages kept in memory; 0 keeps none"},
	{"threads", NUMBER, AT(threads), "0", 0, 256, NULL,
	 "threads that answer requests; 0: one a processor"},
	{"log_level", TEXT, AT(log_level), "info", 0, 0, good_level, "debug, info, warn or error"},
};
#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

static bool good_path(const char *s)
{
	return *s != '\0';
}

static bool good_level(const char *s)
{
	return !strcmp(s, "debug") || !strcmp(s, "info") || !strcmp(s, "warn") ||
	       !strcmp(s, "error");
}

/* "ADDR:PORT" with a numeric address; "[…]" around one of IPv6. */
static bool good_listen(const char *s)
{
	const char *colon = strrchr(s, ':');
	char host[INET6_ADDRSTRLEN];
	unsigned char address[sizeof(struct in6_addr)];
	int64_t port;

	if (!colon || !num_parse_int(colon + 1, 0, 65535, &port) || colon[1] == '-')
		return false;
	size_t n = (size_t)(colon - s);
	bool v6 = n >= 2 && s[0] == '[' && s[n - 1] == ']';
	if (v6) {
		s++;
		n -= 2;
	}
	if (n >= sizeof(host))
		return false;
	memcpy(host, s, n);
	host[n] = '\0';
	return inet_pton(v6 ? AF_INET6 : AF_INET, host, address) == 1;
}

static bool good_public_url(const char *s)
{
	size_t scheme = !strncmp(s, "https://", 8) ? 8 : !strncmp(s, "http://", 7) ? 7 : 0;

	if (!*s)
		return true;
	if (!scheme || !s[scheme] || s[scheme] == '/' || s[strlen(s) - 1] == '/')
		return false;
	for (const char *p = s; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("\"<>\\?#", *p))
			return false;
	return true;
}

static const struct setting *find_setting(const char *key)
{
	for (size_t i = 0; i < NSETTINGS; i++) {
		const char *a = settings[i].name, *b = key;
		while (*a && (*a == *b || (*a == '_' && *b == '-'))) {
			a++;
			b++;
		}
		if (!*a && !*b)
			return &settings[i];
	}
	return NULL;
}

bool config_known(const char *key)
{
	return find_setting(key) != NULL;
}

bool config_is_switch(const char *key)
{
	const struct setting *s = find_setting(key);

	return s && s->kind == SWITCH;
}

/* "64M": a whole number and perhaps a letter. */
static bool parse_size(struct ctx *c, const char *text, int64_t min, int64_t max, int64_t *out)
{
	size_t n = strlen(text);
	static const char letters[] = "KMG";
	const char *letter = n ? strchr(letters, toupper((unsigned char)text[n - 1])) : NULL;
	int shift = 0;

	if (letter && *letter) {
		shift = 10 * (int)(letter - letters + 1);
		n--;
	}
	int64_t v;
	if (!num_parse_int(arena_strn(c->arena, text, n), 0, INT64_MAX >> shift, &v))
		return false;
	*out = v << shift;
	return *out >= min && *out <= max;
}

static bool parse_switch(const char *text, bool *out)
{
	*out = !strcmp(text, "yes") || !strcmp(text, "true") || !strcmp(text, "1");
	return *out || !strcmp(text, "no") || !strcmp(text, "false") || !strcmp(text, "0");
}

static int bad(struct ctx *c, const struct setting *s, const char *value, const char *where)
{
	if (s->kind == NUMBER || s->kind == SIZE)
		return fail(c, E_INVALID,
			    "%s: %s: \"%.100s\" is not a whole number%s from %lld to %lld", where,
			    s->name, value, s->kind == SIZE ? " (K, M, G allowed)" : "",
			    (long long)s->min, (long long)s->max);
	return fail(c, E_INVALID, "%s: %s: \"%.100s\" is not %s", where, s->name, value,
		    s->kind == SWITCH        ? "yes or no"
		    : s->good == good_listen ? "a numeric address and a port, as in 127.0.0.1:8080"
		    : s->good == good_level  ? "debug, info, warn or error"
		    : s->good == good_path   ? "a file name"
					     : "an http(s) address without a slash at the end");
}

int config_set(struct ctx *c, struct config *cfg, const char *key, const char *value,
	       const char *where)
{
	const struct setting *s = find_setting(key);
	bool ok = false;

	if (!s)
		return fail(c, E_INVALID, "%s: no setting \"%.60s\"", where, key);
	void *field = (char *)cfg + s->offset;
	switch (s->kind) {
	case TEXT:
		ok = !s->good || s->good(value);
		if (ok)
			*(const char **)field = arena_str(c->arena, value);
		break;
	case SWITCH:
		ok = parse_switch(value, field);
		break;
	case NUMBER:
		ok = num_parse_int(value, s->min, s->max, field);
		break;
	case SIZE:
		ok = parse_size(c, value, s->min, s->max, field);
		break;
	}
	if (!ok)
		return bad(c, s, value, where);
	if (field == &cfg->database)
		cfg->database_is_default = false;
	return 0;
}

/* The state folder: what systemd says, else where the XDG rules put a user's state. */
static const char *default_database(struct ctx *c)
{
	const char *folder = getenv("STATE_DIRECTORY");

	if (folder && folder[0] == '/') /* systemd may list several, parted by colons: the first */
		return arena_fmt(c->arena, "%.*s/plumbline.db", (int)strcspn(folder, ":"), folder);
	folder = getenv("XDG_STATE_HOME");
	if (folder && folder[0] == '/')
		return arena_fmt(c->arena, "%s/plumbline/plumbline.db", folder);
	folder = getenv("HOME");
	if (folder && folder[0] == '/')
		return arena_fmt(c->arena, "%s/.local/state/plumbline/plumbline.db", folder);
	return "plumbline.db";
}

void config_init(struct ctx *c, struct config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	for (size_t i = 0; i < NSETTINGS; i++)
		if (settings[i].offset != AT(database))
			config_set(c, cfg, settings[i].name, settings[i].preset, "default");
	cfg->database = default_database(c);
	cfg->database_is_default = true;
}

static char *trim(char *s)
{
	s += strspn(s, " \t\r");
	size_t n = strlen(s);
	while (n && strchr(" \t\r", s[n - 1]))
		n--;
	s[n] = '\0';
	return s;
}

static int read_lines(struct ctx *c, FILE *f, const char *path, struct config *cfg)
{
	char line[4096];
	int number = 0, e = 0;

	while (e == 0 && fgets(line, sizeof(line), f)) {
		const char *where = arena_fmt(c->arena, "%s: line %d", path, ++number);
		if (!strchr(line, '\n') && !feof(f))
			return fail(c, E_INVALID, "%s: longer than %zu bytes, or not text", where,
				    sizeof(line) - 2);
		line[strcspn(line, "\n")] = '\0';
		char *text = trim(line);
		if (!*text || *text == '#')
			continue;
		char *equals = strchr(text, '=');
		if (!equals)
			return fail(c, E_INVALID, "%s: not \"key = value\"", where);
		*equals = '\0';
		e = config_set(c, cfg, trim(text), trim(equals + 1), where);
	}
	return e;
}

int config_read(struct ctx *c, const char *path, struct config *cfg)
{
	FILE *f = fopen(path, "re");
	struct stat st;

	if (!f)
		return fail(c, errno == ENOENT ? E_NOTFOUND : E_INTERNAL, "cannot read %s: %s",
			    path, strerror(errno));
	int e;
	if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode))
		e = fail(c, E_INVALID, "%s is a folder", path);
	else
		e = read_lines(c, f, path, cfg);
	fclose(f);
	return e;
}

void config_print(struct out *o)
{
	out_str(o,
		"# Settings of plumbline, with their defaults. Options of the command line win.\n");
	for (size_t i = 0; i < NSETTINGS; i++) {
		const struct setting *s = &settings[i];
		bool unset = s->kind == TEXT && s->good == good_path;
		out_fmt(o, "\n# %s\n%s%s = %s\n", s->help, unset ? "#" : "", s->name, s->preset);
	}
}
