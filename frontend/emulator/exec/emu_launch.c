/* Blocks and launches: order of execution, resident blocks, delivery to the trace. */
#include "frontend/emulator/exec/emu_launch.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"
#include "sim/core/host_time.h"

enum {
    WARP_SLICE = 1 << 16,        /* instructions of a warp before the next warp runs */
    BLOCK_SLICE = 1 << 22,       /* instructions of a block before another block becomes resident */
    TOGETHER_SLICE = 8,          /* instructions of a warp in its first turn after a barrier */
    COOPERATIVE_SLICE = 1 << 10, /* instructions of a block if blocks are known to wait for each
                                  * other */
    MAX_RESIDENT = 80 * 32,      /* limit of resident blocks per thread: the capacity of a V100 */
    MAX_WORKERS = 256,
    ALONE_INSTS = 1 << 18, /* instructions executed before starting more threads pays off */
    MAX_THREADS = 1024,
    INSTS_PER_CHECK = 1 << 12, /* between two looks at the clock */
    MIN_LOCAL = 4096,          /* per thread; CUDA's default stack is 1 KiB */
    RECURSIVE_LOCAL = 1 << 16, /* used if the depth of the stack is unknown */
    RECORDS_BYTES = 8 << 20,   /* of all resident warps, before they are packed */
    RECORD_BYTES = 4 << 10,    /* of a warp, at least */
    PACKED_BYTES = 64 << 20,   /* packed records in memory; the others are in a temporary file */
};

static uint32_t local_bytes(const emu_launch_t *l)
{
    const uint32_t code = l->kernel->stack_bytes;
    uint32_t bytes = code == UINT32_MAX ? RECURSIVE_LOCAL : code < MIN_LOCAL ? MIN_LOCAL : code;

    if (bytes < l->stack_bytes)
        bytes = l->stack_bytes;
    return (bytes + 15u) / 16 * 16;
}

/* The stack begins at the end of local memory. It ends here, by the limit of the launch. */
static uint32_t local_floor(const emu_launch_t *l)
{
    const uint32_t code = l->kernel->stack_bytes;
    const uint32_t stack = code == UINT32_MAX || code < l->stack_bytes ? l->stack_bytes : code;

    return l->stack_bytes == 0 ? 0 : (local_bytes(l) - stack) / 16 * 16;
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Sets what all blocks of a slot have in common: the warp's place, and its threads. */
static void place_warp(emu_block_t *b, uint32_t index)
{
    emu_warp_t *w = &b->warps[index];
    const emu_launch_t *l = b->grid->launch;
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];

    w->grid = b->grid;
    w->block = b;
    w->index = index;
    w->base[0] = w->r = b->registers + (size_t)index * b->grid->n_vectors * EMU_LANES;
    w->base[1] = b->grid->pool;
    w->local = rb_calloc((size_t)b->grid->local_bytes * EMU_LANES, 1);
    for (uint32_t k = 0; k < EMU_LANES; k++) {
        uint32_t t = index * EMU_LANES + k;
        w->tid[0][k] = t % l->block[0];
        w->tid[1][k] = t / l->block[0] % l->block[1];
        w->tid[2][k] = t / l->block[0] / l->block[1];
        w->threads |= (uint32_t)(t < threads) << k;
    }
}

static void start_warp(emu_warp_t *w)
{
    w->record.n_runs = w->record.n_addrs = 0;
    w->record.n_insts = 0;
    w->record.fresh = false;
    memset(&w->wait, 0, offsetof(emu_wait_t, words));
    memset(w->r, 0, (size_t)w->grid->n_vectors * EMU_LANES * sizeof(*w->r));
    memset(w->p, 0, sizeof(w->p));
    memset(w->b, 0, w->grid->n_barriers * sizeof(w->b[0]));
    w->p[SASS_PT] = w->p[EMU_PRED_UNIFORM + SASS_PT] = EMU_ALL;
    w->alive = w->threads;
    w->splits[0] = (emu_split_t){.mask = w->alive};
    w->n_splits = 1;
    w->current = -1;
    w->bar_result = 0;
    w->clock = 0;
    w->faulted = false;
}

static void allocate_block(emu_block_t *b, emu_grid_t *g)
{
    const emu_launch_t *l = g->launch;

    b->grid = g;
    b->n_warps = (l->block[0] * l->block[1] * l->block[2] + EMU_LANES - 1) / EMU_LANES;
    b->warps = rb_calloc_aligned(b->n_warps, sizeof(*b->warps));
    b->registers =
        rb_calloc_aligned((size_t)b->n_warps * g->n_vectors * EMU_LANES, sizeof(uint32_t));
    b->shared = rb_calloc_aligned((size_t)g->shared_bytes + 64, 1);
    for (uint32_t i = 0; i < b->n_warps; i++)
        place_warp(b, i);
}

static void free_block(emu_block_t *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        free(b->warps[i].local);
        free(b->warps[i].record.runs);
        free(b->warps[i].record.addrs);
    }
    free(b->warps);
    free(b->registers);
    free(b->shared);
    free(b->waits);
    free(b->wait_words);
    word_counts_free(&b->written);
    *b = (emu_block_t){0};
}

static void start_block(emu_block_t *b, uint64_t index)
{
    const emu_launch_t *l = b->grid->launch;

    b->index = index;
    b->id[0] = (uint32_t)(index % l->grid[0]);
    b->id[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
    b->id[2] = (uint32_t)(index / l->grid[0] / l->grid[1]);
    b->active = true;
    b->finished = false;
    b->n_alive = l->block[0] * l->block[1] * l->block[2];
    b->n_waiting = 0;
    b->n_together = 0;
    b->insts = 0;
    b->n_waits = b->n_wait_words = 0;
    word_counts_free(&b->written);
    b->spin = (emu_spin_t){.look_at = emu_spin_interval(b)};
    memset(b->barriers, 0, sizeof(b->barriers));
    memset(b->shared, 0, b->grid->shared_bytes);
    for (uint32_t i = 0; i < b->n_warps; i++)
        start_warp(&b->warps[i]);
}

static bool block_ended(const emu_block_t *b)
{
    for (uint32_t i = 0; i < b->n_warps; i++)
        if (b->warps[i].n_splits > 0)
            return false;
    return true;
}

/* Any warp of the block that has not ended. */
static emu_warp_t *unfinished_warp(emu_block_t *b)
{
    uint32_t i = 0;

    while (b->warps[i].n_splits == 0)
        i++;
    return &b->warps[i];
}

/* The current micro-operation of a warp. */
static const emu_uop_t *uop_at(const emu_warp_t *w)
{
    const emu_split_t *s = &w->splits[w->current >= 0 ? (unsigned)w->current : w->n_splits - 1];

    return &w->grid->uops[s->pc < w->grid->n_uops ? s->pc : w->grid->n_uops - 1];
}

static rb_code_t report_deadlock(emu_block_t *b)
{
    emu_warp_t *w = unfinished_warp(b);

    b->grid->totals.fault = EMU_FAULT_TIMEOUT;
    emu_fault(w, uop_at(w),
              "deadlock: every warp of the block waits at a barrier that never opens");
    return b->grid->rc;
}

/* Gives up a launch that exceeds its limits. */
static rb_code_t check_limits(emu_block_t *b)
{
    emu_grid_t *g = b->grid;
    const emu_launch_t *l = g->launch;
    emu_warp_t *w = unfinished_warp(b);
    uint64_t more = g->totals.warp_insts - g->checked_insts;
    uint64_t insts = atomic_fetch_add(&g->progress->insts, more) + more;

    g->checked_insts = g->totals.warp_insts;
    if (l->max_insts != 0 && insts > l->max_insts)
        emu_fault(w, uop_at(w), "given up after %llu warp instructions (an endless loop?)",
                  (unsigned long long)insts);
    else if (l->timeout > 0 && clock_seconds() - g->begun > l->timeout)
        emu_fault(w, uop_at(w), "given up after %g seconds (an endless loop?)", l->timeout);
    if (g->rc != RB_OK)
        g->totals.fault = EMU_FAULT_TIMEOUT;
    return g->rc;
}

/*
 * Instructions of the next warp's turn. After a barrier, all warps first run together for a few
 * instructions: on a GPU, all warps read their first values after the barrier before any of them
 * gets far, and programs rely on that.
 */
static uint64_t next_slice(emu_block_t *b)
{
    if (b->n_together == 0)
        return WARP_SLICE;
    b->n_together--;
    return TOGETHER_SLICE;
}

/* Packs what a warp has recorded, if that is much. */
static void pack_record(emu_warp_t *w, size_t most)
{
    emu_record_t *r = &w->record;
    emu_block_t *b = w->block;

    if (stream_bytes(r->n_runs, r->n_addrs) <= most || r->n_runs == 0 || w->wait.loop != 0)
        return;
    if (b->pieces == NULL)
        b->pieces = stream_store_take(b->grid->store, b->n_warps);
    long_block_put(b->pieces, w->index, r->runs, (uint32_t)r->n_runs, r->addrs);
    r->n_runs = r->n_addrs = 0;
}

/*
 * Whether a block that has run a while is to let the others run: it can only wait for one of them,
 * or has fenced. On a GPU a fence takes longer than a poll, and programs rely on that: those that
 * wait for a counter to equal a number see it before any block goes on to count further.
 */
static bool gives_way(emu_block_t *b)
{
    const bool stuck = !b->grid->parallel && emu_block_is_stuck(b);

    b->grid->n_spinning += stuck && !b->spin.counted;
    b->spin.counted |= stuck;
    return stuck || emu_spins(b) || (b->fenced && b->grid->n_spinning > 0);
}

/* Runs a block for a slice, or until it is to give way. */
static rb_code_t run_block(emu_block_t *b)
{
    emu_grid_t *g = b->grid;
    uint64_t slice = g->launch->workspace != 0 ? COOPERATIVE_SLICE : BLOCK_SLICE;
    uint64_t n = 0, before;

    b->fenced = false;
    /* Blocks may end within one turn each, so a launch of many is checked between them, too. */
    if (g->launch->max_insts != 0 || g->totals.warp_insts - g->checked_insts > INSTS_PER_CHECK)
        RB_TRY(check_limits(b));
    do {
        before = n;
        for (uint32_t i = 0; i < b->n_warps; i++) {
            if (b->warps[i].n_splits > 0)
                n += emu_warp_run(&b->warps[i], next_slice(b));
            if (g->rc != RB_OK)
                return g->rc;
            if (b->warps[i].n_splits == 0 && b->warps[i].wait.loop != 0)
                emu_wait_end(&b->warps[i]);
            if (g->tracing)
                pack_record(&b->warps[i], g->record_bytes);
        }
        if (block_ended(b)) {
            b->finished = true;
            return RB_OK;
        }
        RB_TRY(check_limits(b));
        if (n == before)
            return report_deadlock(b);
        b->insts += n - before;
    } while (n < slice && !gives_way(b));
    return RB_OK;
}

/* Sets the streams of a block's warps, in pieces if some are packed. */
static rb_code_t set_streams(emu_block_t *b, warp_stream_t *streams)
{
    for (uint32_t i = 0; i < b->n_warps; i++) {
        const emu_record_t *r = &b->warps[i].record;
        streams[i] = (warp_stream_t){.runs = r->runs,
                                     .addrs = r->addrs,
                                     .n_runs = (uint32_t)r->n_runs,
                                     .n_addr_words = (uint32_t)r->n_addrs,
                                     .n_insts = r->n_insts};
        if (b->pieces != NULL)
            pack_record(&b->warps[i], 0);
    }
    return b->pieces != NULL ? long_block_end(b->pieces, streams, b->grid->err) : RB_OK;
}

static int by_warp_and_begin(const void *a, const void *b)
{
    const stream_wait_t *x = a, *y = b;

    if (x->warp != y->warp)
        return x->warp < y->warp ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Passes the streams of a finished block to the receiver, if there is one. */
static rb_code_t hand_over(emu_block_t *b)
{
    const emu_launch_t *l = b->grid->launch;

    if (l->on_block == NULL)
        return RB_OK;
    warp_stream_t *streams = rb_calloc(b->n_warps, sizeof(*streams));
    trace_block_t out = {.index = b->index,
                         .id = {b->id[0], b->id[1], b->id[2]},
                         .n_warps = b->n_warps,
                         .warps = streams,
                         .watch = b->grid->watch,
                         .n_waits = (uint32_t)b->n_waits,
                         .waits = b->waits,
                         .wait_words = b->wait_words};
    if (b->n_waits > 0)
        qsort(b->waits, b->n_waits, sizeof(*b->waits), by_warp_and_begin);
    rb_code_t rc = set_streams(b, streams);
    for (uint32_t i = 0; i < b->n_warps; i++)
        out.n_insts += streams[i].n_insts;
    if (rc == RB_OK)
        rc = l->on_block(l->ctx, &out, b->grid->err);
    if (b->pieces != NULL)
        stream_store_give(b->grid->store, b->pieces);
    b->pieces = NULL;
    free(streams);
    return rc;
}

/* --- launches -------------------------------------------------------------------------------- */

/* Blocks that have begun, oldest first; slots are reused. */
typedef struct {
    emu_block_t slots[MAX_RESIDENT];
    unsigned order[MAX_RESIDENT]; /* slot numbers in block order */
    unsigned n, n_allocated;
} residents_t;

static void begin_block(residents_t *r, emu_grid_t *g, uint64_t index)
{
    unsigned slot = 0;

    while (slot < r->n_allocated && r->slots[slot].active)
        slot++;
    if (slot == r->n_allocated) {
        allocate_block(&r->slots[slot], g);
        r->n_allocated++;
    }
    start_block(&r->slots[slot], index);
    r->order[r->n++] = slot;
    const size_t share = RECORDS_BYTES / r->n / r->slots[slot].n_warps;
    g->record_bytes = share > RECORD_BYTES ? share : RECORD_BYTES;
    if (g->launch->record_bytes > 0)
        g->record_bytes = g->launch->record_bytes;
}

/* Delivers finished blocks in order. */
static rb_code_t retire(residents_t *r)
{
    unsigned done = 0;
    rb_code_t rc = RB_OK;

    while (done < r->n && r->slots[r->order[done]].finished && rc == RB_OK) {
        emu_block_t *b = &r->slots[r->order[done++]];
        rc = hand_over(b);
        b->active = false;
    }
    memmove(r->order, r->order + done, (r->n - done) * sizeof(r->order[0]));
    r->n -= done;
    return rc;
}

static uint64_t blocks_of(const emu_launch_t *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* Begins the next block; false: there is none, or no room for it. */
static bool begin_next(residents_t *r, emu_grid_t *g)
{
    uint64_t index;

    if (r->n == MAX_RESIDENT)
        return false;
    index = atomic_fetch_add(&g->progress->next, 1);
    if (index < blocks_of(g->launch))
        begin_block(r, g, index);
    return index < blocks_of(g->launch);
}

/* Runs blocks until none is left, or enough instructions have been executed. */
static rb_code_t run_blocks(emu_grid_t *g, residents_t *r, uint64_t enough)
{
    while (!atomic_load(&g->progress->stop) && g->totals.warp_insts < enough) {
        /* One at a time, unless it is known that they wait for all others. */
        const unsigned at_once = emu_blocks_wait(g) ? MAX_RESIDENT : 1;
        for (unsigned n = 0; n < at_once && begin_next(r, g); n++)
            continue;
        if (r->n == 0)
            return RB_OK;
        for (unsigned i = 0; i < r->n; i++)
            if (!r->slots[r->order[i]].finished)
                RB_TRY(run_block(&r->slots[r->order[i]]));
        RB_TRY(retire(r));
    }
    return RB_OK;
}

/* A host thread that executes blocks. */
typedef struct {
    emu_grid_t grid;
    residents_t *residents; /* owned */
    rb_err_t err;
    pthread_t thread;
} worker_t;

static worker_t *new_worker(const emu_grid_t *g)
{
    worker_t *w = rb_calloc_aligned(1, sizeof(*w));

    w->grid = *g;
    w->grid.totals = (emu_totals_t){0};
    w->grid.checked_insts = 0;
    w->grid.err = &w->err;
    w->residents = rb_calloc(1, sizeof(*w->residents));
    return w;
}

static void free_residents(residents_t *r)
{
    for (unsigned i = 0; i < r->n_allocated; i++)
        free_block(&r->slots[i]);
    free(r);
}

static void *work(void *arg)
{
    worker_t *w = arg;

    w->grid.rc = run_blocks(&w->grid, w->residents, UINT64_MAX);
    if (w->grid.rc != RB_OK)
        atomic_store(&w->grid.progress->stop, true);
    return NULL;
}

/* Starts up to n threads, which block all signals, since these are for the program's threads;
 * returns their number. */
static unsigned start_workers(const emu_grid_t *g, worker_t **workers, unsigned n)
{
    sigset_t all, old;
    unsigned started = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (started < n) {
        worker_t *w = workers[started] = new_worker(g);
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
            free_residents(w->residents);
            free(w);
            break; /* fewer threads only take longer */
        }
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

/* Waits for a thread and adds its totals; takes over its failure unless there was one before. */
static void end_worker(emu_grid_t *g, worker_t *w)
{
    pthread_join(w->thread, NULL);
    g->totals.warp_insts += w->grid.totals.warp_insts;
    g->totals.thread_insts += w->grid.totals.thread_insts;
    g->totals.divergences += w->grid.totals.divergences;
    g->totals.unsupported |= w->grid.totals.unsupported;
    if (g->rc == RB_OK && w->grid.rc != RB_OK) {
        g->rc = w->grid.rc;
        g->totals.fault = w->grid.totals.fault;
        *g->err = w->err;
    }
    free_residents(w->residents);
    free(w);
}

/* Whether the code prints or allocates; if so, blocks run in order. */
static bool calls_system(const emu_grid_t *g)
{
    for (uint32_t i = 0; i < g->n_uops; i++)
        if (g->uops[i].kind == UOP_SYSTEM)
            return true;
    return false;
}

/*
 * The calling thread begins alone: most launches end before another thread could start. Blocks that
 * are found to wait for each other stay with it: only there all of them take turns.
 */
static rb_code_t run_grid(emu_grid_t *g)
{
    const uint64_t n_blocks = blocks_of(g->launch);
    unsigned n = g->launch->workers < MAX_WORKERS ? g->launch->workers : MAX_WORKERS;
    residents_t *r = rb_calloc(1, sizeof(*r));
    worker_t *workers[MAX_WORKERS];

    const bool alone = n < 2 || g->tracing || calls_system(g);
    g->rc = run_blocks(g, r, alone ? UINT64_MAX : ALONE_INSTS);
    if (g->n_spinning > 0 && g->rc == RB_OK)
        g->rc = run_blocks(g, r, UINT64_MAX);
    const uint64_t begun = atomic_load(&g->progress->next);
    if (!alone && g->rc == RB_OK) {
        const uint64_t left = begun < n_blocks ? n_blocks - begun : 0;
        unsigned started = left < n ? (unsigned)left : n;
        g->parallel = started > 1;
        started = g->parallel ? start_workers(g, workers, started - 1) : 0;
        g->rc = run_blocks(g, r, UINT64_MAX);
        if (g->rc != RB_OK)
            atomic_store(&g->progress->stop, true);
        for (unsigned i = 0; i < started; i++)
            end_worker(g, workers[i]);
    }
    free_residents(r);
    return g->rc;
}

static rb_code_t check_launch(const emu_launch_t *l, rb_err_t *err)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

    for (unsigned i = 0; i < 3; i++)
        if (l->grid[i] == 0 || l->block[i] == 0)
            return rb_fail(err, RB_TRACE, "kernel %s: a dimension of the launch is 0",
                           l->kernel->name);
    if (l->block[0] > MAX_THREADS || l->block[1] > MAX_THREADS || threads > MAX_THREADS)
        return rb_fail(err, RB_TRACE, "kernel %s: more than %d threads in a block", l->kernel->name,
                       MAX_THREADS);
    if ((uint64_t)l->kernel->shared_bytes + l->dynamic_shared > EMU_WINDOW / 2)
        return rb_fail(err, RB_TRACE, "kernel %s: too much shared memory", l->kernel->name);
    return RB_OK;
}

rb_code_t emu_run(const emu_launch_t *l, emu_totals_t *totals, rb_err_t *err)
{
    rb_err_t unused = {0};
    emu_progress_t progress = {0};
    emu_grid_t g = {.launch = l,
                    .progress = &progress,
                    .local_bytes = local_bytes(l),
                    .local_floor = local_floor(l),
                    .shared_bytes = emu_shared_bytes(l),
                    .tracing = l->on_block != NULL,
                    .begun = l->timeout > 0 ? clock_seconds() : 0,
                    .err = err != NULL ? err : &unused};

    RB_TRY(check_launch(l, err));
    RB_TRY(emu_module_code(l->module, l->kernel, &g.code, err));
    emu_make_bank0(&g);
    stream_store_t store;
    stream_store_init(&store, &(stream_limits_t){.memory_bytes = PACKED_BYTES, .dir = l->tmpdir});
    g.store = &store;
    rb_code_t rc = emu_place_bank0(&g, g.err);
    if (rc == RB_OK)
        rc = emu_translate(&g, g.err);
    if (rc == RB_OK)
        rc = run_grid(&g);
    stream_store_free(&store);
    emu_free_bank0(&g);
    free(g.uops);
    free(g.pool);
    word_counts_free(&g.written);
    if (totals != NULL)
        *totals = g.totals;
    return rc;
}
