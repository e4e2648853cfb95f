/* Every generated workload: valid streams, reproducible, in any order, and run on the model. */
#include <stdio.h>
#include <string.h>

#include "frontend/input/gen/gen.h"
#include "tests/support/sim/lab.h"
#include "tests/support/test.h"
#include "tests/support/trace/stream_check.h"

/* Sizes that run quickly, and whether the seed has an effect at this size. */
static const struct tiny {
    const char *kind;
    uint64_t size;
    bool random;
    const char *params[2];
} tiny[] = {
    {"vecadd", 1000, false, {NULL}},
    {"stride", 1000, false, {NULL}},
    {"relu", 1000, false, {NULL}},
    {"matmul", 37, false, {NULL}},
    {"transpose", 77, false, {NULL}},
    {"histogram", 3000, true, {"skew=30"}},
    {"sgemm", 100, false, {"inner=37"}},
    {"hgemm", 128, false, {NULL}},
    {"softmax", 3, false, {"columns=200", NULL}},
    {"reduction", 3000, false, {NULL}},
    {"chase", 65536, true, {"chains=40", "steps=20"}},
    {"stencil", 77, false, {"steps=3"}},
    {"fir", 1000, false, {NULL}},
    {"aes", 500, true, {NULL}},
    {"conv", 20, false, {"channels=3", "filters=5"}},
    {"blackscholes", 1000, false, {"launches=2"}},
    {"spmv", 300, true, {"skew=4", "local=30"}},
    {"bfs", 600, true, {NULL}},
    {"sssp", 600, true, {NULL}},
    {"mst", 300, true, {NULL}},
    {"kmeans", 300, true, {"features=3", "clusters=4"}},
    {"lbm", 9, true, {"steps=2", NULL}},
    {"resnet", 32, false, {"width=2", NULL}},
    {"train", 30, true, {"width=40", "tokens=5"}},
    {"gaussian", 20, false, {NULL}},
    {"heartwall", 3, true, {"points=3", "steps=50"}},
    {"particlefilter", 2, true, {"particles=200", "spread=10"}},
    {"srad", 37, false, {"iterations=2", NULL}},
    {"phases", 1000, false, {"loads=5", "small=1"}},
    {"gather", 1000, true, {"from=64", "to=8"}},
    {"segments", 50, true, {"tail=3", "math=8"}},
    {"reread", 3, false, {"kib=2", "passes=3"}},
    {"mandelbrot", 50, false, {"iterations=30", NULL}},
    {"stencil3d", 37, false, {"planes=5", "steps=2"}},
    {"matvec", 30, false, {"columns=300", NULL}},
    {"lookups", 4, true, {"bags=20", "cold=300"}},
    {"solver", 300, true, {"skew=4", "iterations=2"}},
    {"multigrid", 32, false, {"levels=3", "cycles=2"}},
    {"decode", 3, false, {"width=64", "vocabulary=100"}},
    {"pagerank", 100, true, {"degree=20", "iterations=2"}},
    {"vgg", 32, false, {"width=2", NULL}},
    {"cfd", 500, true, {"steps=1", NULL}},
    {"gridding", 6, true, {"dense=20", NULL}},
};
enum { N_TINY = sizeof(tiny) / sizeof(tiny[0]) };

static gen_list_t list;

static const gen_kind_info_t *info_of(const char *kind)
{
    for (unsigned i = 0; i < list.n; i++)
        if (strcmp(list.kind[i].name, kind) == 0)
            return &list.kind[i];
    fail_msg("%s is not in the list", kind);
    return NULL;
}

static gen_spec_t tiny_spec(const struct tiny *t, unsigned arch, uint64_t seed)
{
    gen_spec_t spec = {
        .kind = t->kind, .arch = arch, .seed = seed, .size = t->size, .params = t->params};

    while (spec.n_params < 2 && t->params[spec.n_params] != NULL)
        spec.n_params++;
    return spec;
}

static trace_source_t *open_spec(const gen_spec_t *spec)
{
    rb_err_t err = {0};
    trace_source_t *s = gen_open(spec, &err);

    if (s == NULL)
        fail_msg("%s: %s", spec->kind, err.text);
    return s;
}

static trace_source_t *open_tiny(const struct tiny *t, unsigned arch, uint64_t seed)
{
    gen_spec_t spec = tiny_spec(t, arch, seed);

    return open_spec(&spec);
}

static stream_counts_t count_and_destroy(trace_source_t *s)
{
    stream_counts_t c = {0};

    stream_check_source(s, &c);
    s->ops->destroy(s);
    return c;
}

static void every_kind_is_tested(void **state)
{
    (void)state;
    assert_int_equal(list.n, N_TINY);
    for (unsigned i = 0; i < N_TINY; i++)
        (void)info_of(tiny[i].kind);
}

/* Global accesses stay within allocated memory. */
static void streams_obey_the_rules(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_TINY; i++) {
        for (unsigned arch = 70; arch <= 75; arch += 5) {
            stream_counts_t c = count_and_destroy(open_tiny(&tiny[i], arch, 1));

            assert_true(c.warp_insts > 0);
            assert_true(c.lowest_address >= 0x7f0000000200);
            assert_true(c.highest_address < 0x7f0000000200 + (1 << 28));
        }
    }
}

static void a_seed_gives_the_same_program_each_time(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_TINY; i++) {
        uint64_t first = count_and_destroy(open_tiny(&tiny[i], 70, 7)).hash;

        assert_int_equal(count_and_destroy(open_tiny(&tiny[i], 70, 7)).hash, first);
        if ((count_and_destroy(open_tiny(&tiny[i], 70, 8)).hash != first) != tiny[i].random)
            fail_msg("%s: %s", tiny[i].kind,
                     tiny[i].random ? "the seed does not show" : "the seed shows");
    }
}

static trace_block_t *get(trace_source_t *s, trace_launch_t *l, uint64_t index)
{
    trace_block_t *b = NULL;

    assert_int_equal(s->ops->get_block(l, index, &b, NULL), RB_OK);
    return b;
}

/* Blocks of a launch read one by one equal those read after others were skipped. */
static void check_skipping(trace_source_t *s, uint64_t id)
{
    trace_launch_t *all, *some;
    launch_info_t info;

    assert_int_equal(s->ops->launch_info(s, id, &info, NULL), RB_OK);
    assert_int_equal(s->ops->open(s, id, &all, NULL), RB_OK);
    assert_int_equal(s->ops->open(s, id, &some, NULL), RB_OK);
    for (uint64_t i = 0; i < info.n_blocks; i++) {
        trace_block_t *a = get(s, all, i);

        if (i % 3 == 1) {
            trace_block_t *b = get(s, some, i);

            if (!stream_blocks_equal(a, b))
                fail_msg("%s block %llu depends on the blocks before it", info.name,
                         (unsigned long long)i);
            s->ops->free_block(some, b);
        }
        s->ops->free_block(all, a);
    }
    s->ops->close(all);
    s->ops->close(some);
}

static void a_block_does_not_depend_on_others(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_TINY; i++) {
        trace_source_t *s = open_tiny(&tiny[i], 70, 1);

        for (uint64_t id = 1; id <= s->ops->n_launches(s); id++)
            check_skipping(s, id);
        s->ops->destroy(s);
    }
}

typedef struct {
    uint64_t launches, insts;
} ran_t;

static rb_code_t add_launch(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    ran_t *ran = ctx;

    (void)err;
    ran->launches++;
    ran->insts += r->warp_insts;
    return RB_OK;
}

static void every_kind_runs_on_the_model(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4");

    (void)state;
    for (unsigned i = 0; i < N_TINY; i++) {
        trace_source_t *s = open_tiny(&tiny[i], 70, 1);
        uint64_t launches = s->ops->n_launches(s);
        gpu_t *gpu = gpu_create(&spec, 1, 0);
        run_plan_t plan = {.first = 1};
        ran_t ran = {0};
        gpu_callbacks_t callbacks = {.ctx = &ran, .launch_done = add_launch};
        rb_err_t err = {0};

        if (gpu_run(gpu, s, &plan, &callbacks, &err) != RB_OK)
            fail_msg("%s: %s", tiny[i].kind, err.text);
        gpu_destroy(gpu);
        s->ops->destroy(s);
        assert_int_equal(ran.launches, launches);
        assert_int_equal(ran.insts, count_and_destroy(open_tiny(&tiny[i], 70, 1)).warp_insts);
    }
}

/* --- what cannot be generated is refused ----------------------------------------------------- */

static void refuse(const gen_spec_t *spec, const char *text)
{
    rb_err_t err = {0};

    assert_null(gen_open(spec, &err));
    assert_int_equal(err.code, RB_USAGE);
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, text);
}

static void refuse_param(const char *param, const char *text)
{
    refuse(&(gen_spec_t){.kind = "stride", .params = &param, .n_params = 1}, text);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    refuse(&(gen_spec_t){.kind = "no_such"}, "there is no workload 'no_such'");
    refuse(&(gen_spec_t){.kind = "vecadd", .arch = 80}, "sm_80");
    refuse(&(gen_spec_t){.kind = "vecadd", .size = UINT64_MAX}, "is outside 1 .. ");
    refuse(&(gen_spec_t){.kind = "vecadd", .size = 3, .blocks = 3}, "exclude each other");
    refuse(&(gen_spec_t){.kind = "vecadd", .blocks = UINT64_MAX}, "a grid has at most");
    refuse(&(gen_spec_t){.kind = "stride", .size = UINT64_C(1) << 32}, "GiB of device memory");
    refuse_param("stride", "NAME=VALUE");
    refuse_param("strid=3", "no parameter 'strid'");
    refuse_param("=3", "no parameter ''");
    refuse_param("stride=", "not a whole number");
    refuse_param("stride=-1", "not a whole number");
    refuse_param("stride=1e3", "not a whole number");
    refuse_param("stride=0", "outside 1 .. 1024");
    refuse_param("stride=1025", "outside 1 .. 1024");
    refuse_param("stride=18446744073709551617", "not a whole number");
    refuse_param("stride=99999999999999999G", "not a whole number");
}

static uint64_t blocks_of(const gen_spec_t *spec)
{
    trace_source_t *s = open_spec(spec);
    uint64_t most = 0;

    for (uint64_t id = 1; id <= s->ops->n_launches(s); id++) {
        launch_info_t info;

        assert_int_equal(s->ops->launch_info(s, id, &info, NULL), RB_OK);
        if (info.n_blocks > most)
            most = info.n_blocks;
    }
    s->ops->destroy(s);
    return most;
}

/* Grids of two dimensions round up. */
static void blocks_are_what_was_asked_for(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_TINY; i++) {
        if (!info_of(tiny[i].kind)->has_blocks) {
            refuse(&(gen_spec_t){.kind = tiny[i].kind, .blocks = 7}, "give a size");
            continue;
        }
        for (uint64_t blocks = 1; blocks < 200; blocks += 33) {
            uint64_t got = blocks_of(&(gen_spec_t){.kind = tiny[i].kind, .blocks = blocks});

            if (got < blocks || got > blocks + blocks / 4 + 128)
                fail_msg("%s: %llu blocks for %llu", tiny[i].kind, (unsigned long long)got,
                         (unsigned long long)blocks);
        }
    }
}

/* Graphs with the most nodes or edges would take seconds to build. */
static bool is_graph(const char *kind)
{
    static const char *const graphs[] = {"spmv", "bfs", "sssp", "mst", "solver"};

    for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++)
        if (strcmp(graphs[i], kind) == 0)
            return true;
    return false;
}

/* The extremes of every parameter are either accepted or refused with a message. */
static void limits_of_parameters_hold(void **state)
{
    (void)state;
    for (unsigned i = 0; i < list.n; i++) {
        gen_kind_info_t info = list.kind[i];

        for (unsigned p = 0; p < info.n_params; p++) {
            char text[2][64];

            assert_in_range(info.params[p].def, info.params[p].min, info.params[p].max);
            snprintf(text[0], sizeof(text[0]), "%s=%llu", info.params[p].name,
                     (unsigned long long)info.params[p].min);
            snprintf(text[1], sizeof(text[1]), "%s=%llu", info.params[p].name,
                     (unsigned long long)info.params[p].max);
            for (unsigned k = 0; k < 2; k++) {
                if (p <= 1 && k == 1 && is_graph(info.name))
                    continue;
                const char *param = text[k];
                rb_err_t err = {0};
                trace_source_t *s = gen_open(
                    &(gen_spec_t){.kind = info.name, .params = &param, .n_params = 1}, &err);
                launch_info_t launch;

                if (s == NULL) {
                    if (err.code != RB_USAGE)
                        fail_msg("%s", err.text);
                    continue;
                }
                assert_int_equal(s->ops->launch_info(s, s->ops->n_launches(s), &launch, &err),
                                 RB_OK);
                s->ops->destroy(s);
            }
        }
    }
}

static int read_list(void **state)
{
    rb_err_t err = {0};

    (void)state;
    return gen_list_read(&list, &err) == RB_OK ? 0 : -1;
}

static int free_list(void **state)
{
    (void)state;
    gen_list_free(&list);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_tested),
        cmocka_unit_test(streams_obey_the_rules),
        cmocka_unit_test(a_seed_gives_the_same_program_each_time),
        cmocka_unit_test(a_block_does_not_depend_on_others),
        cmocka_unit_test(every_kind_runs_on_the_model),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(blocks_are_what_was_asked_for),
        cmocka_unit_test(limits_of_parameters_hold),
    };

    return cmocka_run_group_tests(tests, read_list, free_list);
}
