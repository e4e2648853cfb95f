/* Text files: lines of limited length, and paths that are not files. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/run/sampled/plan_file.h"
#include "sampling/plan/plan_list.h"
#include "sampling/plan/plan_macsim.h"
#include "sim/core/files/in_file.h"
#include "sim/core/files/text_lines.h"
#include "tests/support/temp_folder.h"

enum { MIB = 1 << 20 };

static FILE *text_file(const char *text, size_t n)
{
    temp_write_bytes("text", text, n);
    return fopen(temp_path("text"), "r");
}

static void lines_come_without_their_ends(void **state)
{
    static const char text[] = "one\n\nthree\r\nfour";
    static const char *const lines[] = {"one", "", "three\r", "four"};
    text_lines_t l = {.path = "p", .in = text_file(text, sizeof(text) - 1), .max = MIB};
    rb_err_t err = {0};
    bool more;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(text_lines_next(&l, &more, &err), RB_OK);
        assert_true(more);
        assert_string_equal(l.text, lines[i]);
        assert_int_equal(l.n, strlen(lines[i]));
        assert_int_equal(l.number, i + 1);
        assert_int_equal(l.cut, i == 3);
    }
    assert_int_equal(text_lines_next(&l, &more, &err), RB_OK);
    assert_false(more);
    fclose(l.in);
    text_lines_free(&l);
}

static void expect_refused(const char *text, size_t n, const char *message)
{
    text_lines_t l = {.path = "p", .in = text_file(text, n), .max = MIB};
    rb_err_t err = {0};
    bool more = true;

    while (text_lines_next(&l, &more, &err) == RB_OK && more)
        ;
    assert_int_equal(err.code, RB_TRACE);
    assert_string_equal(err.text, message);
    assert_false(more);
    fclose(l.in);
    text_lines_free(&l);
}

static void a_line_has_a_greatest_length(void **state)
{
    char *text = malloc(MIB + 3);

    (void)state;
    memset(text, 'x', MIB + 3);
    text[0] = '\n';
    expect_refused(text, MIB + 2, "p:2: this line is longer than 1 MiB");
    text[MIB + 1] = text[MIB + 2] = '\n'; /* as long as it may be */
    text_lines_t l = {.path = "p", .in = text_file(text, MIB + 3), .max = MIB};
    rb_err_t err = {0};
    bool more = true;
    while (text_lines_next(&l, &more, &err) == RB_OK && more)
        ;
    assert_int_equal(err.code, RB_OK);
    assert_int_equal(l.number, 4);
    fclose(l.in);
    text_lines_free(&l);
    free(text);
}

static void a_byte_of_zero_is_no_text(void **state)
{
    (void)state;
    expect_refused("a\nb\0c\n", 6, "p:2: contains a zero byte: this is not a text file");
}

/* --- files without an end -------------------------------------------------------------------- */

/* A reader that would read 1 GiB fails the test. */
static ssize_t endless_digits(void *cookie, char *bytes, size_t n)
{
    uint64_t *given = cookie;

    *given += n;
    assert_true(*given < 1u << 30);
    memset(bytes, '1', n);
    return (ssize_t)n;
}

typedef rb_code_t (*reader_t)(plan_t *plan, FILE *in, const char *name, rb_err_t *err);

static void expect_bounded(reader_t reader, const char *message)
{
    uint64_t given = 0;
    rb_err_t err = {0};
    plan_t plan;
    FILE *in = fopencookie(&given, "r", (cookie_io_functions_t){.read = endless_digits});

    assert_int_equal(reader(&plan, in, "plan", &err), RB_TRACE);
    assert_string_equal(err.text, message);
    fclose(in);
}

static void plans_without_an_end_are_refused(void **state)
{
    (void)state;
    expect_bounded(plan_read_list, "plan:1: this line is longer than 64 MiB");
    expect_bounded(plan_read_macsim, "plan:1: this line is longer than 64 MiB");
}

static void expect_no_file(const char *path, const char *what)
{
    rb_err_t err = {0};
    plan_t plan;

    assert_int_equal(plan_file_read(&plan, path, &err), RB_IO);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, what));
    assert_null(in_file_open(path, NULL));
    assert_int_equal(in_file_regular(path, NULL), -1);
}

/* Opening a pipe without a writer would wait. */
static void plans_are_files(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(temp_path("pipe"), 0600), 0);
    expect_no_file("/dev/zero", "is a pipe or device, not a file");
    expect_no_file(temp_path("pipe"), "is a pipe that nobody writes to");
    rb_err_t err = {0};
    plan_t plan;
    assert_int_equal(plan_file_read(&plan, temp_path(""), &err), RB_USAGE); /* no run's folder */
    assert_non_null(strstr(err.text, "has no plan.json"));
    expect_no_file(temp_path("missing"), "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_without_their_ends),
        cmocka_unit_test(a_line_has_a_greatest_length),
        cmocka_unit_test(a_byte_of_zero_is_no_text),
        cmocka_unit_test(plans_without_an_end_are_refused),
        cmocka_unit_test(plans_are_files),
    };

    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
