/* Records which parts of which files were read. */
#include "tests/support/test.h"

#include <string.h>

#include "sim/core/files/file_reads.h"
#include "tests/support/temp_folder.h"

static const char text[] = "the bytes of a file";

/* Reads these bytes of a file. */
static void pass(file_reads_t *r, const char *path, const char *bytes, size_t n, bool end)
{
    file_reading_t *g = file_reading_begin(r, path);
    assert_non_null(g);
    for (size_t i = 0; i < n; i += 5)
        file_reading_take(g, bytes + i, n - i < 5 ? n - i : 5);
    if (end)
        file_reading_take(g, bytes, 0);
    file_reading_end(g);
}

static file_reads_t *one_file(void)
{
    file_reads_t *r = file_reads_create();
    temp_write("file", text);
    file_reads_add(r, temp_path("file"), "file");
    file_reads_add(r, temp_path("file"), "again");
    assert_int_equal(file_reads_count(r), 1);
    return r;
}

static void expect_hash(file_reads_t *r, const char *bytes)
{
    sha256_t h;
    char wanted[SHA256_TEXT];
    sha256_init(&h);
    sha256_update(&h, bytes, strlen(bytes));
    sha256_final_text(&h, wanted);
    assert_true(file_reads_at(r, 0)->whole);
    assert_string_equal(file_reads_at(r, 0)->sha256, wanted);
}

static void a_file_is_hashed_from_the_bytes_that_go_by(void **state)
{
    (void)state;
    rb_err_t err = {0};
    file_reads_t *r = one_file();
    assert_false(file_reads_at(r, 0)->used);
    pass(r, temp_path("file"), text, strlen(text), true);
    temp_write("file", "something else by now");
    assert_int_equal(file_reads_complete(r, &err), RB_OK);
    expect_hash(r, text);
    file_reads_destroy(r);
}

static void what_was_read_in_part_is_hashed_to_its_end(void **state)
{
    (void)state;
    rb_err_t err = {0};
    for (size_t n = 0; n <= strlen(text); n++) {
        file_reads_t *r = one_file();
        pass(r, temp_path("file"), text, n / 2, false);
        pass(r, temp_path("file"), text, n, false);
        pass(r, temp_path("file"), text, n / 3, false);
        assert_false(file_reads_at(r, 0)->whole);
        assert_int_equal(file_reads_complete(r, &err), RB_OK);
        expect_hash(r, text);
        file_reads_destroy(r);
    }
}

static void a_file_that_nobody_used_has_no_hash(void **state)
{
    (void)state;
    rb_err_t err = {0};
    file_reads_t *r = one_file();
    assert_int_equal(file_reads_complete(r, &err), RB_OK);
    assert_false(file_reads_at(r, 0)->used || file_reads_at(r, 0)->whole);
    file_reads_use(r, temp_path("file"));
    assert_int_equal(file_reads_complete(r, &err), RB_OK);
    expect_hash(r, text);
    file_reads_destroy(r);
}

static void two_passes_that_differ_are_told(void **state)
{
    (void)state;
    rb_err_t err = {0};
    file_reads_t *r = one_file();
    pass(r, temp_path("file"), text, strlen(text), true);
    pass(r, temp_path("file"), text, strlen(text), true);
    assert_int_equal(file_reads_complete(r, &err), RB_OK);
    pass(r, temp_path("file"), "another", 7, true);
    assert_int_equal(file_reads_complete(r, &err), RB_IO);
    assert_non_null(strstr(err.text, temp_path("file")));
    assert_non_null(strstr(err.text, "changed while it was being read"));
    file_reads_destroy(r);
}

static void hashes_from_elsewhere_must_agree(void **state)
{
    (void)state;
    static const char other[] = "0000000000000000000000000000000000000000000000000000000000000000";
    size_t i = 0;
    file_reads_t *r = one_file();
    assert_true(file_reads_find(r, "file", &i));
    assert_false(file_reads_find(r, "no file", &i));
    assert_true(file_reads_learn(r, i, other));
    assert_true(file_reads_learn(r, i, other));
    file_reads_destroy(r);
    r = one_file();
    pass(r, temp_path("file"), text, strlen(text), true);
    assert_false(file_reads_learn(r, 0, other));
    file_reads_destroy(r);
}

static void nobody_who_wants_to_know_is_allowed(void **state)
{
    (void)state;
    file_reads_t *r = one_file();
    assert_null(file_reading_begin(NULL, temp_path("file")));
    assert_null(file_reading_begin(r, "unknown"));
    file_reading_take(NULL, text, 1);
    file_reading_end(NULL);
    file_reads_use(NULL, "unknown");
    file_reads_use(r, "unknown");
    file_reads_destroy(r);
    file_reads_destroy(NULL);
}

static void many_files_are_found(void **state)
{
    (void)state;
    enum { N = 1000 };
    char name[24];
    file_reads_t *r = file_reads_create();
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof(name), "kernel-%d", i);
        file_reads_add(r, name, name + 7);
    }
    assert_int_equal(file_reads_count(r), N);
    size_t at = 0;
    for (int i = N; i-- > 0;) {
        snprintf(name, sizeof(name), "kernel-%d", i);
        file_reads_use(r, name);
        assert_true(file_reads_at(r, (size_t)i)->used);
        assert_true(file_reads_find(r, name + 7, &at));
        assert_int_equal(at, i);
    }
    file_reads_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_hashed_from_the_bytes_that_go_by),
        cmocka_unit_test(what_was_read_in_part_is_hashed_to_its_end),
        cmocka_unit_test(a_file_that_nobody_used_has_no_hash),
        cmocka_unit_test(two_passes_that_differ_are_told),
        cmocka_unit_test(hashes_from_elsewhere_must_agree),
        cmocka_unit_test(nobody_who_wants_to_know_is_allowed),
        cmocka_unit_test(many_files_are_found),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
