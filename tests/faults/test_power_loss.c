/*
 * The power fails while a run writes its journal, checkpoints and results. From every state that
 * the disk can then have (tests/support/tool/disk_model.h), --resume must complete the run to the same
 * bytes. If it starts over, it must say so.
 */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/file_tree.h"
#include "tests/support/tool/disk_model.h"
#include "tests/support/tool/fault_lab.h"

#define RUN                                                                                        \
    "run", "small.rbt", "-s", "sm.count=1", "-s", "mem.partitions=1", "-t", "1", "-o", "work/out", \
        "--stats-interval", "2k", "--checkpoint-interval", "0"

static unsigned states, anew, problems;

/* Whether the journal ends before the payload of its first record. --resume then starts over. */
static bool is_begun(void)
{
    enum { FIRST_RECORD = 24 };
    struct stat st;

    return stat("work/out/journal", &st) == 0 && st.st_size <= FIRST_RECORD;
}

static void resume(void *ctx)
{
    const bool begun = is_begun();
    char *before = file_tree_sizes("work", NULL);
    cli_result_t r = cli_run(&rubato, WORDS(RUN, "--resume"));
    file_tree_t wanted = file_tree_list("whole"), left = file_tree_list("work");
    bool good = r.status == 0 && wanted.n == left.n;

    (void)ctx;
    for (size_t i = 0; i < wanted.n && good; i++)
        good = file_tree_same_file("whole", "work", wanted.path[i]);
    if (begun)
        good = good && strstr(r.err, "starts over") != NULL;
    if (!good) {
        print_error("status %d, it said: %s; after power failed with\n%s", r.status, r.err, before);
        problems++;
    }
    states++;
    anew += begun;
    file_tree_free(&wanted);
    file_tree_free(&left);
    cli_free(&r);
    free(before);
}

static void a_run_resumes_from_whatever_the_disk_holds(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "stencil", "--size", "4", "-p", "steps=3", "-o", "small.rbt"));
    fault_lab_record(RUBATO_BINARY, RUBATO_FAULTS_LIBRARY, WORDS(RUN), "log");
    mkdir("work", 0777);
    disk_t *d = disk_read("log", "work/out");
    disk_every_state(d, resume, NULL);
    disk_free(d);
    print_message("%u states of the disk; of them %u with a journal without records\n", states,
                  anew);
    assert_true(states > 100 && anew > 2);
    if (problems > 0)
        fail_msg("%u problems", problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_resumes_from_whatever_the_disk_holds),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
