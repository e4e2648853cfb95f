/* Pointer chase: each thread follows a list through a working set in random order. */
#include "frontend/input/gen/gen_emit.h"
#include "frontend/input/gen/gen_program.h"

enum { UNROLL = 4, BLOCK = 32 };

enum { HEAD, ENTER, LOAD_0, LOAD_1, LOAD_2, LOAD_3, NEXT, TAIL, N_SEGMENTS };

static const char *const listing[N_SEGMENTS] = {
    [HEAD] = GEN_ENTER_1D("R0", "0x178"),
    [ENTER] = "MOV R5, 0x8;"
              "IMAD.WIDE R2, R0, R5, c[0x0][0x160];"
              "LDG.E.64.SYS R2, [R2];"
              "MOV R6, RZ;",
    [LOAD_0] = "LDG.E.64.SYS R2, [R2];",
    [LOAD_1] = "LDG.E.64.SYS R2, [R2];",
    [LOAD_2] = "LDG.E.64.SYS R2, [R2];",
    [LOAD_3] = "LDG.E.64.SYS R2, [R2];",
    [NEXT] = "IADD3 R6, R6, 0x4, RZ;"
             "ISETP.GE.AND P0, PT, R6, c[0x0][0x174], PT;"
             "@!P0 BRA;",
    [TAIL] = "IMAD.WIDE R4, R0, R5, c[0x0][0x168];"
             "STG.E.64.SYS [R4], R2;"
             "EXIT;",
};

enum { HEADS, OUT, NODES, N_NODES, STRIDE, STEPS, CHAINS };

/* Smallest power of two that is not below n. */
static uint64_t round_up(uint64_t n)
{
    return n <= 1 ? 1 : UINT64_C(1) << (64 - __builtin_clzll(n - 1));
}

/* A bijection of 0 .. size - 1 (size: a power of two) that separates adjacent values. */
static uint64_t scatter(uint64_t x, uint64_t size, uint64_t seed)
{
    unsigned half = (unsigned)__builtin_ctzll(size) / 2 + 1;

    for (unsigned round = 0; round < 3; round++) {
        x = (x * ((gen_mix(seed + round) & ~UINT64_C(7)) + 5) + 1) & (size - 1);
        x ^= x >> half;
    }
    return x;
}

/*
 * The successor of a position: a walk through all nodes in the order of scatter(), skipping the
 * values above the number of nodes, which need not be a power of two.
 */
static uint64_t next_position(const gen_launch_t *l, uint64_t position, uint64_t *node)
{
    uint64_t size = round_up(l->arg[N_NODES]);

    do {
        position = (position + 1) & (size - 1);
        *node = scatter(position, size, l->seed);
    } while (*node >= l->arg[N_NODES]);
    return position;
}

static void walk(gen_warp_t *w)
{
    const gen_launch_t *l = w->launch;
    const uint64_t *arg = l->arg;
    uint64_t first = gen_first_global(w), size = round_up(arg[N_NODES]);
    uint32_t active = gen_enter(w, HEAD, arg[CHAINS]);
    uint64_t position[GEN_WARP], addr[GEN_WARP], node;

    gen_affine(w, 2, arg[HEADS] + 8 * first, 8);
    gen_run(w, ENTER, active);
    for (unsigned k = 0; k < GEN_WARP; k++) /* chains start at equal distances */
        position[k] = gen_reduce(((first + k) % arg[CHAINS]) * (UINT64_MAX / arg[CHAINS]), size);
    for (uint64_t step = 0; step < arg[STEPS] && active != 0; step += UNROLL) {
        for (unsigned i = 0; i < UNROLL; i++) {
            for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
                unsigned k = (unsigned)__builtin_ctz(rest);

                position[k] = next_position(l, position[k], &node);
                addr[k] = arg[NODES] + node * arg[STRIDE];
            }
            for (uint32_t rest = ~active; rest != 0; rest &= rest - 1)
                addr[__builtin_ctz(rest)] = arg[NODES];
            gen_lanes(w, 2, addr);
            gen_run(w, LOAD_0 + i, active);
        }
        w->pred[0] = step + UNROLL >= arg[STEPS] ? UINT32_MAX : 0;
        gen_run(w, NEXT, active);
    }
    gen_affine(w, 4, arg[OUT] + 8 * first, 8);
    gen_run(w, TAIL, active);
}

static const gen_kernel_t kernel = {"pointer_chase", listing, N_SEGMENTS, 10, walk};

enum { P_BYTES, P_STRIDE, P_STEPS, P_CHAINS };

static rb_code_t prepare(gen_program_t *g, rb_err_t *err)
{
    if (g->value[P_BYTES] < g->value[P_STRIDE])
        return rb_fail(err, RB_USAGE,
                       "chase: a working set of %llu bytes is too small for a node "
                       "of %llu bytes",
                       (unsigned long long)g->value[P_BYTES],
                       (unsigned long long)g->value[P_STRIDE]);
    g->array[NODES] = gen_input(g, g->value[P_BYTES]);
    g->array[HEADS] = gen_input(g, 8 * g->value[P_CHAINS]);
    g->array[OUT] = gen_alloc(g, 8 * g->value[P_CHAINS]);
    return RB_OK;
}

static void launch(const gen_program_t *g, uint64_t id, gen_launch_t *l)
{
    (void)id;
    gen_shape_1d(l, &kernel, g->value[P_CHAINS], BLOCK);
    l->arg[NODES] = g->array[NODES];
    l->arg[HEADS] = g->array[HEADS];
    l->arg[OUT] = g->array[OUT];
    l->arg[STRIDE] = g->value[P_STRIDE];
    l->arg[N_NODES] = g->value[P_BYTES] / g->value[P_STRIDE];
    l->arg[STEPS] = (g->value[P_STEPS] + UNROLL - 1) / UNROLL * UNROLL;
    l->arg[CHAINS] = g->value[P_CHAINS];
}

const gen_kind_t gen_kind_chase = {
    .name = "chase",
    .summary = "pointer chase in random order: every load depends on the previous one",
    .param = {{"size", "bytes of the working set", 8, UINT64_C(1) << 36, 1 << 22},
              {"stride", "bytes per node", 8, 1 << 20, 128},
              {"steps", "loads per chain, in groups of four", 1, 200000, 4096},
              {"chains", "threads, each with its own chain", 1, 1 << 20, 1}},
    .kernels = (const gen_kernel_t *const[]){&kernel, NULL},
    .prepare = prepare,
    .launch = launch,
};
