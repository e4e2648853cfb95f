#include "sim/mem/copy_traffic.h"

uint8_t copy_sectors(uint64_t line, uint64_t from, uint64_t to)
{
    const uint64_t end = line + LINE_BYTES;
    if (from >= end || to <= line)
        return 0;
    const uint64_t first = from <= line ? 0 : (from - line) / SECTOR_BYTES;
    const uint64_t last = to >= end ? SECTORS_PER_LINE - 1 : (to - 1 - line) / SECTOR_BYTES;
    return (uint8_t)((2u << last) - (1u << first));
}

/* Goes on to the next line of the partition, from p->line on. */
static void find(copy_pass_t *p, const addr_map_t *map, uint32_t partition)
{
    const copy_traffic_t *c = &p->copy;
    const uint64_t to = c->addr + c->bytes;
    while (p->line < to && addr_map_slice(map, p->line) / map->slices_per_partition != partition)
        p->line += LINE_BYTES;
    const uint64_t moved = to - p->line < LINE_BYTES ? c->bytes : p->line + LINE_BYTES - c->addr;
    p->due = p->line < to ? c->begin + (cycle_t)((double)moved * c->per_byte) : CYCLE_NEVER;
}

void copy_pass_begin(copy_pass_t *p, const copy_traffic_t *copy, const addr_map_t *map,
                     uint32_t partition)
{
    *p = (copy_pass_t){.copy = *copy, .line = copy->addr & ~(uint64_t)(LINE_BYTES - 1)};
    find(p, map, partition);
}

uint32_t copy_pass_take(copy_pass_t *p, const addr_map_t *map, uint32_t partition, msg_t *out)
{
    const copy_traffic_t *c = &p->copy;
    const uint8_t sectors = copy_sectors(p->line, c->addr, c->addr + c->bytes);
    *out = (msg_t){.kind = MSG_MEM_REQUEST,
                   .mem = {.line = p->line,
                           .sm = MEM_NOBODY,
                           .op = c->to_host ? MEM_READ : MEM_WRITE,
                           .src = MEM_SRC_GLOBAL,
                           .sectors = sectors,
                           .full = sectors,
                           .launch = COPY_TAG}};
    const uint32_t slice = addr_map_slice(map, p->line);
    p->line += LINE_BYTES;
    find(p, map, partition);
    return slice;
}
