#include "sim/mem/l2_internal.h"

static void write_back(l2_slice_t *s, const cache_line_t *line)
{
    const uint8_t partial = line->written.partial;
    s->stats.ecc_reads += dram_corrects(s->dram) ? cache_sector_count(partial) : 0;
    s->stats.writebacks += cache_sector_count(line->written.dirty);
    l2_transfer_add(s, line->line, line->written.dirty, true, partial);
}

cache_tag_t *l2_line_allocate(l2_slice_t *s, cache_key_t key)
{
    cache_line_t victim;
    bool evicted;
    cache_tag_t *l = cache_insert_key(s->cache, key, &victim, &evicted);
    if (evicted)
        write_back(s, &victim);
    return l;
}

void l2_set_clean(l2_slice_t *s, cache_key_t key)
{
    cache_line_t line;
    if (!l2_tags_excess(s->cache, key, s->modified_ways, &line))
        return;
    s->stats.early_writebacks += cache_sector_count(line.written.dirty);
    write_back(s, &line);
}

uint8_t l2_line_partial(const l2_slice_t *s, const cache_tag_t *l)
{
    const cache_written_t *w = cache_written(s->cache, l);
    return w != NULL ? w->partial : 0;
}

l2_tags_t l2_slice_tags(l2_slice_t *s)
{
    mshr_forget_absent(&s->mshr);
    s->request = (cache_request_t){0};
    return (l2_tags_t){.cache = s->cache,
                       .modified_ways = s->modified_ways,
                       .fill_sectors = s->spec.fill_sectors,
                       .far_from = s->far_from,
                       .half = s->far_below,
                       .perfect = s->spec.perfect};
}
