#include "sim/mem/gpc_code.h"

#include "sim/core/model_mem.h"
#include "sim/parts/cache/replacement.h"
#include "sim/parts/gpc.h"

void gpc_code_init(gpc_code_t *g, const mem_config_t *config, uint32_t n_sms)
{
    *g = (gpc_code_t){0};
    if (config->icnt.gpc_sms == 0)
        return;
    uint64_t lines = config->icnt.gpc_code / LINE_BYTES / config->l2.slices;
    g->n = gpc_count(n_sms, config->icnt.gpc_sms);
    g->cache = rb_model_calloc(g->n, sizeof(cache_t *));
    for (uint32_t i = 0; i < g->n; i++)
        g->cache[i] = cache_create(1, lines > 0 ? (uint32_t)lines : 1, LINE_BYTES, REPLACEMENT_LRU,
                                   false, false);
}

void gpc_code_free(gpc_code_t *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        cache_destroy(g->cache[i]);
    rb_model_free(g->cache);
}

static cache_t *cache_of_sm(const gpc_code_t *g, uint32_t sm)
{
    return g->cache[gpc_of_sm(sm, g->n)];
}

bool gpc_code_has(gpc_code_t *g, const mem_msg_t *m)
{
    if (m->src != MEM_SRC_INST || g->n == 0)
        return false;
    const cache_tag_t *l = cache_lookup(cache_of_sm(g, m->sm), m->line, true);
    return l != NULL && (m->sectors & ~cache_tag_valid(l)) == 0;
}

bool gpc_code_keep(gpc_code_t *g, uint64_t line, uint32_t sm, uint8_t sectors)
{
    return g->n > 0 && cache_use_sectors(cache_of_sm(g, sm), line, sectors);
}

void gpc_code_forget(gpc_code_t *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        cache_invalidate(g->cache[i]);
}

int gpc_code_save(const gpc_code_t *g, FILE *out)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (cache_save(g->cache[i], out) != 0)
            return -1;
    return 0;
}

int gpc_code_load(gpc_code_t *g, FILE *in)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (cache_load(g->cache[i], in) != 0)
            return -1;
    return 0;
}
