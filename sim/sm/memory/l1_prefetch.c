/* Requests of the prefetcher; they are handled like misses. */
#include "sim/sm/inst_profile.h"
#include "sim/sm/memory/memory_parts.h"

void prefetch_line(sm_t *sm, uint64_t line, cycle_t now)
{
    const cache_key_t key = cache_key_of(sm->memory.l1, line);
    const cache_tag_t *tag = cache_lookup_key(sm->memory.l1, key, false);
    const uint8_t need = (uint8_t)(CACHE_TAG_VALID & ~(tag == NULL ? 0 : cache_tag_valid(tag)));
    if (need == 0 || l1_mshr_find(sm, key) != NULL)
        return;
    if (sm->memory.mshr_free == 0 || l1_way_out(sm) != L1_DONE) {
        sm->stats.l1_prefetches_dropped++;
        return;
    }
    mshr_t *m = l1_mshr_new(sm, key, tag == NULL);
    const mem_msg_t ask = {.line = line,
                           .site = MSG_SITE(sm->code_base + sm->memory.lsu.cur.inst->pc),
                           .txn = txn_make(TXN_MSHR, (uint32_t)(m - sm->memory.mshr)),
                           .op = MEM_READ,
                           .src = MEM_SRC_GLOBAL,
                           .sectors = need,
                           .prefetched = true,
                           .launch = sm->counted};
    m->prefetched = true;
    m->pending = need;
    sm->stats.l1_prefetches++;
    sm->stats.l1_prefetch_sectors += (uint64_t)__builtin_popcount(need);
    if (sm->profile != NULL)
        profile_line(sm, (uint32_t)(m - sm->memory.mshr), need,
                     profile_find(sm, sm->memory.lsu.cur.warp, sm->memory.lsu.cur.inst));
    l1_post(sm, &ask, now);
}
