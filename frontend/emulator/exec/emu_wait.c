/*
 * Warps in loops that only wait. Such a warp gives up its turn as soon as it reads again what it had
 * read, and its iterations are recorded once, with what must have been written before it goes on
 * (stream_wait_t): how often it polls depends on time, which the emulator does not know.
 *
 * An iteration begins at a read that may poll (UOP_POLL) and ends where that read is executed again,
 * by the same lanes; the warp leaves the loop where it executes anything outside of it. If it left
 * although nothing that it had read changed (it counts its iterations), all of them are recorded.
 */
#include <stdlib.h>

#include "frontend/emulator/exec/emu_state.h"
#include "sim/core/alloc.h"
#include "sim/core/mix64.h"

enum { NOTE_POLLED = 1, STAMP_SHIFT = 1, MOST_TAIL = 64 };

/* --- words ----------------------------------------------------------------------------------- */

/* The counts of a lane's place, and its address in the trace; NULL: it is in local memory. */
static word_counts_t *counts_of(emu_warp_t *w, const emu_uop_t *u, uint64_t addr, uint64_t *word)
{
    *word = addr & ~UINT64_C(3);
    if (u->inst->space == MEM_SHARED) {
        *word += EMU_SHARED_BASE;
        return &w->block->written;
    }
    if (u->inst->space == MEM_GENERIC && addr - EMU_SHARED_BASE < EMU_WINDOW)
        return &w->block->written;
    if (u->inst->space == MEM_GENERIC && addr - EMU_LOCAL_BASE < EMU_WINDOW)
        return NULL;
    return &w->grid->written;
}

/* Notes that a poll reads a word, and what has been written to it until now. */
static void note_word(emu_warp_t *w, word_counts_t *counts, uint64_t word, bool atomic)
{
    emu_wait_t *t = &w->wait;
    word_count_t *c = word_counts_add(counts, word);

    if (c == NULL)
        return;
    c->note |= NOTE_POLLED;
    const bool lock = c->taken == c->writes && (atomic || c->taken > 0);
    const uint32_t writes = lock ? WAIT_UNTIL_FREE : c->writes + c->taken;
    for (uint32_t i = 0; i < t->n_words; i++)
        if (t->words[i].word == word) {
            t->words[i].writes = writes;
            return;
        }
    if (t->n_words < EMU_WAIT_WORDS)
        t->words[t->n_words++] = (wait_word_t){.word = word, .writes = writes};
}

/* Counts the write of an instruction, known by its stamp, to a word: by a poll that succeeded (taken)
 * or another. */
static void count_write(word_counts_t *counts, uint64_t word, uint32_t stamp, bool taken)
{
    word_count_t *c = word_counts_add(counts, word);

    if (c == NULL || c->note >> STAMP_SHIFT == stamp)
        return;
    c->note = stamp << STAMP_SHIFT;
    c->writes += !taken;
    c->taken += taken;
}

static uint32_t next_stamp(emu_warp_t *w)
{
    enum { STAMPS = 1u << 30 };
    return w->grid->stamp = w->grid->stamp % STAMPS + 1;
}

/* --- records --------------------------------------------------------------------------------- */

static emu_place_in_record_t place_now(emu_record_t *r)
{
    r->fresh = true;
    return (emu_place_in_record_t){r->n_runs, r->n_addrs, r->n_insts};
}

static void cut_record(emu_record_t *r, emu_place_in_record_t at)
{
    r->n_runs = at.run;
    r->n_addrs = at.addr;
    r->n_insts = at.inst;
    r->fresh = true;
}

/* Whether the current iteration begins with the same instructions as the one that is kept; all: it
 * is the same. Both have the same addresses then, too. Sets the number of common instructions. */
static bool same_path(const emu_warp_t *w, bool all, uint64_t *common)
{
    const emu_record_t *r = &w->record;
    const emu_wait_t *t = &w->wait;
    const trace_run_t *a = r->runs + t->first.run, *a_end = r->runs + t->now.run;
    const trace_run_t *b = a_end, *b_end = r->runs + r->n_runs;
    const size_t n_addrs = r->n_addrs - t->now.addr;
    uint32_t a_at = 0, b_at = 0;

    *common = 0;
    if (n_addrs > t->now.addr - t->first.addr ||
        memcmp(r->addrs + t->first.addr, r->addrs + t->now.addr, n_addrs * sizeof(*r->addrs)) != 0)
        return false;
    while (a < a_end && b < b_end) {
        const uint32_t n = a->count - a_at < b->count - b_at ? a->count - a_at : b->count - b_at;
        if (a->mask != b->mask || a->first + a_at != b->first + b_at)
            return false;
        *common += n;
        a_at += n;
        b_at += n;
        if (a_at == a->count) {
            a++;
            a_at = 0;
        }
        if (b_at == b->count) {
            b++;
            b_at = 0;
        }
    }
    if (all)
        return a == a_end && b == b_end && n_addrs == t->now.addr - t->first.addr;
    return b == b_end;
}

static void append_runs(emu_record_t *r, const trace_run_t *runs, size_t n)
{
    rb_grow(&r->runs, &r->cap_runs, r->n_runs + n, sizeof(*r->runs));
    for (size_t i = 0; i < n; i++) {
        r->runs[r->n_runs++] = runs[i];
        r->n_insts += runs[i].count;
    }
    r->fresh = true;
}

static void append_addrs(emu_record_t *r, const uint64_t *addrs, size_t n)
{
    if (n == 0)
        return;
    rb_grow(&r->addrs, &r->cap_addrs, r->n_addrs + n, sizeof(*r->addrs));
    memcpy(r->addrs + r->n_addrs, addrs, n * sizeof(*addrs));
    r->n_addrs += n;
}

/* Records the iterations that were dropped, before the current one. */
static void restore_dropped(emu_warp_t *w)
{
    emu_record_t *r = &w->record;
    const emu_wait_t *t = &w->wait;
    const size_t n_runs = r->n_runs - t->now.run, n_addrs = r->n_addrs - t->now.addr;
    const size_t kept_runs = t->now.run - t->first.run, kept_addrs = t->now.addr - t->first.addr;
    trace_run_t *runs = rb_calloc(n_runs + kept_runs + 1, sizeof(*runs));
    uint64_t *addrs = rb_calloc(n_addrs + kept_addrs + 1, sizeof(*addrs));

    memcpy(runs, r->runs + t->first.run, (kept_runs + n_runs) * sizeof(*runs));
    if (kept_addrs + n_addrs > 0)
        memcpy(addrs, r->addrs + t->first.addr, (kept_addrs + n_addrs) * sizeof(*addrs));
    cut_record(r, t->now);
    for (uint64_t i = 0; i < t->dropped; i++) {
        append_runs(r, runs, kept_runs);
        append_addrs(r, addrs, kept_addrs);
    }
    append_runs(r, runs + kept_runs, n_runs);
    append_addrs(r, addrs + kept_addrs, n_addrs);
    free(runs);
    free(addrs);
}

/*
 * Records how the loop goes on if its test fails, up to its read, as far as the code tells: from the
 * branch at which the warp has left it, without further branches and accesses. Returns the number of
 * instructions; 0: it is not known.
 */
static uint64_t append_tail(emu_warp_t *w)
{
    emu_record_t *r = &w->record;
    const emu_wait_t *t = &w->wait;
    const emu_uop_t *uops = w->grid->uops;
    const trace_run_t *last = &r->runs[r->n_runs - 1];
    const inst_t *code = uops[0].inst;
    uint32_t at = (uint32_t)(last->first - code) + last->count - 1u;
    trace_run_t tail[MOST_TAIL];
    unsigned n = 0;

    /* The side of the branch that stays in the loop. */
    const bool taken = uops[at].kind == UOP_BRANCH && uops[at].target < w->grid->n_uops &&
                       uops[uops[at].target].loop == t->loop;
    const bool falls = at + 1 < w->grid->n_uops && uops[at + 1].loop == t->loop;
    if (taken == falls)
        return 0;
    at = taken ? uops[at].target : at + 1;
    while (uops[at].kind != UOP_POLL) {
        const emu_uop_t *u = &uops[at];
        const bool always = u->guard == SASS_PT && u->guard_inv == 0;
        if (n == MOST_TAIL || u->loop != t->loop || u->inst->traits & INST_ADDRESSED ||
            u->kind == UOP_EXIT ||
            (u->kind == UOP_BRANCH && !(always && u->n_pred == 0 && u->select == 0)))
            return 0;
        tail[n++] = (trace_run_t){.first = u->inst, .mask = t->mask, .count = 1};
        at = u->kind == UOP_BRANCH ? u->target : at + 1;
        if (at >= w->grid->n_uops)
            return 0;
    }
    append_runs(r, tail, n);
    return n;
}

/* --- the end of a wait ------------------------------------------------------------------------ */

static void add_wait(emu_warp_t *w, uint64_t begin, uint64_t test, uint64_t tail, bool failed)
{
    emu_block_t *b = w->block;
    const emu_wait_t *t = &w->wait;
    stream_wait_t wait = {.begin = begin,
                          .warp = w->index,
                          .test = (uint16_t)test,
                          .tail = (uint16_t)tail,
                          .pc = t->poll->inst->pc,
                          .first_word = (uint32_t)b->n_wait_words,
                          .polls = t->dropped < UINT32_MAX - 1 ? (uint32_t)t->dropped + t->repeats
                                                               : UINT32_MAX};
    wait.polls = failed ? 0 : wait.polls;

    rb_grow(&b->wait_words, &b->cap_wait_words, b->n_wait_words + t->n_words + 1,
            sizeof(*b->wait_words));
    for (uint32_t i = 0; i < t->n_words; i++)
        if (t->words[i].writes != 0)
            b->wait_words[b->n_wait_words++] = t->words[i];
    wait.n_words = (uint32_t)b->n_wait_words - wait.first_word;
    if ((wait.n_words == 0 && !t->repeats && !failed) || test > UINT16_MAX || tail > UINT16_MAX) {
        b->n_wait_words = wait.first_word;
        return;
    }
    rb_grow(&b->waits, &b->cap_waits, b->n_waits + 1, sizeof(*b->waits));
    b->waits[b->n_waits++] = wait;
}

/* A part of the record whose atomics fail in the model, as they did here. */
static void note_failed(emu_warp_t *w, uint64_t begin, uint64_t end)
{
    emu_wait_t *t = &w->wait;
    const uint32_t n_words = t->n_words;

    t->n_words = 0;
    if (end > begin)
        add_wait(w, begin, end - begin, 0, true);
    t->n_words = n_words;
}

/* Iterations that are recorded as they were: the one that was kept, and the current one. */
static void keep_failed(emu_warp_t *w, bool current)
{
    const emu_wait_t *t = &w->wait;

    if (!w->grid->tracing || !t->atomic)
        return;
    if (t->repeats)
        note_failed(w, t->first.inst, t->now.inst);
    if (current && !t->changed)
        note_failed(w, t->now.inst, w->record.n_insts);
}

/* Whether anything that the current iteration has read was written in this launch, or is a lock. */
static bool asks(const emu_wait_t *t)
{
    for (uint32_t i = 0; i < t->n_words; i++)
        if (t->words[i].writes != 0)
            return true;
    return false;
}

/* The warp has gone on because of what it read in the current iteration. */
static void record_wait(emu_warp_t *w)
{
    emu_record_t *r = &w->record;
    const emu_wait_t *t = &w->wait;
    uint64_t test = r->n_insts - t->now.inst, common;

    if (!t->repeats || !same_path(w, false, &common)) {
        keep_failed(w, false);
        add_wait(w, t->now.inst, test, asks(t) ? append_tail(w) : 0, false);
        return;
    }
    /* It began like the iteration that is kept, whose rest is what a failed test executes. */
    cut_record(r, t->now);
    add_wait(w, t->first.inst, test, t->now.inst - t->first.inst - test, false);
}

void emu_wait_end(emu_warp_t *w)
{
    emu_wait_t *t = &w->wait;

    if (w->grid->tracing && w->grid->rc == RB_OK) {
        if (!t->repeats || t->changed || t->seen != t->seen_before)
            record_wait(w);
        else if (t->dropped > 0)
            restore_dropped(w);
        if (t->repeats && !t->changed && t->seen == t->seen_before && t->atomic)
            note_failed(w, t->first.inst, w->record.n_insts);
        w->record.fresh = true;
    }
    t->loop = 0;
    t->stuck = false;
}

/* Whether the lanes of a wait are still in its loop, but others of the warp run now (YIELD). */
static bool is_suspended(const emu_warp_t *w)
{
    const emu_wait_t *t = &w->wait;

    for (unsigned i = 0; i < w->n_splits; i++)
        if ((int)i != w->current && w->splits[i].mask == t->mask &&
            w->splits[i].pc < w->grid->n_uops && w->grid->uops[w->splits[i].pc].loop == t->loop)
            return true;
    return false;
}

void emu_wait_check(emu_warp_t *w)
{
    const emu_split_t *s = &w->splits[w->current];

    if (is_suspended(w)) {
        keep_failed(w, true);
        w->wait.loop = 0;
        w->wait.stuck = false;
        w->record.fresh = true;
        return;
    }
    if (s->mask != w->wait.mask || s->pc >= w->grid->n_uops ||
        w->grid->uops[s->pc].loop != w->wait.loop)
        emu_wait_end(w);
}

/* --- polls ----------------------------------------------------------------------------------- */

void emu_wait_begin(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_wait_t *t = &w->wait;
    const bool again = t->loop != 0 && t->poll == u;
    uint64_t common;

    if (mask == 0 || (t->loop == u->loop && t->poll != u && !t->poll->leads))
        return; /* not the first read of its iteration */
    if (again && !t->changed) {
        t->stuck = true;
        if (w->grid->tracing && t->repeats && same_path(w, true, &common)) {
            cut_record(&w->record, t->now);
            t->dropped++;
        } else {
            keep_failed(w, false);
            t->first = t->now;
            t->dropped = 0;
        }
        t->repeats = true;
        t->seen_before = t->seen;
    } else {
        if (t->loop != 0)
            keep_failed(w, true);
        *t = (emu_wait_t){.loop = u->loop,
                          .mask = w->splits[w->current].mask,
                          .poll = u,
                          .yielded = t->yielded,
                          .fenced = t->fenced};
    }
    t->now = place_now(&w->record);
    t->n_words = 0;
    t->seen = 0;
    t->changed = false;
}

/* The word, or two, that a lane accesses; 0 after a fault. */
static uint64_t value_at(emu_warp_t *w, const emu_uop_t *u, unsigned lane, uint64_t addr)
{
    uint64_t v = 0;
    const uint8_t *p = emu_resolve(w, u, u->inst->space, lane, addr, u->width);

    if (p != NULL)
        memcpy(&v, p, u->width < sizeof(v) ? u->width : sizeof(v));
    return v;
}

void emu_poll(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    emu_wait_t *t = &w->wait;
    const bool atomic = u->inst->access == ACC_ATOMIC;
    uint64_t a[EMU_LANES], before[EMU_LANES], word;

    if (!w->grid->tracing) {
        u->fn(w, u, mask);
        return;
    }
    t->atomic = atomic;
    emu_addresses(w, u, a);
    for (uint32_t left = mask; left != 0 && w->grid->rc == RB_OK; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        word_counts_t *counts = counts_of(w, u, a[k], &word);
        for (unsigned i = 0; counts != NULL && i < u->width; i += 4)
            note_word(w, counts, word + i, atomic);
        before[k] = value_at(w, u, k, a[k]);
        t->seen = mix64(t->seen + k) ^ mix64(before[k] + a[k]);
    }
    if (w->grid->rc != RB_OK)
        return;
    u->fn(w, u, mask);
    const uint32_t stamp = next_stamp(w);
    for (uint32_t left = atomic && w->grid->rc == RB_OK ? mask : 0; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__builtin_ctz(left);
        if (value_at(w, u, k, a[k]) == before[k])
            continue;
        t->changed = true;
        word_counts_t *counts = counts_of(w, u, a[k], &word);
        for (unsigned i = 0; counts != NULL && i < u->width; i += 4)
            count_write(counts, word + i, stamp, true);
    }
}

/* --- writes ---------------------------------------------------------------------------------- */

/* Whether the counts of the model have a write by u in this space. */
static bool is_counted(const emu_warp_t *w, const emu_uop_t *u, const word_counts_t *counts)
{
    if (counts == &w->block->written)
        return w->grid->watch & WATCH_SHARED;
    return w->grid->watch & WATCH_GLOBAL &&
           (u->inst->access != ACC_STORE || u->inst->flags & INST_BYPASS_L1 || w->wait.fenced);
}

/* Whether a store is not counted, wherever it goes. */
static bool is_plain(const emu_warp_t *w, const emu_uop_t *u)
{
    return u->inst->space == MEM_GLOBAL && !is_counted(w, u, &w->grid->written);
}

bool emu_signal_waits(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES], word;

    if (w->wait.yielded || !w->grid->tracing || mask == 0 || is_plain(w, u))
        return false;
    emu_addresses(w, u, a);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const word_counts_t *counts = counts_of(w, u, a[__builtin_ctz(left)], &word);
        for (unsigned i = 0; counts != NULL && i < (u->width + 3u) / 4 * 4; i += 4) {
            const word_count_t *c = word_counts_find(counts, word + i);
            if (c != NULL && c->note & NOTE_POLLED) {
                w->wait.yielded = true;
                w->block->fenced = true;
                return true;
            }
        }
    }
    return false;
}

void emu_signal(emu_warp_t *w, const emu_uop_t *u, uint32_t mask)
{
    uint64_t a[EMU_LANES], word;

    w->wait.yielded = false;
    if (!w->grid->tracing || is_plain(w, u)) {
        u->fn(w, u, mask);
        return;
    }
    emu_addresses(w, u, a);
    u->fn(w, u, mask);
    if (w->grid->rc != RB_OK)
        return;
    const uint32_t stamp = next_stamp(w);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        word_counts_t *counts = counts_of(w, u, a[__builtin_ctz(left)], &word);
        for (unsigned i = 0;
             counts != NULL && is_counted(w, u, counts) && i < (u->width + 3u) / 4 * 4; i += 4)
            count_write(counts, word + i, stamp, false);
    }
    w->wait.fenced =
        w->wait.fenced && (u->inst->access != ACC_STORE || u->inst->space == MEM_SHARED);
}

bool emu_block_is_stuck(const emu_block_t *b)
{
    bool any = false;

    for (uint32_t i = 0; i < b->n_warps; i++) {
        const emu_warp_t *w = &b->warps[i];
        bool runs = false;
        for (unsigned k = 0; k < w->n_splits; k++)
            runs |= w->splits[k].state == SPLIT_RUN;
        if (runs && !w->wait.stuck)
            return false;
        any |= runs;
    }
    return any;
}
