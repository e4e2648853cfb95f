#include "sim/core/engine/engine_internal.h"

void engine_dump(const engine_t *e, FILE *out)
{
    fprintf(out, "engine: window [%llu, %llu), %u shards\n", (unsigned long long)e->from,
            (unsigned long long)e->to, e->n_shards);
    for (uint32_t s = 0; s < e->n_shards; s++) {
        if (e->next[s] != CYCLE_NEVER)
            fprintf(out, "%s shard %u: next event at %llu\n", e->shard[s].ops->kind, s,
                    (unsigned long long)e->next[s]);
        e->shard[s].ops->dump(e->shard[s].self, out);
    }
}
