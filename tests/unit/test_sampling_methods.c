/* Every method on small programs whose right answer is known, and on hostile ones. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/sample_syntax.h"
#include "tests/support/population_lab.h"

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

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
    assert_non_null(strstr(parse_error("zzzzzzzz"), "there are: random allegro"));
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

/* All methods that can work with what the lab has. */
static const char *const methods[] = {"random:count=5",
                                      "random:fraction=10%",
                                      "random:replacement=true,count=7",
                                      "allegro",
                                      "allegro:variant=paper",
                                      "allegro:variant=artifact,m_th=1",
                                      "allegro:m_th=1,floor=1",
                                      "stem",
                                      "stem:variant=paper",
                                      "stem:variant=artifact",
                                      "stem:root=off",
                                      "stem:epsilon=1e-6",
                                      "stem:merge=on",
                                      "stem:merge=on,epsilon=0.9",
                                      "pka",
                                      "pka:variant=stem",
                                      "sieve",
                                      "sieve:variant=artifact",
                                      "sieve:density=off",
                                      "sieve:theta=0",
                                      "tbpoint",
                                      "tbpoint:scope=application",
                                      "tbpoint:linkage=ward",
                                      "dominant:share=50%",
                                      "dominant:share=1"};
enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

static void know_counters(lab_population_t *lab)
{
    lab->pop.counter[POP_WARP_INSTS] = lab->insts;
    lab->pop.counter[POP_THREAD_INSTS] = lab->threads;
    lab->pop.counter[POP_REQUESTS] = lab->requests;
}

/* What holds of every plan. */
static void check_plan(const population_t *pop, const plan_t *p)
{
    uint64_t size = 0, at = 0;
    assert_int_equal(p->n_launches, pop->n);
    for (uint32_t c = 0; c < p->n_clusters; c++) {
        uint64_t draws = 0, before = 0;
        for (; at < p->n_samples && p->samples[at].cluster == c; at++) {
            const plan_sample_t *s = &p->samples[at];
            assert_true(s->launch > before && s->launch <= pop->n);
            assert_true(s->weight > 0 && isfinite(s->weight));
            draws += s->draws;
            before = s->launch;
        }
        assert_int_equal(draws, p->clusters[c].draws);
        assert_true(p->replacement || draws <= p->clusters[c].size);
        size += p->clusters[c].size;
    }
    assert_int_equal(at, p->n_samples);
    assert_int_equal(size, pop->n);
    assert_true(p->n_samples > 0);
    uint64_t *ids = calloc(p->n_samples, sizeof(*ids));
    assert_int_equal(plan_launches(p, ids), p->n_samples);
    free(ids);
}

static void every_method_ends_on_every_population(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {1, 2, 3, 29, 30, 31, 500};
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        for (int kind = 0; kind < 7; kind++) {
            uint64_t n = lengths[l];
            lab_population_t lab = lab_population(n, n < 4 ? 1 : 3);
            rng_t rng = rng_make(n, (uint64_t)kind);
            know_counters(&lab);
            for (uint64_t i = 0; i < n; i++) {
                double values[] = {1,
                                   (double)(i % 2) + 1,
                                   exp(3 * rng_normal(&rng)),
                                   pow(2, (double)(i % 900)),
                                   i == 0 ? 1 : 0,
                                   1e15 + (double)(i % 3),
                                   1e-300 * (double)(i + 1)};
                lab.time[i] = values[kind];
                lab.insts[i] = kind == 4 ? 0 : floor(values[kind]);
                lab.threads[i] = lab.insts[i] * 32;
            }
            for (size_t m = 0; m < METHODS; m++) {
                if (strcmp(methods[m], "allegro:variant=paper") == 0 && kind == 3)
                    continue; /* asks for 10^17 draws and is refused: tested below */
                plan_t p = lab_plan(&lab.pop, methods[m], 1);
                check_plan(&lab.pop, &p);
                assert_true(close_to(lab_weighted(&p, lab.time), p.predicted_total));
                plan_free(&p);
            }
            lab_population_free(&lab);
        }
    }
}

static void plans_depend_on_the_seed_alone(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(3000, 7);
    rng_t rng = rng_make(1, 1);
    know_counters(&lab);
    for (uint64_t i = 0; i < 3000; i++) {
        lab.time[i] = exp(rng_normal(&rng));
        lab.insts[i] = floor(100 * lab.time[i]);
    }
    for (size_t m = 0; m < METHODS; m++) {
        plan_t a = lab_plan(&lab.pop, methods[m], 42), b = lab_plan(&lab.pop, methods[m], 42);
        assert_int_equal(a.n_samples, b.n_samples);
        assert_memory_equal(a.samples, b.samples, a.n_samples * sizeof(*a.samples));
        plan_free(&a);
        plan_free(&b);
    }
    plan_t a = lab_plan(&lab.pop, "stem", 1), b = lab_plan(&lab.pop, "stem", 2);
    assert_memory_not_equal(a.samples, b.samples, a.n_samples * sizeof(*a.samples));
    plan_free(&a);
    plan_free(&b);
    lab_population_free(&lab);
}

static void faulty_populations_are_refused(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(5, 2);
    population_t pop = lab.pop;
    for (int i = 0; i < 5; i++)
        lab.time[i] = 1;
    pop.n = 0;
    assert_non_null(strstr(lab_plan_error(&pop, "random"), "no launches"));
    pop = lab.pop;
    static const struct {
        double time;
        const char *text;
    } bad[] = {{NAN, "launch 3 (k0): its duration is not a number"},
               {-1, "launch 3 (k0): its duration is negative"},
               {INFINITY, "launch 3 (k0): its duration is infinite"}};
    for (size_t i = 0; i < 3; i++) {
        lab.time[2] = bad[i].time;
        for (size_t m = 0; m < METHODS; m++)
            if (strncmp(methods[m], "pka", 3) != 0 && strncmp(methods[m], "sieve", 5) != 0 &&
                strncmp(methods[m], "tbpoint", 7) != 0)
                assert_string_equal(lab_plan_error(&pop, methods[m]), bad[i].text);
    }
    memset(lab.time, 0, 5 * sizeof(*lab.time));
    assert_non_null(strstr(lab_plan_error(&pop, "stem"), "durations of all 5 launches are zero"));
    lab.time[0] = 1;
    plan_t p = lab_plan(&pop, "stem", 1);
    bool said = false;
    for (size_t i = 0; i < p.n_warnings; i++)
        said = said || strstr(p.warnings[i], "4 launches have a duration of zero") != NULL;
    assert_true(said);
    plan_free(&p);
    pop.time = NULL;
    assert_non_null(strstr(lab_plan_error(&pop, "stem"), "durations"));
    assert_non_null(strstr(lab_plan_error(&pop, "sieve"), "warp instructions"));
    assert_non_null(strstr(lab_plan_error(&pop, "photon_kernel"), "basic-block vectors"));
    assert_non_null(strstr(lab_plan_error(&pop, "stem_online"), "no plan beforehand"));
    lab_population_free(&lab);
}

static void endless_draws_are_refused(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(4, 1);
    for (int i = 0; i < 4; i++)
        lab.time[i] = pow(10, i);
    assert_non_null(strstr(lab_plan_error(&lab.pop, "stem:variant=paper,root=off,epsilon=1e-6"),
                           "choose a larger epsilon"));
    lab_population_free(&lab);
}

static void a_million_names_are_a_million_clusters(void **state)
{
    (void)state;
    enum { N = 1000000 };
    lab_population_t lab = lab_population(N, N);
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = (double)(i % 100 + 1);
    plan_t p = lab_plan(&lab.pop, "stem", 1);
    assert_int_equal(p.n_clusters, N);
    assert_int_equal(p.n_samples, N);
    assert_true(close_to(p.predicted_total, p.profile_total));
    plan_free(&p);
    lab_population_free(&lab);
}

static void random_draws_what_it_is_told(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(1000, 1);
    for (uint64_t i = 0; i < 1000; i++)
        lab.time[i] = 1 + (double)(i % 7);
    plan_t p = lab_plan(&lab.pop, "random:count=50", 1);
    assert_int_equal(p.n_samples, 50);
    assert_true(close_to(p.samples[0].weight, 20));
    plan_free(&p);
    p = lab_plan(&lab.pop, "random:fraction=2.5%", 1);
    assert_int_equal(p.n_samples, 25);
    plan_free(&p);
    p = lab_plan(&lab.pop, "random:count=5000", 1); /* all of them */
    assert_int_equal(p.n_samples, 1000);
    assert_true(close_to(p.predicted_total, p.profile_total));
    assert_true(p.error_bound < 1e-12);
    plan_free(&p);
    plan_t like = lab_plan(&lab.pop, "stem:root=off,epsilon=0.02", 1);
    p = lab_plan(&lab.pop, "random:like=stem:root=off;epsilon=0.02", 1);
    assert_true(fabs((double)p.n_samples / (double)like.n_samples - 1) < 0.15);
    plan_free(&p);
    plan_free(&like);
    assert_non_null(strstr(lab_plan_error(&lab.pop, "random:like=random"), "another method"));
    lab_population_free(&lab);
}

static void dominant_keeps_the_longest_kernels(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(100, 4); /* 25 of each */
    static const double times[] = {1, 60, 30, 9};
    for (uint64_t i = 0; i < 100; i++)
        lab.time[i] = times[i % 4];
    plan_t p = lab_plan(&lab.pop, "dominant:share=90%", 1);
    assert_int_equal(p.n_samples, 50);
    assert_int_equal(p.samples[0].launch % 4, 2); /* k1 */
    assert_true(close_to(p.samples[0].weight, 1 / 0.9));
    assert_true(close_to(p.predicted_total, p.profile_total));
    plan_free(&p);
    lab_population_free(&lab);
}

static void allegro_divides_two_peaks_and_samples_thirty_of_each(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(2000, 1);
    for (uint64_t i = 0; i < 2000; i++)
        lab.time[i] = (i % 2 ? 100 : 1000) + (double)(i % 10);
    plan_t p = lab_plan(&lab.pop, "allegro", 1);
    assert_int_equal(p.n_clusters, 2);
    assert_int_equal(p.n_samples, 60);
    assert_true(close_to(p.clusters[0].mean, 105) && close_to(p.clusters[1].mean, 1004));
    plan_free(&p);
    lab_population_free(&lab);
}

static void keys_group_by_name_prefix_or_shape(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(100, 2);
    uint32_t grid[100][3], block[100][3];
    for (uint64_t i = 0; i < 100; i++) {
        lab.time[i] = 1;
        for (int k = 0; k < 3; k++)
            grid[i][k] = block[i][k] = 1;
        grid[i][1] = i < 50 ? 1 : 2;
    }
    strcpy(lab.names[0], "f(int)");
    strcpy(lab.names[1], "f(float)");
    lab.pop.grid = (const uint32_t(*)[3])grid;
    lab.pop.block = (const uint32_t(*)[3])block;
    static const struct {
        const char *method;
        uint32_t clusters;
    } rows[] = {{"stem:key=name", 2}, {"stem:key=prefix", 1}, {"stem:key=shape", 4}};
    for (size_t i = 0; i < 3; i++) {
        plan_t p = lab_plan(&lab.pop, rows[i].method, 1);
        assert_int_equal(p.n_clusters, rows[i].clusters);
        plan_free(&p);
    }
    lab_population_free(&lab);
}

static void sieve_has_its_three_tiers(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(600, 3);
    know_counters(&lab);
    for (uint64_t i = 0; i < 600; i++) {
        uint64_t round = i / 3;
        double counts[] = {1000,                                        /* tier 1: constant */
                           round % 4 == 0 ? 90 : 100,                   /* tier 2: little spread */
                           round % 2 ? 1e6 + (double)(round % 8) : 50}; /* tier 3: two parts */
        lab.insts[i] = counts[i % 3];
        lab.time[i] = lab.insts[i] * 2;
    }
    plan_t p = lab_plan(&lab.pop, "sieve", 1);
    assert_int_equal(p.n_clusters, 4);
    assert_int_equal(p.samples[0].launch, 1);
    assert_int_equal(p.samples[1].launch, 5); /* first of k1 with 100 instructions */
    assert_true(close_to(p.samples[1].weight, (50 * 90 + 150 * 100) / 100.0));
    assert_int_equal(p.samples[2].launch, 3);                      /* first of k2 with 50 */
    assert_int_equal(lab.insts[p.samples[3].launch - 1], 1000005); /* upper median of 1 3 5 7 */
    /* Cycles in proportion to instructions: exact. */
    assert_true(close_to(p.predicted_total, p.profile_total));
    plan_free(&p);
    /* The artifact makes a cluster of every launch on a plateau. */
    p = lab_plan(&lab.pop, "sieve:variant=artifact", 1);
    assert_true(p.n_clusters > 150);
    plan_free(&p);
    lab_population_free(&lab);
}

static void sieve_original_has_two_strata_where_the_artifact_has_two_hundred(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(200, 1);
    know_counters(&lab);
    for (uint64_t i = 0; i < 200; i++)
        lab.time[i] = lab.insts[i] = i % 2 ? 10 : 1000;
    plan_t p = lab_plan(&lab.pop, "sieve", 1);
    assert_int_equal(p.n_clusters, 2);
    plan_free(&p);
    p = lab_plan(&lab.pop, "sieve:variant=artifact", 1);
    assert_int_equal(p.n_clusters, 200);
    plan_free(&p);
    lab_population_free(&lab);
}

static void tbpoint_merges_within_the_threshold(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(90, 1);
    know_counters(&lab);
    for (uint64_t i = 0; i < 90; i++) {
        double base = i % 3 == 0 ? 100 : i % 3 == 1 ? 101 : 300;
        lab.insts[i] = lab.threads[i] = lab.requests[i] = base;
        lab.time[i] = 3 * base;
    }
    plan_t p = lab_plan(&lab.pop, "tbpoint", 1);
    assert_int_equal(p.n_clusters, 2);
    assert_true(close_to(p.predicted_total, p.profile_total)); /* by instructions */
    plan_free(&p);
    p = lab_plan(&lab.pop, "tbpoint:threshold=0", 1);
    assert_int_equal(p.n_clusters, 3);
    plan_free(&p);
    p = lab_plan(&lab.pop, "tbpoint:threshold=100", 1);
    assert_int_equal(p.n_clusters, 1);
    plan_free(&p);
    lab_population_free(&lab);
}

static void what_would_take_for_ever_is_refused_with_its_time_and_memory(void **state)
{
    (void)state;
    enum { N = 100000 };
    lab_population_t lab = lab_population(N, 1);
    know_counters(&lab);
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = lab.insts[i] = (double)i + 1;
    const char *text = lab_plan_error(&lab.pop, "tbpoint");
    assert_non_null(strstr(text, "37.3 GiB for 100000 distinct launches"));
    assert_non_null(strstr(lab_plan_error(&lab.pop, "pka:max_seconds=0.001"), "max_seconds"));
    /* Equal launches are merged first: a million of a few kinds are no work. */
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = lab.insts[i] = (double)(i % 10) + 1;
    plan_t p = lab_plan(&lab.pop, "tbpoint", 1);
    assert_int_equal(p.n_clusters, 10);
    plan_free(&p);
    lab_population_free(&lab);
}

static void pka_takes_the_smallest_k_below_its_error(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(300, 3);
    know_counters(&lab);
    for (uint64_t i = 0; i < 300; i++) {
        double base = pow(10, (double)(i % 3));
        lab.insts[i] = 1000 * base;
        lab.threads[i] = 32000 * base;
        lab.time[i] = 10 * base * (1 + 0.001 * (double)(i % 5));
    }
    plan_t p = lab_plan(&lab.pop, "pka", 1);
    assert_int_equal(p.n_clusters, 3);
    assert_true(fabs(p.predicted_total / p.profile_total - 1) < 0.05);
    for (int i = 0; i < 3; i++) {
        assert_true(p.samples[i].launch <= 3); /* first of each cluster */
        assert_true(close_to(p.samples[i].weight, 100));
    }
    plan_free(&p);
    p = lab_plan(&lab.pop, "pka:error=1", 1); /* one cluster is off by less than 100 % */
    assert_int_equal(p.n_clusters, 1);
    plan_free(&p);
    p = lab_plan(&lab.pop, "pka:representative=random", 1);
    assert_int_equal(p.n_clusters, 3);
    plan_free(&p);
    lab_population_free(&lab);
}

static void photon_matches_vectors_warps_and_scales_by_instructions(void **state)
{
    (void)state;
    enum { N = 40 };
    lab_population_t lab = lab_population(N, 1);
    /* Vector 1 is vector 0 with twice the work (same direction); vector 2 is another block. */
    static const uint64_t begin[] = {0, 2, 4, 5};
    static const uint32_t block[] = {0, 1, 0, 1, 2};
    static const double count[] = {10, 30, 20, 60, 40};
    uint32_t of[N];
    uint64_t warps[N];
    know_counters(&lab);
    for (uint64_t i = 0; i < N; i++) {
        of[i] = (uint32_t)(i % 3);
        warps[i] = i < 30 ? 5000 : 100;
        lab.insts[i] = of[i] == 1 ? 80 : 40;
        lab.time[i] = 3 * lab.insts[i];
    }
    lab.pop.bbv_of = of;
    lab.pop.n_bbvs = 3;
    lab.pop.bbv_begin = begin;
    lab.pop.bbv_block = block;
    lab.pop.bbv_count = count;
    lab.pop.bbv_warps = warps;
    lab.pop.n_blocks = 3;
    plan_t p = lab_plan(&lab.pop, "photon_kernel", 1);
    check_plan(&lab.pop, &p);
    /* Launches 1 and 3 for 5000 warps; with 100 warps both kinds again (below few_warps). */
    assert_int_equal(p.n_clusters, 4);
    assert_int_equal(p.samples[0].launch, 1);
    assert_true(close_to(p.samples[0].weight, 10 + 2 * 10));
    assert_true(close_to(p.predicted_total, p.profile_total));
    plan_free(&p);
    p = lab_plan(&lab.pop, "photon_kernel:few_warps=0", 1);
    assert_int_equal(p.n_clusters, 2);
    plan_free(&p);
    /* The artifact compares raw counts: twice the work is another launch, weights are counts. */
    p = lab_plan(&lab.pop, "photon_kernel:variant=artifact", 1);
    assert_int_equal(p.n_clusters, 3);
    assert_true(close_to(p.samples[0].weight, (double)p.clusters[0].size));
    plan_free(&p);
    lab_population_free(&lab);
}

static void photon_tells_mixes_of_warp_types_apart(void **state)
{
    (void)state;
    enum { N = 30 };
    lab_population_t lab = lab_population(N, 1);
    static const uint64_t begin[] = {0, 1, 2}, mix_begin[] = {0, 2, 4, 5};
    static const uint32_t block[] = {0, 1}, mix_bbv[] = {0, 1, 0, 1, 0};
    static const double count[] = {10, 10}, mix_warps[] = {90, 10, 89, 11, 100};
    uint32_t of[N];
    uint64_t warps[N];
    for (uint64_t i = 0; i < N; i++) {
        of[i] = (uint32_t)(i % 3);
        warps[i] = 100;
        lab.time[i] = 1;
    }
    lab.pop.bbv_begin = begin;
    lab.pop.bbv_block = block;
    lab.pop.bbv_count = count;
    lab.pop.n_bbvs = 2;
    lab.pop.mix_of = of;
    lab.pop.n_mixes = 3;
    lab.pop.mix_begin = mix_begin;
    lab.pop.mix_bbv = mix_bbv;
    lab.pop.mix_warps = mix_warps;
    lab.pop.bbv_warps = warps;
    lab.pop.n_blocks = 2;
    plan_t p = lab_plan(&lab.pop, "photon_kernel", 1);
    /* 90/10 and 89/11 are sqrt(2) percent apart; all of one type is 14 percent from them. */
    assert_int_equal(p.n_clusters, 2);
    assert_int_equal(p.clusters[0].size, 20);
    plan_free(&p);
    p = lab_plan(&lab.pop, "photon_kernel:variant=artifact", 1);
    assert_int_equal(p.n_clusters, 2);
    plan_free(&p);
    lab_population_free(&lab);
}

static void small_and_correlated_clusters_are_warned_of(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(420, 1);
    for (uint64_t i = 0; i < 420; i++)
        lab.time[i] = 1000 + (double)i; /* drifts */
    plan_t p = lab_plan(&lab.pop, "random:count=10", 1);
    assert_int_equal(p.n_warnings, 1);
    assert_non_null(strstr(p.warnings[0], "autocorrelated in 1 of 1 clusters (0.99"));
    plan_free(&p);
    lab.pop.n = 20;
    p = lab_plan(&lab.pop, "random:count=10", 1);
    assert_non_null(strstr(p.warnings[0], "fewer than 30 launches"));
    plan_free(&p);
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_documented),
        cmocka_unit_test(options_are_named_checked_and_written_back),
        cmocka_unit_test(every_method_has_options_with_help),
        cmocka_unit_test(lists_of_samplers_are_split_at_samplers),
        cmocka_unit_test(every_method_ends_on_every_population),
        cmocka_unit_test(plans_depend_on_the_seed_alone),
        cmocka_unit_test(faulty_populations_are_refused),
        cmocka_unit_test(endless_draws_are_refused),
        cmocka_unit_test(a_million_names_are_a_million_clusters),
        cmocka_unit_test(random_draws_what_it_is_told),
        cmocka_unit_test(dominant_keeps_the_longest_kernels),
        cmocka_unit_test(allegro_divides_two_peaks_and_samples_thirty_of_each),
        cmocka_unit_test(keys_group_by_name_prefix_or_shape),
        cmocka_unit_test(sieve_has_its_three_tiers),
        cmocka_unit_test(sieve_original_has_two_strata_where_the_artifact_has_two_hundred),
        cmocka_unit_test(tbpoint_merges_within_the_threshold),
        cmocka_unit_test(what_would_take_for_ever_is_refused_with_its_time_and_memory),
        cmocka_unit_test(pka_takes_the_smallest_k_below_its_error),
        cmocka_unit_test(photon_matches_vectors_warps_and_scales_by_instructions),
        cmocka_unit_test(photon_tells_mixes_of_warp_types_apart),
        cmocka_unit_test(small_and_correlated_clusters_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
