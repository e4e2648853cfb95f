#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/files/json_read.h"
#include "tests/support/test.h"

/* A document that is read in pieces, so that every token crosses a window once. */
typedef struct {
    const char *at, *end;
    size_t piece; /* 0: all at once */
} pieces_t;

static long read_pieces(void *ctx, void *data, size_t size)
{
    pieces_t *p = ctx;
    size_t left = (size_t)(p->end - p->at),
           most = p->piece > 0 && p->piece < size ? p->piece : size;
    size_t n = left < most ? left : most;
    if (n > 0)
        memcpy(data, p->at, n);
    p->at += n;
    return (long)n;
}

/* All events of a document as text; an error as "!message". To be freed. */
static char *events(const char *document, size_t n, size_t piece)
{
    static const char names[] = "{}[]k\"#tfn";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    pieces_t p = {document, document + n, piece};
    json_reader_t r;
    json_reader_init(&r, "doc", read_pieces, &p);
    json_event_t e;
    while ((e = json_next(&r)) > JSON_READ_END) {
        fputc(names[e - JSON_READ_OBJECT], out);
        if (e == JSON_READ_KEY || e == JSON_READ_STRING || e == JSON_READ_NUMBER) {
            fwrite(r.text, 1, r.length, out);
            fputc(',', out);
        }
    }
    if (e == JSON_READ_ERROR)
        fprintf(out, "!%s", r.err.text);
    assert_int_equal(json_next(&r), e); /* stays */
    json_reader_free(&r);
    fclose(out);
    return text;
}

static void expect(const char *document, const char *wanted)
{
    size_t n = strlen(document);
    for (size_t piece = 1; piece <= n + 1; piece = piece < 4 ? piece + 1 : piece + n) {
        char *got = events(document, n, piece);
        assert_string_equal(got, wanted);
        free(got);
    }
}

static void a_document_comes_out_as_events(void **state)
{
    (void)state;
    expect("{\"a\": [1, -2.5e3, true], \"b\": {\"c\": null}, \"\": false}",
           "{ka,[#1,#-2.5e3,t]kb,{kc,n}k,f}");
    expect(" [ ] ", "[]");
    expect("{}\n", "{}");
    expect("\"x\"", "\"x,");
    expect("0", "#0,");
    expect("\xef\xbb\xbf[1]", "[#1,]");
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    expect("\"a\\n\\t\\\"\\\\\\/b\"", "\"a\n\t\"\\/b,");
    expect("\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"", "\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80,");
    const char zero[] = "\"a\\u0000b\"";
    char *got = events(zero, sizeof(zero) - 1, 100);
    assert_memory_equal(got, "\"a\0b,", 5);
    free(got);
}

static void what_is_not_json_is_refused_with_its_line(void **state)
{
    (void)state;
    expect("", "!doc:1: the file ends before a value; it was cut short");
    expect("[1,\n2", "[#1,#2,!doc:2: the file ends inside a list or object; it was cut short");
    expect("[1,\n\n]", "[#1,!doc:3: ']' instead of a value");
    expect("[1 2]", "[#1,!doc:1: '2' instead of ',' or ']'");
    expect("{\"a\" 1}", "{ka,!doc:1: '1' instead of ':' after a name");
    expect("{\"a\":1,}", "{ka,#1,!doc:1: '}' instead of a name in quotes");
    expect("{1:2}", "{!doc:1: '1' instead of a name in quotes");
    expect("[}", "[!doc:1: '}' instead of a value");
    expect("{]", "{!doc:1: ']' instead of a name in quotes");
    expect("[] []", "[]!doc:1: '[' instead of the end of the file");
    expect("[NaN]", "[!doc:1: 'NaN' is neither a number nor true, false or null");
    expect("[truely_not_a_word]",
           "[!doc:1: 'truely_n...' is neither a number nor true, false or null");
    expect("\"abc", "!doc:1: the file ends inside a string; it was cut short");
    expect("\"a\\q\"", "!doc:1: a backslash in a string is followed by 'q'");
    expect("\"\\ud83d\"", "!doc:1: \\ud83d is the first half of a pair without its second");
    expect("\"\\ude00\"", "!doc:1: \\ude00 is the second half of a pair without its first");
    expect("\"\\u12g4\"", "!doc:1: \\u must be followed by four hexadecimal digits");
    expect("[\"a\nb\"]",
           "[!doc:1: a string holds a control character (0x0a): its quote may be missing");
    expect("\x01", "!doc:1: byte 0x01 instead of a value");
}

static void malformed_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"01", "1.", "-", "1e", "1e+", "0x10", "1.2.3", "--1", "1_0"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *got = events(bad[i], strlen(bad[i]), 100);
        assert_int_equal(got[0], '!');
        free(got);
    }
}

static void deep_nesting_and_endless_tokens_are_refused(void **state)
{
    (void)state;
    char *deep = malloc(1 << 20);
    memset(deep, '[', 1 << 20);
    char *got = events(deep, 1 << 20, 1 << 20);
    assert_non_null(strstr(got, "nested more than 128 deep"));
    free(got);
    memset(deep, '1', 1 << 20);
    got = events(deep, 1 << 20, 1 << 20);
    assert_int_equal(got[0], '!');
    free(got);
    free(deep);

    size_t n = JSON_READ_MAX_STRING + 10;
    char *wide = malloc(n);
    memset(wide, 'x', n);
    wide[0] = '"';
    got = events(wide, n, n);
    assert_non_null(strstr(got, "a string of more than"));
    free(got);
    free(wide);
}

static double number(const char *text)
{
    pieces_t whole = {text, text + strlen(text), 0};
    json_reader_t r;
    json_reader_init(&r, "doc", read_pieces, &whole);
    assert_int_equal(json_next(&r), JSON_READ_NUMBER);
    double v = json_read_f64(&r);
    json_reader_free(&r);
    return v;
}

static void numbers_are_correctly_rounded(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0.5",
                                        "12345.678",
                                        "9007199254740993",
                                        "1e308",
                                        "2.5e-320",
                                        "0.1",
                                        "123456789012345678",
                                        "9007199254740992.5",
                                        "1e22",
                                        "1e23",
                                        "4.35",
                                        "1623142623531625.125",
                                        "0.000000000000000000123",
                                        "-7",
                                        "1e999"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        double got = number(texts[i]), wanted = strtod(texts[i], NULL);
        assert_memory_equal(&got, &wanted, sizeof(got));
    }
}

static void integers_are_exact_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } rows[] = {{"18446744073709551615", true, UINT64_MAX},
                {"18446744073709551616", false, 0},
                {"9007199254740993", true, 9007199254740993},
                {"-1", false, 0},
                {"1.0", false, 0},
                {"1e3", false, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pieces_t whole = {rows[i].text, rows[i].text + strlen(rows[i].text), 0};
        json_reader_t r;
        uint64_t v = 0;
        json_reader_init(&r, "doc", read_pieces, &whole);
        assert_int_equal(json_next(&r), JSON_READ_NUMBER);
        assert_int_equal(json_read_u64(&r, &v), rows[i].good);
        assert_int_equal(v, rows[i].value);
        json_reader_free(&r);
    }
}

static void values_are_skipped_whole(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": {\"x\": [1, {}]}, \"b\": 2, \"c\": [[]], \"d\": 3}";
    pieces_t whole = {text, text + sizeof(text) - 1, 0};
    json_reader_t r;
    json_reader_init(&r, "doc", read_pieces, &whole);
    assert_int_equal(json_next(&r), JSON_READ_OBJECT);
    for (const char *key = "abc"; *key != '\0'; key++) {
        assert_int_equal(json_next(&r), JSON_READ_KEY);
        assert_int_equal(r.text[0], *key);
        assert_true(json_skip(&r, JSON_READ_KEY));
    }
    assert_int_equal(json_next(&r), JSON_READ_KEY);
    assert_string_equal(r.text, "d");
    json_reader_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_comes_out_as_events),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(what_is_not_json_is_refused_with_its_line),
        cmocka_unit_test(malformed_numbers_are_refused),
        cmocka_unit_test(deep_nesting_and_endless_tokens_are_refused),
        cmocka_unit_test(numbers_are_correctly_rounded),
        cmocka_unit_test(integers_are_exact_or_refused),
        cmocka_unit_test(values_are_skipped_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
