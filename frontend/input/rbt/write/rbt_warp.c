#include "frontend/input/rbt/write/rbt_warp.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/rbt/rbt_format.h"

/* A piece ends after the basic block that reaches one of these limits. */
enum { PIECE_INSTS = RBT_PIECE_INSTS - RBT_BB_INSTS, PIECE_WORDS = 64 << 10 };

/* Words of address records that suffice for a piece: its limit, and a basic block. */
enum { FEED_WORDS = PIECE_WORDS + RBT_BB_INSTS * ADDR_RECORD_MAX };

void rbt_walk_free(rbt_walk_t *w)
{
    free(w->ids);
    free(w->runs);
    free(w->words);
    free(w->piece.steps);
    free(w->piece.changes);
    free(w->piece.accesses);
    *w = (rbt_walk_t){0};
}

/* Moves what is left of the part to the front of its lists. */
static void keep_rest(rbt_walk_t *w)
{
    w->n_runs -= w->run;
    memmove(w->runs, w->runs + w->run, w->n_runs * sizeof(*w->runs));
    if (w->at > 0) {
        w->runs[0].first += w->at;
        w->runs[0].count = (uint16_t)(w->runs[0].count - w->at);
    }
    const size_t walked = (size_t)(w->addrs - w->part.addrs);

    w->n_words -= walked;
    memmove(w->words, w->words + walked, w->n_words * sizeof(*w->words));
}

/* Appends runs. One that a piece cut is put together again: the trace does not depend on pieces. */
static void add_runs(rbt_walk_t *w, const trace_run_t *runs, uint32_t n)
{
    rb_grow(&w->runs, &w->cap_runs, w->n_runs + n, sizeof(*w->runs));
    if (w->n_runs > 0 && n > 0) {
        trace_run_t *last = &w->runs[w->n_runs - 1];

        if (last->first + last->count == runs->first && last->mask == runs->mask &&
            last->count + runs->count <= UINT16_MAX) {
            last->count = (uint16_t)(last->count + runs->count);
            runs++;
            n--;
        }
    }
    memcpy(w->runs + w->n_runs, runs, n * sizeof(*w->runs));
    w->n_runs += n;
}

/* Appends pieces until there is enough for a piece of the trace. */
static void add_pieces(rbt_walk_t *w)
{
    uint64_t insts = 0;

    for (size_t i = 0; i < w->n_runs; i++)
        insts += w->runs[i].count;
    while (w->rest != NULL && insts < RBT_PIECE_INSTS + RBT_BB_INSTS && w->n_words < FEED_WORDS) {
        const warp_stream_t *s = w->rest;

        rb_grow(&w->words, &w->cap_words, w->n_words + s->n_addr_words + 1, sizeof(*w->words));
        memcpy(w->words + w->n_words, s->addrs, s->n_addr_words * sizeof(*w->words));
        for (uint32_t i = 0; i < s->n_runs; i++)
            insts += s->runs[i].count;
        add_runs(w, s->runs, s->n_runs);
        w->n_words += s->n_addr_words;
        if (!stream_next(w->rest))
            w->rest = NULL;
    }
}

/* Sets the part to what the lists hold. */
static void set_part(rbt_walk_t *w)
{
    w->part.runs = w->runs;
    w->part.addrs = w->addrs = w->words;
    w->part.n_runs = (uint32_t)w->n_runs;
    w->part.n_addr_words = (uint32_t)w->n_words;
    w->run = w->at = 0;
}

static void refill(rbt_walk_t *w)
{
    keep_rest(w);
    add_pieces(w);
    set_part(w);
}

const warp_stream_t *rbt_walk_begin(rbt_walk_t *w, warp_stream_t *warp)
{
    w->warp = warp;
    w->run = w->at = 0;
    w->addrs = warp->addrs;
    w->rest = NULL;
    if (w->ids == NULL)
        w->ids = rb_calloc(RBT_BB_INSTS, sizeof(*w->ids));
    if (warp->pieces == NULL)
        return warp;
    w->part = (warp_stream_t){.n_insts = warp->n_insts};
    w->n_runs = w->n_words = 0;
    w->rest = stream_first(warp) ? warp : NULL;
    w->warp = &w->part;
    add_pieces(w);
    set_part(w);
    return w->rest == NULL ? &w->part : warp;
}

bool rbt_warp_is_short(const warp_stream_t *warp)
{
    return warp->pieces == NULL && warp->n_insts < PIECE_INSTS && warp->n_addr_words < PIECE_WORDS;
}

static uint32_t inst_number(rbt_walk_t *w, const inst_t *inst)
{
    uint32_t id = rbt_pointers_find(w->pointers, inst);

    if (id == UINT32_MAX) {
        uint32_t len = 0;
        const char *text = w->text != NULL ? w->text(w->text_ctx, inst, &len) : NULL;

        source_line_t line;
        id = rbt_collect_inst(w->code, inst, text, len);
        if (w->line != NULL && w->line(w->text_ctx, inst, &line))
            rbt_collect_line(w->code, id, &line);
        rbt_pointers_add(w->pointers, inst, id);
    }
    return id;
}

static void close_bb(rbt_walk_t *w, uint32_t *n)
{
    rbt_piece_t *p = &w->piece;
    uint32_t bb = rbt_collect_bb(w->code, w->ids, *n);

    *n = 0;
    if (p->n_steps > 0 && p->steps[p->n_steps - 1].bb == bb) {
        p->steps[p->n_steps - 1].repeat++;
        return;
    }
    rb_grow(&p->steps, &p->cap_steps, p->n_steps + 1, sizeof(p->steps[0]));
    p->steps[p->n_steps++] = (rbt_step_t){.bb = bb, .repeat = 1};
}

static void change_mask(rbt_piece_t *p, uint32_t behind, uint32_t mask)
{
    rb_grow(&p->changes, &p->cap_changes, p->n_changes + 1, sizeof(p->changes[0]));
    p->changes[p->n_changes++] = (rbt_mask_change_t){.behind = behind, .mask = mask};
}

static void add_access(rbt_walk_t *w, uint32_t id, uint32_t mask)
{
    rbt_piece_t *p = &w->piece;
    size_t words = addr_words(w->addrs);

    rb_grow(&p->accesses, &p->cap_accesses, p->n_accesses + 1, sizeof(p->accesses[0]));
    p->accesses[p->n_accesses++] = (rbt_access_t){.inst = id, .mask = mask};
    p->n_words += words;
    w->addrs += words;
}

bool rbt_walk_piece(rbt_walk_t *w, const uint64_t **rec)
{
    if (w->rest != NULL)
        refill(w);
    rbt_piece_t *p = &w->piece;
    uint32_t n = 0, mask = UINT32_MAX, changed_at = 0;
    const inst_t *last = NULL;

    if (rec != NULL)
        *rec = w->addrs;
    p->n_steps = p->n_changes = p->n_accesses = p->n_words = 0;
    p->n_insts = 0;
    p->thread_insts = 0;
    for (; w->run < w->warp->n_runs; w->run++, w->at = 0) {
        const trace_run_t *run = &w->warp->runs[w->run];
        unsigned lanes = (unsigned)__builtin_popcount(run->mask);

        for (; w->at < run->count; w->at++) {
            const inst_t *inst = run->first + w->at;

            if (n > 0 && !basic_block_goes_on(last, n, inst)) {
                close_bb(w, &n);
                if (p->n_insts >= PIECE_INSTS || p->n_words >= PIECE_WORDS)
                    return true;
            }
            uint32_t id = inst_number(w, inst);

            if (run->mask != mask) {
                change_mask(p, p->n_insts - changed_at, run->mask);
                changed_at = p->n_insts;
                mask = run->mask;
            }
            if (rbt_has_addresses(inst) && run->mask != 0)
                add_access(w, id, run->mask);
            w->ids[n++] = id;
            last = inst;
            p->n_insts++;
            p->thread_insts += lanes;
        }
    }
    if (n > 0)
        close_bb(w, &n);
    return p->n_insts > 0;
}
