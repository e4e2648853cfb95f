/* A run that simulates only chosen launches: the launches that it requests and the estimates
 * from their results. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/run/sampled/run_sampling.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

enum { LAUNCHES = 600 };

/* A trace of two kernels with ids 2, 4, 6, ..., like a trace that has only some launches. */
static launch_list_t make_trace(void)
{
    launch_list_t l = {.format = "test"};
    l.id = rb_calloc(LAUNCHES, sizeof(*l.id));
    l.name = rb_calloc(LAUNCHES, sizeof(*l.name));
    l.names = rb_calloc(2, sizeof(*l.names));
    l.names[0] = rb_strdup("_Z4gemmPf");
    l.names[1] = rb_strdup("_Z4scanPi");
    for (uint64_t i = 0; i < LAUNCHES; i++) {
        l.id[i] = 2 * (i + 1);
        l.name[i] = (uint32_t)(i % 3 == 0);
    }
    l.pop = (population_t){.n = LAUNCHES,
                           .id = l.id,
                           .name = l.name,
                           .names = (const char *const *)l.names,
                           .n_names = 2};
    return l;
}

/* Cycles of a launch: spread by kernel, the same in each run. */
static uint64_t cycles_of(uint64_t id)
{
    uint64_t row = id / 2 - 1;
    return (row % 3 == 0 ? 20000 : 9000) + id * 2654435761u % 4096;
}

static launch_result_t result_of(uint64_t id)
{
    launch_result_t r = {.info.id = id, .start = 1000, .end = 1000 + cycles_of(id), .blocks = 7};
    r.warp_insts = 100;
    r.sm.warp_insts = 100;
    return r;
}

static void begin_online(run_sampling_t *s)
{
    rb_err_t err = {0};
    launch_choice_t choice;
    launch_list_t trace = make_trace();
    assert_int_equal(
        launch_choice_parse(&choice, "stem_online:epsilon=0.02,pilot_total=20,slow=1", &err),
        RB_OK);
    if (run_sampling_begin_online(s, 7, &choice, &trace, &err) != RB_OK)
        fail_msg("%s", err.text);
}

/* Simulates until the sampler is done; keeps the ids in order. Returns how many. */
static size_t drive(run_sampling_t *s, uint64_t *ids)
{
    const uint64_t *positions;
    size_t n, total = 0;
    rb_err_t err = {0};
    for (;;) {
        if (run_sampling_round(s, &positions, &n, &err) != RB_OK)
            fail_msg("%s", err.text);
        if (n == 0)
            break;
        for (size_t i = 0; i < n; i++) {
            launch_result_t r = result_of(2 * positions[i]);
            ids[total++] = r.info.id;
            run_sampling_add(s, &r, NULL);
        }
    }
    return total;
}

/* Adds the results again, now with weights. Returns the weighted sum of their cycles; *launches:
 * that of the launches. */
static double weigh(run_sampling_t *s, const uint64_t *ids, size_t n, double *launches)
{
    double cycles = 0;
    *launches = 0;
    for (size_t i = 0; i < n; i++) {
        launch_result_t r = result_of(ids[i]);
        const chosen_t *c = run_sampling_find(s, ids[i]);
        const double weight = c != NULL ? s->plan.samples[c->sample].weight : 0;
        assert_true(c == NULL || !run_sampling_is_done(s)); /* NULL: it is no sample */
        run_sampling_add(s, &r, NULL);
        cycles += weight * (double)launch_result_cycles(&r);
        *launches += weight;
    }
    assert_true(run_sampling_is_done(s));
    return cycles;
}

static void a_sampler_without_a_plan_stops_inside_its_bound(void **state)
{
    (void)state;
    static uint64_t ids[LAUNCHES];
    run_sampling_t s;
    double truth = 0, launches;
    for (uint64_t i = 1; i <= LAUNCHES; i++)
        truth += (double)cycles_of(2 * i);
    begin_online(&s);
    size_t n = drive(&s, ids);
    assert_true(n > 20 && n < LAUNCHES / 2);
    const double cycles = weigh(&s, ids, n, &launches);
    assert_true(fabs(launches - LAUNCHES) < 1e-9 * LAUNCHES);
    assert_true(fabs(cycles / truth - 1) < 0.02);
    assert_true(fabs(cycles - s.estimate.value) < 1e-9 * cycles);
    assert_true(s.estimate.low < cycles && cycles < s.estimate.high);
    run_sampling_free(&s);
}

/* Interrupted anywhere, it requests the rest and comes to the same end. */
static void an_interrupted_run_goes_on_where_it_was(void **state)
{
    (void)state;
    static uint64_t all[LAUNCHES], rest[LAUNCHES];
    double launches;
    run_sampling_t s;
    begin_online(&s);
    uint64_t identity = run_sampling_fingerprint(&s);
    size_t n = drive(&s, all);
    const double want = weigh(&s, all, n, &launches);
    const estimate_t interval = s.estimate;
    run_sampling_free(&s);
    for (size_t known = 0; known <= n; known += known < 25 ? 1 : 7) {
        begin_online(&s);
        assert_true(run_sampling_fingerprint(&s) == identity);
        for (size_t i = 0; i < known; i++) {
            launch_result_t r = result_of(all[i]);
            run_sampling_add(&s, &r, NULL);
        }
        size_t more = drive(&s, rest);
        assert_int_equal(more, n - known);
        assert_memory_equal(rest, all + known, more * sizeof(*rest));
        assert_true(weigh(&s, all, n, &launches) == want);
        assert_true(s.estimate.low == interval.low && s.estimate.high == interval.high);
        run_sampling_free(&s);
    }
}

/* A plan with ids that are not positions, for a trace that has only some of the program's
 * launches. */
static void a_plan_finds_its_launches_by_id(void **state)
{
    (void)state;
    run_sampling_t s;
    rb_err_t err = {0};
    launch_list_t trace = make_trace();
    plan_t plan = {.method = rb_strdup("hand"), .n_launches = 2 * LAUNCHES, .n_names = 1};
    plan.names = rb_calloc(1, sizeof(*plan.names));
    plan.names[0] = rb_strdup("void gemm<float>(float*)");
    plan.clusters = rb_calloc(1, sizeof(*plan.clusters));
    plan.clusters[0] = (plan_cluster_t){.size = 2 * LAUNCHES, .draws = 2};
    plan.n_clusters = 1;
    plan.samples = rb_calloc(2, sizeof(*plan.samples));
    plan.samples[0] = (plan_sample_t){.launch = 4, .weight = LAUNCHES, .draws = 1};
    plan.samples[1] = (plan_sample_t){.launch = 10, .weight = LAUNCHES, .draws = 1};
    plan.n_samples = 2;
    assert_int_equal(run_sampling_begin(&s, &plan, &trace, &err), RB_OK);
    assert_int_equal(s.n_chosen, 2);
    assert_int_equal(s.positions[0], 2);
    assert_int_equal(s.positions[1], 5);
    assert_null(run_sampling_find(&s, 5));
    assert_non_null(run_sampling_find(&s, 10));
    run_sampling_free(&s);
    launch_list_free(&trace);
}

static void lists_of_pairs_are_kept_once(void **state)
{
    (void)state;
    pair_lists_t l = {0};
    enum { LISTS = 1000 };
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < LISTS; i++) {
            uint32_t first[] = {i, i + 1, 7};
            double second[] = {1.0, (double)i, 3.0};
            assert_int_equal(pair_lists_add(&l, first, second, i % 4), i < 1        ? 0
                                                                       : i % 4 == 0 ? 0
                                                                                    : i - i / 4);
        }
    }
    assert_int_equal(l.n, 1 + LISTS - LISTS / 4);
    assert_int_equal(l.begin[2] - l.begin[1], 1);
    assert_int_equal(l.first[l.begin[1]], 1);
    pair_lists_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sampler_without_a_plan_stops_inside_its_bound),
        cmocka_unit_test(an_interrupted_run_goes_on_where_it_was),
        cmocka_unit_test(a_plan_finds_its_launches_by_id),
        cmocka_unit_test(lists_of_pairs_are_kept_once),
    };
    rb_log_quiet(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
