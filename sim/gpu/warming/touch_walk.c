#include "sim/gpu/warming/touch_walk.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/core/mix64.h"
#include "sim/gpu/warming/touch_warp.h"

/* Of a thousand turns a block lets up to SLOW_MOST pass, each block its own share. */
enum { SLOW_MOST = 100, TURNS = 1000 };

/* The place of a block that runs. */
typedef struct {
    uint64_t number;
    trace_block_t *block; /* NULL: none */
    uint64_t bytes;       /* of its decoded instructions */
    uint32_t slow;        /* turns that it lets pass, of TURNS */
    touch_warp_t *warp;   /* owned; room for cap */
    size_t cap;
} slot_t;

struct touch_walk {
    const trace_source_ops_t *ops;
    trace_launch_t *launch;
    touch_warps_t *warps; /* owned */
    const touch_consumer_t *consumer;
    const bool *enough;
    uint64_t next, end; /* blocks that have not begun */
    slot_t *slot;       /* owned; n_slots that may have a block, in order, then the others */
    uint64_t n_slots, n_made;
    uint64_t running, bytes; /* blocks that run; of their decoded instructions */
    uint64_t turns;
};

static uint64_t decoded_bytes(const trace_block_t *block)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < block->n_warps; i++)
        bytes += block->warps[i].n_runs * sizeof(trace_run_t) +
                 block->warps[i].n_addr_words * sizeof(uint64_t);
    return bytes;
}

static void begin_block(touch_walk_t *k, slot_t *s, trace_block_t *block)
{
    s->block = block;
    s->bytes = decoded_bytes(block);
    s->slow = (uint32_t)(mix64(block->index) % SLOW_MOST);
    k->bytes += s->bytes;
    k->running++;
    rb_grow(&s->warp, &s->cap, block->n_warps, sizeof(*s->warp));
    touch_warps_turn(k->warps, s->number, block->index);
    touch_warps_count(k->warps, block->n_insts);
    if (k->consumer->begin != NULL)
        k->consumer->begin(k->consumer->ctx, block);
    for (uint32_t i = 0; i < block->n_warps; i++)
        touch_warp_begin(k->warps, &s->warp[i], &block->warps[i]);
}

static void end_block(touch_walk_t *k, slot_t *s)
{
    k->bytes -= s->bytes;
    k->running--;
    k->ops->free_block(k->launch, s->block);
    s->block = NULL;
}

/* Puts the next block into an empty slot, if there is one and memory allows it. */
static rb_code_t fill(touch_walk_t *k, slot_t *s, rb_err_t *err)
{
    trace_block_t *block = NULL;
    if (k->next >= k->end || (k->running > 0 && k->bytes >= TOUCH_MEMORY))
        return RB_OK;
    RB_TRY(k->ops->get_block(k->launch, k->next, &block, err));
    k->next++;
    if (block == NULL)
        k->end = k->next;
    else
        begin_block(k, s, block);
    return RB_OK;
}

static void turn(touch_walk_t *k, slot_t *s)
{
    const uint64_t random = mix64(k->turns++);
    const uint32_t n = 1 + (uint32_t)(random % TOUCH_TURN);
    bool more = false;
    if ((random >> 32) % TURNS < s->slow)
        return;
    touch_warps_turn(k->warps, s->number, s->block->index);
    for (uint32_t i = 0; i < s->block->n_warps; i++)
        more |= touch_warp_go(k->warps, &s->warp[i], n);
    if (!more)
        end_block(k, s);
}

/* Host-side hints that slots take their turns soon: first where their warps are, then what these
 * execute. */
static void prefetch(const touch_walk_t *k, const slot_t *s)
{
    enum { HOST_LINE = 64, FAR = 4, NEAR = 2 };
    const slot_t *far = s + FAR, *near = s + NEAR, *end = k->slot + k->n_slots;
    if (far < end && far->block != NULL) {
        const size_t bytes = far->block->n_warps * sizeof(*far->warp);
        for (size_t i = 0; i < bytes; i += HOST_LINE)
            __builtin_prefetch((const char *)far->warp + i, 1);
    }
    if (near < end && near->block != NULL)
        for (uint32_t i = 0; i < near->block->n_warps; i++)
            __builtin_prefetch(near->warp[i].rec);
}

/* Leaves out empty slots once no block can fill them: blocks that outlive most others would pay for them at each turn. */
static void close_ranks(touch_walk_t *k)
{
    uint64_t n = 0;
    if (k->next < k->end || 2 * k->running > k->n_slots)
        return;
    for (uint64_t i = 0; i < k->n_slots; i++) {
        if (k->slot[i].block == NULL)
            continue;
        const slot_t s = k->slot[i];
        k->slot[i] = k->slot[n];
        k->slot[n++] = s;
    }
    k->n_slots = n;
}

static void end_all(touch_walk_t *k)
{
    for (slot_t *s = k->slot; s < k->slot + k->n_slots; s++)
        if (s->block != NULL)
            end_block(k, s);
}

/* Whether every block before `until` has run. */
static bool is_past(const touch_walk_t *k, uint64_t until)
{
    if (k->next < until && k->next < k->end)
        return false;
    for (const slot_t *s = k->slot; s < k->slot + k->n_slots; s++)
        if (s->block != NULL && s->block->index < until)
            return false;
    return true;
}

rb_code_t touch_walk_go(touch_walk_t *k, uint64_t until, rb_err_t *err)
{
    rb_code_t rc = RB_OK;
    while (rc == RB_OK && !is_past(k, until)) {
        if (k->enough != NULL && *k->enough) {
            end_all(k);
            k->next = k->end;
            break;
        }
        for (slot_t *s = k->slot; rc == RB_OK && s < k->slot + k->n_slots; s++) {
            prefetch(k, s);
            if (s->block == NULL)
                rc = fill(k, s, err);
            if (rc == RB_OK && s->block != NULL)
                turn(k, s);
        }
        close_ranks(k);
    }
    touch_warps_hand_over(k->warps);
    return rc;
}

bool touch_walk_is_done(const touch_walk_t *k)
{
    return k->running == 0 && k->next >= k->end;
}

void touch_walk_move(touch_walk_t *k, uint64_t first, uint64_t end)
{
    /* Every slot may have a block again, in its place. */
    for (uint64_t i = 0; i < k->n_made; i++)
        while (k->slot[i].number != i) {
            const slot_t s = k->slot[i];
            k->slot[i] = k->slot[s.number];
            k->slot[s.number] = s;
        }
    k->n_slots = k->n_made;
    k->next = first;
    k->end = end;
    touch_warps_forget(k->warps);
}

rb_code_t touch_walk_open(touch_walk_t **out, trace_source_t *source, uint64_t id, uint64_t first,
                          uint64_t end, uint64_t code_base, const touch_consumer_t *consumer,
                          rb_err_t *err)
{
    launch_info_t info;
    trace_launch_t *launch;
    *out = NULL;
    RB_TRY(source->ops->launch_info(source, id, &info, err));
    RB_TRY(source->ops->open(source, id, &launch, err));
    touch_walk_t *k = rb_calloc(1, sizeof(*k));
    *k = (touch_walk_t){.ops = source->ops,
                        .launch = launch,
                        .warps = touch_warps_create(&info, code_base, consumer),
                        .consumer = consumer,
                        .enough = consumer->enough,
                        .next = first,
                        .end = end,
                        .n_slots = consumer->slots < end - first ? consumer->slots : end - first};
    k->n_made = k->n_slots;
    k->slot = rb_calloc(k->n_slots, sizeof(*k->slot));
    for (uint64_t i = 0; i < k->n_slots; i++)
        k->slot[i].number = i;
    *out = k;
    return RB_OK;
}

void touch_walk_close(touch_walk_t *k)
{
    if (k == NULL)
        return;
    end_all(k);
    touch_warps_destroy(k->warps);
    for (uint64_t i = 0; i < k->n_made; i++)
        free(k->slot[i].warp);
    free(k->slot);
    k->ops->close(k->launch);
    free(k);
}

rb_code_t touch_walk(trace_source_t *source, uint64_t id, uint64_t first, uint64_t end,
                     uint64_t code_base, const touch_consumer_t *consumer, rb_err_t *err)
{
    touch_walk_t *k;
    RB_TRY(touch_walk_open(&k, source, id, first, end, code_base, consumer, err));
    const rb_code_t rc = touch_walk_go(k, UINT64_MAX, err);
    touch_walk_close(k);
    return rc;
}
