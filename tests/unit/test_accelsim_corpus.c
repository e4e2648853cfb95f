/* The corpora of the fuzz targets of the trace reader and of its lists, and random changes of
 * them, in every build. */
#include "tests/support/accelsim_list_trial.h"
#include "tests/support/accelsim_trial.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"
#include "tests/support/trace_files.h"

enum { MUTATIONS = 8000, LIST_MUTATIONS = 2000 };

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

static void the_lists_are_refused_or_read_as_their_names_say(void **state)
{
    (void)state;
    corpus_holds("accelsim_list", accelsim_list_trial);
}

static void random_changes_of_the_lists_never_break_the_reader(void **state)
{
    (void)state;
    corpus_survives_changes("accelsim_list", accelsim_list_trial, LIST_MUTATIONS);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, quiet_folder_create, quiet_folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(the_corpus_is_refused_or_read_as_its_names_say),
        TEST(random_changes_of_the_corpus_never_break_the_reader),
        TEST(the_lists_are_refused_or_read_as_their_names_say),
        TEST(random_changes_of_the_lists_never_break_the_reader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
