/* The configuration code, with a separate table: layers, checks, messages, round trips. */
#include <stdlib.h>
#include <string.h>

#include "sim/conf/conf.h"
#include "sim/conf/conf_scan.h"
#include "sim/conf/param_value.h"
#include "tests/support/sim/toy_conf.h"
#include "tests/support/test.h"

/* Reads text, then the settings; err has the message of the first error. */
static rb_code_t read_both(const char *text, const char *const *set, toy_conf_t *out, rb_err_t *err)
{
    conf_t *c = conf_create();
    *err = (rb_err_t){0};
    rb_code_t code = conf_load_text(c, "f.cfg", text, strlen(text), err);
    for (; code == RB_OK && set && *set; set++)
        code = conf_set(c, *set, err);
    if (code == RB_OK)
        code = toy_apply(c, out, err);
    conf_destroy(c);
    return code;
}

static toy_conf_t read_good(const char *text, const char *const *set)
{
    rb_err_t err;
    toy_conf_t out;
    memset(&out, 0, sizeof(out));
    if (read_both(text, set, &out, &err) != RB_OK)
        fail_msg("%s: %s", text, err.text);
    return out;
}

static void assert_message(const char *text, const char *message)
{
    rb_err_t err;
    toy_conf_t out;
    if (read_both(text, NULL, &out, &err) != RB_CONFIG)
        fail_msg("accepted: %s", text);
    if (strncmp(err.text, message, strlen(message)))
        fail_msg("%s\n  said:   %s\n  wanted: %s", text, err.text, message);
}

static void assert_set_message(const char *set, const char *message)
{
    rb_err_t err;
    toy_conf_t out;
    if (read_both("", (const char *const[]){set, NULL}, &out, &err) != RB_USAGE)
        fail_msg("accepted: %s", set);
    if (strncmp(err.text, message, strlen(message)))
        fail_msg("%s\n  said:   %s\n  wanted: %s", set, err.text, message);
}

static void an_empty_configuration_gives_the_defaults_of_the_table(void **state)
{
    (void)state;
    toy_conf_t b = read_good("", NULL);
    assert_string_equal(b.toy.label, "toy \"one\"");
    assert_int_equal(b.toy.ways, 16);
    assert_true(b.toy.wide == 4000000000u && b.toy.total == 5000000000u);
    assert_int_equal(b.toy.size, 3 << 19);
    assert_true(b.toy.clock == 877.5 && b.toy.fast);
    assert_int_equal(b.toy.cuts.n, 3);
    assert_int_equal(b.toy.cuts.v[2], 65536);
    assert_int_equal(b.toy.policy, 1);
    assert_int_equal(b.other.depth, 1);
}

static void every_type_is_read_from_a_file(void **state)
{
    (void)state;
    toy_conf_t b =
        read_good("# a comment\ntoy : { label = \"x\"; ways = 0x20; wide = 4294967295L;\n"
                  " total = 6000000000L, size = \"96 KiB\"; clock = 900; fast = FALSE;\n"
                  " cuts = ( 0, \"1KiB\", 2048 ); policy = \"random\"; };\n"
                  "other = { depth = 10; } // no line end",
                  NULL);
    assert_string_equal(b.toy.label, "x");
    assert_int_equal(b.toy.ways, 32);
    assert_true(b.toy.wide == 4294967295u && b.toy.total == 6000000000u);
    assert_int_equal(b.toy.size, 98304);
    assert_true(b.toy.clock == 900 && !b.toy.fast);
    assert_int_equal(b.toy.cuts.n, 3);
    assert_int_equal(b.toy.cuts.v[1], 1024);
    assert_int_equal(b.toy.policy, 2);
    assert_int_equal(b.other.depth, 10);
    assert_int_equal(read_good("toy : { size = 4096; };", NULL).toy.size, 4096);
    assert_int_equal(read_good("toy : { cuts = [ \"1KiB\", \"4KiB\" ]; };", NULL).toy.cuts.n, 2);
    assert_int_equal(read_good("toy : { cuts = \"0,1KiB,4KiB\"; };", NULL).toy.cuts.n, 3);
}

static void every_type_is_read_from_a_command_line(void **state)
{
    (void)state;
    static const char *const set[] = {
        "toy.label=my toy", "toy.ways = 8 ", "toy.wide=4294967295", "toy.total=7000000000",
        "toy.size=1.5KiB",  "toy.clock=1e3", "toy.fast=false",      "toy.cuts=0,1K, 2KiB",
        "toy.policy=lru",   "other.depth=0", "toy.ways=9",          NULL};
    toy_conf_t b = read_good("toy : { ways = 3; };", set);
    assert_string_equal(b.toy.label, "my toy");
    assert_int_equal(b.toy.ways, 9); // the last one wins
    assert_true(b.toy.wide == 4294967295u && b.toy.total == 7000000000u);
    assert_int_equal(b.toy.size, 1536);
    assert_true(b.toy.clock == 1000 && !b.toy.fast);
    assert_int_equal(b.toy.cuts.n, 3);
    assert_int_equal(b.toy.cuts.v[2], 2048);
    assert_int_equal(b.toy.policy, 0);
    assert_int_equal(b.other.depth, 0);
}

static void sizes_are_exact_in_every_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"1", 1},
                {"4096 B", 4096},
                {"1K", 1024},
                {"1k", 1024},
                {"1KiB", 1024},
                {"1.5MiB", 3 << 19},
                {" 80 GiB ", 80ull << 30},
                {"0.5KiB", 512},
                {"2TiB", 2ull << 40},
                {"1.000000MiB", 1 << 20}};
    static const char *const bad[] = {
        "",     "KiB",    "-1",       "1KB",         "1 kib x",
        "1.5",  "1.1KiB", "1.",       ".5MiB",       "1e3",
        "0x10", "1PiB",   "1.5.5MiB", "99999999TiB", "18446744073709551616"};
    uint64_t n;
    char text[32];
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (size_parse(good[i].text, &n))
            fail_msg("refused: %s", good[i].text);
        assert_true(n == good[i].bytes);
        size_format(n, text);
        assert_null(size_parse(text, &n));
        assert_true(n == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (!size_parse(bad[i], &n))
            fail_msg("accepted: %s", bad[i]);
}

static void mistakes_are_named_with_file_line_and_remedy(void **state)
{
    (void)state;
    assert_message("\ntoy : { way = 3; };",
                   "f.cfg:2: unknown setting 'toy.way'; did you mean 'toy.ways'?");
    assert_message("toy : {\n ways = 3;\n depth = 3; };",
                   "f.cfg:3: unknown setting 'toy.depth'; did you mean 'other.depth'?");
    assert_message("toz : { ways = 3; };", "f.cfg:1: unknown group 'toz'; did you mean 'toy'?");
    assert_message("tin : { ways = 3; };", "f.cfg:1: unknown group 'tin'; 'rubato config explain'");
    assert_message("ways = 3;", "f.cfg:1: 'ways' belongs in a group: toy : { ways = ...; };");
    assert_message("toy = 3;", "f.cfg:1: 'toy' is a group");
    assert_message("toy : { ways = { a = 1; }; };", "f.cfg:1: 'toy.ways' must be a value");
    assert_message("toy : {\n ways = 99; };", "f.cfg:2: toy.ways: must be 1 to 64 ways, not 99");
    assert_message("toy : { ways = 0; };", "f.cfg:1: toy.ways: must be 1 to 64 ways, not 0");
    assert_message("toy : { ways = -1; };", "f.cfg:1: toy.ways: must be 1 to 64 ways, not -1");
    assert_message("toy : { ways = 2.7; };", "f.cfg:1: toy.ways: needs a whole number, not 2.7");
    assert_message("toy : { ways = 4294967296L; };", "f.cfg:1: toy.ways: must be 1 to 64 ways");
    assert_message("toy : { ways = \"4\"; };",
                   "f.cfg:1: toy.ways: needs a whole number, not \"4\"");
    assert_message("toy : { fast = 1; };", "f.cfg:1: toy.fast: must be true or false, not 1");
    assert_message("toy : { clock = \"fast\"; };", "f.cfg:1: toy.clock: needs a number");
    assert_message("toy : { clock = 1e999; };", "f.cfg:1: toy.clock: must be 1 to 100000 MHz");
    assert_message("toy : { size = \"6MB\"; };",
                   "f.cfg:1: toy.size: \"6MB\" mixes decimal and binary");
    assert_message("toy : { size = 12; };", "f.cfg:1: toy.size: must be 1KiB to 1TiB, not 12");
    assert_message("toy : { size = -4096; };",
                   "f.cfg:1: toy.size: must be 1KiB to 1TiB, not -4096");
    assert_message("toy : { size = 1.5; };", "f.cfg:1: toy.size: 1.5 needs a size");
    assert_message(
        "toy : { policy = \"lur\"; };",
        "f.cfg:1: toy.policy: must be lru | srrip | random, not \"lur\"; did you mean 'lru'?");
    assert_message("toy : { cuts = [ ]; };", "f.cfg:1: toy.cuts: needs 1 to 16 sizes");
    assert_message("toy : { cuts = ( 1, ( 2 ) ); };", "f.cfg:1: 'toy.cuts' must be a value");
    assert_message(
        "toy : { label = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"; };",
        "f.cfg:1: toy.label: is longer than 63 characters");
    assert_message("toy : { label = \"a\\nb\"; };", "f.cfg:1: toy.label: holds control characters");
}

static void the_first_of_several_mistakes_is_reported(void **state)
{
    (void)state;
    assert_message("toy : { ways = 99;\n size = 1;\n };\nfoo : { };", "f.cfg:1: toy.ways");
}

static void mistakes_on_the_command_line_repeat_what_was_said(void **state)
{
    (void)state;
    assert_set_message("toy.way=3",
                       "-s toy.way=3: unknown setting 'toy.way'; did you mean 'toy.ways'?");
    assert_set_message("toy.ways=3.5", "-s toy.ways=3.5: toy.ways: needs a whole number, not 3.5");
    assert_set_message("toy.ways=3x", "-s toy.ways=3x: toy.ways: needs a whole number");
    assert_set_message("toy.ways=99999999999999999999",
                       "-s toy.ways=99999999999999999999: toy.ways");
    assert_set_message("toy.clock=nan", "-s toy.clock=nan: toy.clock: needs a number");
    assert_set_message("toy.clock=inf", "-s toy.clock=inf: toy.clock: needs a number");
    assert_set_message("toy.clock=1e999", "-s toy.clock=1e999: toy.clock: must be 1 to 100000 MHz");
    assert_set_message("ways=3", "-s ways=3: write it as GROUP.NAME=VALUE");
    assert_set_message("toy.ways", "-s toy.ways: write it as GROUP.NAME=VALUE");
    assert_set_message("toy.ways=", "-s toy.ways=: write it as GROUP.NAME=VALUE");
    assert_set_message("=.", "-s =.: write it as GROUP.NAME=VALUE");
}

static void what_libconfig_reads_wrongly_is_refused_before_it_reads(void **state)
{
    (void)state;
    assert_message("toy : { ways = 4294967300; };",
                   "f.cfg:1: integer 4294967300 does not fit 32 bits: add an L");
    assert_message("toy : { ways = 3000000000; };", "f.cfg:1: integer 3000000000 does not fit 32");
    assert_message("toy : { ways = 0xffffffff; };", "f.cfg:1: integer 0xffffffff does not fit 32");
    assert_message("toy : { total = 99999999999999999999L; };",
                   "f.cfg:1: integer 99999999999999999999L does not fit 64 bits");
    assert_message("toy : { clock = .; };", "f.cfg:1: '.' is not a number");
    assert_message("toy : { size = 6MiB; };", "f.cfg:1: '6MiB' is not a number; values with units");
    assert_message("toy : { policy = lru; };", "f.cfg:1: text is written in quotes: \"lru\"");
    assert_message("toy : { label = \"a\\x00b\"; };", "f.cfg:1: a string cannot hold a zero byte");
    assert_message("\n@include \"x.cfg\"\n", "f.cfg:2: '@include' and the like are not supported");
    assert_message("toy.ways = 3;", "f.cfg:1: 'toy.' : in a file, settings are grouped");
    assert_message("toy : { ways = 3; };\ntoy : { size = 4096; };",
                   "f.cfg:2: duplicate setting name");
    assert_message("toy : { ways = 3; ways = 4; };", "f.cfg:1: duplicate setting name");
    assert_message("toy : { ways = 3;", "f.cfg:1: syntax error");
    assert_message("/* no end", "f.cfg:1: this comment does not end");
    assert_message("\ntoy : { label = \"no end; };\n", "f.cfg:2: this string does not end");
    assert_message("toy : { clock = $; };", "f.cfg:1: unexpected character '$'");
    assert_message("caf\xc3\xa9 = 1;", "f.cfg:1: a character outside ASCII");
}

static void text_inside_strings_and_comments_is_left_alone(void **state)
{
    (void)state;
    toy_conf_t b = read_good("# 99999999999 @include \"x\"\n/* 4294967296 */ // lru\n"
                             "toy : { label = \"@include 4294967296 /* \\\" # caf\xc3\xa9\"; };",
                             NULL);
    assert_string_equal(b.toy.label, "@include 4294967296 /* \" # caf\xc3\xa9");
}

/* Runs the scan alone on n times the text. */
static bool scan_repeated(const char *text, size_t times, char why[256])
{
    size_t n = strlen(text);
    char *all = malloc(n * times + 1);
    int line;
    assert_non_null(all);
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * n, text, n);
    bool good = conf_scan(all, n * times, &line, why, 256);
    free(all);
    return good;
}

static void absurd_inputs_are_refused_before_they_cost_time(void **state)
{
    (void)state;
    char why[256];
    assert_true(scan_repeated("a:{", CONF_MAX_DEPTH, why));
    assert_false(scan_repeated("a:{", CONF_MAX_DEPTH + 1, why));
    assert_non_null(strstr(why, "nested deeper"));
    assert_false(scan_repeated("[", 500000, why));
    assert_true(scan_repeated("a=1;", CONF_MAX_SETTINGS, why));
    assert_false(scan_repeated("a=1;", CONF_MAX_SETTINGS + 1, why));
    assert_non_null(strstr(why, "settings"));
    assert_false(scan_repeated("1,", CONF_MAX_TOKENS, why));
    assert_false(scan_repeated("\"\"", CONF_MAX_TOKENS + 1, why));
    assert_true(scan_repeated("#123456789abcde\n", CONF_MAX_BYTES / 16, why));
    assert_false(scan_repeated("#123456789abcde\n", CONF_MAX_BYTES / 16 + 1, why));
    assert_false(conf_scan("a\0b", 3, &(int){0}, why, sizeof(why)));
    assert_non_null(strstr(why, "not a text file"));
}

static void a_resolved_configuration_reads_back_and_names_origins(void **state)
{
    (void)state;
    toy_conf_t one, two;
    rb_err_t err = {0};
    char *text = NULL, hash[2][SHA256_TEXT];
    size_t n = 0;
    memset(&one, 0, sizeof(one));
    memset(&two, 0, sizeof(two));
    conf_t *a = conf_create(), *b = conf_create();
    static const char said[] =
        "toy : { label = \"a\\\\b \\\"c\\\"\"; clock = 0.1e4; \n ways = 5; };";
    assert_int_equal(conf_load_text(a, "x/f.cfg", said, strlen(said), &err), RB_OK);
    assert_int_equal(conf_set(a, "toy.clock=1234.56789012345678", &err), RB_OK);
    assert_int_equal(toy_apply(a, &one, &err), RB_OK);
    FILE *out = open_memstream(&text, &n);
    assert_non_null(out);
    conf_write_resolved(a, NULL, out);
    fclose(out);
    assert_non_null(strstr(text, "ways = 5;"));
    assert_non_null(strstr(text, "# ways; f.cfg:2\n"));
    assert_non_null(strstr(text, "# MHz; command line\n"));
    assert_non_null(strstr(text, "# levels; default\n"));
    if (conf_load_text(b, "again", text, n, &err) != RB_OK || toy_apply(b, &two, &err) != RB_OK)
        fail_msg("%s", err.text);
    assert_memory_equal(&one, &two, sizeof(one));
    conf_hash(a, hash[0]);
    conf_hash(b, hash[1]);
    assert_string_equal(hash[0], hash[1]);
    free(text);
    conf_destroy(a);
    conf_destroy(b);
}

static void the_hash_follows_every_value_and_nothing_else(void **state)
{
    (void)state;
    static const char *const sets[] = {"toy.label=x",    "toy.ways=1",    "toy.wide=1",
                                       "toy.total=1",    "toy.size=1KiB", "toy.clock=1.00000000001",
                                       "toy.fast=false", "toy.cuts=0",    "toy.policy=lru",
                                       "other.depth=2"};
    enum { SETS = sizeof(sets) / sizeof(sets[0]) };
    char hash[SETS + 1][SHA256_TEXT], same[SHA256_TEXT];
    toy_conf_t b;
    for (size_t i = 0; i <= SETS; i++) {
        conf_t *c = conf_create();
        if (i < SETS)
            assert_int_equal(conf_set(c, sets[i], NULL), RB_OK);
        assert_int_equal(toy_apply(c, &b, NULL), RB_OK);
        conf_hash(c, hash[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(hash[i], hash[j]);
        conf_destroy(c);
    }
    conf_t *c = conf_create(); // the same values, set elsewhere
    assert_int_equal(conf_load_text(c, "f", "toy : { ways = 16; };", 21, NULL), RB_OK);
    assert_int_equal(toy_apply(c, &b, NULL), RB_OK);
    conf_hash(c, same);
    assert_string_equal(same, hash[SETS]);
    conf_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_configuration_gives_the_defaults_of_the_table),
        cmocka_unit_test(every_type_is_read_from_a_file),
        cmocka_unit_test(every_type_is_read_from_a_command_line),
        cmocka_unit_test(sizes_are_exact_in_every_unit),
        cmocka_unit_test(mistakes_are_named_with_file_line_and_remedy),
        cmocka_unit_test(the_first_of_several_mistakes_is_reported),
        cmocka_unit_test(mistakes_on_the_command_line_repeat_what_was_said),
        cmocka_unit_test(what_libconfig_reads_wrongly_is_refused_before_it_reads),
        cmocka_unit_test(text_inside_strings_and_comments_is_left_alone),
        cmocka_unit_test(absurd_inputs_are_refused_before_they_cost_time),
        cmocka_unit_test(a_resolved_configuration_reads_back_and_names_origins),
        cmocka_unit_test(the_hash_follows_every_value_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
