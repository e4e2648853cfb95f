#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"

enum { CODE_REGION_BIT = 62, CODE_SHIFT = 26 };

/* The number of a kernel. first: of a new one. */
static size_t code_number(gpu_t *g, uint64_t code_id, uint64_t first)
{
    size_t i = 0;
    while (i < g->n_codes && g->code[i].id != code_id)
        i++;
    if (i == g->n_codes) {
        rb_grow(&g->code, &g->cap_codes, i + 1, sizeof(*g->code));
        g->code[g->n_codes++] = (known_code_t){code_id, first};
    }
    return i;
}

size_t gpu_code_number(gpu_t *g, uint64_t code_id)
{
    return code_number(g, code_id, 0);
}

uint64_t gpu_code_base(gpu_t *g, uint64_t code_id)
{
    return (UINT64_C(1) << CODE_REGION_BIT) + ((uint64_t)code_number(g, code_id, 0) << CODE_SHIFT);
}

uint64_t gpu_code_first(gpu_t *g, uint64_t code_id, uint64_t position)
{
    const size_t number = code_number(g, code_id, position);
    return g->code[number].first;
}
