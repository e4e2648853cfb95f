#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "sim/core/files/json_write.h"
#include "tests/support/tool/json_check.h"

/* The text that was written to a stream. */
typedef struct {
    char *text;
    size_t n;
    FILE *out;
} capture_t;

static FILE *capture_begin(capture_t *c)
{
    c->out = open_memstream(&c->text, &c->n);
    assert_non_null(c->out);
    return c->out;
}

static const char *capture_end(capture_t *c)
{
    assert_int_equal(fclose(c->out), 0);
    return c->text;
}

static void the_checker_accepts_json_and_nothing_else(void **state)
{
    (void)state;
    static const char *const good[] = {
        "0", "-1.5e+3", "[]", "{}", " [1, 2 , {\"a\":null}] ", "\"\"", "true", "\"\\u00e4\\n\""};
    static const char *const bad[] = {"",         "01",    "1.",         "[1,]",
                                      "{\"a\":}", "{a:1}", "\"\\x\"",    "[1 2]",
                                      "\"a\nb\"", "truex", "{\"a\":1,}", "nan"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_null(json_check(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_non_null(json_check(bad[i]));
}

static void nested_containers_give_valid_json_with_the_values(void **state)
{
    (void)state;
    capture_t c;
    json_t j;
    json_init(&j, capture_begin(&c));
    json_begin_object(&j, NULL);
    json_u64(&j, "big", UINT64_MAX);
    json_begin_array(&j, "list");
    json_u64(&j, NULL, 1);
    json_bool(&j, NULL, false);
    json_end(&j);
    json_begin_rows(&j, "rows");
    for (uint64_t i = 0; i < 3; i++) {
        json_begin_object(&j, NULL);
        json_u64(&j, "i", i);
        json_end(&j);
    }
    json_end(&j);
    json_begin_object(&j, "empty");
    json_end(&j);
    json_null(&j, "none");
    json_end(&j);
    const char *text = capture_end(&c);
    assert_null(json_check(text));
    assert_true(json_is(text, "big", "18446744073709551615"));
    assert_true(json_is(text, "list.1", "false"));
    assert_true(json_is(text, "rows.2.i", "2"));
    assert_true(json_is(text, "empty", "{}"));
    assert_true(json_is(text, "none", "null"));
    free(c.text);
}

static void any_bytes_of_a_name_become_valid_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *json;
    } cases[] = {
        {"plain", "\"plain\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"tab\there", "\"tab\\u0009here\""},
        {"\x7f", "\"\\u007f\""},
        {"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
        {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
        {"\xff\xfe", "\"\\ufffd\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},                                  /* cut short */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* overlong */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* surrogate */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* above U+10FFFF */
        {NULL, "null"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        capture_t c;
        json_t j;
        json_init(&j, capture_begin(&c));
        json_begin_array(&j, NULL);
        json_text(&j, NULL, cases[i].bytes);
        json_end(&j);
        const char *text = capture_end(&c);
        assert_null(json_check(text));
        assert_true(json_is(text, "0", cases[i].json));
        free(c.text);
    }
}

static void doubles_keep_all_their_bits(void **state)
{
    (void)state;
    static const double values[] = {0.1, 1.0 / 3.0, 1e300, 5e-324, -0.0, 123456789.125};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        capture_t c;
        json_t j;
        json_init(&j, capture_begin(&c));
        json_f64(&j, NULL, values[i]);
        double back = strtod(capture_end(&c), NULL);
        assert_memory_equal(&back, &values[i], sizeof(back));
        free(c.text);
    }
}

static void what_is_not_finite_is_null_in_json_and_empty_in_csv(void **state)
{
    (void)state;
    static const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        capture_t c;
        json_t j;
        json_init(&j, capture_begin(&c));
        json_f64(&j, NULL, values[i]);
        assert_string_equal(capture_end(&c), "null");
        free(c.text);
        csv_t row = {.out = capture_begin(&c)};
        csv_f64(&row, values[i]);
        csv_u64(&row, 1);
        csv_end_row(&row);
        assert_string_equal(capture_end(&c), ",1\n");
        free(c.text);
    }
}

static void csv_quotes_only_what_needs_it(void **state)
{
    (void)state;
    capture_t c;
    csv_t row = {.out = capture_begin(&c)};
    csv_text(&row, "plain name");
    csv_text(&row, "a,b");
    csv_text(&row, "say \"hi\"");
    csv_text(&row, "two\nlines");
    csv_text(&row, NULL);
    csv_u64(&row, UINT64_MAX);
    csv_end_row(&row);
    csv_f64(&row, 0.5);
    csv_end_row(&row);
    assert_string_equal(capture_end(&c), "plain name,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,"
                                         "18446744073709551615\n0.5\n");
    free(c.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_accepts_json_and_nothing_else),
        cmocka_unit_test(nested_containers_give_valid_json_with_the_values),
        cmocka_unit_test(any_bytes_of_a_name_become_valid_utf8),
        cmocka_unit_test(doubles_keep_all_their_bits),
        cmocka_unit_test(what_is_not_finite_is_null_in_json_and_empty_in_csv),
        cmocka_unit_test(csv_quotes_only_what_needs_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
