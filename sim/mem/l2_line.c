#include "sim/mem/l2_internal.h"

static void write_back(l2_slice_t *s, const cache_line_t *line)
{
    s->stats.writebacks += l2_sector_count(line->written.dirty);
    l2_transfer_add(s, line->line, line->written.dirty, true, 0);
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
    s->stats.early_writebacks += l2_sector_count(line.written.dirty);
    write_back(s, &line);
}

uint8_t l2_line_partial(const l2_slice_t *s, const cache_tag_t *l)
{
    const cache_written_t *w = cache_written(s->cache, l);
    return w != NULL ? w->partial : 0;
}

uint32_t l2_slice_copy_in(l2_slice_t *s, uint64_t line, uint8_t sectors)
{
    if (s->spec.perfect)
        return 0;
    if (s->spec.halves > 1)
        l2_copy_drop(s, cache_key_of(s->cache, line), sectors);
    cache_tag_t *l = cache_place(s->cache, cache_key_of(s->cache, line)).tag;
    l2_tags_fill(s->cache, l, sectors);
    cache_write(s->cache, l)->dirty |= sectors;
    return l2_sector_count(sectors);
}

l2_tags_t l2_slice_tags(l2_slice_t *s)
{
    mshr_forget_absent(&s->mshr);
    return (l2_tags_t){.cache = s->cache,
                       .modified_ways = s->modified_ways,
                       .fill_sectors = s->spec.fill_sectors,
                       .perfect = s->spec.perfect};
}
