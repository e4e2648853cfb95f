/* The corpus of the trace reader's fuzz target and random changes of it, under every build. */
#include <stdlib.h>

#include "tests/support/accelsim_trial.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"
#include "tests/support/trace_files.h"

enum { MUTATIONS = 8000 };

/* Warnings of thousands of damaged traces are of no interest. */
static int silence(void **state)
{
    (void)state;
    trace_capture_stderr();
    return 0;
}

static int unsilence(void **state)
{
    (void)state;
    free(trace_captured());
    return 0;
}

static void the_corpus_is_refused_or_read_as_its_names_say(void **state)
{
    (void)state;
    corpus_holds("accelsim", accelsim_trial);
}

static void random_changes_of_the_corpus_never_break_the_reader(void **state)
{
    (void)state;
    corpus_survives_changes("accelsim", accelsim_trial, MUTATIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_corpus_is_refused_or_read_as_its_names_say, silence,
                                        unsilence),
        cmocka_unit_test_setup_teardown(random_changes_of_the_corpus_never_break_the_reader,
                                        silence, unsilence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
