/*
 * Laws of a write-back L1 (l1.write = write_back): a modified sector goes to the L2 once for each time
 * that it is evicted, that a fence comes, that an access beyond the L1 needs it, or that the launch ends.
 */
#include <string.h>

#include "sim/core/mix64.h"
#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

/* One SM, one set; ways: of 128 bytes. */
#define QUIET                                                                                      \
    "icache.perfect=true", "const.perfect=true", "tlb.perfect=true", "sm.count=1", "l1.sets=1",    \
        "l1.carveouts=0", "l1.replacement=lru"
#define WAYS(n)   "l1.unified=" #n
#define SPEC(...) LAB_SPEC("v100", QUIET, "l1.write=write_back", __VA_ARGS__)

static const uint64_t region = 0x7f0000000000;

/* Each instruction needs the result of the load before it. */
typedef enum {
    STORE,
    LOAD,
    STRONG_STORE,
    STRONG_LOAD,
    RED,
    ATOM,
    LOCAL_STORE, /* all lanes access the same word */
    LOCAL_LOAD,
    FENCE,
    FENCE_CTA,
    KINDS
} kind_t;

/* The lanes access words from `word` of a line on, each `stride` bytes further. */
typedef struct {
    kind_t kind;
    uint32_t line, word, lanes, stride;
} op_t;

typedef struct {
    const op_t *op;
    size_t n;
} program_t;

static void body(synth_warp_t *w, const void *ctx)
{
    const program_t *p = ctx;
    for (size_t i = 0; i < p->n; i++) {
        const op_t *o = &p->op[i];
        const uint32_t mask = (uint32_t)((UINT64_C(1) << o->lanes) - 1);
        if (o->kind >= FENCE)
            synth_emit(w, o->kind, 1);
        else if (o->kind >= LOCAL_STORE)
            synth_emit_affine(w, o->kind, mask, o->line * 4, 0);
        else
            synth_emit_affine(w, o->kind, mask, region + o->line * LINE_BYTES + o->word * 4,
                              (int32_t)o->stride);
    }
    synth_emit(w, KINDS, (uint32_t)LAB_FULL);
}

static void add_launch(synth_t *s, const program_t *p)
{
    synth_kernel_t *k = synth_kernel_create(s, "stores", &(synth_shape_t){.block = {32}});
    synth_code(k, "STG.E.SYS", "", "R2 R6");
    synth_code(k, "LDG.E.SYS", "R2", "R2");
    synth_code(k, "STG.E.STRONG.GPU", "", "R2 R6");
    synth_code(k, "LDG.E.STRONG.GPU", "R2", "R2");
    synth_code(k, "RED.E.ADD.STRONG.GPU", "", "R2 R6");
    synth_code(k, "ATOMG.E.ADD.STRONG.GPU", "R2", "R2 R6");
    synth_code(k, "STL", "", "R2 R6");
    synth_code(k, "LDL", "R2", "R2");
    synth_code(k, "MEMBAR.SC.GPU", "", "");
    synth_code(k, "MEMBAR.SC.CTA", "", "");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, body, p);
}

static launch_result_t run(const gpu_spec_t *spec, const op_t *op, size_t n)
{
    const program_t p = {op, n};
    synth_t *s = synth_create();
    add_launch(s, &p);
    const launch_result_t r = lab_run_one(spec, s);
    assert_int_equal(lab_state_sum(&r.sm), r.warp_slot_cycles);
    assert_int_equal(r.sm.state_misc, 0);
    return r;
}

#define RUN(spec, ...)                                                                             \
    run(spec, (const op_t[]){__VA_ARGS__}, sizeof((const op_t[]){__VA_ARGS__}) / sizeof(op_t))

/* Sectors that the L2 writes for these. */
#define WRITES(spec, ...) RUN(spec, __VA_ARGS__).l2.write_sectors

enum { LANES = 32 };
#define WHOLE(kind, line)                                                                          \
    {                                                                                              \
        kind, line, 0, LANES, 4                                                                    \
    }
#define SECTOR(kind, line)                                                                         \
    {                                                                                              \
        kind, line, 8, 8, 4                                                                        \
    }
#define WORD(kind, line)                                                                           \
    {                                                                                              \
        kind, line, 8, 1, 4                                                                        \
    }

static void a_store_that_hits_a_modified_line_sends_nothing(void **state)
{
    gpu_spec_t spec = SPEC(WAYS(1KiB));
    op_t op[64];
    (void)state;
    for (size_t i = 0; i < 64; i++)
        op[i] = (op_t)WHOLE(STORE, 0);
    const launch_result_t one = run(&spec, op, 1), all = run(&spec, op, 64),
                          half = run(&spec, op, 32);
    assert_int_equal(one.l2.write_sectors, 4);
    assert_int_equal(all.l2.write_sectors, 4);
    assert_int_equal(one.sm.global_store_hits, 0);
    assert_int_equal(all.sm.global_store_hits, 63 * 4);
    assert_int_equal(all.sm.xbar_flits_out, one.sm.xbar_flits_out);
    /* Nothing but the rate of the queue limits them. */
    assert_int_equal(launch_result_cycles(&all) - launch_result_cycles(&half),
                     32 * spec.sm.sm.mem_interval);
}

static void lines_that_are_evicted_write_what_is_modified(void **state)
{
    gpu_spec_t spec = SPEC(WAYS(1KiB));
    op_t op[40];
    (void)state;
    for (uint32_t n = 8; n <= 40; n += 8) { /* the first 8 fit, none is written twice */
        for (uint32_t i = 0; i < n; i++)
            op[i] = i % 2 == 0 ? (op_t)WHOLE(STORE, i) : (op_t)WORD(STORE, i);
        const launch_result_t r = run(&spec, op, n);
        assert_int_equal(r.l2.write_sectors, n / 2 * 4 + n / 2);
        assert_int_equal(r.l2.read_sectors, 0);
    }
    /* A cyclic sweep of one line more than fits writes each line each time. */
    for (uint32_t i = 0; i < 36; i++)
        op[i] = (op_t)SECTOR(STORE, i % 9);
    assert_int_equal(run(&spec, op, 36).l2.write_sectors, 36);
    for (uint32_t i = 0; i < 36; i++)
        op[i] = (op_t)SECTOR(STORE, i % 8);
    assert_int_equal(run(&spec, op, 36).l2.write_sectors, 8);
}

/* Nothing is left for the launch after. */
static void the_end_of_a_launch_writes_everything_back(void **state)
{
    static lab_results_t r;
    gpu_spec_t spec = SPEC(WAYS(1KiB)), through = LAB_SPEC("v100", QUIET, WAYS(1KiB));
    const op_t op[] = {WHOLE(STORE, 0), WORD(STORE, 1)};
    const program_t both = {op, 2}, none = {op, 0};
    synth_t *s = synth_create();
    (void)state;
    add_launch(s, &both);
    add_launch(s, &none);
    lab_run(&spec, synth_source(s), 1, 0, &r);
    assert_int_equal(r.launch[0].l2.write_sectors, 5);
    assert_int_equal(r.launch[1].l2.write_sectors, 0);
    const uint64_t with = launch_result_cycles(&r.launch[1]);
    lab_run(&through, synth_source(s), 1, 0, &r);
    /* An SM with nothing to write back answers at once. */
    assert_int_equal(with - launch_result_cycles(&r.launch[1]),
                     spec.sched.dispatch_latency + spec.sched.completion_latency);
    synth_destroy(s);
}

static void a_fence_writes_back_exactly_what_is_modified(void **state)
{
    gpu_spec_t spec = SPEC(WAYS(1KiB), "sm.membar_gpu_latency=200");
    (void)state;
    assert_int_equal(WRITES(&spec, WHOLE(STORE, 0), {.kind = FENCE}, {.kind = FENCE}), 4);
    assert_int_equal(
        WRITES(&spec, WHOLE(STORE, 0), WORD(STORE, 1), {.kind = FENCE}, WHOLE(LOAD, 0)), 5);
    /* The first store after a fence may be a flag and is written through; the second is kept. */
    assert_int_equal(WRITES(&spec, WHOLE(STORE, 0), {.kind = FENCE}, WHOLE(STORE, 0)), 8);
    assert_int_equal(WRITES(&spec, WHOLE(STORE, 0), {.kind = FENCE}, WORD(STORE, 1),
                            WHOLE(STORE, 0), WHOLE(STORE, 0)),
                     9);
    /* A fence of the block writes nothing. */
    assert_int_equal(WRITES(&spec, WHOLE(STORE, 0), {.kind = FENCE_CTA}, WHOLE(STORE, 0)), 4);
    /* What stays is readable; a sector that was written in part is not. */
    launch_result_t r = RUN(&spec, WHOLE(STORE, 0), {.kind = FENCE}, WHOLE(LOAD, 0));
    assert_int_equal(r.sm.global_load_hits, 4);
    r = RUN(&spec, WORD(STORE, 0), {.kind = FENCE}, WORD(LOAD, 0));
    assert_int_equal(r.sm.global_load_hits, 0);
    /* It takes the way to the L2 and back, once for all lines. */
    const uint64_t way =
        (uint64_t)spec.mem.icnt.request_latency + spec.mem.l2.latency + spec.mem.icnt.reply_latency;
    const launch_result_t one = RUN(&spec, WHOLE(STORE, 0), {.kind = FENCE}),
                          two = RUN(&spec, WHOLE(STORE, 0), WHOLE(STORE, 1), {.kind = FENCE}),
                          again = RUN(&spec, WHOLE(STORE, 0), {.kind = FENCE}, {.kind = FENCE});
    assert_in_range(one.sm.state_membar, 200 + way, 200 + way + 50);
    assert_in_range(two.sm.state_membar - one.sm.state_membar, 1, 10);
    assert_int_equal(again.sm.state_membar - one.sm.state_membar, 200 - 1); /* of its issue */
}

static void accesses_beyond_the_l1_find_what_is_modified(void **state)
{
    static const kind_t beyond[] = {STRONG_LOAD, STRONG_STORE, RED, ATOM};
    gpu_spec_t spec = SPEC(WAYS(1KiB));
    (void)state;
    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
        const uint64_t own = beyond[i] == STRONG_STORE;
        /* The line leaves as a whole, once. */
        assert_int_equal(WRITES(&spec, WHOLE(STORE, 0), SECTOR(beyond[i], 0)), 4 + own);
        /* Other sectors of the line, and other lines, stay modified: they leave at the end. */
        assert_int_equal(WRITES(&spec, SECTOR(STORE, 1), {beyond[i], 1, 0, 8, 4}, SECTOR(STORE, 1)),
                         1 + own);
        assert_int_equal(WRITES(&spec, SECTOR(STORE, 0), SECTOR(beyond[i], 1), SECTOR(STORE, 0)),
                         1 + own);
        /* What the L2 changes is no longer in the L1. */
        const launch_result_t r = RUN(&spec, WHOLE(STORE, 0), SECTOR(beyond[i], 0), WHOLE(LOAD, 0));
        assert_int_equal(r.sm.global_load_hits, beyond[i] == RED || beyond[i] == ATOM ? 3 : 4);
    }
}

static void parts_of_sectors_are_merged(void **state)
{
    gpu_spec_t spec = SPEC(WAYS(1KiB)),
               masks = SPEC(WAYS(1KiB), "icnt.mask_flits=8", "icnt.tpc_data=0.1");
    (void)state;
    /* Two halves of a sector are one sector that hits. */
    launch_result_t r = RUN(&spec, {STORE, 0, 0, 4, 4}, {STORE, 0, 4, 4, 4}, {LOAD, 0, 0, 8, 4});
    assert_int_equal(r.sm.global_load_hits, 1);
    assert_int_equal(r.l2.read_sectors, 0);
    assert_int_equal(r.l2.write_sectors, 1);
    /* A load of a half fetches the sector, which stays modified. */
    r = RUN(&spec, {STORE, 0, 0, 4, 4}, {LOAD, 0, 0, 8, 4}, {LOAD, 0, 0, 8, 4});
    assert_int_equal(r.sm.global_load_hits, 1);
    assert_int_equal(r.l2.read_sectors, 1);
    assert_int_equal(r.l2.write_sectors, 1);
    /* It leaves as a complete one; without the load its mask takes room at the port. */
    const launch_result_t whole = RUN(&masks, {STORE, 0, 0, 8, 4}, {.kind = FENCE}),
                          merged = RUN(&masks, {STORE, 0, 0, 4, 4}, {LOAD, 0, 0, 8, 4},
                                       {STORE, 0, 0, 4, 4}, {.kind = FENCE}),
                          part = RUN(&masks, {STORE, 0, 0, 4, 4}, {.kind = FENCE});
    assert_in_range(part.sm.state_membar - whole.sm.state_membar, 75, 85);
    assert_in_range(merged.sm.state_membar, whole.sm.state_membar, whole.sm.state_membar + 5);
}

/* Global stores of an L1 that serves local memory only are written through. */
static void an_l1_without_lines_writes_through(void **state)
{
    gpu_spec_t off = SPEC(WAYS(1KiB), "l1.enabled=false"),
               none = LAB_SPEC("v100", "icache.perfect=true", "const.perfect=true", "sm.count=1",
                               "l1.write=write_back", "l1.carveouts=128KiB");
    (void)state;
    assert_int_equal(WRITES(&off, WHOLE(STORE, 0), WHOLE(STORE, 0)), 8);
    const launch_result_t r =
        RUN(&off, WHOLE(LOCAL_STORE, 0), WHOLE(LOCAL_STORE, 0), WHOLE(LOCAL_LOAD, 0));
    assert_int_equal(r.l2.write_sectors, 4);
    assert_int_equal(r.l2.local_sectors, 4);
    assert_int_equal(r.sm.local_load_hits, 4);
    assert_int_equal(WRITES(&none, WHOLE(STORE, 0), WHOLE(STORE, 0)), 8);
}

/* --- against a list -------------------------------------------------------------------------- */

enum { MOST_WAYS = 128 };

typedef struct {
    uint32_t line;
    uint32_t bytes[SECTORS_PER_LINE]; /* that are known */
    bool dirty[SECTORS_PER_LINE];
} known_t;

typedef struct {
    known_t way[MOST_WAYS]; /* most recently used first */
    uint32_t n, ways;
    uint64_t writes, reads;
    bool fenced;
} list_t;

static void write_back(list_t *l, known_t *k)
{
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
        l->writes += k->dirty[s];
        if (k->bytes[s] != UINT32_MAX)
            k->bytes[s] = 0;
        k->dirty[s] = false;
    }
}

static known_t *find(list_t *l, uint32_t line)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->way[i].line == line)
            return &l->way[i];
    return NULL;
}

/* Moves a line to the front, or inserts it there. */
static known_t *use(list_t *l, uint32_t line)
{
    known_t *k = find(l, line), mine = {.line = line};
    if (k != NULL) {
        mine = *k;
    } else {
        if (l->n == l->ways)
            write_back(l, &l->way[--l->n]);
        k = &l->way[l->n++];
    }
    memmove(&l->way[1], &l->way[0], (size_t)(k - l->way) * sizeof(*k));
    l->way[0] = mine;
    return &l->way[0];
}

static void access_line(list_t *l, kind_t kind, uint32_t line, const uint32_t mask[])
{
    known_t *k = find(l, line);
    const bool kept = kind == STORE && !l->fenced;
    bool shared = false;
    if (kept || kind == LOAD) {
        k = kind == LOAD && k == NULL ? NULL : use(l, line);
        for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
            if (mask[s] == 0)
                continue;
            if (kind == LOAD && (k == NULL || k->bytes[s] != UINT32_MAX)) {
                l->reads++;
                k = use(l, line);
            }
            k->bytes[s] |= kind == LOAD ? UINT32_MAX : mask[s];
            k->dirty[s] |= kept;
        }
        return;
    }
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
        shared |= k != NULL && mask[s] != 0 && k->dirty[s];
        l->writes += (kind == STORE || kind == STRONG_STORE) && mask[s] != 0;
        l->reads += kind == STRONG_LOAD && mask[s] != 0;
    }
    if (shared)
        write_back(l, k);
    for (unsigned s = 0; k != NULL && s < SECTORS_PER_LINE; s++)
        if (mask[s] != 0 && (kind == RED || kind == ATOM))
            k->bytes[s] = 0;
}

static void step(list_t *l, const op_t *o)
{
    if (o->kind >= FENCE) {
        for (uint32_t i = 0; o->kind == FENCE && i < l->n; i++)
            write_back(l, &l->way[i]);
        l->fenced |= o->kind == FENCE;
        return;
    }
    const uint32_t lines = o->stride == LINE_BYTES ? o->lanes : 1;
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t mask[SECTORS_PER_LINE] = {0};
        for (uint32_t k = 0; k < (lines > 1 ? 1 : o->lanes); k++) {
            const uint32_t word = o->word + k;
            mask[word / 8] |= UINT32_C(15) << word % 8 * 4;
        }
        access_line(l, o->kind, o->line + i, mask);
    }
    if (o->kind == STORE || o->kind == STRONG_STORE)
        l->fenced = false;
}

static op_t draw(uint64_t *seed, uint32_t lines)
{
    static const kind_t often[] = {STORE, STORE,        STORE,       STORE, LOAD,
                                   LOAD,  STRONG_STORE, STRONG_LOAD, RED,   ATOM};
    const uint64_t x = mix64(++*seed);
    op_t o = {.kind = often[x % 10], .line = (uint32_t)(x >> 8) % lines, .stride = 4};
    if (x >> 60 == 0)
        o.kind = x >> 59 & 1 ? FENCE : FENCE_CTA;
    o.word = (uint32_t)(x >> 40) % 32;
    o.lanes = 1 + (uint32_t)(x >> 48) % (32 - o.word);
    if (o.kind == STORE && x >> 56 % 4 == 0)
        o.stride = LINE_BYTES;
    return o;
}

static void random_programs_agree_with_a_list(void **state)
{
    static const struct {
        const char *size;
        uint32_t ways;
    } shape[] = {{"l1.unified=1KiB", 8}, {"l1.unified=2KiB", 16}, {"l1.unified=16KiB", MOST_WAYS}};
    uint64_t seed = 0;
    (void)state;
    for (size_t i = 0; i < 24; i++) {
        enum { OPS = 400 };
        const uint32_t ways = shape[i % 3].ways;
        gpu_spec_t spec =
            SPEC(shape[i % 3].size, i % 2 == 0 ? "l1.miss_queue=1" : "l1.miss_queue=8");
        op_t op[OPS];
        static list_t l;
        l = (list_t){.ways = ways};
        for (size_t n = 0; n < OPS; n++) {
            op[n] = draw(&seed, ways * 3 / 2);
            step(&l, &op[n]);
        }
        for (uint32_t n = 0; n < l.n; n++)
            write_back(&l, &l.way[n]);
        const launch_result_t r = run(&spec, op, OPS);
        assert_int_equal(r.l2.write_sectors, l.writes);
        assert_int_equal(r.l2.read_sectors, l.reads);
    }
}

/* --- any program ----------------------------------------------------------------------------- */

#define SMALL                                                                                      \
    "sm.count=6", "mem.partitions=2", "l2.slices=4", "l2.size=384KiB", "l1.write=write_back"

static void threads_and_windows_do_not_show(void **state)
{
    static const char *const pressure[] = {"l1.miss_queue=16", "l1.miss_queue=1"};
    static lab_results_t r;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gpu_spec_t spec = LAB_SPEC("v100", SMALL, pressure[i], "tlb.entries=1", "tlb.pending=2");
        synth_t *s = mix_create(1);
        char one[SHA256_TEXT], other[SHA256_TEXT];
        lab_run(&spec, synth_source(s), 1, 0, &r);
        lab_hash(&r, one);
        for (size_t k = 0; k < r.n; k++) {
            const launch_result_t *launch = &r.launch[k];
            assert_int_equal(lab_state_sum(&launch->sm), launch->warp_slot_cycles);
            assert_true(launch->l2.write_sectors <=
                        launch->sm.global_store_sectors + launch->sm.local_store_sectors);
            assert_int_equal(launch->dram.write_sectors, launch->l2.writebacks);
        }
        lab_run(&spec, synth_source(s), 3, 0, &r);
        lab_hash(&r, other);
        assert_string_equal(one, other);
        lab_run(&spec, synth_source(s), 1, 3, &r);
        lab_hash(&r, other);
        assert_string_equal(one, other);
        synth_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_that_hits_a_modified_line_sends_nothing),
        cmocka_unit_test(lines_that_are_evicted_write_what_is_modified),
        cmocka_unit_test(the_end_of_a_launch_writes_everything_back),
        cmocka_unit_test(a_fence_writes_back_exactly_what_is_modified),
        cmocka_unit_test(accesses_beyond_the_l1_find_what_is_modified),
        cmocka_unit_test(parts_of_sectors_are_merged),
        cmocka_unit_test(an_l1_without_lines_writes_through),
        cmocka_unit_test(random_programs_agree_with_a_list),
        cmocka_unit_test(threads_and_windows_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
