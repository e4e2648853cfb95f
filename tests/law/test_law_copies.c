/*
 * Laws of asynchronous copies (LDGSTS): when they are done, what waiting for groups of them waits for,
 * what they leave in the L1, and what passes through shared memory.
 */
#include "tests/support/test.h"

#include "tests/support/emulator/control_lab.h"

enum { GROUPS = 4, GAP = 9, COUNTER = 1, AFTER = 4 };

#define COPY   "LDGSTS.E", "", "R1 R2"
#define COMMIT "LDGDEPBAR", "", ""
#define HITS   "l1.perfect=true"

static control_line_t wait_for_all_but(unsigned limit)
{
    return (control_line_t){"DEPBAR.LE", "",   "", AFTER, true,
                            NONE,        NONE, 0,  0,     depbar_pack(COUNTER, limit, 0)};
}

/* Cycles until `limit` of n groups, each of one copy, are left; issue of the wait in *issued. */
static uint64_t groups_take(const gpu_spec_t *spec, unsigned n, unsigned limit, uint64_t *issued)
{
    control_line_t code[2 * GROUPS + 5] = {{CLOCK, STALL(2)}};
    unsigned k = 1;

    for (unsigned i = 0; i < n; i++) {
        code[k++] = (control_line_t){COPY, STALL(2)};
        code[k++] = (control_line_t){COMMIT, WRITES(GAP - 2, COUNTER)};
    }
    code[k++] = wait_for_all_but(limit);
    code[k++] = (control_line_t){CLOCK, STALL(1)};
    code[k] = (control_line_t){"EXIT", "", "", STALL(5)};
    *issued = 2 + (uint64_t)n * GAP;
    return control_lab_elapsed(spec, code);
}

/* Huerta 2025, table 2: 39 cycles for a copy that hits, whatever its width. */
static void a_copy_takes_39_cycles(void **state)
{
    static const char *const forms[] = {"LDGSTS.E", "LDGSTS.E.64", "LDGSTS.E.128"};
    gpu_spec_t spec = LAB_SPEC("a40", ONE_SM, HITS);

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const control_line_t code[] = {{CLOCK, STALL(2)},
                                       {forms[i], "", "R1 R2", STALL(2)},
                                       {COMMIT, WRITES(2, COUNTER)},
                                       wait_for_all_but(0),
                                       {CLOCK, STALL(1)},
                                       {"EXIT", "", "", STALL(5)},
                                       {0}};
        assert_int_equal(control_lab_elapsed(&spec, code), 2 + 39 + AFTER);
    }
}

static void waiting_for_groups_is_exact(void **state)
{
    gpu_spec_t spec = LAB_SPEC("a40", ONE_SM, HITS);

    (void)state;
    for (unsigned limit = 0; limit <= GROUPS; limit++) {
        uint64_t issued, took = groups_take(&spec, GROUPS, limit, &issued);
        uint64_t done = limit == GROUPS
                            ? 0
                            : 2 + (GROUPS - limit - 1) * GAP + (uint64_t)spec.sm.l1.copy_latency;

        assert_int_equal(took, (done > issued ? done : issued) + AFTER);
    }
}

/* The counters of control words are not there: the groups are counted all the same. The last copy must
 * be waited for in any case, but not one group more than the limit says. */
static void a_scoreboard_waits_for_groups_too(void **state)
{
    gpu_spec_t spec =
        LAB_SPEC("a40", ONE_SM, HITS, "sm.dependences=scoreboard", "l1.copy_latency=400");
    uint64_t took[GROUPS + 1], issued;

    (void)state;
    for (unsigned limit = 0; limit <= GROUPS; limit++)
        took[limit] = groups_take(&spec, GROUPS, limit, &issued);
    assert_in_range(took[0], 400, 600);
    for (unsigned limit = 1; limit < GROUPS; limit++)
        assert_true(took[limit] < took[limit - 1]);
    assert_true(took[GROUPS - 1] >= 400);
    assert_true(took[GROUPS] < 100);
}

/* A group is not done before the groups before it. */
static void groups_are_done_in_order(void **state)
{
    gpu_spec_t spec = LAB_SPEC("a40", ONE_SM);
    const control_line_t tail[] = {{COPY, STALL(2)}, /* of a line under way: done with the first */
                                   {COMMIT, WRITES(2, COUNTER)}};
    (void)state;
    for (unsigned limit = 0; limit <= 2; limit++) {
        const control_line_t code[] = {{CLOCK, STALL(2)},
                                       {"LDGSTS.E.BYPASS.128", "", "R1 R2", STALL(2)},
                                       {COMMIT, WRITES(2, COUNTER)},
                                       tail[0],
                                       tail[1],
                                       wait_for_all_but(limit),
                                       {CLOCK, STALL(1)},
                                       {"EXIT", "", "", STALL(5)},
                                       {0}};
        uint64_t took = control_lab_elapsed(&spec, code);

        if (limit == 2)
            assert_int_equal(took, 2 + 4 + 4 + AFTER);
        else
            assert_true(took > spec.sm.l1.copy_latency + spec.mem.l2.latency);
    }
}

/* An open group is nobody's: a wait for 0 groups does not wait for it. An empty one is done at once. */
static void only_closed_groups_count(void **state)
{
    gpu_spec_t spec = LAB_SPEC("a40", ONE_SM, HITS);
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {COMMIT, WRITES(10, COUNTER)},
                                   {COPY, STALL(2)},
                                   wait_for_all_but(0),
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    (void)state;
    assert_int_equal(control_lab_elapsed(&spec, code), 2 + 10 + 2 + AFTER);
}

/* More groups than the model keeps: the next one waits until the oldest is done. */
static void any_number_of_groups_can_be_under_way(void **state)
{
    enum { MANY = 100 };
    gpu_spec_t spec = LAB_SPEC("a40", ONE_SM);
    static control_line_t code[2 * MANY + 5];
    unsigned k = 0;

    (void)state;
    code[k++] = (control_line_t){CLOCK, STALL(2)};
    for (unsigned i = 0; i < MANY; i++) {
        code[k++] = (control_line_t){"LDGSTS.E.BYPASS.128", "", "R1 R2", STALL(1)};
        code[k++] = (control_line_t){COMMIT, WRITES(2, COUNTER)};
    }
    code[k++] = wait_for_all_but(0);
    code[k++] = (control_line_t){CLOCK, STALL(1)};
    code[k] = (control_line_t){"EXIT", "", "", STALL(5)};
    clock_lab_t t = control_lab_run(&spec, code, 1);
    assert_int_equal(t.n, 2);
    assert_true(t.read[1].cycle - t.read[0].cycle > spec.mem.l2.latency);
    assert_int_equal(t.result.sm.global_load_requests, MANY);
}

/* The L1 sectors that a load hits after a copy of the same addresses. */
static uint64_t hits_after(const char *copy)
{
    gpu_spec_t spec = LAB_SPEC("a40", ONE_SM);
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {copy, "", "R1 R2", STALL(2)},
                                   {COMMIT, WRITES(2, COUNTER)},
                                   wait_for_all_but(0),
                                   {"LDG.E", "R4", "R2", WRITES(2, 2)},
                                   {CLOCK, WAITS(1, 4)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    clock_lab_t t = control_lab_run(&spec, code, 1);

    assert_int_equal(t.result.sm.global_load_requests, 2);
    assert_int_equal(t.result.sm.global_load_sectors, 8);
    return t.result.sm.global_load_hits;
}

static void copies_leave_their_lines_in_the_l1_unless_they_bypass_it(void **state)
{
    (void)state;
    assert_int_equal(hits_after("LDGSTS.E"), 4);
    assert_int_equal(hits_after("LDGSTS.E.BYPASS"), 0);
}

/* Every byte passes the banks of shared memory once, 128 per pass, and none passes the return path. */
static void what_is_copied_passes_shared_memory(void **state)
{
    static const struct {
        const char *mnemonic;
        unsigned passes;
    } forms[] = {{"LDGSTS.E", 1}, {"LDGSTS.E.64", 2}, {"LDGSTS.E.BYPASS.128", 4}};
    enum { WARPS = 8 };
    gpu_spec_t spec = LAB_SPEC("a100", ONE_SM);

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const control_line_t code[] = {{forms[i].mnemonic, "", "R1 R2", STALL(2)},
                                       {COMMIT, WRITES(2, COUNTER)},
                                       wait_for_all_but(0),
                                       {CLOCK, STALL(1)},
                                       {"EXIT", "", "", STALL(5)},
                                       {0}};
        clock_lab_t t = control_lab_run(&spec, code, WARPS);

        assert_int_equal(t.result.sm.shared_wavefronts, WARPS * forms[i].passes);
        assert_int_equal(t.result.sm.shared_conflicts, 0);
        assert_true(t.result.sm.l1_data_busy >= WARPS * forms[i].passes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_takes_39_cycles),
        cmocka_unit_test(waiting_for_groups_is_exact),
        cmocka_unit_test(a_scoreboard_waits_for_groups_too),
        cmocka_unit_test(groups_are_done_in_order),
        cmocka_unit_test(only_closed_groups_count),
        cmocka_unit_test(any_number_of_groups_can_be_under_way),
        cmocka_unit_test(copies_leave_their_lines_in_the_l1_unless_they_bypass_it),
        cmocka_unit_test(what_is_copied_passes_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
