#include "frontend/input/rbt/write/rbt_frame_put.h"

#include <stdlib.h>

#include "frontend/input/rbt/rbt_checksum.h"

/*
 * A frame ends when it is expected to have about this many packed bytes, or at this many unpacked
 * bytes or instructions. Lane bytes are expected to compress far less than the rest.
 */
enum {
    PACKED_BYTES = 64 << 10,
    UNPACKED_BYTES = 1 << 20,
    FRAME_INSTS = 256 << 10,
    LANE_GAIN = 4,  /* expected compression of lane bytes: 1 / LANE_GAIN is saved */
    OTHER_GAIN = 8, /* expected compression of other columns: 1 / OTHER_GAIN remains */
    CUT_BYTES = 512,
};

void rbt_frame_put_free(rbt_frame_put_t *f)
{
    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        free(f->cols[i].p);
    rbt_refs_free(&f->addr.refs);
    rbt_lane_choice_free(&f->addr.choice);
    free(f->paths);
    free(f->steps);
    free(f->shapes);
    free(f->changes);
    free(f->accesses);
    free(f->slots);
    free(f->lines);
    free(f->sectors);
    free(f->known);
    free(f->runs);
    hash_map_free(&f->path_map);
    hash_map_free(&f->shape_map);
    hash_map_free(&f->known_map);
    *f = (rbt_frame_put_t){0};
}

void rbt_frame_put_begin(rbt_frame_put_t *f, uint64_t launch, uint64_t first_block, bool continues)
{
    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        f->cols[i].n = 0;
    f->addr.cols = f->cols;
    f->addr.piece = 0;
    f->addr.predicted = 0;
    f->n_paths = f->n_steps = f->n_shapes = f->n_changes = f->n_accesses = 0;
    f->n_known = f->n_runs = 0;
    hash_map_clear(&f->path_map);
    hash_map_clear(&f->shape_map);
    hash_map_clear(&f->known_map);
    f->launch = launch;
    f->first_block = first_block;
    f->continues = continues;
    f->n_blocks = f->n_pieces = 0;
    f->last_linear = -1;
    f->last_shape = f->last_path = 0;
    f->n_insts = 0;
    rbt_refs_reset(&f->addr.refs, RBT_CODE_INSTS);
    rbt_lane_choice_clear(&f->addr.choice);
}

void rbt_frame_put_block(rbt_frame_put_t *f, uint64_t linear)
{
    rbt_put_signed(&f->cols[RBT_COL_BLOCK], linear - (uint64_t)f->last_linear - 1);
    f->last_linear = (int64_t)linear;
    f->last_warp = -1;
    f->block_pieces = 0;
    f->n_blocks++;
}

void rbt_frame_put_block_end(rbt_frame_put_t *f)
{
    rbt_put_varint(&f->cols[RBT_COL_BLOCK], f->block_pieces);
}

/* --- dictionaries ---------------------------------------------------------------------------- */

static uint64_t hash_runs(const trace_run_t *runs, size_t n)
{
    uint64_t h = n;

    for (size_t i = 0; i < n; i++) {
        h = (h ^ (uintptr_t)runs[i].first) * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 29 ^ ((uint64_t)runs[i].mask << 16 | runs[i].count)) * 0xc2b2ae3d27d4eb4fu;
    }
    return h ^ h >> 32;
}

static bool same_runs(const trace_run_t *a, const trace_run_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].first != b[i].first || a[i].mask != b[i].mask || a[i].count != b[i].count)
            return false;
    return true;
}

static uint64_t hash_path(const rbt_step_t *steps, size_t n)
{
    return rbt_checksum(steps, n * sizeof(*steps));
}

static uint64_t hash_shape(uint32_t path, const rbt_mask_change_t *changes, size_t n)
{
    return rbt_checksum(changes, n * sizeof(*changes)) + path * 0x9e3779b97f4a7c15u;
}

uint32_t rbt_frame_put_known(const rbt_frame_put_t *f, const warp_stream_t *warp)
{
    const uint64_t hash = hash_runs(warp->runs, warp->n_runs);

    for (hash_walk_t w = hash_map_walk(&f->known_map, hash); hash_walk_next(&w);) {
        const rbt_known_t *k = &f->known[w.number];

        if (k->n_runs == warp->n_runs && same_runs(f->runs + k->run, warp->runs, k->n_runs))
            return k->shape;
    }
    return UINT32_MAX;
}

static void remember_runs(rbt_frame_put_t *f, const warp_stream_t *warp, uint32_t shape)
{
    rb_grow(&f->runs, &f->cap_runs, f->n_runs + warp->n_runs, sizeof(f->runs[0]));
    memcpy(f->runs + f->n_runs, warp->runs, warp->n_runs * sizeof(f->runs[0]));
    rb_grow(&f->known, &f->cap_known, f->n_known + 1, sizeof(f->known[0]));
    f->known[f->n_known] = (rbt_known_t){.run = f->n_runs, .n_runs = warp->n_runs, .shape = shape};
    f->n_runs += warp->n_runs;
    hash_map_add(&f->known_map, hash_runs(warp->runs, warp->n_runs), (uint32_t)f->n_known++);
}

static void put_path(rbt_frame_put_t *f, const rbt_step_t *steps, size_t n)
{
    uint32_t last = 0;

    rbt_put_varint(&f->cols[RBT_COL_PATH], n);
    for (size_t i = 0; i < n; i++) {
        rbt_put_signed(&f->cols[RBT_COL_STEP], (uint64_t)steps[i].bb - last);
        rbt_put_varint(&f->cols[RBT_COL_REPEAT], steps[i].repeat - 1);
        last = steps[i].bb;
    }
}

static uint32_t find_path(rbt_frame_put_t *f, const rbt_piece_t *piece)
{
    const uint64_t hash = hash_path(piece->steps, piece->n_steps);

    for (hash_walk_t w = hash_map_walk(&f->path_map, hash); hash_walk_next(&w);) {
        const rbt_path_t *p = &f->paths[w.number];

        if (p->n == piece->n_steps &&
            memcmp(f->steps + p->at, piece->steps, p->n * sizeof(f->steps[0])) == 0)
            return w.number;
    }
    rb_grow(&f->steps, &f->cap_steps, f->n_steps + piece->n_steps, sizeof(f->steps[0]));
    memcpy(f->steps + f->n_steps, piece->steps, piece->n_steps * sizeof(f->steps[0]));
    rb_grow(&f->paths, &f->cap_paths, f->n_paths + 1, sizeof(f->paths[0]));
    f->paths[f->n_paths] =
        (rbt_path_t){.at = f->n_steps, .n = (uint32_t)piece->n_steps, .type = UINT32_MAX};
    f->n_steps += piece->n_steps;
    put_path(f, piece->steps, piece->n_steps);
    hash_map_add(&f->path_map, hash, (uint32_t)f->n_paths);
    return (uint32_t)f->n_paths++;
}

static void add_accesses(rbt_frame_put_t *f, rbt_shape_t *s, const rbt_piece_t *piece,
                         const rbt_collect_t *code)
{
    size_t n = piece->n_accesses, end = f->n_accesses + n;

    s->access = f->n_accesses;
    s->n_accesses = n;
    s->ref = rbt_refs_add(&f->addr.refs, n);
    rb_grow(&f->accesses, &f->cap_accesses, end, sizeof(f->accesses[0]));
    rb_grow(&f->slots, &f->cap_slots, end, sizeof(f->slots[0]));
    rb_grow(&f->lines, &f->cap_lines, end, sizeof(f->lines[0]));
    rb_grow(&f->sectors, &f->cap_sectors, end, sizeof(f->sectors[0]));
    for (size_t i = 0; i < n; i++) {
        uint8_t access = code->insts[piece->accesses[i].inst].inst.access;

        f->accesses[s->access + i] = piece->accesses[i];
        f->slots[s->access + i] = rbt_refs_slot(&f->addr.refs, piece->accesses[i].inst);
        s->n_atomics += access == ACC_ATOMIC || access == ACC_REDUCTION;
    }
    f->n_accesses = end;
}

static void put_shape(rbt_frame_put_t *f, const rbt_piece_t *piece, uint32_t path)
{
    rbt_put_signed(&f->cols[RBT_COL_SHAPE], (uint64_t)path - (uint64_t)f->last_path);
    rbt_put_varint(&f->cols[RBT_COL_SHAPE], piece->n_changes);
    f->last_path = path;
    for (size_t i = 0; i < piece->n_changes; i++) {
        rbt_put_varint(&f->cols[RBT_COL_MASK_AT], piece->changes[i].behind);
        rbt_put_u32(&f->cols[RBT_COL_MASK], piece->changes[i].mask);
    }
}

static uint32_t find_shape(const rbt_frame_put_t *f, const rbt_piece_t *piece, uint32_t path)
{
    const uint64_t hash = hash_shape(path, piece->changes, piece->n_changes);

    for (hash_walk_t w = hash_map_walk(&f->shape_map, hash); hash_walk_next(&w);) {
        const rbt_shape_t *s = &f->shapes[w.number];

        if (s->path == path && s->n_changes == piece->n_changes &&
            (s->n_changes == 0 || memcmp(f->changes + s->change, piece->changes,
                                         s->n_changes * sizeof(f->changes[0])) == 0))
            return w.number;
    }
    return UINT32_MAX;
}

static uint32_t add_shape(rbt_frame_put_t *f, const rbt_piece_t *piece, uint32_t path,
                          const rbt_collect_t *code)
{
    rbt_shape_t s = {
        .path = path,
        .change = f->n_changes,
        .n_changes = piece->n_changes,
        .n_insts = piece->n_insts,
        .thread_insts = piece->thread_insts,
    };

    rb_grow(&f->changes, &f->cap_changes, f->n_changes + s.n_changes, sizeof(f->changes[0]));
    if (s.n_changes > 0)
        memcpy(f->changes + s.change, piece->changes, s.n_changes * sizeof(f->changes[0]));
    f->n_changes += s.n_changes;
    add_accesses(f, &s, piece, code);
    put_shape(f, piece, path);
    rb_grow(&f->shapes, &f->cap_shapes, f->n_shapes + 1, sizeof(f->shapes[0]));
    f->shapes[f->n_shapes] = s;
    hash_map_add(&f->shape_map, hash_shape(path, piece->changes, piece->n_changes),
                 (uint32_t)f->n_shapes);
    return (uint32_t)f->n_shapes++;
}

uint32_t rbt_frame_put_shape(rbt_frame_put_t *f, const rbt_piece_t *piece,
                             const rbt_collect_t *code, const warp_stream_t *warp)
{
    uint32_t path = find_path(f, piece), shape = find_shape(f, piece, path);

    if (shape == UINT32_MAX)
        shape = add_shape(f, piece, path, code);
    if (warp != NULL)
        remember_runs(f, warp, shape);
    return shape;
}

void rbt_frame_put_piece(rbt_frame_put_t *f, uint32_t warp, uint32_t shape)
{
    rbt_shape_t *s = &f->shapes[shape];

    rbt_put_signed(&f->cols[RBT_COL_PIECE], (uint64_t)(warp - f->last_warp - 1));
    rbt_put_signed(&f->cols[RBT_COL_PIECE_SHAPE], (uint64_t)(shape - f->last_shape));
    f->last_warp = warp;
    f->last_shape = shape;
    f->addr.ctx = f->block_pieces > 0;
    f->addr.seen = s->used;
    f->addr.piece++;
    s->used = true;
    f->paths[s->path].uses++;
    f->n_insts += s->n_insts;
    f->block_pieces++;
    f->n_pieces++;
}

/* --- the frame ------------------------------------------------------------------------------- */

bool rbt_frame_put_is_full(const rbt_frame_put_t *f)
{
    size_t lanes = 0, others = 0;

    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        *(i >= RBT_COL_PLANE ? &lanes : &others) += f->cols[i].n;
    return lanes - lanes / LANE_GAIN + others / OTHER_GAIN >= PACKED_BYTES ||
           lanes + others >= UNPACKED_BYTES || f->n_insts >= FRAME_INSTS;
}

/* Lets zstd start new statistics for each lane-byte column that is long enough to pay for their
 * table. */
static void cut_planes(const rbt_frame_put_t *f, size_t at, rbt_cuts_t *cuts)
{
    cuts->n = 0;
    for (unsigned i = 0; i < RBT_COL_COUNT; i++) {
        size_t n = f->cols[i].n;

        if (i >= RBT_COL_PLANE && n >= CUT_BYTES)
            cuts->at[cuts->n++] = at;
        at += n;
    }
}

void rbt_frame_put_end(rbt_frame_put_t *f, bool more, rbt_buf_t *out, rbt_cuts_t *cuts)
{
    rbt_buf_t *head = &f->cols[RBT_COL_HEAD];

    rbt_addr_put_end(&f->addr);
    rbt_put_varint(head, f->launch);
    rbt_put_varint(head, f->first_block);
    rbt_put_varint(head, f->n_blocks);
    rbt_put_varint(head, (f->continues ? 1u : 0u) | (more ? 2u : 0u));
    rbt_put_varint(head, f->n_paths);
    rbt_put_varint(head, f->n_shapes);
    rbt_put_varint(head, f->n_pieces);
    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        rbt_put_u32(out, (uint32_t)f->cols[i].n);
    cut_planes(f, out->n, cuts);
    for (unsigned i = 0; i < RBT_COL_COUNT; i++)
        rbt_put_bytes(out, f->cols[i].p, f->cols[i].n);
}
