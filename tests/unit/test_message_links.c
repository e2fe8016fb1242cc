/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What messages of commits say of others: the forms that kernel trees use, and what only looks
 * alike. */
#include "server/history/message_links.h"

#include "tests/unit/db_lab.h"

#define ID "7bc162d5cc4de5c33c570dba48a03ebea54b10fd"

/* "F7bc162d U… " of the message: kinds and targets in their order. */
static const char *links_of(struct arena *a, const char *message)
{
	struct git_link *links;
	size_t n = message_links(a, message, &links);
	const char *text = "";

	for (size_t i = 0; i < n; i++)
		text = arena_fmt(a, "%s%s%c%s", text, i ? " " : "", "FURM"[links[i].kind],
				 links[i].target);
	return text;
}

static void every_form(void **state)
{
	static const struct {
		const char *message, *links;
	} cases[] = {
		{"", ""},
		{"mm: one\n\nFixes: 7BC162d5cc4d (\"mm/slub: optimise\")\n", "F7bc162d5cc4d"},
		{"Fixes: commit 7bc162d5cc4d\nFixes: 7bc162d5cc4d (\"again\")\n", "F7bc162d5cc4d"},
		{"Fixes: 7bc162\nFixes: 7bc162dxyz\nFixes: " ID "0\nIt fixes: 7bc162d5cc4d\n", ""},
		{"Fixes:7bc162d,\r\nFixes: \t0123456789ab(\"x\")", "F7bc162d F0123456789ab"},
		{"x\n\ncommit " ID " upstream.\n", "U" ID},
		{"[ Upstream commit " ID " ]\n", "U" ID},
		{"[Upstream commit " ID "]\n", "U" ID},
		{"Upstream commit 7bc162d5cc4d\n", "U7bc162d5cc4d"},
		{"(cherry picked from commit " ID ")\n", "U" ID},
		{"commit " ID " broke it\nsee commit " ID " upstream\n", ""},
		{"Revert \"x\"\n\nThis reverts commit " ID ".\n", "R" ID},
		{"This reverts commits " ID " and others\n", ""},
		{"Link: https://lore.kernel.org/r/2023.1-2-a.b@example.org\n",
		 "M2023.1-2-a.b@example.org"},
		{"Link: https://lore.kernel.org/linux-mm/2023.1%2Bx@example.org/T/#u\n", ""},
		{"Link: https://lore.kernel.org/linux-mm/2023.1%2Bx@example.org/\n",
		 "M2023.1+x@example.org"},
		{"Link: http://lkml.kernel.org/r/a@b\nlink: https://patch.msgid.link/c@d\n",
		 "Ma@b Mc@d"},
		{"Link: https://lore.kernel.org/r/a%00b@c\nLink: "
		 "https://lore.kernel.org/r/a%2Fb@c\n"
		 "Link: https://lore.kernel.org/r/a%\nLink: https://example.org/r/a@b\n"
		 "Link: https://lore.kernel.org/lkml/\nLink: https://lore.kernel.org/r/@b\n",
		 ""},
		{"Reported-by: X <x@example.org>\nLink: https://lore.kernel.org/r/report@x\n"
		 "Link: https://lore.kernel.org/r/more@x\n"
		 "Signed-off-by: Y <y@example.org>\nLink: https://lore.kernel.org/r/own@y\n",
		 "Mown@y"},
		{"Link: https://lore.kernel.org/r/discussion@x/ [1]\n", ""},
		{"Message-Id: <20230717093612.1@example.org>\nMessage-ID: <b@c> x\n",
		 "M20230717093612.1@example.org Mb@c"},
		{"Message-Id: a@b\nMessage-Id: <a b@c>\nMessage-Id: <a@b\n", ""},
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(links_of(a, cases[i].message), cases[i].links);
	arena_free(a);
}

static void no_more_than_can_be_kept(void **state)
{
	struct arena *a = arena_new();
	const char *message = "";
	struct git_link *links;

	(void)state;
	for (int i = 0; i < 3 * MESSAGE_LINKS_MAX; i++)
		message = arena_fmt(a, "%sFixes: %08d\n", message, i);
	assert_int_equal(message_links(a, message, &links), MESSAGE_LINKS_MAX);
	assert_string_equal(links[MESSAGE_LINKS_MAX - 1].target, "00000049");
	/* A Message-Id longer than any. */
	char *huge = arena_alloc(a, 100001);
	memset(huge, 'a', 100000);
	message = arena_fmt(a, "Message-Id: <%s@b>\nFixes: %s\n", huge, huge);
	assert_int_equal(message_links(a, message, &links), 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form),
		cmocka_unit_test(no_more_than_can_be_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("message_links", tests, NULL, NULL);
}
