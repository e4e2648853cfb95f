/*
 * What a write-back L1 has modified on its way to the L2: evicted lines, and all lines at a fence of
 * GPU scope and at the end of a launch, which stay in the L1 (release of a cache without coherence
 * between SMs; Hechtman et al., HPCA 2014).
 *
 * The lines wait in one list, which is a continuation of the miss queue: one leaves per cycle if there
 * is room, and no other request passes them, so the L2 sees accesses to a line in their order. A line
 * takes the data stage as long as a fill does. No instruction owns these writes; who waits for them, a
 * warp at a fence or a launch that ends, waits for a ticket: for all writes that were put into the list
 * before it was drawn.
 */
#include "sim/core/model_mem.h"
#include "sim/core/ring.h"
#include "sim/sm/by_launch.h"
#include "sim/sm/memory/memory_parts.h"

/* Tickets that can be waited for at the same time: each warp and each launch has one. */
enum { TICKETS = 1024 };
_Static_assert(SM_MAX_WARPS + SM_MAX_LAUNCHES + 1 < TICKETS, "too few tickets");
_Static_assert(TICKETS == 1 << WRITE_BACK_LAUNCH_SHIFT, "a ticket does not fit");

struct write_back {
    struct {
        struct waiting {
            cache_line_t line;
            uint32_t ticket;
            uint16_t launch; /* tag */
        } * item;            /* owned */
        size_t head, count, cap;
    } list;
    uint32_t oldest,
        newest; /* tickets: the first with writes that are not acknowledged; of new ones */
    uint32_t left[TICKETS]; /* writes that are not acknowledged */
};

void write_back_init(sm_t *sm)
{
    if (sm->config->l1.write != WRITE_POLICY_WRITE_BACK)
        return;
    sm->memory.write_back = rb_model_calloc(1, sizeof(*sm->memory.write_back));
    sm->memory.write_back->oldest = sm->memory.write_back->newest = 1;
}

void write_back_free(sm_t *sm)
{
    if (sm->memory.write_back != NULL)
        rb_model_free(sm->memory.write_back->list.item);
    rb_model_free(sm->memory.write_back);
}

void write_back_put(sm_t *sm, const cache_line_t *line, cycle_t now)
{
    write_back_t *b = sm->memory.write_back;
    RB_RING_PUSH(&b->list) = (struct waiting){*line, b->newest, sm->counted};
    b->left[b->newest % TICKETS]++;
    sm->memory.n_write_backs++;
    sm->memory.lsu.retry = cycle_min(sm->memory.lsu.retry, now);
}

void write_back_step(sm_t *sm, cycle_t now)
{
    write_back_t *b = sm->memory.write_back;
    const struct waiting *w = RB_RING_AT(&b->list, 0);
    const cache_written_t *written = &w->line.written;
    if (l1_room(sm) != L1_DONE)
        return;
    if (sm->by_launch != NULL)
        by_launch_to(sm, w->launch);
    mem_msg_t m = {.line = w->line.line,
                   .txn = txn_make(TXN_WRITE_BACK, (uint32_t)w->launch << WRITE_BACK_LAUNCH_SHIFT |
                                                       w->ticket % TICKETS),
                   .op = MEM_WRITE,
                   .src = w->line.line >= LOCAL_BASE ? MEM_SRC_LOCAL : MEM_SRC_GLOBAL,
                   .sectors = written->dirty,
                   .full = written->dirty & (uint8_t)~written->partial,
                   .launch = w->launch};
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
        m.bytes[s] = m.full >> s & 1             ? UINT32_MAX
                     : written->partial >> s & 1 ? written->bytes[s]
                                                 : 0;
    RB_RING_DROP(&b->list);
    sm->memory.n_write_backs--;
    l1_occupy(sm, now);
    l1_post(sm, &m, now);
}

uint32_t memory_write_back(sm_t *sm, cycle_t now)
{
    write_back_t *b = sm->memory.write_back;
    cache_line_t line;
    if (b == NULL)
        return 0;
    for (cache_key_t k = {.set = 0}; k.set < cache_sets(sm->memory.l1); k.set++)
        while (cache_clean_oldest(sm->memory.l1, k, &line))
            write_back_put(sm, &line, now);
    return b->left[b->newest % TICKETS] > 0 ? b->newest++ : b->newest - 1;
}

bool memory_written_back(const sm_t *sm, uint32_t ticket)
{
    return sm->memory.write_back == NULL || (int32_t)(ticket - sm->memory.write_back->oldest) < 0;
}

bool memory_write_acknowledged(sm_t *sm, uint32_t index)
{
    write_back_t *b = sm->memory.write_back;
    const uint32_t before = b->oldest;
    b->left[index % TICKETS]--;
    while (b->oldest != b->newest && b->left[b->oldest % TICKETS] == 0)
        b->oldest++;
    return b->oldest != before;
}
