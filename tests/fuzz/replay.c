/*
 * A fuzz target without libFuzzer: the test of its corpus in every build.
 *
 *   fuzz_X            each input of corpus/X ends as its name says, and random changes of them harm
 *                     nothing
 *   fuzz_X FILE...    each file once: to replay what a fuzzer has found
 */
#include <stdio.h>

#include "tests/fuzz/fuzz_target.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"

static void inputs_are_refused_or_read_as_their_names_say(void **state)
{
    (void)state;
    corpus_holds(FUZZ_CORPUS, fuzz_target.trial);
}

static void random_changes_of_inputs_never_break_the_reader(void **state)
{
    (void)state;
    corpus_survives_changes(FUZZ_CORPUS, fuzz_target.trial, fuzz_target.changes);
}

static int replay_corpus(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_refused_or_read_as_their_names_say),
        cmocka_unit_test(random_changes_of_inputs_never_break_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        corpus_input_t in;

        if (!corpus_input_read(&in, argv[i])) {
            perror(argv[i]);
            return 1;
        }
        printf("%s: %s\n", argv[i], fuzz_target.trial(in.data, in.n) == RB_OK ? "read" : "refused");
        corpus_input_free(&in);
    }
    return argc > 1 ? 0 : replay_corpus();
}
