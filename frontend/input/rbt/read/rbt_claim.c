#include "frontend/input/rbt/read/rbt_claim.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

struct trace_claim {
    trace_launch_t *reader; /* owned */
    size_t page, frame;
    uint64_t first, n;
    trace_claim_t *next;
};

/* Whether another claim decodes a frame. */
static bool is_claimed(trace_launch_t *l, size_t page, size_t frame)
{
    const trace_claim_t *c;

    pthread_mutex_lock(&l->claims.lock);
    for (c = l->claims.claims; c != NULL; c = c->next)
        if (c->page == page && c->frame == frame)
            break;
    pthread_mutex_unlock(&l->claims.lock);
    return c != NULL;
}

static bool is_in(const trace_launch_t *reader, size_t page, size_t frame)
{
    return reader->has_frame && reader->page->number == page && reader->frame_number == frame;
}

/* Takes an unused reader, if possible one that has the frame; NULL: there is none. */
static trace_launch_t *take_reader(rbt_claims_t *c, size_t page, size_t frame)
{
    pthread_mutex_lock(&c->lock);
    trace_launch_t **best = &c->unused;

    for (trace_launch_t **at = &c->unused; *at != NULL; at = &(*at)->next_reader)
        if (is_in(*at, page, frame))
            best = at;
    trace_launch_t *reader = *best;

    if (reader != NULL)
        *best = reader->next_reader;
    pthread_mutex_unlock(&c->lock);
    return reader;
}

static rb_code_t find_reader(trace_launch_t *l, trace_claim_t *c, rb_err_t *err)
{
    c->reader = take_reader(&l->claims, c->page, c->frame);
    if (c->reader == NULL)
        RB_TRY(rbt_launch_open(&c->reader, l->file, l->position, &l->launch, l->pages,
                               l->bytes_done, err));
    c->reader->store = l->store;
    return RB_OK;
}

/* How many blocks from `index` on the frame holds, at most max. */
static uint64_t blocks_left(const trace_launch_t *l, size_t frame, uint64_t index, uint64_t max)
{
    const rbt_frame_ref_t *ref = &l->page->page.frames[frame];
    const uint64_t k = l->first_block + index - l->file->block_pages[l->page->number].first_block;
    const uint64_t end = (uint64_t)ref->first_block + ref->n_blocks;
    uint64_t n = k < end ? end - k : 1; /* the file is damaged: reading will say so */

    n = n < max ? n : max;
    return n < l->n_blocks - index ? n : l->n_blocks - index;
}

rb_code_t rbt_launch_claim(trace_launch_t *l, uint64_t index, uint64_t max, claim_status_t *status,
                           trace_claim_t **out, uint64_t *n, rb_err_t *err)
{
    *status = CLAIM_END;
    if (index >= l->n_blocks) {
        rbt_launch_warn_missing(l);
        return RB_OK;
    }
    const uint64_t block = l->first_block + index;
    const size_t page = rbt_file_block_page(l->file, block);

    RB_TRY(rbt_launch_load_page(l, page, err));
    const size_t frame =
        rbt_launch_frame_of(&l->page->page, block - l->file->block_pages[page].first_block);

    *status = CLAIM_WAIT;
    if (is_claimed(l, page, frame))
        return RB_OK;
    trace_claim_t *c = rb_calloc(1, sizeof(*c));

    *c = (trace_claim_t){
        .page = page, .frame = frame, .first = index, .n = blocks_left(l, frame, index, max)};
    const rb_code_t code = find_reader(l, c, err);

    if (code != RB_OK) {
        free(c);
        return code;
    }
    pthread_mutex_lock(&l->claims.lock);
    c->next = l->claims.claims;
    l->claims.claims = c;
    pthread_mutex_unlock(&l->claims.lock);
    *status = CLAIM_MADE;
    *out = c;
    *n = c->n;
    return RB_OK;
}

/* Gives the reader back and frees the claim. */
static void end_claim(rbt_claims_t *claims, trace_claim_t *c)
{
    pthread_mutex_lock(&claims->lock);
    trace_claim_t **at = &claims->claims;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    c->reader->next_reader = claims->unused;
    claims->unused = c->reader;
    pthread_mutex_unlock(&claims->lock);
    free(c);
}

rb_code_t rbt_launch_decode(trace_launch_t *l, trace_claim_t *claim, trace_block_t **out,
                            uint64_t *n, rb_err_t *err)
{
    rb_code_t code = RB_OK;

    for (*n = 0; *n < claim->n; ++*n) {
        rbt_block_t *b = rbt_pool_take(&l->pool);

        code = rbt_launch_read(claim->reader, claim->first + *n, b, err);
        if (code != RB_OK) {
            rbt_pool_give_back(&l->pool, b);
            break;
        }
        rbt_waits_give(&l->file->waits, l->position, claim->first + *n, &b->pub);
        out[*n] = &b->pub;
    }
    end_claim(&l->claims, claim);
    return code;
}
