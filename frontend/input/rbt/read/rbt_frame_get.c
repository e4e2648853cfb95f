#include "frontend/input/rbt/read/rbt_frame_get.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { RUN_MAX = UINT16_MAX };

static const char wrong_column[] = "a column ends early or holds an invalid number";

rbt_runs_t *rbt_runs_hold(rbt_runs_t *r)
{
    atomic_fetch_add_explicit(&r->holders, 1, memory_order_relaxed);
    return r;
}

void rbt_runs_release(rbt_runs_t *r)
{
    if (r == NULL || atomic_fetch_sub_explicit(&r->holders, 1, memory_order_acq_rel) > 1)
        return;
    free(r->runs);
    free(r);
}

void rbt_frame_get_free(rbt_frame_get_t *f)
{
    rbt_runs_release(f->runs);
    rbt_refs_free(&f->addr.refs);
    free(f->bytes.p);
    free(f->paths);
    free(f->steps);
    free(f->shapes);
    free(f->masks);
    free(f->slots);
    *f = (rbt_frame_get_t){0};
}

/* --- dictionaries ---------------------------------------------------------------------------- */

static const char *find_columns(rbt_frame_get_t *f)
{
    rbt_in_t in = {.at = f->bytes.p, .end = f->bytes.p + f->bytes.n};
    uint32_t length[RBT_COL_COUNT];

    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        length[i] = rbt_get_u32(&in);
    for (unsigned i = 0; i < RBT_COL_COUNT; i++) {
        const uint8_t *p = rbt_get_bytes(&in, length[i]);

        if (p == NULL)
            return "its columns do not fit it";
        f->cols[i] = (rbt_in_t){.at = p, .end = p + length[i]};
    }
    return in.at != in.end ? "its columns do not fill it" : NULL;
}

static const char *get_paths(rbt_frame_get_t *f, size_t n)
{
    f->n_steps = 0;
    rb_grow(&f->paths, &f->cap_paths, n, sizeof(f->paths[0]));
    for (size_t i = 0; i < n; i++) {
        rbt_path_get_t *p = &f->paths[i];
        uint32_t bb = 0;

        p->at = f->n_steps;
        p->n = (uint32_t)rbt_get_count(&f->cols[RBT_COL_PATH], rbt_in_left(&f->cols[RBT_COL_STEP]));
        rb_grow(&f->steps, &f->cap_steps, f->n_steps + p->n, sizeof(f->steps[0]));
        for (uint32_t k = 0; k < p->n; k++) {
            bb += (uint32_t)rbt_get_signed(&f->cols[RBT_COL_STEP]);
            uint64_t more = rbt_get_count(&f->cols[RBT_COL_REPEAT], RBT_PIECE_INSTS);

            if (bb >= f->code->n_bbs)
                return "a path has a basic block that does not exist";
            f->steps[f->n_steps++] = (rbt_step_get_t){.bb = bb, .repeat = (uint32_t)more + 1};
        }
    }
    f->n_paths = n;
    return f->cols[RBT_COL_PATH].bad || f->cols[RBT_COL_STEP].bad || f->cols[RBT_COL_REPEAT].bad
               ? wrong_column
               : NULL;
}

/* Expands a shape into runs. */
typedef struct {
    rbt_frame_get_t *f;
    rbt_shape_get_t *s;
    size_t n_runs;
    uint32_t mask;
    uint64_t changes, until; /* mask changes left; instructions until the next one */
} shaping_t;

static void next_change(shaping_t *m)
{
    if (m->changes == 0) {
        m->until = UINT64_MAX;
        return;
    }
    m->changes--;
    m->until = rbt_get_varint(&m->f->cols[RBT_COL_MASK_AT]);
}

static void add_run(shaping_t *m, const inst_t *first, uint32_t count)
{
    rbt_runs_t *r = m->f->runs;

    if (m->n_runs > m->s->run) {
        trace_run_t *last = &r->runs[m->n_runs - 1];

        if (last->first + last->count == first && last->mask == m->mask &&
            last->count + count <= RUN_MAX) {
            last->count = (uint16_t)(last->count + count);
            return;
        }
    }
    rb_grow(&r->runs, &r->cap, m->n_runs + 1, sizeof(r->runs[0]));
    r->runs[m->n_runs++] = (trace_run_t){.first = first, .mask = m->mask, .count = (uint16_t)count};
}

static void add_accesses(rbt_frame_get_t *f, uint32_t first, uint32_t count, uint32_t mask)
{
    if (mask == 0)
        return;
    for (uint32_t i = first; i < first + count; i++) {
        if (!rbt_has_addresses(&f->code->insts[i]))
            continue;
        rb_grow(&f->masks, &f->cap_masks, f->n_accesses + 1, sizeof(f->masks[0]));
        rb_grow(&f->slots, &f->cap_slots, f->n_accesses + 1, sizeof(f->slots[0]));
        f->masks[f->n_accesses] = mask;
        f->slots[f->n_accesses++] = rbt_refs_slot(&f->addr.refs, i);
    }
}

static void add_span(shaping_t *m, rbt_span_t span)
{
    while (span.count > 0) {
        while (m->until == 0) {
            m->mask = rbt_get_u32(&m->f->cols[RBT_COL_MASK]);
            next_change(m);
            if (m->until == 0) { /* two changes at one place, which the writer never makes */
                m->f->cols[RBT_COL_MASK_AT].bad = true;
                return;
            }
        }
        uint32_t n = m->until < span.count ? (uint32_t)m->until : span.count;

        add_run(m, m->f->code->insts + span.first, n);
        add_accesses(m->f, span.first, n, m->mask);
        m->s->n_insts += n;
        if (m->until != UINT64_MAX)
            m->until -= n;
        span.first += n;
        span.count -= n;
    }
}

static const char *make_shape(shaping_t *m, const rbt_path_get_t *path)
{
    const rbt_code_t *code = m->f->code;

    for (uint32_t k = 0; k < path->n; k++) {
        const rbt_step_get_t *step = &m->f->steps[path->at + k];
        const rbt_bb_t *bb = &code->bbs[step->bb];

        if ((uint64_t)bb->n_insts * step->repeat + m->s->n_insts > RBT_PIECE_INSTS)
            return "a piece of a warp is too long";
        for (uint32_t i = 0; i < step->repeat; i++)
            for (uint32_t s = 0; s < bb->n_spans; s++)
                add_span(m, code->spans[bb->span + s]);
    }
    if (m->s->n_insts == 0 || m->changes > 0 || m->until != UINT64_MAX)
        return "a shape is empty, or has more masks than instructions";
    return m->f->cols[RBT_COL_MASK_AT].bad || m->f->cols[RBT_COL_MASK].bad ? wrong_column : NULL;
}

static const char *get_shapes(rbt_frame_get_t *f, size_t n)
{
    shaping_t m = {.f = f};
    uint32_t path = 0;
    uint64_t n_insts = 0;

    f->n_accesses = 0;
    f->shapes_before += f->n_shapes;
    f->n_shapes = n;
    rb_grow(&f->shapes, &f->cap_shapes, n, sizeof(f->shapes[0]));
    /* Allocate even without accesses: shapes point into these arrays. */
    rb_grow(&f->masks, &f->cap_masks, 1, sizeof(f->masks[0]));
    rb_grow(&f->slots, &f->cap_slots, 1, sizeof(f->slots[0]));
    for (size_t i = 0; i < n; i++) {
        path += (uint32_t)rbt_get_signed(&f->cols[RBT_COL_SHAPE]);
        if (path >= f->n_paths)
            return "a shape has a path that does not exist";
        m.s = &f->shapes[i];
        *m.s = (rbt_shape_get_t){.run = m.n_runs, .access = f->n_accesses};
        m.mask = UINT32_MAX;
        m.changes = rbt_get_varint(&f->cols[RBT_COL_SHAPE]);
        next_change(&m);
        const char *wrong = make_shape(&m, &f->paths[path]);

        if (wrong != NULL)
            return wrong;
        m.s->n_runs = m.n_runs - m.s->run;
        m.s->n_accesses = f->n_accesses - m.s->access;
        n_insts += m.s->n_insts;
        if (n_insts > RBT_FRAME_INSTS)
            return "it has too many instructions";
    }
    return f->cols[RBT_COL_SHAPE].bad ? wrong_column : NULL;
}

const char *rbt_frame_get_begin(rbt_frame_get_t *f, const rbt_code_t *code)
{
    rbt_in_t *head = &f->cols[RBT_COL_HEAD];
    const char *wrong = find_columns(f);

    if (wrong != NULL)
        return wrong;
    f->code = code;
    f->launch = rbt_get_varint(head);
    f->first_block = rbt_get_varint(head);
    f->n_blocks = (uint32_t)rbt_get_count(head, rbt_in_left(&f->cols[RBT_COL_BLOCK]));
    uint64_t flags = rbt_get_count(head, 3);
    size_t n_paths = rbt_get_count(head, rbt_in_left(&f->cols[RBT_COL_PATH]));
    size_t n_shapes = rbt_get_count(head, rbt_in_left(&f->cols[RBT_COL_SHAPE]));

    f->n_pieces = (uint32_t)rbt_get_count(head, rbt_in_left(&f->cols[RBT_COL_PIECE]));
    if (head->bad || head->at != head->end)
        return "its head is inconsistent";
    f->continues = (flags & 1) != 0;
    f->goes_on = (flags & 2) != 0;
    rbt_runs_release(f->runs);
    f->runs = rb_calloc(1, sizeof(*f->runs));
    atomic_init(&f->runs->holders, 1);
    rbt_refs_reset(&f->addr.refs, code->n_insts + 1);
    f->addr.cols = f->cols;
    f->linear = UINT64_MAX;
    f->blocks_begun = f->pieces_begun = f->block_pieces = 0;
    f->shape = 0;
    f->n_insts = 0;
    wrong = get_paths(f, n_paths);
    if (wrong == NULL)
        wrong = get_shapes(f, n_shapes);
    rbt_addr_get_begin(&f->addr);
    return wrong;
}

/* --- blocks and pieces ----------------------------------------------------------------------- */

const char *rbt_frame_get_block(rbt_frame_get_t *f)
{
    rbt_in_t *in = &f->cols[RBT_COL_BLOCK];

    f->linear += 1 + rbt_get_signed(in);
    f->block_pieces = (uint32_t)rbt_get_count(in, f->n_pieces - f->pieces_begun);
    f->warp = UINT32_MAX;
    f->addr.ctx = 0;
    f->blocks_begun++;
    return in->bad ? wrong_column : NULL;
}

const char *rbt_frame_get_piece(rbt_frame_get_t *f, const rbt_shape_get_t **shape)
{
    *shape = NULL;
    if (f->block_pieces == 0)
        return NULL;
    f->warp += 1 + (uint32_t)rbt_get_signed(&f->cols[RBT_COL_PIECE]);
    f->shape += (uint32_t)rbt_get_signed(&f->cols[RBT_COL_PIECE_SHAPE]);
    if (f->cols[RBT_COL_PIECE].bad || f->cols[RBT_COL_PIECE_SHAPE].bad)
        return wrong_column;
    if (f->shape >= f->n_shapes)
        return "a piece has a shape that does not exist";
    rbt_shape_get_t *s = &f->shapes[f->shape];

    f->n_insts += s->n_insts;
    if (f->n_insts > RBT_FRAME_INSTS)
        return "it has too many instructions";
    if (!s->has_ref) {
        s->ref = rbt_refs_add(&f->addr.refs, s->n_accesses);
        s->has_ref = true;
    }
    f->block_pieces--;
    f->pieces_begun++;
    *shape = s;
    return NULL;
}

const char *rbt_frame_get_addrs(rbt_frame_get_t *f, uint64_t **words, size_t *n, size_t *cap,
                                size_t max)
{
    rbt_shape_get_t *s = &f->shapes[f->shape];
    const uint32_t *slots = f->slots + s->access, *masks = f->masks + s->access;
    size_t count = s->n_accesses;

    f->addr.seen = s->used;
    f->addr.piece++;
    s->used = true;
    if (*cap - *n < 2 * count + ADDR_RECORD_MAX)
        rb_grow(words, cap, *n + 2 * count + ADDR_RECORD_MAX, sizeof(**words));
    if (count > 0 && rbt_addr_get_all(&f->addr, count, s->ref, slots, masks, *words + *n)) {
        *n += 2 * count;
        count = 0;
    }
    for (size_t i = 0; i < count && *n <= max; i++) {
        if (*cap - *n < ADDR_RECORD_MAX)
            rb_grow(words, cap, *n + ADDR_RECORD_MAX, sizeof(**words));
        *n += rbt_addr_get(&f->addr, masks[i], s->ref + i, slots[i], *words + *n);
    }
    f->addr.ctx = 1;
    if (*n > max)
        return "a thread block has too many addresses";
    return f->addr.bad || f->cols[RBT_COL_BASE].bad || f->cols[RBT_COL_STRIDE].bad ||
                   f->cols[RBT_COL_LANES].bad || f->cols[RBT_COL_MODE].bad ||
                   f->cols[RBT_COL_RUN].bad
               ? "an address is invalid"
               : NULL;
}

const char *rbt_frame_get_end(const rbt_frame_get_t *f)
{
    if (f->pieces_begun != f->n_pieces || f->addr.predicted != 0)
        return "it has more than its blocks use";
    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        if (f->cols[i].at != f->cols[i].end)
            return "it has more than its blocks use";
    return NULL;
}
