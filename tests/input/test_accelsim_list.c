/* The files of a trace: lists, single files, and how they are recognised. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/accelsim.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

/* One block of one warp, in a separate file. */
static void write_kernel(const char *name, const char *kernel)
{
    char more[256], text[4096];

    snprintf(more, sizeof(more), "-kernel name = %s\n-grid dim = (1,1,1)\n", kernel);
    snprintf(text, sizeof(text),
             "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
             "0000 ffffffff 0 EXIT 0 0 0 \n#END_TB\n",
             trace_header(5, more));
    trace_write(name, text);
}

static void name_of_launch(trace_source_t *s, uint64_t id, const char *expected)
{
    launch_info_t info;

    assert_int_equal(s->ops->launch_info(s, id, &info, NULL), RB_OK);
    assert_string_equal(info.name, expected);
    assert_int_equal(info.id, id);
}

static void open_fails(const char *path, rb_code_t code, const char *part)
{
    rb_err_t err = {0};

    assert_null(accelsim_open(path, NULL, &err));
    assert_int_equal(err.code, code);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, part);
}

static void remove_files(const char *const *names)
{
    for (; *names != NULL; names++)
        remove(trace_path(*names));
}

static void a_list_names_launches_and_the_copies_between_them(void **state)
{
    static const char *const files[] = {"kernel-1.traceg", "kernel-2-ctx_0x5.traceg",
                                        "kernelslist.g", NULL};
    const memcpy_op_t *ops;

    (void)state;
    write_kernel("kernel-1.traceg", "first");
    write_kernel("kernel-2-ctx_0x5.traceg", "second");
    trace_write("kernelslist.g", "MemcpyHtoD,0x00007f7393700000,32768\n"
                                 "MemcpyDtoH,0x00007f7393700000,1\n"
                                 "MemcpyHtoD,0x10,1\r\n"
                                 "kernel-1.traceg  \n"
                                 "\n"
                                 "MemcpyHtoD,0x20,2\n"
                                 "kernel-2-ctx_0x5.traceg\n"
                                 "kernel-1.traceg\n"
                                 "MemcpyHtoD,0x30,3");
    trace_source_t *s = trace_open(".");

    assert_int_equal(s->ops->n_launches(s), 3);
    name_of_launch(s, 1, "first");
    name_of_launch(s, 2, "second");
    name_of_launch(s, 3, "first");
    assert_int_equal(s->ops->copies(s, 1, &ops), 2);
    assert_int_equal(ops[0].addr, 0x7f7393700000);
    assert_int_equal(ops[0].bytes, 32768);
    assert_int_equal(ops[1].addr, 0x10);
    assert_int_equal(s->ops->copies(s, 2, &ops), 1);
    assert_int_equal(ops[0].bytes, 2);
    assert_int_equal(s->ops->copies(s, 3, &ops), 0);
    assert_int_equal(s->ops->copies(s, 4, &ops), 1);
    assert_int_equal(ops[0].addr, 0x30);
    s->ops->destroy(s);
    remove_files(files);
}

static void a_list_of_grouped_files_is_preferred(void **state)
{
    static const char *const files[] = {"kernel-1.traceg", "kernel-2.trace", "kernelslist",
                                        "kernelslist.g", NULL};

    (void)state;
    write_kernel("kernel-1.traceg", "grouped");
    write_kernel("kernel-2.trace", "raw");
    trace_write("kernelslist", "kernel-2.trace\n");
    trace_source_t *s = trace_open(".");

    name_of_launch(s, 1, "raw");
    s->ops->destroy(s);
    trace_write("kernelslist.g", "kernel-1.traceg\n");
    s = trace_open(".");
    name_of_launch(s, 1, "grouped");
    s->ops->destroy(s);
    s = trace_open("kernelslist");
    name_of_launch(s, 1, "raw");
    s->ops->destroy(s);
    remove_files(files);
}

static void without_a_list_grouped_files_come_in_the_order_of_their_numbers(void **state)
{
    static const char *const files[] = {"kernel-2.traceg",
                                        "kernel-10.traceg",
                                        "kernel-1.traceg",
                                        "kernel-10.traceg.xz",
                                        "kernel-3.trace",
                                        "stats.csv",
                                        NULL};

    (void)state;
    write_kernel("kernel-10.traceg", "third");
    write_kernel("kernel-10.traceg.xz", "third again");
    write_kernel("kernel-2.traceg", "second");
    write_kernel("kernel-1.traceg", "first");
    write_kernel("kernel-3.trace", "raw");
    trace_write("stats.csv", "kernel-1.traceg\n");
    assert_true(accelsim_detect(trace_folder()));
    trace_capture_stderr();
    trace_source_t *s = trace_open(".");
    char *said = trace_captured();

    assert_non_null(strstr(said, "3 .traceg files are taken in the order of their numbers"));
    free(said);
    assert_int_equal(s->ops->n_launches(s), 3);
    name_of_launch(s, 1, "first");
    name_of_launch(s, 2, "second");
    name_of_launch(s, 3, "third");
    s->ops->destroy(s);
    remove_files(files);
    open_fails(trace_folder(), RB_TRACE, "no kernelslist.g or kernelslist in this folder");
}

static void several_lists_of_one_kind_must_be_chosen_from(void **state)
{
    static const char *const files[] = {"kernelslist_ctx_0x1", "kernelslist_ctx_0x2",
                                        "kernelslist_ctx_0x2.g", "kernel-1.traceg", NULL};

    (void)state;
    write_kernel("kernel-1.traceg", "first");
    trace_write("kernelslist_ctx_0x1", "kernel-1.traceg\n");
    trace_write("kernelslist_ctx_0x2", "kernel-1.traceg\n");
    open_fails(trace_folder(), RB_TRACE, "several lists");
    trace_write("kernelslist_ctx_0x2.g", "kernel-1.traceg\n");
    trace_source_t *s = trace_open(".");

    name_of_launch(s, 1, "first");
    s->ops->destroy(s);
    remove_files(files);
}

static void a_file_packed_or_unpacked_since_is_still_found(void **state)
{
    static const struct {
        const char *listed, *there;
    } cases[] = {
        {"kernel-1.traceg", "kernel-1.traceg.xz"}, {"kernel-1.traceg.xz", "kernel-1.traceg"},
        {"kernel-1.trace.xz", "kernel-1.trace"},   {"kernel-1.traceg", "kernel-1.traceg.zst"},
        {"kernel-1.trace", "kernel-1.traceg.gz"},  {"kernel-1.traceg", "kernel-1.trace"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char list[64];

        write_kernel(cases[i].there, "found");
        snprintf(list, sizeof(list), "%s\n", cases[i].listed);
        trace_write("kernelslist.g", list);
        trace_source_t *s = trace_open(".");

        name_of_launch(s, 1, "found");
        s->ops->destroy(s);
        remove(trace_path(cases[i].there));
    }
    remove(trace_path("kernelslist.g"));
}

static void bad_lists_are_refused(void **state)
{
    static const struct {
        const char *list;
        rb_code_t code;
        const char *part;
    } cases[] = {
        {"", RB_TRACE, "names no kernel"},
        {"MemcpyHtoD,0x10,1\n", RB_TRACE, "names no kernel"},
        {"MemcpyHtoD,0x10\n", RB_TRACE, "kernelslist.g:1: 'MemcpyHtoD,0xADDRESS,BYTES'"},
        {"\nMemcpyHtoD,16,1\n", RB_TRACE, "kernelslist.g:2:"},
        {"MemcpyHtoD,0x10,1,1\n", RB_TRACE, "kernelslist.g:1:"},
        {"MemcpyHtoD,0xffffffffffffffff,5\n", RB_TRACE, "end of the address space"},
        {"MemcpyHtoD,0x10,-4\n", RB_TRACE, "kernelslist.g:1:"},
        {"# x\nkernel-77.traceg\n", RB_IO, "kernelslist.g:2: kernel-77.traceg: no such file"},
        {"\nkernel-77.tracez\n", RB_IO, "kernelslist.g:2: kernel-77.tracez: no such file"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        trace_write("kernelslist.g", cases[i].list);
        open_fails(trace_folder(), cases[i].code, cases[i].part);
    }
    remove(trace_path("kernelslist.g"));
    open_fails(trace_folder(), RB_TRACE, "no kernelslist");
    open_fails(trace_path("nothing.traceg"), RB_IO, "No such file");
    open_fails(trace_path("nothing.tracez"), RB_IO, "No such file");
    open_fails(trace_path("kernelslist"), RB_IO, "No such file");
}

/* A file that is not a kernel file is reported as such, before any of its lines. */
static void other_files_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        rb_code_t code;
        const char *part;
    } cases[] = {
        {"BZh91AY&SY", RB_TRACE,
         "kernel-1.traceg: is compressed with bzip2: decompress it, or use xz"},
        {"PK\3\4....", RB_TRACE, "is compressed with zip"},
        {"\4\x22\x4d\x18..", RB_TRACE, "is compressed with lz4"},
        {"hello\n", RB_TRACE, "kernel-1.traceg:1: this is not a kernel file of an Accel-Sim trace"},
    };
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", NULL};
    rb_err_t err = {0};

    (void)state;
    trace_write("kernelslist.g", "kernel-1.traceg\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        launch_info_t info;

        err = (rb_err_t){0};
        trace_write("kernel-1.traceg", cases[i].text);
        trace_source_t *s = trace_open("kernelslist.g");

        assert_int_equal(s->ops->launch_info(s, 1, &info, &err), cases[i].code);
        if (strstr(err.text, cases[i].part) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].part);
        s->ops->destroy(s);
    }
    remove(trace_path("kernelslist.g"));
    assert_int_equal(mkfifo(trace_path("kernelslist.g"), 0600), 0);
    open_fails(trace_folder(), RB_IO, "kernelslist.g: is a pipe or device, not a file");
    remove_files(files);
}

static void traces_are_recognised(void **state)
{
    static const char *const files[] = {"kernelslist.g", "k", "config.cfg", NULL};

    (void)state;
    assert_false(accelsim_detect(trace_folder()));
    trace_write("kernelslist.g", "kernel-1.traceg\n");
    assert_true(accelsim_detect(trace_folder()));
    assert_true(accelsim_detect(trace_path("kernelslist.g")));
    write_kernel("k", "any");
    assert_true(accelsim_detect(trace_path("k")));
    trace_write("config.cfg", "# v100\ngpu = {};\n");
    assert_false(accelsim_detect(trace_path("config.cfg")));
    assert_false(accelsim_detect(trace_path("nothing")));
    remove_files(files);
}

static void visit(void *ctx, const char *path, bool opened)
{
    (void)opened;
    strcat(strcat(ctx, strrchr(path, '/') + 1), " ");
}

static void the_files_of_a_trace_are_listed(void **state)
{
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", "kernel-2.traceg",
                                        NULL};
    char seen[256] = "";

    (void)state;
    write_kernel("kernel-1.traceg", "a");
    write_kernel("kernel-2.traceg", "b");
    trace_write("kernelslist.g", "kernel-2.traceg\nkernel-1.traceg\n");
    trace_source_t *s = trace_open(".");

    accelsim_files(s, visit, seen);
    assert_string_equal(seen, "kernelslist.g kernel-2.traceg kernel-1.traceg ");
    s->ops->destroy(s);
    remove_files(files);
}

static void progress_goes_from_nothing_to_the_size_of_the_files(void **state)
{
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", "kernel-2.traceg",
                                        NULL};
    uint64_t done, total;

    (void)state;
    write_kernel("kernel-1.traceg", "a");
    write_kernel("kernel-2.traceg", "a");
    trace_write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
    trace_source_t *s = trace_open(".");

    s->ops->progress(s, &done, &total);
    assert_int_equal(done, 0);
    launch_size_t size[2] = {{0}, {0}};
    s->ops->launch_size(s, 1, &size[0]);
    s->ops->launch_size(s, 2, &size[1]);
    assert_int_equal(size[0].bytes + size[1].bytes, total);
    assert_int_equal(size[0].bytes, size[1].bytes);
    uint64_t before = done;

    for (uint64_t id = 1; id <= 2; id++) {
        trace_launch_t *l;
        trace_block_t *b;

        assert_int_equal(s->ops->open(s, id, &l, NULL), RB_OK);
        assert_int_equal(s->ops->get_block(l, 1, &b, NULL), RB_OK);
        s->ops->close(l);
        s->ops->progress(s, &done, &total);
        assert_int_equal(done, total / 2 * id);
        assert_true(done > before);
        before = done;
    }
    s->ops->destroy(s);
    remove_files(files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_names_launches_and_the_copies_between_them),
        cmocka_unit_test(a_list_of_grouped_files_is_preferred),
        cmocka_unit_test(without_a_list_grouped_files_come_in_the_order_of_their_numbers),
        cmocka_unit_test(several_lists_of_one_kind_must_be_chosen_from),
        cmocka_unit_test(a_file_packed_or_unpacked_since_is_still_found),
        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(traces_are_recognised),
        cmocka_unit_test(the_files_of_a_trace_are_listed),
        cmocka_unit_test(progress_goes_from_nothing_to_the_size_of_the_files),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
