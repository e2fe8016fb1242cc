/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mmtests' compare-mmtests.pl writes with --json-export: an array with an element for each
 * kernel that was compared; one kernel's alone is an object, as labs that run a test a job have it.
 * The module (ExtractHackbench) is the testcase (hackbench), _TestName is
 * how the kernel was called: the commit when it looks like one (v6.5-rc1, an id) and the request
 * names none; where the request does, the axis "kernel" tells several apart. <operation> has the
 * samples of each iteration; they are runs, in their order. Which way is good is kept as info,
 * since rules by name tell it here, and so are _Cmd and CONFIG-…, which tell how the test was
 * called.
 */
#include "importers/formats.h"

#include <limits.h>

#include "importers/json_parts.h"
#include "importers/json_scan.h"
#include "importers/program_output.h"
#include "importers/result_file.h"
#include "server/base/arena.h"
#include "server/base/num.h"

/* "ExtractHackbench" -> "hackbench". NULL: the module is not named. */
static const char *testcase_of(struct arena *a, const char *module)
{
	static const char prefix[] = "Extract";
	char *name;

	if (!module)
		return NULL;
	if (!strncmp(module, prefix, sizeof(prefix) - 1) && module[sizeof(prefix) - 1])
		module += sizeof(prefix) - 1;
	name = arena_str(a, module);
	for (char *p = name; *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p | 0x20) : *p;
	return name;
}

/* Perl writes a number that it read from a text as a text, and NaN where it divided by 0. */
static double value_of(struct ctx *c, json_t *values, size_t i, const struct json_at *at)
{
	const char *text = json_string_value(json_array_get(values, i));
	double number;

	if (!text)
		return result_element(c, values, i, at);
	if (num_parse_real(text, &number))
		return number;
	text += *text == '-' || *text == '+';
	if (!strcasecmp(text, "nan") || !strcasecmp(text, "inf"))
		return (double)NAN;
	return result_element(c, values, i, at);
}

/* {Values: […], SampleNrs: […]}, a list of such, or a list of numbers. */
static void read_values(struct samples *s, struct ctx *c, const char *operation, json_t *v,
			const struct json_at *at)
{
	const struct json_at *place = JSON_AT_KEY(at, "Values");
	struct json_object o;
	json_t *values;

	if (!result_object(c, v, at, &o))
		return;
	values = json_read_member(&o, "Values");
	if (!result_array(c, values, place))
		return;
	for (size_t i = 0; i < json_array_size(values); i++) {
		samples_add(s, NULL, value_of(c, values, i, place), "%s", operation);
	}
}

static void read_operations(struct samples *s, struct ctx *c, json_t *v, const struct json_at *at)
{
	struct json_object o;
	const char *key;
	json_t *list;

	if (!result_object(c, v, at, &o))
		return;
	json_object_foreach(v, key, list)
	{
		const struct json_at *place = JSON_AT_ENTRY(at, key);

		if (json_is_object(list)) {
			read_values(s, c, key, list, place);
			continue;
		}
		if (!result_array(c, list, place))
			continue;
		for (size_t i = 0; i < json_array_size(list); i++)
			read_values(s, c, key, json_array_get(list, i), JSON_AT_INDEX(place, i));
	}
}

/* What tells how the test was called: texts, or lists of them. */
static void read_call(struct record *r, struct arena *a, json_t *module)
{
	const char *key;
	json_t *v;

	json_object_foreach(module, key, v)
	{
		const char *text = json_string_value(json_is_array(v) ? json_array_get(v, 0) : v);
		const char *name = key + (*key == '_');

		if (text && (!strcmp(name, "Cmd") || !strncmp(name, "CONFIG-", 7)))
			record_info(r, result_clean_to(a, name, strlen(name), JSON_NAME_MAX),
				    result_clean(a, text, strlen(text)));
	}
}

static int read_module(struct import *in, struct ctx *c, json_t *v, const struct json_at *at,
		       bool several)
{
	struct json_object o = {.ctx = c, .v = v, .at = at};
	const char *kernel = result_text(&o, "_TestName");
	struct samples *s =
		samples_begin(in, testcase_of(c->arena, result_text(&o, "_ModuleName")));
	struct record *r = samples_record(s);

	if (!json_read_member(&o, "_ResultData"))
		json_read_fault(c, JSON_AT_KEY(at, "_ResultData"), "is missing");
	if (kernel) {
		record_info(r, "kernel", kernel);
		if (result_is_commit(kernel))
			record_commit(r, kernel);
		if (several && in->commit)
			record_axis(r, "kernel", kernel);
	}
	record_info(r, "better", result_text(&o, "_RatioPreferred"));
	read_call(r, c->arena, v);
	read_operations(s, c, json_read_member(&o, "_ResultData"), JSON_AT_KEY(at, "_ResultData"));
	json_hand_over(c, in->ctx);
	return samples_end(s);
}

/* Whether the array has a second element, without building the first. */
static bool has_several(const struct json_span *array)
{
	struct json_span rest = {json_skip_space(array->p + 1, array->end), array->end};
	const char *stop;

	if (rest.p >= rest.end ||
	    json_scan_value(rest.p, rest.end, 64, UINT_MAX, &stop) != JSON_SCAN_OK)
		return false;
	stop = json_skip_space(stop, rest.end);
	return stop < rest.end && *stop == ',';
}

static int read_modules(struct import *in, const char *bytes, struct json_span array)
{
	const struct json_at top = {0};
	struct ctx *c = in->ctx;
	bool several = has_several(&array);
	struct json_elements e;
	size_t read = 0;
	json_t *v;

	if (!json_elements_begin(&e, c, bytes, array, &top))
		return c->err;
	for (; (v = json_elements_next(&e)); read++) {
		read_module(in, &e.own, v, JSON_AT_INDEX(&top, e.index), several);
		json_decref(v);
		if (in->after_document && in->after_document(in->after_arg) < 0)
			break;
	}
	json_elements_end(&e);
	return c->err || read ? (int)c->err : fail(c, E_INVALID, "the array is empty");
}

int import_mmtests(struct import *in, const char *bytes, size_t n)
{
	const struct json_at top = {0};
	struct json_span document;
	struct ctx own;
	json_t *v;

	if (!json_document(in->ctx, bytes, n, &document))
		return in->ctx->err;
	if (*document.p == '[')
		return read_modules(in, bytes, document);
	if (*document.p != '{')
		return fail(in->ctx, E_INVALID,
			    "the document must be a module or an array of them");
	v = json_span_object(in->ctx, bytes, document, &top);
	if (!v)
		return in->ctx->err;
	ctx_init(&own, in->ctx->arena, NULL);
	read_module(in, &own, v, &top, false);
	json_decref(v);
	return in->ctx->err;
}

int mmtests_sniff(const char *bytes, size_t n)
{
	return sniff_finds(bytes, n, "\"_ModuleName\"") || sniff_finds(bytes, n, "\"_ResultData\"")
		       ? 97
		       : 0;
}
