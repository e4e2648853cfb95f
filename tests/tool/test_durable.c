/* Locks on folders, and file names that survive a loss of power. */
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/journal.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/trace_files.h"

/* Replaces the system's function: a network file system whose lock daemon does not run. */
static bool no_locks;

int flock(int fd, int operation)
{
    if (no_locks) {
        errno = ENOLCK;
        return -1;
    }
    return (int)syscall(SYS_flock, fd, operation);
}

/* Replaces the system's function: records the folders that were synced. */
static unsigned folders_synced;

int fsync(int fd)
{
    struct stat st;
    folders_synced += fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    return (int)syscall(SYS_fsync, fd);
}

static void a_folder_that_cannot_be_locked_is_told(void **state)
{
    (void)state;
    rb_err_t err = {0};
    journal_t *j;
    trace_capture_stderr();
    assert_int_equal(journal_create(&j, temp_path("locked"), &err), RB_OK);
    journal_close(j);
    char *said = trace_captured();
    assert_string_equal(said, "");
    free(said);
    no_locks = true;
    trace_capture_stderr();
    assert_int_equal(journal_create(&j, temp_path("journal"), &err), RB_OK);
    journal_close(j);
    no_locks = false;
    said = trace_captured();
    assert_non_null(strstr(said, temp_path("journal")));
    assert_non_null(strstr(said, "cannot be locked"));
    free(said);
}

static void the_name_of_a_file_is_durable_when_it_is_closed(void **state)
{
    (void)state;
    rb_err_t err = {0};
    out_file_t f;
    folders_synced = 0;
    assert_int_equal(out_file_open_path(&f, temp_path("result"), &err), RB_OK);
    fputs("text", f.out);
    assert_int_equal(folders_synced, 0);
    assert_int_equal(out_file_close(&f, RB_OK, &err), RB_OK);
    assert_int_equal(folders_synced, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_that_cannot_be_locked_is_told),
        cmocka_unit_test(the_name_of_a_file_is_durable_when_it_is_closed),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
