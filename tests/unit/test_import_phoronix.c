/* SPDX-License-Identifier: GPL-2.0-or-later */
/* composite.xml of the Phoronix Test Suite. Expected values were read off the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail /* ours is err.h's */

#include "field_lab.h"

static const char *const box[] = {"tbox_group=box", NULL};

#define ZIP    "phoronix-test-suite.compress-7zip.Test_Compression_Rating.MIPS"
#define FIO    "phoronix-test-suite.fio.Type_Sequential_Read_-_Block_Size_4KB.MB/s"
#define KERNEL "phoronix-test-suite.build-linux-kernel.Build_defconfig.seconds"

static void test_two_kernels(void **state)
{
	static const struct raw_figure zip[] = {
		{0, ZIP, 9195, "MIPS"}, {1, ZIP, 9231, "MIPS"}, {2, ZIP, 9204, "MIPS"}};
	static const struct raw_figure fio[] = {
		{0, FIO, 1100.5, "MB/s"},
		{0, FIO ".read_io_uring_0_1_4k", 1249, "MB/s"},
		{1, FIO ".read_io_uring_0_1_4k", 1251, "MB/s"},
	};
	static const struct raw_figure kernel[] = {{0, KERNEL, 301.1, "Seconds"},
						   {1, KERNEL, 301.37, "Seconds"}};
	struct raw r;
	size_t i;

	(void)state;
	field_read(&r, "phoronix", "phoronix.xml", box, NULL);
	assert_int_equal(r.in.n, 5);
	i = field_find(&r, "test", "pts/compress-7zip-1.10.0", "v6.4");
	RAW_CHECK(&r, i, zip);
	assert_int_equal(r.in.subs[i].nruns, 3); /* and the mean is none of them */
	assert_int_equal(raw_metrics(&r, i, 0), 1);
	assert_int_equal(r.in.subs[i].started, 1689822060); /* 2023-07-20 03:01:00 */
	assert_string_equal(raw_info(&r, i, "hardware"),
			    "Processor: AMD EPYC (2 Cores), Memory: 8GB");
	assert_string_equal(
		raw_info(&r, i, "proportion.compress-7zip.Test_Compression_Rating.MIPS"), "HIB");
	assert_string_equal(raw_info(&r, i, "program_version"), "22.01");
	i = field_find(&r, "test", "pts/compress-7zip-1.10.0", "v6.5-rc1");
	assert_int_equal(r.in.subs[i].nruns, 2);
	assert_int_equal(r.in.subs[i].started, 1689825660);
	i = field_find(&r, "test", "pts/fio-2.1.0", "v6.4");
	RAW_CHECK(&r, i, fio);
	assert_int_equal(r.in.subs[i].nruns, 2);
	i = field_find(&r, "test", "pts/build-linux-kernel-1.15.0", "v6.5-rc1");
	RAW_CHECK(&r, i, kernel);
	i = field_find(&r, "test", "pts/build-linux-kernel-1.15.0", "v6.4");
	assert_true(raw_value(&r, i, 0, KERNEL ".fail") == 1); /* no value */
	assert_string_equal(raw_axis(&r, i, "system"), "");
	raw_end(&r);
}

static void test_commit_of_the_request(void **state)
{
	struct raw r;

	(void)state;
	field_read(&r, "phoronix", "phoronix.xml", box, "a0fd217e6d6f");
	assert_int_equal(r.in.n, 5);
	assert_string_equal(r.in.subs[0].commit.id, "a0fd217e6d6f");
	assert_string_equal(raw_axis(&r, 0, "system"), "v6.4");
	assert_string_equal(raw_axis(&r, 1, "system"), "v6.5-rc1");
	raw_end(&r);
}

#define RESULT(format, value)                                                                      \
	"<PhoronixTestSuite><Result><Identifier>local/x</Identifier><Description>d</Description>"  \
	"<DisplayFormat>" format "</DisplayFormat><Data><Entry><Identifier>6.5</Identifier>"       \
	"<Value>" value "</Value></Entry></Data></Result></PhoronixTestSuite>"

static void test_pass_and_fail(void **state)
{
	struct raw r;

	(void)state;
	field_taken(&r, "phoronix", RESULT("PASS_FAIL", "PASS"), box, NULL);
	assert_true(raw_value(&r, 0, 0, "phoronix-test-suite.x.d.pass") == 1);
	assert_string_equal(r.in.subs[0].commit.id, "6.5");
	raw_end(&r);
	field_taken(&r, "phoronix", RESULT("MULTI_PASS_FAIL", "PASS,FAIL"), box, NULL);
	assert_true(raw_value(&r, 0, 0, "phoronix-test-suite.x.d.fail") == 1);
	raw_end(&r);
	field_taken(&r, "phoronix", RESULT("BAR_GRAPH", "<![CDATA[ 1.5 ]]>"), box, NULL);
	assert_true(raw_value(&r, 0, 0, "phoronix-test-suite.x.d") == 1.5);
	raw_end(&r);
}

/* Values of some graphs are lists, over time or over other results: no samples. */
static void test_lists_are_no_samples(void **state)
{
	static const char *const formats[] = {"LINE_GRAPH", "FILLED_LINE_GRAPH",
					      "BAR_ANALYZE_GRAPH", "SCATTER_PLOT"};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		char text[1000];
		struct raw r;

		snprintf(
			text, sizeof(text),
			"<PhoronixTestSuite><Result><Identifier>pts/a-1.0</Identifier>"
			"<Description>d</Description><DisplayFormat>%s</DisplayFormat><Data><Entry>"
			"<Identifier>v6.4</Identifier><Value>60.0,55.0,58.0</Value></Entry></Data>"
			"</Result><Result><Identifier>pts/a-1.0</Identifier><Description>e"
			"</Description><DisplayFormat>BAR_GRAPH</DisplayFormat><Data><Entry>"
			"<Identifier>v6.4</Identifier><Value>3</Value></Entry></Data></Result>"
			"</PhoronixTestSuite>",
			formats[i]);
		field_taken(&r, "phoronix", text, box, NULL);
		assert_int_equal(r.in.n, 1);
		assert_int_equal(raw_metrics(&r, 0, 0), 1);
		assert_true(raw_value(&r, 0, 0, "phoronix-test-suite.a.e") == 3);
		assert_string_equal(raw_info(&r, 0, "left_out.a.d"), formats[i]);
		raw_end(&r);
	}
}

static void test_faults(void **state)
{
	(void)state;
	field_refused("phoronix", RESULT("BAR_GRAPH", "1"), NULL, NULL, "tbox_group",
		      "the machine");
	field_refused("phoronix", RESULT("BAR_GRAPH", "fast"), box, NULL, "line 1",
		      "\"fast\" is no number");
	field_refused("phoronix", "<PhoronixTestSuite>\n<Result></PhoronixTestSuite>", box, "v6.4",
		      "", "line 2");
	field_refused("phoronix", "<a/>", box, "v6.4", "", "the document is a <a>");
	field_refused("phoronix", "<PhoronixTestSuite/>", box, "v6.4", "", "no result");
	field_refused("phoronix",
		      "<PhoronixTestSuite><System><Identifier>base</Identifier></System><Result>"
		      "<Identifier>local/x</Identifier><Data><Entry><Identifier>base</Identifier>"
		      "<Value>1</Value></Entry></Data></Result></PhoronixTestSuite>",
		      box, NULL, "commit", "the commit");
}

/* Neither files of ours nor memory without end. */
static void test_entities(void **state)
{
	(void)state;
	field_refused("phoronix",
		      "<!DOCTYPE PhoronixTestSuite [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
		      "<PhoronixTestSuite><Result><Identifier>&x;</Identifier></Result>"
		      "</PhoronixTestSuite>",
		      box, "v6.4", "", "document types are not taken");
	field_refused("phoronix",
		      "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">"
		      "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><PhoronixTestSuite>&c;"
		      "</PhoronixTestSuite>",
		      box, "v6.4", "", "line 1");
	field_refused("phoronix", "<!DOCTYPE PhoronixTestSuite>" RESULT("BAR_GRAPH", "1"), box,
		      "v6.4", "", "document types");
	field_refused("phoronix",
		      "<PhoronixTestSuite><Result><Identifier>&undefined;</Identifier></Result>"
		      "</PhoronixTestSuite>",
		      box, "v6.4", "", "line 1");
}

static void test_depth(void **state)
{
	char text[200];
	size_t n = (size_t)snprintf(text, sizeof(text), "<PhoronixTestSuite>");

	(void)state;
	for (; n + 3 < sizeof(text); n += 3)
		snprintf(text + n, sizeof(text) - n, "<a>");
	field_refused("phoronix", text, box, "v6.4", "", "nested too deeply");
}

/* One after the root tag's name, made of n pieces; the file ends in it. */
static const char *long_markup(char *text, size_t size, const char *begin, const char *piece)
{
	size_t n = (size_t)snprintf(text, size, "<PhoronixTestSuite\n%s", begin),
	       len = strlen(piece);

	for (; n + len + 8 < size; n += len)
		memcpy(text + n, piece, len);
	text[n] = '\0';
	return text;
}

/* What the parser would need the square of their length for. */
static void test_long_markup(void **state)
{
	static char text[100000];

	(void)state;
	field_refused("phoronix", long_markup(text, sizeof(text), "", " a=\">\""), box, "v6.4", "",
		      "line 1: a tag, comment or CDATA section is too long");
	field_refused("phoronix", long_markup(text, sizeof(text), "><!--", "--'>"), box, "v6.4", "",
		      "line 2: a tag, comment or CDATA section is too long");
	field_refused("phoronix", long_markup(text, sizeof(text), "><?a ", "?'>"), box, "v6.4", "",
		      "line 2: a tag, comment or CDATA section is too long");
	field_refused("phoronix", long_markup(text, 16000, "><?a ", "?'>"), box, "v6.4", "",
		      "never end");
}

/* A section of text may be long: 64 KiB, of which the number is what is left of them. */
static void test_long_text(void **state)
{
	static char text[1 << 16], whole[(1 << 16) + 1000];
	struct raw r;

	(void)state;
	memset(text, ' ', sizeof(text) - 1);
	snprintf(whole, sizeof(whole),
		 "<PhoronixTestSuite><Result><Identifier>x</Identifier><DisplayFormat>BAR_GRAPH"
		 "</DisplayFormat><Data><Entry><Identifier>6.5</Identifier><Value><![CDATA[%s7]]>"
		 "</Value></Entry></Data></Result></PhoronixTestSuite>",
		 text);
	field_taken(&r, "phoronix", whole, box, NULL);
	assert_true(raw_value(&r, 0, 0, "phoronix-test-suite.x") == 7);
	raw_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_kernels),
		cmocka_unit_test(test_commit_of_the_request),
		cmocka_unit_test(test_pass_and_fail),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_entities),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_long_markup),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_lists_are_no_samples),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("import_phoronix", tests, NULL, NULL);
}
