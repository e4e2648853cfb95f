/* Samplers and their options as text: checked, named in messages, documented. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sampling/launch/sample_syntax.h"
#include "sim/core/log.h"
#include "tests/support/sampling/population_lab.h"

static const char *parse_error(const char *text)
{
    static rb_err_t err;
    launch_choice_t choice;
    err = (rb_err_t){0};
    assert_int_equal(launch_choice_parse(&choice, text, &err), RB_USAGE);
    return err.text;
}

/* The row of a method in the table of docs/plan.md names each of its options. */
static void every_option_is_documented(void **state)
{
    (void)state;
    static char text[1 << 16];
    FILE *in = fopen(RUBATO_ROOT "/docs/plan.md", "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
    fclose(in);
    for (size_t i = 0; i < n_launch_methods; i++) {
        const launch_method_t *m = launch_methods[i];
        char row[4096], name[64];
        snprintf(name, sizeof(name), "\n| `%s`: ", m->name);
        const char *at = strstr(text, name);
        assert_non_null(at);
        snprintf(row, sizeof(row), "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
        for (size_t k = 0; k < m->options->n_params; k++) {
            snprintf(name, sizeof(name), "`%s`", m->options->params[k].name);
            if (strncmp(m->options->params[k].name, "max_", 4) == 0)
                assert_non_null(strstr(text, name)); /* of all that have a limit */
            else if (strstr(row, name) == NULL)
                fail_msg("docs/plan.md does not have %s of %s", name, m->name);
        }
    }
}

static void options_are_named_checked_and_written_back(void **state)
{
    (void)state;
    assert_non_null(strstr(parse_error("stm"), "did you mean 'stem'?"));
    assert_non_null(strstr(parse_error("zzzzzzzz"), "known: random allegro"));
    assert_non_null(strstr(parse_error("stem:epsilom=0.1"), "did you mean 'epsilon'?"));
    assert_non_null(strstr(parse_error("stem:epsilon=2"), "must be"));
    assert_non_null(strstr(parse_error("stem:epsilon=abc"), "epsilon"));
    assert_non_null(strstr(parse_error("stem:epsilon"), "is not option=value"));
    assert_non_null(strstr(parse_error("stem:variant=best"), "derived | paper | artifact"));
    assert_non_null(strstr(parse_error("stem:"), "is not option=value"));
    launch_choice_t choice;
    rb_err_t err = {0};
    assert_int_equal(launch_choice_parse(&choice, "stem:epsilon=2.5%,root=off", &err), RB_OK);
    char *text = launch_choice_text(&choice);
    assert_non_null(strstr(text, "stem:epsilon=0.025"));
    assert_non_null(strstr(text, "root=false"));
    launch_choice_free(&choice);
    assert_int_equal(launch_choice_parse(&choice, text, &err), RB_OK);
    char *again = launch_choice_text(&choice);
    assert_string_equal(again, text);
    launch_choice_free(&choice);
    free(text);
    free(again);
}

static void every_method_has_options_with_help(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_launch_methods; i++) {
        const launch_method_t *m = launch_methods[i];
        assert_ptr_equal(launch_method_find(m->name), m);
        assert_true(m->online || m->plan != NULL);
        assert_true(strlen(m->help) > 10);
        for (size_t p = 0; p < m->options->n_params; p++)
            assert_true(strlen(m->options->params[p].help) > 3);
        launch_choice_t choice;
        rb_err_t err = {0};
        assert_int_equal(launch_choice_parse(&choice, m->name, &err), RB_OK);
        char *text = launch_choice_text(&choice);
        launch_choice_free(&choice);
        assert_int_equal(launch_choice_parse(&choice, text, &err), RB_OK);
        launch_choice_free(&choice);
        free(text);
    }
}

static void lists_of_samplers_are_split_at_samplers(void **state)
{
    (void)state;
    sample_list_t list;
    rb_err_t err = {0};
    assert_int_equal(
        sample_list_parse(&list, "stem:epsilon=0.1,variant=paper,photon_bb,a:b=1", &err), RB_OK);
    assert_int_equal(list.n, 3);
    assert_string_equal(list.items[0], "stem:epsilon=0.1,variant=paper");
    assert_string_equal(list.items[1], "photon_bb");
    assert_string_equal(list.items[2], "a:b=1");
    sample_list_free(&list);
    assert_int_equal(sample_list_parse(&list, "photon,blocks:count=3", &err), RB_OK);
    assert_int_equal(list.n, 4);
    assert_string_equal(list.items[0], "photon_kernel");
    assert_string_equal(list.items[1], "photon_bb");
    assert_string_equal(list.items[2], "photon_warp");
    sample_list_free(&list);
    static const char *const bad[] = {"photon,delta=1", "",          ",",
                                      "stem,",          "epsilon=1", "stem,epsilon=1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        err = (rb_err_t){0};
        assert_int_equal(sample_list_parse(&list, bad[i], &err), RB_USAGE);
    }
}

/* --- options that do not act ------------------------------------------------------------------- */

static void take_warning(void *said, bool warning, const char *text)
{
    char *out = said;
    if (warning)
        snprintf(out + strlen(out), 512 - strlen(out), "%s\n", text);
}

/* A plan with an option; it must be that without the option, and a warning must say so. */
static void check_idle(const population_t *pop, const char *with, const char *option)
{
    char text[256], said[512] = "";
    rb_log_t *log = rb_log_create(take_warning, said), *before = rb_log_use(log);
    plan_t want = lab_plan(pop, with, 1);
    assert_string_equal(said, "");
    snprintf(text, sizeof(text), "%s,%s", with, option);
    plan_t got = lab_plan(pop, text, 1);
    rb_log_use(before);
    rb_log_destroy(log);
    char name[64], has[512];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(option, "="), option);
    snprintf(has, sizeof(has), ": option %s has no effect here: it acts only with ", name);
    if (strstr(said, has) == NULL)
        fail_msg("%s: '%s' does not say that %s is idle", text, said, name);
    assert_int_equal(got.n_samples, want.n_samples);
    for (uint64_t i = 0; i < got.n_samples; i++) {
        assert_int_equal(got.samples[i].launch, want.samples[i].launch);
        assert_true(lab_close(got.samples[i].weight, want.samples[i].weight));
    }
    plan_free(&got);
    plan_free(&want);
}

static void an_option_that_cannot_act_beside_others_says_so(void **state)
{
    static const struct {
        const char *with, *options[6];
    } cases[] = {
        {"stem:variant=paper", {"merge=off"}},
        {"stem:variant=artifact", {"merge=off"}},
        {"pka:variant=stem", {"error=0.5"}},
        {"sieve:features=all",
         {"theta=0.01", "density=off", "part_spread=0.01", "bandwidth=50", "points=7"}},
        {"sieve:features=published", {"similar=2"}},
    };
    lab_population_t lab = lab_training(4, 1);
    (void)state;
    lab_know_counters(&lab);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t k = 0; cases[i].options[k] != NULL; k++)
            check_idle(&lab.pop, cases[i].with, cases[i].options[k]);
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_documented),
        cmocka_unit_test(options_are_named_checked_and_written_back),
        cmocka_unit_test(every_method_has_options_with_help),
        cmocka_unit_test(lists_of_samplers_are_split_at_samplers),
        cmocka_unit_test(an_option_that_cannot_act_beside_others_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
