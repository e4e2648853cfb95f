/* rubato gen: the file contains what the generator makes; bad requests are refused. */
#include "tests/support/test.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/library/open_trace.h"
#include "tests/support/input/gen_trial.h"
#include "tests/support/tool/cli_child.h"

static void assert_same_facts(trace_source_t *a, trace_source_t *b, uint64_t id)
{
    launch_info_t x, y;
    const memcpy_op_t *copies_x, *copies_y;
    size_t n = a->ops->copies(a, id, &copies_x);

    assert_int_equal(a->ops->launch_info(a, id, &x, NULL), RB_OK);
    assert_int_equal(b->ops->launch_info(b, id, &y, NULL), RB_OK);
    assert_string_equal(x.name, y.name);
    assert_memory_equal(x.grid, y.grid, sizeof(x.grid));
    assert_memory_equal(x.block, y.block, sizeof(x.block));
    assert_int_equal(x.regs, y.regs);
    assert_int_equal(x.shared_bytes, y.shared_bytes);
    assert_int_equal(x.arch, y.arch);
    assert_int_equal(x.shared_base, y.shared_base);
    assert_int_equal(x.local_base, y.local_base);
    assert_int_equal(x.n_blocks, y.n_blocks);
    assert_int_equal(b->ops->copies(b, id, &copies_y), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(copies_x[i].addr, copies_y[i].addr);
        assert_int_equal(copies_x[i].bytes, copies_y[i].bytes);
    }
}

static void assert_same_blocks(trace_source_t *a, trace_source_t *b, uint64_t id)
{
    trace_launch_t *x, *y;
    uint64_t index = 0;

    assert_int_equal(a->ops->open(a, id, &x, NULL), RB_OK);
    assert_int_equal(b->ops->open(b, id, &y, NULL), RB_OK);
    for (;; index++) {
        trace_block_t *p, *q;

        assert_int_equal(a->ops->get_block(x, index, &p, NULL), RB_OK);
        assert_int_equal(b->ops->get_block(y, index, &q, NULL), RB_OK);
        if (p == NULL || q == NULL) {
            assert_ptr_equal(p, q);
            break;
        }
        if (!stream_blocks_equal(p, q))
            fail_msg("launch %u block %u differs", (unsigned)id, (unsigned)index);
        a->ops->free_block(x, p);
        b->ops->free_block(y, q);
    }
    a->ops->close(x);
    b->ops->close(y);
}

static void assert_file_holds(const char *path, trace_source_t *made)
{
    rb_err_t err = {0};
    trace_source_t *read = open_trace(path, NULL, &err);

    if (read == NULL)
        fail_msg("%s", err.text);
    assert_int_equal(read->ops->n_launches(read), made->ops->n_launches(made));
    for (uint64_t id = 1; id <= made->ops->n_launches(made); id++) {
        assert_same_facts(made, read, id);
        assert_same_blocks(made, read, id);
    }
    read->ops->destroy(read);
    made->ops->destroy(made);
}

static void the_file_holds_what_is_generated(void **state)
{
    (void)state;
    expect(0, "1 launch, ",
           WORDS("gen", "hgemm", "-o", "h.rbt", "--size", "128", "--arch", "sm_75"));
    assert_file_holds("h.rbt", GEN_OPEN("hgemm", 75, 128, NULL));
    expect(0, NULL, WORDS("gen", "bfs", "-o", "b.rbt", "--size", "2k", "-p", "skew=5"));
    assert_file_holds("b.rbt", GEN_OPEN("bfs", 70, 2000, "skew=5"));
    expect(0, "60 launches, ",
           WORDS("gen", "train", "-o", "t.rbt", "--size", "60", "-p", "width=40", "-p", "tokens=5",
                 "--param", "layers=2"));
    assert_file_holds("t.rbt", GEN_OPEN("train", 70, 60, "width=40", "tokens=5", "layers=2"));
    expect(0, NULL, WORDS("gen", "aes", "-o", "a.rbt", "--blocks", "3"));
    assert_file_holds("a.rbt", GEN_OPEN("aes", 70, 768, NULL));
}

static void the_seed_and_nothing_else_changes_the_file(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "spmv", "-o", "1.rbt", "--size", "3000", "--seed", "1"));
    expect(0, NULL, WORDS("gen", "spmv", "-o", "default.rbt", "--size", "3000", "-t", "3"));
    expect(0, NULL, WORDS("gen", "spmv", "-o", "2.rbt", "--size", "3000", "--seed", "2"));
    assert_file_holds("1.rbt", GEN_OPEN("spmv", 70, 3000, NULL));
    assert_file_holds("default.rbt", GEN_OPEN("spmv", 70, 3000, NULL));
    rb_err_t err = {0};
    trace_source_t *other = open_trace("2.rbt", NULL, &err);

    assert_non_null(other);
    uint64_t hash = gen_trial_count(other).hash;

    assert_int_not_equal(hash, GEN_COUNT("spmv", 3000, NULL).hash);
}

static void a_generated_trace_runs(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "reduction", "-o", "r.rbt", "--size", "5000"));
    expect(0, NULL, WORDS("run", "r.rbt", "-o", "out"));
    free(cli_read_json("out/run.json"));
}

static void the_list_names_kinds_and_parameters(void **state)
{
    (void)state;
    char *all = cli_run_as(&rubato, 0, NULL, WORDS("gen", "--list"));
    char *one = cli_run_as(&rubato, 0, NULL, WORDS("gen", "--list", "spmv"));

    gen_list_t list;

    assert_int_equal(gen_list_read(&list, NULL), RB_OK);
    for (unsigned i = 0; i < list.n; i++) {
        gen_kind_info_t kind = list.kind[i];
        const char *entry = strstr(all, kind.summary);

        assert_non_null(entry);
        for (unsigned p = 0; p < kind.n_params; p++)
            assert_non_null(strstr(entry, kind.params[p].help));
    }
    gen_list_free(&list);
    assert_non_null(strstr(one, "sparse matrix"));
    assert_non_null(strstr(one, "degree "));
    assert_null(strstr(one, "vecadd"));
    free(all);
    free(one);
    expect(2, "there is no workload 'x'", WORDS("gen", "--list", "x"));
}

static void bad_requests_exit_with_2_and_leave_no_file(void **state)
{
    (void)state;
    expect(2, "there is no workload 'vecad'", WORDS("gen", "vecad", "-o", "bad.rbt"));
    expect(2, "-o FILE", WORDS("gen", "vecadd"));
    expect(2, NULL, WORDS("gen"));
    expect(2, NULL, WORDS("gen", "vecadd", "relu", "-o", "bad.rbt"));
    expect(2, "--size", WORDS("gen", "vecadd", "-o", "bad.rbt", "--size", "-3"));
    expect(2, "outside 1 .. ", WORDS("gen", "vecadd", "-o", "bad.rbt", "--size", "1000000G"));
    expect(2, "exclude", WORDS("gen", "vecadd", "-o", "bad.rbt", "--size", "3", "--blocks", "3"));
    expect(2, "sm_80", WORDS("gen", "vecadd", "-o", "bad.rbt", "--arch", "sm_80"));
    expect(2, "no parameter 'x'", WORDS("gen", "vecadd", "-o", "bad.rbt", "-p", "x=3"));
    expect(2, "give a size", WORDS("gen", "train", "-o", "bad.rbt", "--blocks", "3"));
    assert_false(cli_exists("bad.rbt"));
    expect(0, NULL, WORDS("gen", "vecadd", "-o", "kept.rbt", "--size", "32"));
    expect(2, "kept.rbt: exists already", WORDS("gen", "vecadd", "-o", "kept.rbt", "--size", "64"));
    assert_file_holds("kept.rbt", GEN_OPEN("vecadd", 70, 32, NULL));
    expect(0, NULL, WORDS("gen", "vecadd", "-o", "kept.rbt", "--size", "64", "-f"));
    assert_file_holds("kept.rbt", GEN_OPEN("vecadd", 70, 64, NULL));
}

/* Entries of the present folder, besides . and .. */
static unsigned count_files(void)
{
    DIR *dir = opendir(".");
    unsigned n = 0;

    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        n += d->d_name[0] != '.' || (d->d_name[1] != '.' && d->d_name[1] != '\0');
    closedir(dir);
    return n;
}

static void a_signal_leaves_no_file(void **state)
{
    unsigned before = count_files();
    pid_t pid = cli_start(&rubato, WORDS("gen", "aes", "-o", "never.rbt", "--size", "1G"));

    (void)state;
    for (int i = 0; i < 60000 && count_files() == before; i++)
        usleep(1000);
    assert_int_equal(count_files(), before + 1); /* the temporary file */
    kill(pid, SIGTERM);
    assert_int_equal(cli_wait(pid), 75);
    assert_int_equal(count_files(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_holds_what_is_generated),
        cmocka_unit_test(the_seed_and_nothing_else_changes_the_file),
        cmocka_unit_test(a_generated_trace_runs),
        cmocka_unit_test(the_list_names_kinds_and_parameters),
        cmocka_unit_test(bad_requests_exit_with_2_and_leave_no_file),
        cmocka_unit_test(a_signal_leaves_no_file),
    };

    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
