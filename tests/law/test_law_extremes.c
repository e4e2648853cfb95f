/*
 * Every setting at the ends of its legal range, one at a time: either the configuration is refused
 * with a reason, or the chip runs a program that uses everything to its end.
 */
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/gpu/gpu.h"
#include "sim/gpu/gpu_conf.h"
#include "tests/support/mix.h"
#include "tests/support/tool/cli_child.h"

enum { SECONDS_MAX = 120 };

/* Makes the chip with one setting changed; false: refused. */
static bool chip_with(const char *setting, gpu_spec_t *spec)
{
    static const char *const small[] = {"sm.count=2", "mem.partitions=2", "l2.slices=4",
                                        "l2.size=384KiB"};
    rb_err_t err = {0};
    conf_t *c = conf_create();

    if (conf_load_gpu(c, "v100", &err) != RB_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
        assert_int_equal(conf_set(c, small[i], &err), RB_OK);
    if (conf_set(c, setting, &err) != RB_OK)
        fail_msg("the table allows %s: %s", setting, err.text);
    const bool good = gpu_spec_from_conf(spec, c, &err) == RB_OK;

    if (!good && err.code != RB_CONFIG)
        fail_msg("%s is refused as %d: %s", setting, err.code, err.text);
    conf_destroy(c);
    return good;
}

/* In a child: never returns. A launch may not fit the chip; anything else is a fault. */
static void run_mix(const gpu_spec_t *spec)
{
    const int out = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (out < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(1);
    alarm(SECONDS_MAX);
    rb_err_t err = {0};
    const run_plan_t all = {.first = 1};
    const gpu_callbacks_t none = {0};
    gpu_t *g = gpu_create(spec, 1, 0);

    if (gpu_run(g, synth_source(mix_create(1)), &all, &none, &err) != RB_OK &&
        strstr(err.text, "does not fit an SM") == NULL) {
        fprintf(stderr, "%s\n", err.text);
        _exit(1);
    }
    _exit(0);
}

static void runs(const char *setting)
{
    gpu_spec_t spec;

    if (!chip_with(setting, &spec))
        return;
    const pid_t pid = fork();

    if (pid == 0)
        run_mix(&spec);
    const int status = cli_wait(pid);

    if (status != 0)
        fail_msg("%s: status %d: %s", setting, status, cli_read("said"));
}

static void the_ends_of_every_range_run_or_are_refused(void **state)
{
    (void)state;
    for (const gpu_group_t *g = gpu_groups; g->group != NULL; g++) {
        for (size_t i = 0; i < g->group->n_params; i++) {
            const param_t *p = &g->group->params[i];
            const double ends[] = {p->min, p->max};

            if (p->type != PARAM_TYPE_U32 && p->type != PARAM_TYPE_U64 &&
                p->type != PARAM_TYPE_SIZE)
                continue;
            for (int end = 0; end < 2; end++) {
                char setting[128];

                snprintf(setting, sizeof(setting), "%s.%s=%.0f", g->group->name, p->name,
                         ends[end]);
                /* A thousand SMs would need half a gigabyte and test no more than two. */
                if (strcmp(setting, "sm.count=1024") != 0)
                    runs(setting);
            }
        }
    }
}

/* The legal words of a setting; NULL: its values are not words. */
static const param_choice_t *words_of(const param_t *p)
{
    static const param_choice_t truth[] = {{"false", ""}, {"true", ""}, {NULL, NULL}};
    return p->type == PARAM_TYPE_BOOL ? truth : p->choices;
}

static void every_word_runs(void **state)
{
    (void)state;
    for (const gpu_group_t *g = gpu_groups; g->group != NULL; g++) {
        for (size_t i = 0; i < g->group->n_params; i++) {
            const param_t *p = &g->group->params[i];
            for (const param_choice_t *c = words_of(p); c != NULL && c->name != NULL; c++) {
                char setting[128];

                assert_non_null(c->help);
                snprintf(setting, sizeof(setting), "%s.%s=%s", g->group->name, p->name, c->name);
                runs(setting);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ends_of_every_range_run_or_are_refused),
        cmocka_unit_test(every_word_runs),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
