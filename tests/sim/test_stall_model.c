/* TBPoint's model of stalling warps: the Markov chain against its closed form, and its spread. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "sampling/math/rng.h"
#include "sampling/math/stall_model.h"

enum { WARPS = 6, STATES = 1 << WARPS, STEPS = 20000 };

/* Probability that one set of stalled warps becomes another in a cycle. */
static double transition(unsigned from, unsigned to, unsigned n, double p, const double *m)
{
    double all = 1;
    for (unsigned x = 0; x < n; x++) {
        const double change = from >> x & 1 ? 1 / m[x] : p;
        all *= (from >> x & 1) == (to >> x & 1) ? 1 - change : change;
    }
    return all;
}

/* Share of cycles in which a warp runs, from the 2^n x 2^n matrix, applied until it converges. */
static double ipc_of_matrix(unsigned n, double p, const double *m)
{
    static double matrix[STATES][STATES];
    const unsigned states = 1u << n;
    double now[STATES] = {1}, next[STATES];
    for (unsigned from = 0; from < states; from++)
        for (unsigned to = 0; to < states; to++)
            matrix[from][to] = transition(from, to, n, p, m);
    for (int step = 0; step < STEPS; step++) {
        double moved = 0;
        memset(next, 0, sizeof(next));
        for (unsigned from = 0; from < states; from++)
            for (unsigned to = 0; to < states; to++)
                next[to] += now[from] * matrix[from][to];
        for (unsigned i = 0; i < states; i++)
            moved = fmax(moved, fabs(next[i] - now[i]));
        memcpy(now, next, sizeof(now));
        if (moved < 1e-14)
            break;
    }
    return 1 - now[states - 1];
}

static void the_chain_has_the_closed_form(void **state)
{
    static const double p[] = {0.005, 0.05, 0.2, 0.7};
    rng_t rng = rng_make(3, 0);
    (void)state;
    for (unsigned n = 1; n <= WARPS; n++) {
        for (size_t i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
            double m[WARPS];
            for (unsigned x = 0; x < n; x++)
                m[x] = 2 + rng_unit(&rng) * 60;
            const double matrix = ipc_of_matrix(n, p[i], m), closed = stall_model_ipc(p[i], m, n);
            if (fabs(matrix - closed) > 1e-6)
                fail_msg("%u warps, p %g: %.9f by the matrix, %.9f closed", n, p[i], matrix,
                         closed);
        }
    }
}

/* The chain simulated cycle by cycle. */
static void the_chain_played_has_the_closed_form(void **state)
{
    enum { CYCLES = 2000000 };
    const double p = 0.08, m[4] = {20, 30, 40, 50};
    unsigned stalled = 0, ran = 0;
    rng_t rng = rng_make(8, 0);
    (void)state;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        ran += stalled != 15;
        for (unsigned x = 0; x < 4; x++) {
            const double change = stalled >> x & 1 ? 1 / m[x] : p;
            stalled ^= (unsigned)(rng_unit(&rng) < change) << x;
        }
    }
    assert_true(fabs((double)ran / CYCLES - stall_model_ipc(p, m, 4)) < 0.005);
}

/* Lemma 4.1: if stall lengths differ by a tenth, the IPC differs by less than 5 %. */
static void the_ipc_spreads_less_than_the_stalls(void **state)
{
    static const double p[] = {0.005, 0.02, 0.05, 0.1, 0.2};
    static const size_t warps[] = {4, 8, 12, 16};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 4; k++) {
            stall_spread_t s = stall_model_spread(p[i], 400, warps[k], 10000, 1);
            assert_true(s.within > 0.95);
            assert_true(s.cov < 0.051);
            assert_true(s.ipc > 0 && s.ipc < 1);
        }
    }
    /* The range that TBPoint gives. */
    assert_true(stall_model_spread(0.2, 400, 8, 10000, 1).cov < 0.024);
}

static void limits_are_kept(void **state)
{
    const double m[2] = {400, 400};
    (void)state;
    assert_true(stall_model_ipc(0, m, 2) == 1);
    assert_true(fabs(stall_model_ipc(1, m, 1) - (1 - 1 / (1 + 1.0 / 400))) < 1e-12);
    assert_true(stall_model_ipc(7, m, 2) == stall_model_ipc(1, m, 2));
    assert_true(stall_model_ipc(0.5, m, 0) == 0);
    stall_spread_t none = stall_model_spread(0, 400, 8, 100, 1);
    assert_true(none.ipc == 1 && none.cov == 0 && none.within == 1);
    stall_spread_t a = stall_model_spread(0.1, 400, 8, 100, 1);
    stall_spread_t b = stall_model_spread(0.1, 400, 8, 100, 1);
    assert_memory_equal(&a, &b, sizeof(a));
    assert_true(stall_model_spread(0.1, 400, 8, 0, 1).cov == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_has_the_closed_form),
        cmocka_unit_test(the_chain_played_has_the_closed_form),
        cmocka_unit_test(the_ipc_spreads_less_than_the_stalls),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
