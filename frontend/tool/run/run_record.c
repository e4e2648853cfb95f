#include "frontend/tool/run/run_record.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/*
 * Bytes of a record. The same walk over the fields writes and reads them, so that both directions
 * always agree.
 */
typedef struct {
    uint8_t *bytes; /* writing: owned; reading: the journal's */
    size_t n, cap, at;
    bool reading, failed;
} codec_t;

static void code_bytes(codec_t *c, void *data, size_t n)
{
    if (c->reading) {
        if (c->n - c->at < n) {
            c->failed = true;
            memset(data, 0, n);
            return;
        }
        memcpy(data, c->bytes + c->at, n);
        c->at += n;
        return;
    }
    rb_grow(&c->bytes, &c->cap, c->n + n, 1);
    memcpy(c->bytes + c->n, data, n);
    c->n += n;
}

static void code_u64(codec_t *c, uint64_t *v)
{
    code_bytes(c, v, sizeof(*v));
}

static void code_u32(codec_t *c, uint32_t *v)
{
    code_bytes(c, v, sizeof(*v));
}

static void code_bool(codec_t *c, bool *v)
{
    uint64_t truth = *v;
    code_u64(c, &truth);
    *v = truth == 1;
    c->failed |= truth > 1;
}

/* NULL is written as an empty text. */
static void code_text(codec_t *c, const char **text)
{
    uint64_t n = 0;
    if (!c->reading) {
        const char *s = *text != NULL ? *text : "";
        n = strlen(s) + 1;
        code_u64(c, &n);
        rb_grow(&c->bytes, &c->cap, c->n + n, 1);
        memcpy(c->bytes + c->n, s, n);
        c->n += n;
        return;
    }
    code_u64(c, &n);
    *text = "";
    if (n == 0 || n > c->n - c->at || c->bytes[c->at + n - 1] != '\0') {
        c->failed = true;
        return;
    }
    *text = (const char *)c->bytes + c->at;
    c->at += n;
}

static void code_counters(codec_t *c, sm_stats_t *sm, l2_stats_t *l2, dram_stats_t *dram)
{
    code_bytes(c, sm, sizeof(*sm));
    code_bytes(c, l2, sizeof(*l2));
    code_bytes(c, dram, sizeof(*dram));
}

static bool ends(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* As it is in memory; what is read must be texts and a truth. */
static void code_sampling(codec_t *c, launch_sampling_t *s)
{
    unsigned char truth;
    code_bytes(c, s, sizeof(*s));
    memcpy(&truth, (const char *)s + offsetof(launch_sampling_t, estimated), sizeof(truth));
    if (truth <= 1 && ends(s->sampler, sizeof(s->sampler)) &&
        ends(s->evidence, sizeof(s->evidence)))
        return;
    *s = (launch_sampling_t){0};
    c->failed = true;
}

static void write_error(codec_t *c, const launch_result_t *r, const launch_error_t *error)
{
    const launch_replicates_t none = {0};
    size_t n;
    uint8_t *made = NULL;
    if (error == NULL)
        made = launch_error_write(r->sampling.estimated ? &r->replicates : &none, &n);
    const uint8_t *bytes = error != NULL ? launch_error_bytes(error, &n) : made;
    rb_grow(&c->bytes, &c->cap, c->n + n, 1);
    memcpy(c->bytes + c->n, bytes, n);
    c->n += n;
    free(made);
}

/* It is the rest of the record. */
static void read_error(codec_t *c, launch_error_t *error)
{
    if (!launch_error_read(error, c->bytes + c->at, c->n - c->at))
        c->failed = true;
    c->at = c->n;
}

static void code_launch(codec_t *c, launch_result_t *r, double *host_seconds)
{
    launch_info_t *i = &r->info;
    occupancy_t *o = &r->occupancy;
    code_u64(c, &i->id);
    code_u64(c, &i->trace_id);
    code_text(c, &i->name);
    code_text(c, &i->file);
    code_u64(c, &i->code_id);
    code_bytes(c, i->grid, sizeof(i->grid));
    code_bytes(c, i->block, sizeof(i->block));
    code_u32(c, &i->regs);
    code_u32(c, &i->shared_bytes);
    code_u32(c, &i->arch);
    code_u64(c, &i->stream);
    code_u64(c, &i->shared_base);
    code_u64(c, &i->local_base);
    code_u64(c, &i->n_blocks);
    code_u32(c, &o->warps_per_block);
    code_u32(c, &o->regs_per_warp);
    code_u64(c, &o->shared_per_block);
    code_u32(c, &o->limit_warps);
    code_u32(c, &o->limit_blocks);
    code_u32(c, &o->limit_regs);
    code_u32(c, &o->limit_shared);
    code_u32(c, &o->blocks_per_sm);
    code_text(c, &o->limiter);
    code_u64(c, &o->carveout);
    code_u64(c, &r->start);
    code_u64(c, &r->end);
    code_u64(c, &r->launch_cycles);
    code_u64(c, &r->blocks);
    code_u64(c, &r->warp_insts);
    code_u64(c, &r->thread_insts);
    code_u64(c, &r->warp_slot_cycles);
    code_bool(c, &r->part);
    code_u64(c, &r->copied_bytes);
    code_bytes(c, host_seconds, sizeof(*host_seconds));
    code_counters(c, &r->sm, &r->l2, &r->dram);
    code_sampling(c, &r->sampling);
    code_bytes(c, &r->touched, sizeof(r->touched));
    code_bytes(c, &r->doubts, sizeof(r->doubts));
}

static void code_interval(codec_t *c, interval_result_t *r)
{
    code_u64(c, &r->launch_id);
    code_u64(c, &r->start);
    code_u64(c, &r->end);
    code_counters(c, &r->sm, &r->l2, &r->dram);
}

rb_code_t record_identity(journal_t *j, const char *identity, rb_err_t *err)
{
    return journal_append(j, RECORD_IDENTITY, identity, strlen(identity) + 1, err);
}

rb_code_t record_launch(journal_t *j, const launch_result_t *r, const launch_error_t *error,
                        double host_seconds, rb_err_t *err)
{
    codec_t c = {0};
    launch_result_t copy = *r;
    code_launch(&c, &copy, &host_seconds);
    write_error(&c, r, error);
    rb_code_t rc = journal_append(j, RECORD_LAUNCH, c.bytes, c.n, err);
    free(c.bytes);
    return rc;
}

rb_code_t record_interval(journal_t *j, const interval_result_t *r, rb_err_t *err)
{
    codec_t c = {0};
    interval_result_t copy = *r;
    code_interval(&c, &copy);
    rb_code_t rc = journal_append(j, RECORD_INTERVAL, c.bytes, c.n, err);
    free(c.bytes);
    return rc;
}

rb_code_t record_read(journal_t *j, const char *file, const char *sha256, rb_err_t *err)
{
    codec_t c = {0};
    code_text(&c, &file);
    code_text(&c, &sha256);
    rb_code_t rc = journal_append(j, RECORD_READ, c.bytes, c.n, err);
    free(c.bytes);
    return rc;
}

rb_code_t record_next(journal_t *j, run_record_t *out, rb_err_t *err)
{
    const void *data;
    size_t n;
    uint32_t kind;
    RB_TRY(journal_next(j, &kind, &data, &n, err));
    codec_t c = {.bytes = (uint8_t *)(uintptr_t)data, .n = n, .reading = true};
    *out = (run_record_t){.kind = (record_kind_t)kind};
    switch (kind) {
    case RECORD_END:
        return RB_OK;
    case RECORD_IDENTITY:
        out->identity = data;
        c.failed = n == 0 || out->identity[n - 1] != '\0';
        c.at = n;
        break;
    case RECORD_LAUNCH:
        code_launch(&c, &out->launch, &out->host_seconds);
        read_error(&c, &out->error);
        break;
    case RECORD_INTERVAL:
        code_interval(&c, &out->interval);
        break;
    case RECORD_READ:
        code_text(&c, &out->file);
        code_text(&c, &out->sha256);
        break;
    default:
        c.failed = true;
    }
    if (c.failed || c.at != n)
        return rb_fail(err, RB_IO, "the journal holds a record that this version cannot read");
    return RB_OK;
}

record_walk_t record_walk(journal_t *j, record_kind_t kind, rb_err_t *err)
{
    journal_rewind(j);
    return (record_walk_t){.journal = j, .kind = kind, .err = err};
}

bool record_walk_next(record_walk_t *w)
{
    do
        w->code = record_next(w->journal, &w->record, w->err);
    while (w->code == RB_OK && w->record.kind != RECORD_END && w->record.kind != w->kind);
    return w->code == RB_OK && w->record.kind != RECORD_END;
}

static uint64_t layout_add(uint64_t h, const stat_def_t *defs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = journal_checksum(h, defs[i].name, strlen(defs[i].name));
    return h;
}

uint64_t record_layout(void)
{
    uint64_t h = layout_add(1, sm_stat_defs, SM_STAT_COUNT);
    h = layout_add(h, l2_stat_defs, L2_STAT_COUNT);
    h = layout_add(h, dram_stat_defs, DRAM_STAT_COUNT);
    for (unsigned i = 0; i < STREAM_DOUBT_COUNT; i++) {
        const char *name = stream_doubt(&(stream_doubts_t){0}, i).name;
        h = journal_checksum(h, name, strlen(name));
    }
    return h;
}
