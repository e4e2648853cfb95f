/* The corpora of the fuzz targets of machine code, and random changes of them, in every build. */
#include "tests/support/corpus.h"
#include "tests/support/sass_trial.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

enum { CUBIN_CHANGES = 1000, SASS_CHANGES = 500 };

static void files_are_refused_or_read_as_their_names_say(void **state)
{
    (void)state;
    corpus_holds("cubin", cubin_trial);
}

static void random_changes_of_files_never_break_the_reader(void **state)
{
    (void)state;
    corpus_survives_changes("cubin", cubin_trial, CUBIN_CHANGES);
}

static void instructions_fail_or_run_as_their_names_say(void **state)
{
    (void)state;
    corpus_holds("sass", sass_trial);
}

static void random_instructions_never_break_the_emulator(void **state)
{
    (void)state;
    corpus_survives_changes("sass", sass_trial, SASS_CHANGES);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_begin, temp_folder_end)
    const struct CMUnitTest tests[] = {
        TEST(files_are_refused_or_read_as_their_names_say),
        TEST(random_changes_of_files_never_break_the_reader),
        TEST(instructions_fail_or_run_as_their_names_say),
        TEST(random_instructions_never_break_the_emulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
