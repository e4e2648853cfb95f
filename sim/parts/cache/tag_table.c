#include "sim/parts/cache/tag_table.h"

uint32_t tag_table_find_on(const tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint64_t key,
                           tag_table_is_t is, const void *owner, uint32_t none)
{
    uint32_t c = tag_table_home(tag, chunks);
    for (uint32_t left = chunks; left > 1; left--) {
        c = tag_table_next(c, chunks);
        uint32_t value = tag_chunk_find(&table[c], tag, key, is, owner, none);
        if (value != none)
            return value;
        if (table[c].passed == 0)
            break;
    }
    return none; /* in a full table, every chunk may have overflowed */
}

void tag_table_put_on(tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint16_t value)
{
    uint32_t c = tag_table_home(tag, chunks);
    do {
        table[c].passed++;
        c = tag_table_next(c, chunks);
    } while (!tag_chunk_put(&table[c], tag, value));
}

void tag_table_take_on(tag_chunk_t *table, uint32_t chunks, uint16_t tag, uint16_t value)
{
    uint32_t c = tag_table_home(tag, chunks);
    do {
        table[c].passed--;
        c = tag_table_next(c, chunks);
    } while (!tag_chunk_take(&table[c], tag, value));
}
