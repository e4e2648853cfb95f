/* Names that a file may get that is written under a temporary name. */
#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/rbt/write/rbt_writer.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/files/new_file.h"
#include "tests/support/tool/cli_child.h"

static void refused(const char *path, bool replace, const char *why)
{
    rb_err_t err = {0};

    assert_int_equal(new_file_check(path, replace, &err), RB_USAGE);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, why));
    assert_null(new_file_name(path, replace, &err));
}

static void goes_to(const char *path, const char *end)
{
    char *name = new_file_name(path, true, &(rb_err_t){0});

    assert_non_null(name);
    assert_true(strlen(name) >= strlen(end));
    assert_string_equal(name + strlen(name) - strlen(end), end);
    free(name);
}

static void only_regular_files_are_replaced(void **state)
{
    (void)state;
    cli_write("old", "1", 1);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("pipe", "to-pipe"), 0);
    assert_int_equal(symlink("folder", "to-folder"), 0);
    refused("old", false, "exists already; --force replaces it");
    for (int replace = 0; replace < 2; replace++) {
        refused("pipe", replace, "is not a regular file");
        refused("to-pipe", replace, "is not a regular file");
        refused("/dev/null", replace, "is not a regular file");
        refused("folder", replace, "is a folder");
        refused("to-folder", replace, "is a folder");
        assert_int_equal(new_file_check("new", replace, &(rb_err_t){0}), RB_OK);
        /* The message of the system is printed for a folder that does not exist. */
        assert_int_equal(new_file_check("old/new", replace, &(rb_err_t){0}), RB_OK);
    }
    goes_to("old", "old");
    goes_to("new", "new");
}

static void a_link_stays_and_its_file_is_replaced(void **state)
{
    (void)state;
    out_file_t f;
    rb_err_t err = {0};
    struct stat st;

    assert_int_equal(mkdir("far", 0700), 0);
    cli_write("far/file", "1", 1);
    assert_int_equal(symlink("far/file", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    goes_to("link", "/far/file");
    goes_to("dangling", "dangling");
    refused("link", false, "exists already");
    refused("dangling", false, "exists already");
    assert_int_equal(out_file_open_path(&f, "link", &err), RB_OK);
    fputs("22", f.out);
    assert_int_equal(out_file_close(&f, RB_OK, &err), RB_OK);
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    char *text = cli_read("far/file");
    assert_string_equal(text, "22");
    free(text);
}

static void names_of_any_length_have_their_own_temporary_file(void **state)
{
    (void)state;
    enum { LENGTH = 240 };
    char name[2][LENGTH + 1];
    out_file_t f[2];
    rb_err_t err = {0};

    for (int i = 0; i < 2; i++) {
        memset(name[i], 'n', LENGTH);
        name[i][LENGTH - 1] = (char)('0' + i);
        name[i][LENGTH] = '\0';
        assert_int_equal(out_file_open_path(&f[i], name[i], &err), RB_OK);
        fputc('0' + i, f[i].out);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(out_file_close(&f[i], RB_OK, &err), RB_OK);
        char *text = cli_read(name[i]);
        assert_non_null(text);
        assert_int_equal(text[0], '0' + i);
        free(text);
    }
}

static void a_signal_leaves_no_temporary_file(void **state)
{
    (void)state;
    const pid_t pid = fork();

    if (pid == 0) {
        out_file_t f[2];
        for (int i = 0; i < 2; i++)
            if (out_file_open(&f[i], ".", i == 0 ? "first" : "second", NULL) != RB_OK)
                _exit(1);
        if (!cli_exists(".first.tmp") || !cli_exists(".second.tmp") ||
            out_file_close(&f[0], RB_OK, NULL) != RB_OK)
            _exit(1);
        raise(SIGTERM);
        _exit(1);
    }
    assert_int_equal(cli_wait(pid), 128 + SIGTERM);
    assert_true(cli_exists("first"));
    assert_false(cli_exists(".second.tmp") || cli_exists("second"));
}

static void a_signal_removes_a_folder_with_all_it_has(void **state)
{
    (void)state;
    const pid_t pid = fork();

    if (pid == 0) {
        if (mkdir("whole", 0777) != 0 || mkdir("whole/a", 0777) != 0 ||
            mkdir("whole/a/b", 0777) != 0 || mkdir("beside", 0777) != 0)
            _exit(1);
        cli_write("whole/a/b/file", "x", 1);
        cli_write("beside/kept", "x", 1);
        if (symlink("../beside", "whole/link") != 0)
            _exit(1);
        out_guard("whole");
        raise(SIGTERM);
        _exit(1);
    }
    assert_int_equal(cli_wait(pid), 128 + SIGTERM);
    assert_false(cli_exists("whole"));
    assert_true(cli_exists("beside/kept"));
}

static void a_trace_that_came_meanwhile_is_kept(void **state)
{
    (void)state;
    rb_err_t err = {0};
    rbt_writer_t *w = rbt_writer_create("late.rbt", NULL, &err);

    assert_non_null(w);
    cli_write("late.rbt", "other", 5);
    assert_int_equal(rbt_writer_finish(w, &err), RB_USAGE);
    assert_non_null(strstr(err.text, "late.rbt: exists already"));
    char *text = cli_read("late.rbt");
    assert_string_equal(text, "other");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_regular_files_are_replaced),
        cmocka_unit_test(a_link_stays_and_its_file_is_replaced),
        cmocka_unit_test(names_of_any_length_have_their_own_temporary_file),
        cmocka_unit_test(a_signal_leaves_no_temporary_file),
        cmocka_unit_test(a_signal_removes_a_folder_with_all_it_has),
        cmocka_unit_test(a_trace_that_came_meanwhile_is_kept),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
