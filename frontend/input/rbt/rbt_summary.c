#include "frontend/input/rbt/rbt_summary.h"

#include "sim/sm/memory/coalesce.h"

void rbt_summary_add(rbt_summary_t *to, const rbt_summary_t *from)
{
    to->warp_insts += from->warp_insts;
    to->thread_insts += from->thread_insts;
    to->atomics += from->atomics;
    for (unsigned i = 0; i < RBT_SPACE_COUNT; i++) {
        to->requests[i] += from->requests[i];
        to->sectors[i] += from->sectors[i];
    }
}

/* As in the model, the window that holds the first active lane's address decides. */
static rbt_space_t generic_space(const launch_info_t *info, const uint64_t *rec)
{
    enum { WINDOW_BYTES = 1 << 24 };
    uint64_t first = coalesce_first(rec);

    if (info->shared_base != 0 && first - info->shared_base < WINDOW_BYTES)
        return RBT_SPACE_SHARED;
    if (info->local_base != 0 && first - info->local_base < WINDOW_BYTES)
        return RBT_SPACE_LOCAL;
    return RBT_SPACE_GLOBAL;
}

rbt_space_t rbt_summary_space(const launch_info_t *info, const inst_t *inst, const uint64_t *rec)
{
    switch ((mem_space_t)inst->space) {
    case MEM_LOCAL:
        return RBT_SPACE_LOCAL;
    case MEM_SHARED:
        return RBT_SPACE_SHARED;
    case MEM_CONST:
        return RBT_SPACE_CONST;
    case MEM_TEX:
        return RBT_SPACE_TEX;
    case MEM_GENERIC:
        return generic_space(info, rec);
    default:
        return RBT_SPACE_GLOBAL;
    }
}

/*
 * Local memory: word w of a warp's 32 threads is one line, that of 8 adjacent threads one sector.
 * Distinct ones are counted in a simple list: such accesses are rare.
 */
static void count_local(const uint64_t *rec, uint32_t mask, unsigned width, uint16_t *lines,
                        uint16_t *sectors)
{
    enum { WORD = 4, LANES = 32, WORDS_MAX = LANES * 5, LANES_PER_SECTOR = 8 };
    uint64_t addr[LANES], word[WORDS_MAX];
    uint8_t groups[WORDS_MAX]; /* groups of 8 lanes that touch the word */
    unsigned n = 0, all = 0, n_lanes = addr_unpack(rec, addr);

    for (unsigned k = 0; k < n_lanes && mask != 0; k++, mask &= mask - 1) {
        uint8_t group = (uint8_t)(1u << (unsigned)__builtin_ctz(mask) / LANES_PER_SECTOR);
        uint64_t first = addr[k] / WORD, last = (addr[k] + width - 1) / WORD;

        for (unsigned i = 0; i <= (unsigned)(last - first); i++) {
            unsigned at = 0;

            while (at < n && word[at] != first + i)
                at++;
            if (at == n) {
                word[n] = first + i;
                groups[n++] = 0;
            }
            groups[at] |= group;
        }
    }
    for (unsigned i = 0; i < n; i++)
        all += (unsigned)__builtin_popcount(groups[i]);
    *lines = (uint16_t)n;
    *sectors = (uint16_t)all;
}

enum { NEAR_SECTORS = 64 };
_Static_assert(LINE_BYTES == 4 * SECTOR_BYTES, "lines are counted as groups of four bits");

/*
 * Counts lines and sectors of lanes within 64 sectors, one bit per sector of a 64-bit word. Returns
 * false if they are farther apart or access nothing, as the code of a broken file may say.
 */
static bool count_near(const lane_addrs_t *lanes, unsigned width, uint16_t *lines,
                       uint16_t *sectors)
{
    const uint64_t from = lanes->lo & ~(uint64_t)(LINE_BYTES - 1);
    const uint64_t last = lanes->hi - width; /* hi itself may be beyond the end of the address
                                              * space */
    uint64_t bits = 0;

    if (width - 1 >= SECTOR_BYTES || last - from > NEAR_SECTORS * SECTOR_BYTES - width)
        return false;
    for (unsigned i = 0; i < lanes->n; i++) {
        const uint64_t at = lanes->addr[i] - from;
        bits |= 1ull << at / SECTOR_BYTES | 1ull << (at + width - 1) / SECTOR_BYTES;
    }
    *sectors = (uint16_t)__builtin_popcountll(bits);
    bits |= bits >> 1; /* the lowest bit of each group of four: whether any is set */
    bits |= bits >> 2;
    *lines = (uint16_t)__builtin_popcountll(bits & 0x1111111111111111ull);
    return true;
}

void rbt_summary_count(const inst_t *inst, rbt_space_t space, uint32_t mask, const uint64_t *rec,
                       uint16_t *lines, uint16_t *sectors)
{
    lane_addrs_t lanes;
    coalesced_t c;

    if (space == RBT_SPACE_LOCAL) {
        count_local(rec, mask, inst->width, lines, sectors);
        return;
    }
    coalesce_decode(rec, inst->width, &lanes);
    if (lanes.contiguous) {
        *lines = (uint16_t)(((lanes.hi - 1) >> 7) - (lanes.lo >> 7) + 1);
        *sectors = (uint16_t)(((lanes.hi - 1) >> 5) - (lanes.lo >> 5) + 1);
        return;
    }
    if (count_near(&lanes, inst->width, lines, sectors))
        return;
    coalesce_lines(&lanes, inst->width, COALESCE_LOAD, &c);
    *lines = (uint16_t)c.n;
    *sectors = 0;
    for (uint32_t i = 0; i < c.n; i++)
        *sectors = (uint16_t)(*sectors + __builtin_popcount(c.line[i].sectors));
}
