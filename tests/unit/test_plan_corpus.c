/* The corpus of the fuzz target of plans, and random changes of it, in every build. */
#include "tests/support/test.h"

#include "sim/core/log.h"
#include "tests/support/corpus.h"
#include "tests/support/plan_trial.h"

static void plans_are_read_or_refused_as_their_files_say(void **state)
{
    (void)state;
    corpus_holds("plan", plan_trial);
}

static void changed_plans_never_crash(void **state)
{
    (void)state;
    corpus_survives_changes("plan", plan_trial, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_read_or_refused_as_their_files_say),
        cmocka_unit_test(changed_plans_never_crash),
    };
    rb_log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
