/* Addresses and sizes of the arrays of a generated program. */
#include "frontend/input/gen/gen_program.h"

#include <math.h>

enum { ALLOC_ALIGN = 512 }; /* of cudaMalloc() */

uint64_t gen_alloc(gen_program_t *g, uint64_t bytes)
{
    uint64_t addr = g->top;

    g->top += (bytes + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
    return addr;
}

uint64_t gen_input(gen_program_t *g, uint64_t bytes)
{
    uint64_t addr = gen_alloc(g, bytes);

    RB_INVARIANT(g->n_copies < GEN_MAX_COPIES, "%s: too many inputs", g->kind->name);
    g->copy[g->n_copies++] = (memcpy_op_t){.addr = addr, .bytes = bytes};
    return addr;
}

uint64_t gen_square_side(uint64_t n)
{
    uint64_t x = (uint64_t)sqrt((double)n);

    while (x * x < n)
        x++;
    while (x > 0 && (x - 1) * (x - 1) >= n)
        x--;
    return x;
}
