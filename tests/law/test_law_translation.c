/*
 * Laws of address translation. Each compares a program with the same program on a chip without
 * translation. With an L2 that always hits, the difference is due to translation alone.
 */
#include "tests/support/sim/lab.h"

#define NO_NOISE "icache.perfect=true", "l2.perfect=true"

enum { MAX_PLACES = 512 };

static const uint64_t region = 0x7f0000000000;

/* Places pitch bytes apart, visited one after the other, from the first again after the last. */
typedef struct {
    uint64_t pitch, n;
} places_t;

static uint64_t place_address(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const places_t *p = ctx;
    (void)warp;
    (void)lane;
    return region + step % p->n * p->pitch;
}

static lab_access_t access_of(const char *mnemonic, const char *dst, uint32_t blocks,
                              uint64_t steps, const places_t *places)
{
    return (lab_access_t){.op = {mnemonic, dst, "R2"},
                          .blocks = blocks,
                          .threads = 1,
                          .mask = 1,
                          .steps = steps,
                          .address = place_address,
                          .ctx = places};
}

/* Cycles that translation adds to a launch. */
static double added(gpu_spec_t spec, const lab_access_t *a, launch_result_t *with)
{
    launch_result_t r = lab_access(&spec, a);
    spec.sm.tlb.perfect = true;
    launch_result_t ideal = lab_access(&spec, a);
    assert_int_equal(ideal.sm.tlb_misses, 0);
    if (with != NULL)
        *with = r;
    return (double)launch_result_cycles(&r) - (double)launch_result_cycles(&ideal);
}

static double chase_added(const gpu_spec_t *spec, uint64_t pitch, uint64_t n, uint64_t steps)
{
    const places_t places = {pitch, n};
    lab_access_t a = access_of("LDG.E.STRONG.GPU", "R2", 1, steps, &places);
    return added(*spec, &a, NULL);
}

/* Beyond the second level: to the MMU and back. */
static uint32_t to_the_mmu(const gpu_spec_t *s)
{
    return 2 * s->mem.mmu.latency + s->mem.mmu.lookup;
}

/* The same for an entry that is requested for the first time. */
static uint32_t cold(const gpu_spec_t *s)
{
    return to_the_mmu(s) + s->mem.mmu.walk;
}

static void the_first_access_to_a_page_waits_for_a_walk(void **state)
{
    const char *const op[][2] = {
        {"LDG.E.SYS", "R2"}, {"LDG.E.STRONG.GPU", "R2"}, {"ATOMG.E.ADD.STRONG.GPU", "R2"}};
    const places_t one = {0, 1};
    (void)state;
    for (size_t g = 0; g < 2; g++) {
        gpu_spec_t spec = LAB_SPEC(g == 0 ? "v100" : "t4", NO_NOISE);
        for (size_t i = 0; i < sizeof(op) / sizeof(op[0]); i++) {
            lab_access_t a = access_of(op[i][0], op[i][1], 1, 5, &one);
            lab_assert_equal(added(spec, &a, NULL), spec.sm.tlb.l2_latency + cold(&spec), op[i][0]);
        }
    }
}

static void a_page_of_a_known_entry_costs_the_second_level(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    (void)state;
    lab_assert_equal(chase_added(&spec, spec.sm.tlb.page, 2, 6),
                     cold(&spec) + 2.0 * spec.sm.tlb.l2_latency, "two pages");
}

static void the_first_level_reaches_as_many_pages_as_it_has_entries(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    const uint64_t n = spec.sm.tlb.entries;
    (void)state;
    lab_assert_equal(chase_added(&spec, spec.sm.tlb.page, n, 3 * n),
                     cold(&spec) + (double)n * spec.sm.tlb.l2_latency, "as many as fit");
    /* With one more place, in a separate entry, each entry is replaced before it is used again. */
    lab_assert_equal(chase_added(&spec, spec.sm.tlb.page, n + 1, 3 * (n + 1)),
                     2.0 * cold(&spec) + 3.0 * (double)(n + 1) * spec.sm.tlb.l2_latency,
                     "one more");
}

static void beyond_the_second_level_the_mmu_answers_without_a_walk(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    const uint64_t n = spec.sm.tlb.l2_entries, pitch = spec.sm.tlb.l2_page;
    (void)state;
    lab_assert_equal(chase_added(&spec, pitch, n, 2 * n),
                     (double)n * (cold(&spec) + 2.0 * spec.sm.tlb.l2_latency), "as many as fit");
    lab_assert_equal(chase_added(&spec, pitch, n + 1, 2 * (n + 1)),
                     (double)(n + 1) *
                         (cold(&spec) + to_the_mmu(&spec) + 2.0 * spec.sm.tlb.l2_latency),
                     "one more");
}

/* A place chosen at random. */
static uint64_t any_place(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    const places_t *p = ctx;
    (void)warp;
    (void)lane;
    return region + (step * 0x9E3779B97F4A7C15u >> 40) * (step + 1) % p->n * p->pitch;
}

/* How many of these steps find that their place was not among the last `entries` visited places. */
static uint64_t forgotten(const places_t *p, uint64_t steps, uint64_t entries)
{
    uint64_t used[MAX_PLACES] = {0}, misses = 0; /* step + 1 of the last visit of each place */
    for (uint64_t step = 0; step < steps; step++) {
        uint64_t at = (any_place(p, 0, 0, step) - region) / p->pitch, newer = 0;
        for (uint64_t k = 0; k < p->n; k++)
            newer += used[k] > used[at];
        misses += used[at] == 0 || newer >= entries;
        used[at] = step + 1;
    }
    return misses;
}

static void the_first_level_forgets_what_was_used_longest_ago(void **state)
{
    static const char *const size[] = {"tlb.entries=1", "tlb.entries=2", "tlb.entries=7",
                                       "tlb.entries=16"};
    (void)state;
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE, size[i]);
        const places_t places = {spec.sm.tlb.page, 24};
        lab_access_t a = access_of("LDG.E.STRONG.GPU", "R2", 1, 400, &places);
        a.address = any_place;
        launch_result_t r = lab_access(&spec, &a);
        assert_int_equal(r.sm.tlb_misses, forgotten(&places, a.steps, spec.sm.tlb.entries));
    }
}

static void the_second_level_forgets_what_was_used_longest_ago(void **state)
{
    static const char *const size[] = {"tlb.l2_entries=1", "tlb.l2_entries=3", "tlb.l2_entries=8",
                                       "tlb.l2_entries=9", "tlb.l2_entries=20"};
    (void)state;
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE, "tlb.entries=1", size[i]);
        const places_t places = {spec.sm.tlb.l2_page, 24};
        lab_access_t a = access_of("LDG.E.STRONG.GPU", "R2", 1, 400, &places);
        a.address = any_place;
        launch_result_t r = lab_access(&spec, &a);
        assert_int_equal(r.sm.tlb_misses, forgotten(&places, a.steps, 1));
        assert_int_equal(r.sm.tlb_l2_misses, forgotten(&places, a.steps, spec.sm.tlb.l2_entries));
        assert_true(r.sm.tlb_l2_misses > places.n);
    }
}

static void what_the_mmu_has_forgotten_is_walked_again(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("v100", NO_NOISE, "tlb.entries=1", "tlb.l2_entries=1", "mmu.entries=2");
    const uint64_t pitch = spec.sm.tlb.l2_page;
    (void)state;
    lab_assert_equal(chase_added(&spec, pitch, 2, 6),
                     2.0 * cold(&spec) + 4.0 * to_the_mmu(&spec) + 6.0 * spec.sm.tlb.l2_latency,
                     "kept");
    lab_assert_equal(chase_added(&spec, pitch, 3, 6), 6.0 * (cold(&spec) + spec.sm.tlb.l2_latency),
                     "forgotten");
}

static void walks_go_on_at_the_same_time(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    const places_t places = {spec.sm.tlb.l2_page, 4};
    lab_access_t a = access_of("LDG.E.SYS", NULL, 1, 4, &places);
    launch_result_t r;
    (void)state;
    double extra = added(spec, &a, &r);
    assert_int_equal(r.sm.tlb_l2_misses, 4);
    lab_assert_equal(extra, spec.sm.tlb.l2_latency + cold(&spec), "four walks");
}

static void one_walk_serves_all_that_wait_for_it(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    const places_t places = {128, 4};
    lab_access_t a = access_of("LDG.E.SYS", NULL, spec.sm.sm.count, 4, &places);
    launch_result_t r;
    (void)state;
    double extra = added(spec, &a, &r);
    assert_int_equal(r.sm.tlb_l2_misses, 4 * spec.sm.sm.count);
    /* Blocks start one after another, and all wait for the page walk that the first one began;
     * their packets leave together. */
    assert_true(extra >= spec.sm.tlb.l2_latency + cold(&spec) - spec.sm.sm.count);
    assert_true(extra <= spec.sm.tlb.l2_latency + cold(&spec) + spec.sm.sm.count);
}

static void an_sm_finds_at_the_mmu_what_another_has_asked_for(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE, "sm.count=2", "sm.max_blocks=1");
    const places_t one = {0, 1};
    uint64_t cycles[2];
    (void)state;
    for (int perfect = 0; perfect < 2; perfect++) {
        lab_results_t *r = test_calloc(1, sizeof(*r));
        synth_t *s = synth_create();
        lab_access_t a = access_of("LDG.E.STRONG.GPU", "R2", 1, 5, &one);
        spec.sm.tlb.perfect = perfect;
        lab_access_add(s, &spec, &a);
        a.blocks = 2;
        lab_access_add(s, &spec, &a);
        lab_run(&spec, synth_source(s), 1, 0, r);
        cycles[perfect] = launch_result_cycles(&r->launch[1]);
        synth_destroy(s);
        test_free(r);
    }
    lab_assert_equal((double)(cycles[0] - cycles[1]), spec.sm.tlb.l2_latency + to_the_mmu(&spec),
                     "the other SM");
}

static void others_pass_what_waits_for_the_mmu(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    const places_t places = {spec.sm.tlb.l2_page, 2};
    lab_access_t a = access_of("LDG.E.SYS", NULL, 1, 2, &places);
    launch_result_t narrow, wide;
    (void)state;
    double both = added(spec, &a, &wide);
    spec.sm.tlb.pending = 1;
    double one_at_a_time = added(spec, &a, &narrow);
    assert_int_equal(wide.sm.l1_stall_tlb, 0);
    assert_true(narrow.sm.l1_stall_tlb > 0);
    lab_assert_equal(both, spec.sm.tlb.l2_latency + cold(&spec), "side by side");
    assert_true(one_at_a_time > 2.0 * cold(&spec));
}

/* A slot for a packet is free again when its translation has come. */
static void as_many_packets_wait_for_the_mmu_as_there_is_room_for(void **state)
{
    enum { PAGES = 6 };
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    const places_t places = {spec.sm.tlb.l2_page, PAGES};
    lab_access_t a = access_of("LDG.E.SYS", NULL, 1, PAGES, &places);
    launch_result_t r;
    (void)state;
    for (uint32_t room = 1; room <= PAGES; room++) {
        spec.sm.tlb.pending = room;
        uint32_t rounds = (PAGES + room - 1) / room;
        double extra = added(spec, &a, &r);
        assert_int_equal(r.sm.l1_stall_tlb > 0, room < PAGES);
        assert_true(extra >= rounds * (double)cold(&spec));
        assert_true(extra < (rounds + 1) * (double)cold(&spec));
    }
}

static void stores_are_translated_and_local_memory_is_not(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_NOISE);
    const places_t one = {0, 1};
    lab_access_t a = access_of("STG.E.SYS", NULL, 1, 1, &one);
    launch_result_t r;
    (void)state;
    lab_assert_equal(added(spec, &a, &r), spec.sm.tlb.l2_latency + cold(&spec), "STG");
    assert_int_equal(r.sm.tlb_l2_misses, 1);
    a = access_of("LDL", "R2", 1, 1, &one);
    lab_assert_equal(added(spec, &a, &r), 0, "LDL");
    assert_int_equal(r.sm.tlb_misses, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_access_to_a_page_waits_for_a_walk),
        cmocka_unit_test(a_page_of_a_known_entry_costs_the_second_level),
        cmocka_unit_test(the_first_level_reaches_as_many_pages_as_it_has_entries),
        cmocka_unit_test(beyond_the_second_level_the_mmu_answers_without_a_walk),
        cmocka_unit_test(the_first_level_forgets_what_was_used_longest_ago),
        cmocka_unit_test(the_second_level_forgets_what_was_used_longest_ago),
        cmocka_unit_test(what_the_mmu_has_forgotten_is_walked_again),
        cmocka_unit_test(walks_go_on_at_the_same_time),
        cmocka_unit_test(one_walk_serves_all_that_wait_for_it),
        cmocka_unit_test(an_sm_finds_at_the_mmu_what_another_has_asked_for),
        cmocka_unit_test(others_pass_what_waits_for_the_mmu),
        cmocka_unit_test(as_many_packets_wait_for_the_mmu_as_there_is_room_for),
        cmocka_unit_test(stores_are_translated_and_local_memory_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
