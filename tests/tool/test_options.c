#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/shell_quote.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/io/version.h"
#include "frontend/tool/run/progress_line.h"

enum { WORDS_MAX = 16 };

/* Parses "run WORDS"; returns the last code, the ids seen, and the operands. */
typedef struct {
    cli_option_id_t ids[WORDS_MAX];
    const char *values[WORDS_MAX];
    int n;
    const char *operands[WORDS_MAX];
    int n_operands;
    bool help;
    rb_err_t err;
} parsed_t;

static rb_code_t take(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    parsed_t *r = ctx;
    (void)err;
    r->values[r->n] = value;
    r->ids[r->n++] = id;
    return RB_OK;
}

static rb_code_t parse(parsed_t *r, const char *const *words)
{
    static char *argv[WORDS_MAX + 2];
    int argc = 0;
    cli_parser_t p;
    argv[argc++] = (char *)(uintptr_t) "run";
    for (; *words != NULL; words++)
        argv[argc++] = (char *)(uintptr_t)*words;
    argv[argc] = NULL;
    memset(r, 0, sizeof(*r));
    cli_parser_init(&p, cli_find_command("run"), argc, argv);
    RB_TRY(cli_parser_read(&p, take, r, &r->help, &r->err));
    for (r->n_operands = 0; r->n_operands < p.n_operands; r->n_operands++)
        r->operands[r->n_operands] = p.operands[r->n_operands];
    return RB_OK;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void long_short_joined_and_late_options_are_the_same(void **state)
{
    (void)state;
    const char *const *const lines[] = {
        WORDS("trace", "--gpu", "v100", "--json"), WORDS("--gpu=v100", "trace", "--json"),
        WORDS("-gv100", "--json", "trace"), WORDS("-g", "v100", "--js", "--", "trace")};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        parsed_t r;
        assert_int_equal(parse(&r, lines[i]), RB_OK);
        assert_int_equal(r.n, 2);
        assert_int_equal(r.ids[0], CLI_GPU);
        assert_string_equal(r.values[0], "v100");
        assert_int_equal(r.ids[1], CLI_JSON);
        assert_int_equal(r.n_operands, 1);
        assert_string_equal(r.operands[0], "trace");
    }
}

static void what_follows_two_dashes_is_an_operand(void **state)
{
    (void)state;
    parsed_t r;
    assert_int_equal(parse(&r, WORDS("--", "--json")), RB_OK);
    assert_int_equal(r.n, 0);
    assert_string_equal(r.operands[0], "--json");
}

static void a_bad_option_is_named_with_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *word, *message;
    } cases[] = {
        {"--jsn", "unknown option '--jsn'; did you mean '--json'?"},
        {"--threds=4", "unknown option '--threds'; did you mean '--threads'?"},
        {"--stats", "option '--stats' is ambiguous: '--stats-interval' or '--stats-format'?"},
        {"--zebra", "unknown option '--zebra'; see 'rubato run --help'"},
        {"-Z", "unknown option '-Z'; see 'rubato run --help'"},
        {"--json=1", "option '--json' takes no argument"},
        {"--gpu", "option '--gpu' needs an argument: NAME"},
        {"-s", "option '--set' needs an argument: KEY=VALUE"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        parsed_t r;
        assert_int_equal(parse(&r, WORDS(cases[i].word)), RB_USAGE);
        assert_string_equal(r.err.text, cases[i].message);
    }
}

static void a_hidden_option_is_parsed_but_not_advertised(void **state)
{
    (void)state;
    parsed_t r;
    assert_int_equal(parse(&r, WORDS("--debug-window", "3")), RB_OK);
    assert_int_equal(r.ids[0], CLI_DEBUG_WINDOW);
    static const char *const shells[] = {"bash", "zsh", "fish"};
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    cli_print_help(cli_find_command("run"), out);
    cli_print_man(out);
    rb_err_t err = {0};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cli_print_completion(shells[i], out, &err), RB_OK);
    fclose(out);
    assert_null(strstr(text, "debug-window"));
    assert_non_null(strstr(text, "--stats-interval"));
    free(text);
}

static void a_mistyped_command_is_named_with_its_neighbour(void **state)
{
    (void)state;
    rb_err_t err = {0};
    assert_int_equal(cli_unknown_command("inof", &err), RB_USAGE);
    assert_string_equal(err.text, "unknown command 'inof'; did you mean 'info'?");
    err = (rb_err_t){0};
    assert_int_equal(cli_unknown_command("zzzzzz", &err), RB_USAGE);
    assert_string_equal(err.text, "unknown command 'zzzzzz'; see 'rubato --help'");
}

static void one_option_name_means_one_thing_in_every_command(void **state)
{
    (void)state;
    for (const cli_command_t *const *x_of = cli_commands; *x_of != NULL; x_of++) {
        const cli_command_t *a = *x_of;
        for (size_t i = 0; i < a->n_options; i++) {
            const cli_option_t *x = &a->options[i];
            for (const cli_command_t *const *y_of = cli_commands; *y_of != NULL; y_of++) {
                const cli_command_t *b = *y_of;
                for (size_t j = 0; j < b->n_options; j++) {
                    const cli_option_t *y = &b->options[j];
                    bool same = strcmp(x->name, y->name) == 0;
                    assert_int_equal(same, x->id == y->id);
                    /* info --launches is a flag that prints what run --launches LIST selects from. */
                    if (same && (x->arg == NULL) == (y->arg == NULL))
                        assert_int_equal(x->letter, y->letter);
                    else if (a == b && x->letter != 0)
                        assert_int_not_equal(x->letter, y->letter);
                }
            }
            assert_true(x->help != NULL && x->help[0] != '\0');
        }
    }
}

static void counts_take_decimal_suffixes_and_refuse_the_rest(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value; /* UINT64_MAX: refused */
    } cases[] = {{"0", 0},
                 {"17", 17},
                 {"5k", 5000},
                 {"2M", 2000000},
                 {"3G", 3000000000u},
                 {"18446744073709551614", UINT64_MAX - 1},
                 {"18446744073709551616", UINT64_MAX},
                 {"99999999999G", UINT64_MAX},
                 {"", UINT64_MAX},
                 {"-1", UINT64_MAX},
                 {" 1", UINT64_MAX},
                 {"1x", UINT64_MAX},
                 {"1kk", UINT64_MAX},
                 {"0x10", UINT64_MAX}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rb_err_t err = {0};
        uint64_t v = UINT64_MAX;
        rb_code_t rc = option_count("n", cases[i].text, 0, UINT64_MAX - 1, &v, &err);
        assert_int_equal(rc, cases[i].value == UINT64_MAX ? RB_USAGE : RB_OK);
        assert_true(v == cases[i].value);
    }
    rb_err_t err = {0};
    uint64_t v;
    assert_int_equal(option_count("threads", "9", 1, 8, &v, &err), RB_USAGE);
    assert_string_equal(err.text, "--threads: 9 is outside 1..8");
    /* So is a number that fits no integer of the machine. */
    static const char *const huge[] = {"99999999999999999999", "18446744073709551616",
                                       "18446744073709551615G"};
    for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
        err = (rb_err_t){0};
        assert_int_equal(option_count("n", huge[i], 0, UINT64_MAX, &v, &err), RB_USAGE);
        assert_non_null(strstr(err.text, " is outside 0..18446744073709551615"));
    }
}

static void seconds_and_words_are_checked(void **state)
{
    (void)state;
    rb_err_t err = {0};
    double s;
    unsigned w;
    assert_int_equal(option_seconds("t", "0.5", &s, &err), RB_OK);
    assert_true(s == 0.5);
    static const char *const bad[] = {"", "x", "-1", "nan", "inf", "1s", "1e400"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        err = (rb_err_t){0};
        assert_int_equal(option_seconds("t", bad[i], &s, &err), RB_USAGE);
    }
    err = (rb_err_t){0};
    assert_int_equal(option_word("progress", "never", progress_when_words, &w, &err), RB_OK);
    assert_int_equal(w, PROGRESS_NEVER);
    assert_int_equal(option_word("progress", "nevr", progress_when_words, &w, &err), RB_USAGE);
    assert_string_equal(err.text, "--progress: 'nevr' is not one of auto, always, never");
}

static void launch_lists_expand_in_order_and_within_the_trace(void **state)
{
    (void)state;
    rb_err_t err = {0};
    uint64_t *ids;
    size_t n;
    assert_int_equal(option_id_list("launches", "2-4,7,9-", 10, &ids, &n, &err), RB_OK);
    static const uint64_t expected[] = {2, 3, 4, 7, 9, 10};
    assert_int_equal(n, 6);
    assert_memory_equal(ids, expected, sizeof(expected));
    free(ids);
    static const char *const bad[] = {"",     "0",
                                      "11",   "3-2",
                                      "2,2",  "4,3",
                                      "1,,2", "1-2-3",
                                      "a",    "1-99999999999999999999",
                                      "5,",   "-3",
                                      "1;2",  "18446744073709551615"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        err = (rb_err_t){0};
        assert_int_equal(option_id_list("launches", bad[i], 10, &ids, &n, &err), RB_USAGE);
        assert_null(ids);
        assert_true(err.text[0] != '\0');
    }
}

static void a_quoted_command_line_reads_back(void **state)
{
    (void)state;
    char *argv[] = {(char *)(uintptr_t) "run", (char *)(uintptr_t) "a b",
                    (char *)(uintptr_t) "it's", (char *)(uintptr_t) "",
                    (char *)(uintptr_t) "-sl2.size=3MiB"};
    char *text = shell_quote("rubato", 5, argv);
    assert_string_equal(text, "rubato run 'a b' 'it'\\''s' '' -sl2.size=3MiB");
    free(text);
}

static void kernel_names_lose_their_mangling_and_control_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *mangled, *shown;
    } cases[] = {
        {"_Z6vecaddPfS_", "vecadd"},
        {"_Z10bfs_kernelPiS_ib", "bfs_kernel"},
        {"_ZN2at6native3addEPf", "at::native::add"},
        {"plain_c", "plain_c"},
        {"_Z", "_Z"},
        {"_Z99short", "_Z99short"}, /* claims more bytes than there are */
        {"_Z99999999999999999999x", "_Z99999999999999999999x"},
        {"a\033[31mred", "a?[31mred"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        assert_string_equal(format_kernel(text, sizeof(text), cases[i].mangled), cases[i].shown);
    }
    char small[9];
    assert_string_equal(format_kernel(small, sizeof(small), "_Z16a_very_long_namev"), "a_ver...");
}

static void numbers_for_people_have_three_digits(void **state)
{
    (void)state;
    char t[FORMAT_MAX];
    assert_string_equal(format_si(t, 37), "37");
    assert_string_equal(format_si(t, 999.6), "1.00 k");
    assert_string_equal(format_si(t, 1831234), "1.83 M");
    assert_string_equal(format_grouped(t, 1234567), "1,234,567");
    assert_string_equal(format_grouped(t, 12), "12");
    assert_string_equal(format_grouped(t, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(format_seconds(t, 9.634e-6), "9.63 us");
    assert_string_equal(format_bytes(t, 6u << 20), "6 MiB");
    assert_string_equal(format_share(t, 0.61), "61.0 %");
    assert_string_equal(format_clock(t, 3723), "1:02:03");
    assert_string_equal(format_clock(t, -1), "--:--");
}

/* All of a file, owned by the caller; NULL if there is none. */
static char *read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, in);
    text[n] = '\0';
    fclose(in);
    return text;
}

static void the_manual_page_in_docs_is_the_one_of_the_table(void **state)
{
    (void)state;
    char *now;
    size_t n;
    FILE *out = open_memstream(&now, &n);
    cli_print_man(out);
    fclose(out);
    char *kept = read_file(RUBATO_ROOT "/docs/rubato.1");
    assert_non_null(kept);
    /* If this fails: rubato help --man > docs/rubato.1 */
    assert_string_equal(kept, now);
    free(kept);
    free(now);
}

static void the_version_is_that_of_the_news_and_of_the_citation(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
    } places[] = {{"/CITATION.cff", "version: %s\n"}, {"/NEWS.md", "# News\n\n## %s\n"}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char path[1024], wanted[64];
        snprintf(path, sizeof(path), "%s%s", RUBATO_ROOT, places[i].file);
        snprintf(wanted, sizeof(wanted), places[i].format, RUBATO_VERSION);
        char *text = read_file(path);
        assert_non_null(text);
        assert_non_null(strstr(text, wanted));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_short_joined_and_late_options_are_the_same),
        cmocka_unit_test(what_follows_two_dashes_is_an_operand),
        cmocka_unit_test(a_bad_option_is_named_with_what_to_do),
        cmocka_unit_test(a_hidden_option_is_parsed_but_not_advertised),
        cmocka_unit_test(a_mistyped_command_is_named_with_its_neighbour),
        cmocka_unit_test(one_option_name_means_one_thing_in_every_command),
        cmocka_unit_test(counts_take_decimal_suffixes_and_refuse_the_rest),
        cmocka_unit_test(seconds_and_words_are_checked),
        cmocka_unit_test(launch_lists_expand_in_order_and_within_the_trace),
        cmocka_unit_test(a_quoted_command_line_reads_back),
        cmocka_unit_test(kernel_names_lose_their_mangling_and_control_bytes),
        cmocka_unit_test(numbers_for_people_have_three_digits),
        cmocka_unit_test(the_manual_page_in_docs_is_the_one_of_the_table),
        cmocka_unit_test(the_version_is_that_of_the_news_and_of_the_citation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
