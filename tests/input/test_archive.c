/* Archives of traces: what is unpacked, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "frontend/input/archive/archive_list.h"
#include "frontend/input/archive/trace_archive.h"
#include "tests/support/file_tree.h"
#include "tests/support/input/tar_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

/* Unpacks the archive "a.tgz" into the new folder "out". */
static rb_code_t unpack(rb_err_t *err)
{
    char archive[256];
    snprintf(archive, sizeof(archive), "%s", temp_path("a.tgz"));
    *err = (rb_err_t){0};
    file_tree_remove(temp_path("out"));
    assert_int_equal(mkdir(temp_path("out"), 0777), 0);
    return trace_archive_unpack(archive, temp_path("out"), NULL, NULL, err);
}

/* Unpacking must fail with one message that names the archive. */
static void refused(const char *why)
{
    rb_err_t err;
    assert_int_equal(unpack(&err), RB_TRACE);
    if (strstr(err.text, why) == NULL || strstr(err.text, "a.tgz: ") == NULL)
        fail_msg("'%s' does not say '%s'", err.text, why);
}

/* The archive of one member is refused. */
static void member_refused(const char *name, char type, const char *why)
{
    tar_file_t t = {0};
    tar_add_text(&t, name, type, type == '0' ? "text" : NULL);
    tar_end(&t);
    tar_write(&t, temp_path("a.tgz"));
    refused(why);
}

/* The text of a file in "out", decompressed. */
static void content_is(const char *name, const char *expected)
{
    char text[64] = "";
    size_t got;
    rb_err_t err = {0};
    accelsim_stream_t *s = accelsim_stream_open(temp_path(name), &err);
    if (s == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(accelsim_stream_read(s, text, sizeof(text) - 1, &got, NULL), RB_OK);
    accelsim_stream_close(s);
    assert_string_equal(text, expected);
}

static void kernel_files_are_stored_compressed_and_the_rest_as_it_is(void **state)
{
    struct stat st;
    rb_err_t err;
    tar_file_t t = {0};
    (void)state;
    tar_add_text(&t, "./bfs/", '5', NULL);
    tar_add_text(&t, "./bfs/kernelslist.g", '0', "kernel-1.traceg\n");
    tar_add_text(&t, "bfs/kernel-1.traceg", '0', "-kernel name = a\n");
    tar_add_text(&t, "bfs/deep/er/kernel-2.traceg", '0', "\037\213 compressed");
    tar_end(&t);
    tar_write_gzip(&t, temp_path("a.tgz"));
    assert_int_equal(unpack(&err), RB_OK);
    content_is("out/bfs/kernelslist.g", "kernel-1.traceg\n");
    content_is("out/bfs/kernel-1.traceg.zst", "-kernel name = a\n");
    assert_int_equal(stat(temp_path("out/bfs/deep/er/kernel-2.traceg"), &st), 0);
    assert_int_equal(stat(temp_path("out/bfs/kernel-1.traceg"), &st), -1);
}

static bool stop_at_once(void *ctx)
{
    ++*(int *)ctx;
    return true;
}

static void unpacking_stops_on_request(void **state)
{
    char archive[256];
    rb_err_t err = {0};
    tar_file_t t = {0};
    int calls = 0;
    (void)state;
    tar_add_text(&t, "a", '0', "text");
    tar_end(&t);
    tar_write(&t, temp_path("a.tgz"));
    snprintf(archive, sizeof(archive), "%s", temp_path("a.tgz"));
    file_tree_remove(temp_path("out"));
    assert_int_equal(mkdir(temp_path("out"), 0777), 0);
    assert_int_equal(trace_archive_unpack(archive, temp_path("out"), stop_at_once, &calls, &err),
                     RB_STOPPED);
    assert_int_equal(calls, 1);
}

static void traces_are_listed_without_unpacking(void **state)
{
    archive_list_t list;
    tar_file_t t = {0};
    (void)state;
    tar_add_text(&t, "a/traces/kernel-1.traceg", '0', "12345");
    tar_add_text(&t, "a/traces/kernel-2.traceg", '0', "123");
    tar_add_text(&t, "a/traces/kernelslist.g", '0', "k\n");
    tar_add_text(&t, "b.rbt", '0', "1234567");
    tar_add_text(&t, "notes.txt", '0', "1");
    tar_add_text(&t, "m/kernel_config.txt", '0', "1");
    tar_end(&t);
    tar_write(&t, temp_path("a.tgz"));
    assert_int_equal(archive_list_read(&list, temp_path("a.tgz"), NULL), RB_OK);
    assert_int_equal(list.n, 3);
    assert_string_equal(list.traces[0].name, "a/traces");
    assert_int_equal(list.traces[0].grouped, 2);
    assert_int_equal(list.traces[0].bytes, 10);
    assert_string_equal(list.traces[1].name, "b.rbt");
    assert_string_equal(list.traces[1].format, "rbt");
    assert_string_equal(list.traces[2].format, "macsim");
    archive_list_free(&list);
}

static void names_that_leave_the_folder_links_and_devices_are_refused(void **state)
{
    (void)state;
    member_refused("../x", '0', "member '../x' has '..' in its name");
    member_refused("a/../../x", '0', "has '..' in its name");
    member_refused("a/..", '0', "has '..' in its name");
    member_refused("/tmp/x", '0', "has an absolute name");
    member_refused("a\nb", '0', "control characters");
    member_refused("a/b", '1', "member 'a/b' is a link");
    member_refused("a/b", '2', "is a link");
    member_refused("a/b", '3', "neither a file nor a folder");
    member_refused("a/b", '6', "neither a file nor a folder");
    member_refused("a/b", 'S', "sparse");
}

static void a_second_member_of_one_name_is_refused(void **state)
{
    tar_file_t t = {0};
    (void)state;
    tar_add_text(&t, "a/x", '0', "1");
    tar_add_text(&t, "a/./x", '0', "2");
    tar_end(&t);
    tar_write(&t, temp_path("a.tgz"));
    refused("'a/x' is there twice");
}

/* An archive cut at any byte is refused, plain or compressed. */
static void truncated_archives_are_refused(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 2560; cut += 511) {
        tar_file_t t = {0};
        tar_add_text(&t, "a/kernelslist.g", '0', "kernel-1.traceg\n");
        tar_add_text(&t, "a/kernel-1.traceg", '0', "-kernel name = a\n");
        tar_end(&t);
        t.n = cut > 2048 ? 2048 : cut;
        tar_write(&t, temp_path("a.tgz"));
        refused("truncated");
    }
    tar_file_t t = {0};
    tar_add_text(&t, "a", '0', "some text");
    tar_end(&t);
    tar_write_gzip(&t, temp_path("a.tgz"));
    assert_int_equal(truncate(temp_path("a.tgz"), 60), 0);
    refused("truncated");
}

static void damaged_headers_are_refused(void **state)
{
    tar_file_t t = {0};
    (void)state;
    tar_add_text(&t, "a", '0', "text");
    t.data[3] = 'x'; /* the sum of the header is now wrong */
    tar_end(&t);
    tar_write(&t, temp_path("a.tgz"));
    refused("no header at byte 0");
    tar_add_text(&t, "pax", 'x', "9999 path=a\n");
    tar_end(&t);
    tar_write(&t, temp_path("a.tgz"));
    refused("not a tar archive");
}

static void what_grows_beyond_all_measure_is_refused(void **state)
{
    enum { BYTES = 70 << 20 };
    char *zeros = calloc(BYTES, 1);
    tar_file_t t = {0};
    (void)state;
    tar_add(&t, "zeros", '0', zeros, BYTES);
    tar_end(&t);
    tar_write_gzip(&t, temp_path("a.tgz"));
    free(zeros);
    refused("several times the archive's size");
}

/* A search of all entries per member would take minutes for these. */
static void many_folders_are_listed_in_little_time(void **state)
{
    enum { FOLDERS = 200000 };
    archive_list_t list;
    tar_file_t t = {0};
    char name[64];
    (void)state;
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(name, sizeof(name), "program-with-a-name/%d/kernelslist.g", i);
        tar_add_text(&t, name, '0', NULL);
    }
    tar_end(&t);
    tar_write_gzip(&t, temp_path("a.tgz"));
    const clock_t begun = clock();
    assert_int_equal(archive_list_read(&list, temp_path("a.tgz"), NULL), RB_OK);
    assert_true(clock() - begun < 20 * (clock_t)CLOCKS_PER_SEC);
    assert_int_equal(list.n, FOLDERS);
    assert_string_equal(list.traces[FOLDERS - 1].name, "program-with-a-name/199999");
    archive_list_free(&list);
}

static void folders_count_as_content(void **state)
{
    tar_file_t t = {0};
    char name[32];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof(name), "%d", i);
        tar_add_text(&t, name, '5', NULL);
    }
    tar_end(&t);
    tar_write_gzip(&t, temp_path("a.tgz"));
    refused("several times the archive's size");
}

/* Writes a million and one members: four million bytes, and 512 times as much unpacked. */
static void write_members(const char *path)
{
    enum { MANY = 1000 };
    tar_file_t t = {0};
    for (int i = 0; i < MANY; i++)
        tar_add_text(&t, "a.rbt", '0', NULL);
    gzFile out = gzopen(path, "wb1");
    assert_non_null(out);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(gzwrite(out, t.data, (unsigned)t.n), t.n);
    assert_int_equal(gzwrite(out, t.data, 512), 512);
    assert_int_equal(gzclose(out), Z_OK);
    free(t.data);
}

static void members_are_limited(void **state)
{
    archive_list_t list;
    rb_err_t err = {0};
    (void)state;
    write_members(temp_path("a.tgz"));
    assert_int_equal(archive_list_read(&list, temp_path("a.tgz"), &err), RB_TRACE);
    assert_non_null(strstr(err.text, "a.tgz: has more than 1000000 files and folders"));
    archive_list_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_files_are_stored_compressed_and_the_rest_as_it_is),
        cmocka_unit_test(unpacking_stops_on_request),
        cmocka_unit_test(traces_are_listed_without_unpacking),
        cmocka_unit_test(names_that_leave_the_folder_links_and_devices_are_refused),
        cmocka_unit_test(a_second_member_of_one_name_is_refused),
        cmocka_unit_test(truncated_archives_are_refused),
        cmocka_unit_test(damaged_headers_are_refused),
        cmocka_unit_test(what_grows_beyond_all_measure_is_refused),
        cmocka_unit_test(folders_count_as_content),
        cmocka_unit_test(members_are_limited),
        cmocka_unit_test(many_folders_are_listed_in_little_time),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
