#include "sim/gpu/warming/touch_warp.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/gpu/warming/touch_lines.h"
#include "sim/parts/addr_map_run.h"

/* Lines in the filter of repeats; accesses of a batch, which has room for one more instruction or
 * run of code. */
enum { RECENT_LINES = 4096, BATCH = 1024, BATCH_ROOM = BATCH + COALESCE_MAX_LINES };

enum { ALL_SECTORS = (1 << SECTORS_PER_LINE) - 1 };

/* The last access to a line. Words, because reading back parts of what was just written stalls the
 * processor. */
typedef struct {
    uint64_t line;
    uint32_t touched; /* number of the access that was handed over */
    uint32_t had;     /* sectors that were read then; above them those of which all bytes were
                       * written */
} recent_t;

struct touch_warps {
    launch_info_t info;
    uint64_t code_base;
    const touch_consumer_t *consumer;
    uint32_t now; /* accesses handed over */
    touch_batch_t batch;
    uint64_t bin_begin, bin_end;         /* blocks of the batch's bin */
    l2_touch_t *touch;                   /* owned */
    uint32_t (*masks)[SECTORS_PER_LINE]; /* owned */
    uint32_t n_masks;
    touch_code_t code;
    touch_lines_t lines;
    uint64_t slot, block; /* whose turn it is */
    uint8_t half;         /* of the chip, that the slot is in */
    bool wants_l1;        /* accesses of the slot to the L1 are wanted */
    touch_l1_t *l1;       /* owned; those of the warp's turn */
    size_t n_l1, cap_l1;
    addr_map_high_t high;          /* of the last address whose slice was looked up */
    recent_t recent[RECENT_LINES]; /* direct-mapped */
};

void touch_warps_hand_over(touch_warps_t *w)
{
    w->consumer->take(w->consumer->ctx, &w->batch);
    w->batch.n = 0;
    w->batch.counts = (touch_counts_t){0};
    w->n_masks = 0;
}

void touch_warps_forget(touch_warps_t *w)
{
    w->now += w->consumer->reach;
}

/* Call before accesses are added. Then there is room for those of an instruction. */
static inline void make_room(touch_warps_t *w)
{
    if (w->batch.n >= BATCH)
        touch_warps_hand_over(w);
}

static inline bool is_recent(const touch_warps_t *w, uint32_t touched)
{
    return w->now - touched < w->consumer->reach;
}

/* Low bit of the line that a write is remembered by where the L2 has halves: a write takes the copy away. */
enum { WRITTEN = 2 };

/* The end of the batch, while the accesses of an instruction are added: in registers. */
typedef struct {
    l2_touch_t *next;
    recent_t *recent;
    uint32_t now, reach, masks;
    uint8_t half, written; /* tell reads from the halves apart, and writes from them */
} tail_t;

static inline tail_t tail_of(touch_warps_t *w)
{
    return (tail_t){.next = w->touch + w->batch.n,
                    .recent = w->recent,
                    .now = w->now,
                    .reach = w->consumer->reach,
                    .masks = w->n_masks,
                    .half = w->half,
                    .written = w->consumer->half != NULL ? WRITTEN : 0};
}

static inline void set_tail(touch_warps_t *w, const tail_t *t)
{
    w->batch.n = (size_t)(t->next - w->touch);
    w->now = t->now;
    w->n_masks = t->masks;
}

/* Whether an access is a repeat. Otherwise it is noted. wants: the sectors that make it one; gives:
 * those that it leaves, as in recent_t; a repeat gives what is there. Without branches, because
 * they could not be predicted. */
static inline bool is_repeat(const tail_t *t, uint64_t line, uint32_t wants, uint32_t gives)
{
    const uint64_t at = line / LINE_BYTES;
    recent_t *r = &t->recent[(at ^ at / RECENT_LINES) % RECENT_LINES];
    const uint32_t touched = r->touched;
    const bool known = (r->line == line) & (t->now - touched < t->reach);
    const uint32_t had = r->had & (known ? UINT32_MAX : 0);
    const bool repeat = (wants & ~had) == 0;
    r->line = line;
    r->touched = repeat ? touched : t->now;
    r->had = had | gives;
    return repeat;
}

/* A bit that no access leaves. */
enum { NEVER = 1 << 2 * SECTORS_PER_LINE };

/* wants and gives of an access. */
static inline uint32_t wanted(l2_touch_kind_t kind, uint32_t sectors)
{
    if (kind == L2_TOUCH_ATOMIC)
        return NEVER;
    return kind == L2_TOUCH_WRITE ? sectors << SECTORS_PER_LINE : sectors;
}

static inline uint32_t given(l2_touch_kind_t kind, uint32_t sectors, uint32_t full)
{
    return kind == L2_TOUCH_READ || kind == L2_TOUCH_CODE ? sectors
                                                          : full | full << SECTORS_PER_LINE;
}

/* Adds an access to the batch, unless it is a repeat. */
static inline __attribute__((always_inline)) bool
touch(tail_t *t, l2_touch_kind_t kind, uint64_t line, uint32_t sectors, uint32_t full)
{
    const uint8_t by = kind == L2_TOUCH_READ ? t->half : kind == L2_TOUCH_CODE ? 0 : t->written;
    const bool repeat = is_repeat(t, line | by, wanted(kind, sectors), given(kind, sectors, full));
    *t->next = (l2_touch_t){.line = line,
                            .half = t->half,
                            .kind = (uint8_t)kind,
                            .sectors = (uint8_t)sectors,
                            .full = (uint8_t)full,
                            .bytes = t->masks};
    t->next += !repeat;
    t->now += !repeat;
    return repeat;
}

/* Whether the consumer wants the slice of a line. */
static inline bool is_wanted(touch_warps_t *w, uint64_t line)
{
    const touch_consumer_t *c = w->consumer;
    return c->slices == NULL || c->slices[addr_map_next_slice(c->map, line, &w->high)];
}

static void touch_code_line_of(touch_warps_t *w, uint32_t offset)
{
    const uint64_t line = w->code_base + offset;
    if (!is_wanted(w, line))
        return;
    make_room(w);
    tail_t t = tail_of(w);
    touch(&t, L2_TOUCH_CODE, line, ALL_SECTORS, 0);
    set_tail(w, &t);
}

/* Touches the code lines of a run, unless it did lately. */
static void touch_code(touch_warps_t *w, touch_run_t *run)
{
    if (is_recent(w, run->touched))
        return;
    run->touched = w->now;
    for (uint32_t i = 0; i < run->n_lines; i++)
        touch_code_line_of(w, run->line + i * LINE_BYTES);
    if (run->n_lines > 0)
        return;
    for (uint32_t i = 0; i < run->count; i++)
        if (i == 0 || touch_code_line(&run->first[i]) != touch_code_line(&run->first[i - 1]))
            touch_code_line_of(w, touch_code_line(&run->first[i]));
}

/* Bit i is set if line i is in a wanted slice, for at most 64 lines. */
static uint64_t wanted_lines(const addr_map_t *map, const bool *slices, const uint64_t *line,
                             uint32_t n, addr_map_high_t *high)
{
    addr_map_high_t h = *high;
    uint64_t wanted = 0;
    for (uint32_t i = 0; i < n; i++)
        wanted |= (uint64_t)slices[addr_map_next_slice(map, line[i], &h)] << i;
    *high = h;
    return wanted;
}

/* Leaves out lines in slices that are not wanted. */
static void keep_wanted(const addr_map_t *map, const bool *slices, touch_lines_t *l,
                        addr_map_high_t *high)
{
    enum { SOME = 64 };
    uint32_t kept = 0;
    for (uint32_t from = 0; from < l->n; from += SOME) {
        const uint32_t n = l->n - from < SOME ? l->n - from : SOME;
        uint64_t wanted = wanted_lines(map, slices, l->line + from, n, high);
        for (; wanted != 0; wanted &= wanted - 1) {
            const uint32_t i = from + (uint32_t)__builtin_ctzll(wanted);
            l->line[kept] = l->line[i];
            l->sectors[kept++] = l->sectors[i];
        }
    }
    l->n = kept;
}

/* Sectors of all lines: bits of the masks, eight at a time. */
static uint32_t count_sectors(const touch_lines_t *l)
{
    uint32_t n = 0, i = 0;
    for (uint64_t eight; i + sizeof(eight) <= l->n; i += sizeof(eight)) {
        memcpy(&eight, l->sectors + i, sizeof(eight));
        n += (uint32_t)__builtin_popcountll(eight);
    }
    for (; i < l->n; i++)
        n += cache_sector_count(l->sectors[i]);
    return n;
}

static void read_lines(touch_warps_t *w)
{
    touch_lines_t *l = &w->lines;
    if (w->consumer->slices != NULL)
        keep_wanted(w->consumer->map, w->consumer->slices, l, &w->high);
    tail_t t = tail_of(w);
    for (uint32_t i = 0; i < l->n; i++)
        touch(&t, L2_TOUCH_READ, l->line[i], l->sectors[i], 0);
    set_tail(w, &t);
}

static void write_lines(touch_warps_t *w, l2_touch_kind_t kind)
{
    const touch_lines_t *l = &w->lines;
    tail_t t = tail_of(w);
    for (uint32_t i = 0; i < l->n; i++) {
        const uint8_t full = l->full[i];
        if (!is_wanted(w, l->line[i]))
            continue;
        if (!touch(&t, kind, l->line[i], l->sectors[i], full) && full != l->sectors[i])
            memcpy(w->masks[t.masks++], l->bytes[i], sizeof(*w->masks));
    }
    set_tail(w, &t);
}

/* Sectors that an access touches: those of [from, end), multiples of a sector. */
typedef struct {
    uint64_t from, end;
} sectors_t;

/* Whether the lanes touch all bytes of a range, as most accesses do; reads may begin and end within a
 * sector. */
static inline bool is_plain(const touch_op_t *op, const uint64_t *rec, sectors_t *s)
{
    const int32_t stride = addr_stride(rec);
    const bool read = op->kind == L2_TOUCH_READ;
    const uint64_t lanes = stride == 0 && read ? 1 : addr_lanes(rec);
    const uint64_t end = rec[1] + lanes * op->width;
    *s = (sectors_t){rec[1] & ~(uint64_t)(SECTOR_BYTES - 1),
                     (end + SECTOR_BYTES - 1) & ~(uint64_t)(SECTOR_BYTES - 1)};
    return addr_form(rec) == ADDR_AFFINE && (stride == op->width || (stride == 0 && read)) &&
           (read || (rec[1] | end) % SECTOR_BYTES == 0) && end > rec[1] && s->end > s->from;
}

/* Those of a line that a range has. */
static inline uint32_t range_sectors(uint64_t line, sectors_t s)
{
    const uint32_t head = line < s.from ? (uint32_t)(s.from - line) / SECTOR_BYTES : 0;
    const uint32_t tail =
        s.end - line < LINE_BYTES ? (uint32_t)(line + LINE_BYTES - s.end) / SECTOR_BYTES : 0;
    return (uint32_t)ALL_SECTORS << head & (uint32_t)ALL_SECTORS >> tail;
}

/* Counts the accesses to lines of an instruction. */
static inline void count_lines(touch_counts_t *c, l2_touch_kind_t kind, uint64_t lines)
{
    c->requests += lines;
    c->write_requests += kind == L2_TOUCH_WRITE ? lines : 0;
}

/* Touches all sectors of a range. Inlined for each kind. */
static inline __attribute__((always_inline)) void touch_range(touch_warps_t *w,
                                                              l2_touch_kind_t kind, sectors_t s)
{
    const uint64_t first = s.from & ~(uint64_t)(LINE_BYTES - 1);
    const uint64_t last = (s.end - 1) & ~(uint64_t)(LINE_BYTES - 1);
    tail_t t = tail_of(w);
    for (uint64_t line = first;; line += LINE_BYTES) {
        const uint32_t sectors = range_sectors(line, s);
        if (is_wanted(w, line))
            touch(&t, kind, line, sectors, sectors);
        if (line == last)
            break;
    }
    set_tail(w, &t);
    count_lines(&w->batch.counts, kind, (last - first) / LINE_BYTES + 1);
    w->batch.counts.sectors[kind] += (s.end - s.from) / SECTOR_BYTES;
}

static inline void touch_plain(touch_warps_t *w, l2_touch_kind_t kind, sectors_t s)
{
    if (kind == L2_TOUCH_READ)
        touch_range(w, L2_TOUCH_READ, s);
    else if (kind == L2_TOUCH_WRITE)
        touch_range(w, L2_TOUCH_WRITE, s);
    else
        touch_range(w, L2_TOUCH_ATOMIC, s);
}

/* The accesses of a range to the L1. */
static void note_l1_range(touch_warps_t *w, const touch_op_t *op, sectors_t s)
{
    const uint64_t first = s.from & ~(uint64_t)(LINE_BYTES - 1);
    rb_grow(&w->l1, &w->cap_l1, w->n_l1 + COALESCE_MAX_LINES, sizeof(*w->l1));
    for (uint64_t line = first; line < s.end; line += LINE_BYTES) {
        const uint32_t sectors = range_sectors(line, s);
        w->l1[w->n_l1++] = (touch_l1_t){.line = line,
                                        .sectors = (uint8_t)sectors,
                                        .full = (uint8_t)sectors,
                                        .store = op->kind == L2_TOUCH_WRITE};
    }
}

static void note_l1(touch_warps_t *w, const touch_op_t *op)
{
    const touch_lines_t *l = &w->lines;
    rb_grow(&w->l1, &w->cap_l1, w->n_l1 + l->n, sizeof(*w->l1));
    for (uint32_t i = 0; i < l->n; i++)
        w->l1[w->n_l1++] = (touch_l1_t){.line = l->line[i],
                                        .sectors = l->sectors[i],
                                        .full = l->full[i],
                                        .store = op->kind == L2_TOUCH_WRITE};
}

static void touch_any(touch_warps_t *w, const touch_op_t *op, const uint64_t *rec)
{
    touch_lines(&w->lines, rec, op->width, op->kind != L2_TOUCH_READ);
    if (w->wants_l1 && op->cached)
        note_l1(w, op);
    count_lines(&w->batch.counts, (l2_touch_kind_t)op->kind, w->lines.n);
    w->batch.counts.sectors[op->kind] += count_sectors(&w->lines);
    if (op->kind == L2_TOUCH_READ)
        read_lines(w);
    else
        write_lines(w, (l2_touch_kind_t)op->kind);
}

static inline void touch_data(touch_warps_t *w, const touch_op_t *op, const uint64_t *rec)
{
    sectors_t s;
    make_room(w);
    const uint64_t before = w->batch.counts.sectors[L2_TOUCH_READ];
    if (is_plain(op, rec, &s)) {
        touch_plain(w, (l2_touch_kind_t)op->kind, s);
        if (w->wants_l1 && op->cached)
            note_l1_range(w, op, s);
    } else {
        touch_any(w, op, rec);
    }
    if (op->cached)
        w->batch.counts.l1_sectors += w->batch.counts.sectors[L2_TOUCH_READ] - before;
}

/* Whether an access goes to global memory or a texture. */
static inline bool is_global(const touch_warps_t *w, const touch_op_t *op, const uint64_t *rec)
{
    if (op->space != MEM_GENERIC)
        return op->space == MEM_GLOBAL || op->space == MEM_TEX;
    return coalesce_generic_space(coalesce_first(rec), w->info.shared_base, w->info.local_base) ==
           MEM_GLOBAL;
}

/* Touches what memory instructions access; returns the end of their address records. */
static const uint64_t *touch_ops(touch_warps_t *w, const touch_op_t *op, size_t n,
                                 const uint64_t *rec)
{
    for (; n > 0; n--, op++) {
        if (is_global(w, op, rec))
            touch_data(w, op, rec);
        rec += addr_words(rec);
    }
    return rec;
}

static void touch_code_of(touch_warps_t *w, touch_shape_t *shape, const warp_stream_t *warp)
{
    shape->touched = w->now;
    for (uint32_t r = 0; r < warp->n_runs; r++)
        touch_code(w, touch_code_run(&w->code, &warp->runs[r]));
}

void touch_warp_begin(touch_warps_t *w, touch_warp_t *x, const warp_stream_t *warp)
{
    touch_shape_t *shape = touch_code_shape(&w->code, warp);
    *x = (touch_warp_t){.rec = warp->addrs, .run = warp->runs, .end_run = warp->runs};
    if (warp->n_runs > 0)
        x->end_run += warp->n_runs;
    if (shape == NULL)
        return;
    if (!is_recent(w, shape->touched))
        touch_code_of(w, shape, warp);
    shape->users++;
    x->shape = shape;
    x->n_ops = (uint32_t)shape->n_ops;
    x->run = x->end_run;
}

/* Goes on to the next run with memory instructions. False: there is none. */
static bool next_run(touch_warps_t *w, touch_warp_t *x)
{
    for (; x->run < x->end_run; x->run++) {
        touch_run_t *run = touch_code_run(&w->code, x->run);
        touch_code(w, run);
        if (x->run->mask == 0 || run->n_ops == 0)
            continue;
        x->op = run->op;
        x->n_ops = run->op + run->n_ops;
        x->run++;
        return true;
    }
    return false;
}

static void end_warp(touch_warp_t *x)
{
    if (x->shape != NULL)
        x->shape->users--;
    x->shape = NULL;
    x->done = true;
}

/* The next memory instructions of the warp, at most n. False: there is none. */
static bool touch_next(touch_warps_t *w, touch_warp_t *x, uint32_t *n)
{
    if (x->op == x->n_ops && !next_run(w, x)) {
        end_warp(x);
        return false;
    }
    const touch_op_t *ops = x->shape != NULL ? x->shape->op : w->code.op;
    const uint32_t left = x->n_ops - x->op, some = left < *n ? left : *n;
    x->rec = touch_ops(w, ops + x->op, some, x->rec);
    x->op += some;
    *n -= some;
    return true;
}

bool touch_warp_go(touch_warps_t *w, touch_warp_t *x, uint32_t n)
{
    while (n > 0 && !x->done && touch_next(w, x, &n))
        ;
    if (w->n_l1 > 0)
        w->consumer->take_l1(w->consumer->ctx, w->slot, w->block, w->l1, w->n_l1);
    w->n_l1 = 0;
    return !x->done;
}

static void set_bin(touch_warps_t *w, uint64_t block)
{
    const uint64_t blocks = w->consumer->blocks_per_bin;
    if (block >= w->bin_begin && block < w->bin_end)
        return;
    touch_warps_hand_over(w);
    w->batch.bin = block / blocks;
    w->bin_begin = w->batch.bin * blocks;
    w->bin_end = w->bin_begin + blocks;
}

void touch_warps_turn(touch_warps_t *w, uint64_t slot, uint64_t block)
{
    const touch_consumer_t *c = w->consumer;
    set_bin(w, block);
    w->slot = slot;
    w->block = block;
    w->half = c->half != NULL ? c->half[slot] : 0;
    w->wants_l1 = c->wants_l1 != NULL && c->wants_l1(c->ctx, slot, block);
}

void touch_warps_count(touch_warps_t *w, uint64_t insts)
{
    w->batch.counts.warp_insts += insts;
}

touch_warps_t *touch_warps_create(const launch_info_t *info, uint64_t code_base,
                                  const touch_consumer_t *consumer)
{
    touch_warps_t *w = rb_calloc(1, sizeof(*w));
    w->info = *info;
    w->code_base = code_base;
    w->consumer = consumer;
    w->now = consumer->reach;
    w->touch = rb_calloc(BATCH_ROOM, sizeof(*w->touch));
    w->masks = rb_calloc(BATCH_ROOM, sizeof(*w->masks));
    w->batch.touch = w->touch;
    w->batch.masks = (l2_masks_t)w->masks;
    w->bin_end = consumer->blocks_per_bin > 0 ? consumer->blocks_per_bin : UINT64_MAX;
    return w;
}

void touch_warps_destroy(touch_warps_t *w)
{
    touch_code_free(&w->code);
    free(w->touch);
    free(w->masks);
    free(w->l1);
    free(w);
}
