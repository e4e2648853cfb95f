#include "sim/sm/memory/write_policy.h"

/* The line, used by this store and inserted if it was absent. */
static cache_tag_t *line_of(cache_t *l1, cache_key_t key, const cache_tag_t *line,
                            cache_line_t *victim, bool *evicted)
{
    return line != NULL ? cache_lookup_key(l1, key, true)
                        : cache_insert_key(l1, key, victim, evicted);
}

bool write_policy_store(write_policy_t policy, cache_t *l1, cache_key_t key, cache_tag_t *line,
                        const policy_store_t *store, cache_line_t *victim)
{
    bool evicted = false;
    switch (policy) {
    case WRITE_POLICY_UPDATE:
        break;
    case WRITE_POLICY_EVICT:
        if (line != NULL)
            cache_tag_drop(line, store->sectors);
        break;
    case WRITE_POLICY_ALLOCATE:
        cache_tag_fill(line_of(l1, key, line, victim, &evicted), store->full);
        break;
    case WRITE_POLICY_WRITE_BACK:
        line = line_of(l1, key, line, victim, &evicted);
        cache_write_sectors(line, cache_write(l1, line), store->sectors, store->full, store->bytes);
        break;
    }
    return evicted;
}
