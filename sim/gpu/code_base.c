#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"

enum { CODE_REGION_BIT = 62, CODE_SHIFT = 26 };

uint64_t gpu_code_base(gpu_t *g, uint64_t code_id)
{
    size_t i = 0;
    while (i < g->n_code_ids && g->code_id[i] != code_id)
        i++;
    if (i == g->n_code_ids) {
        rb_grow(&g->code_id, &g->cap_code_ids, i + 1, sizeof(*g->code_id));
        g->code_id[g->n_code_ids++] = code_id;
    }
    return (UINT64_C(1) << CODE_REGION_BIT) + ((uint64_t)i << CODE_SHIFT);
}
