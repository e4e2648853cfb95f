/* The simulator's end of the pipe: a trace source that can be read once, in order. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/emulator/record/launch_listing.h"
#include "frontend/emulator/record/launch_pipe_block.h"
#include "frontend/emulator/record/launch_pipe_check.h"
#include "sim/core/alloc.h"
#include "sim/isa/inst_check.h"

typedef struct {
    inst_t *insts; /* owned */
    uint32_t n;
    launch_listing_t listing;
} code_t;

typedef struct {
    trace_source_t base;
    pipe_reader_t in;
    bool greeted;
    pipe_launch_t launch; /* the launch received last */
    char **names;         /* owned; distinct names of its kernels */
    size_t n_names, cap_names;
    code_t *codes; /* owned */
    size_t n_codes, cap_codes;
    memcpy_op_t *copies; /* owned; copies before or after the last received launch */
    size_t n_copies, cap_copies;
    bool in_launch;     /* its blocks are still arriving */
    wait_loops_t waits; /* of all launches; a loop's line is found with its first wait */
    bool opened;
} pipe_source_t;

struct trace_launch {
    pipe_source_t *source;
    pipe_blocks_t blocks;
    pthread_mutex_t lock; /* guards the list */
    pipe_block_lent_t *lent;
};

static rb_code_t take_hello(pipe_source_t *s, rb_err_t *err)
{
    pipe_hello_t hello;

    if (s->in.next.bytes != sizeof(hello))
        return rb_fail(err, RB_TRACE, "%s: the CUDA runtime is from another version of rubato",
                       s->in.origin);
    RB_TRY(pipe_get_body(&s->in, &hello, sizeof(hello), err));
    if (memcmp(hello.magic, PIPE_MAGIC, sizeof(hello.magic)) != 0 ||
        hello.sizes != launch_pipe_sizes())
        return rb_fail(err, RB_TRACE, "%s: the CUDA runtime is from another version of rubato",
                       s->in.origin);
    s->greeted = true;
    return RB_OK;
}

static rb_code_t take_copy(pipe_source_t *s, rb_err_t *err)
{
    if (s->in.next.bytes != sizeof(*s->copies))
        return pipe_garbled(&s->in, err);
    rb_grow(&s->copies, &s->cap_copies, s->n_copies + 1, sizeof(*s->copies));
    memcpy_op_t *copy = &s->copies[s->n_copies++];
    RB_TRY(pipe_get_body(&s->in, copy, sizeof(*copy), err));
    return copy->bytes <= UINT64_MAX - copy->addr ? RB_OK : pipe_garbled(&s->in, err);
}

static rb_code_t take_code(pipe_source_t *s, rb_err_t *err)
{
    size_t n = s->in.next.bytes / sizeof(inst_t);
    if (s->in.next.bytes % sizeof(inst_t) != 0 || n > UINT32_MAX)
        return pipe_garbled(&s->in, err);
    rb_grow(&s->codes, &s->cap_codes, s->n_codes + 1, sizeof(*s->codes));
    code_t *c = &s->codes[s->n_codes++];
    *c = (code_t){.n = (uint32_t)n};
    s->in.has_next = false;
    RB_TRY(pipe_get_list(&s->in, &c->insts, n, sizeof(*c->insts), err));
    for (size_t i = 0; i < n; i++)
        if (!inst_is_valid(&c->insts[i]))
            return pipe_garbled(&s->in, err);
    return RB_OK;
}

static rb_code_t take_listing(pipe_source_t *s, rb_err_t *err)
{
    code_t *c = s->n_codes > 0 ? &s->codes[s->n_codes - 1] : NULL;

    if (c == NULL || c->listing.insts != NULL)
        return pipe_garbled(&s->in, err);
    return launch_listing_take(&s->in, &c->listing, c->n, err);
}

/* Copies a name so that it lives as long as the source. */
static const char *keep_name(pipe_source_t *s, char *name)
{
    for (size_t i = 0; i < s->n_names; i++)
        if (strcmp(s->names[i], name) == 0) {
            free(name);
            return s->names[i];
        }
    rb_grow(&s->names, &s->cap_names, s->n_names + 1, sizeof(*s->names));
    return s->names[s->n_names++] = name;
}

static rb_code_t take_launch(pipe_source_t *s, rb_err_t *err)
{
    char *name = NULL;

    if (s->in.next.bytes < sizeof(s->launch))
        return pipe_garbled(&s->in, err);
    size_t n_name = s->in.next.bytes - sizeof(s->launch);
    RB_TRY(pipe_get_body(&s->in, &s->launch, sizeof(s->launch), err));
    rb_code_t rc = pipe_get_list(&s->in, &name, n_name, 1, err);
    if (rc != RB_OK) {
        free(name);
        return rc;
    }
    name[n_name] = '\0';
    s->launch.info.name = keep_name(s, name);
    s->launch.info.file = s->in.origin;
    s->in.n_launches++;
    s->in_launch = true;
    s->opened = false;
    return s->launch.code < s->n_codes && launch_pipe_launch_holds(&s->launch.info)
               ? RB_OK
               : pipe_garbled(&s->in, err);
}

/* Drops the rest of the last received launch. */
static rb_code_t pass_launch(pipe_source_t *s, rb_err_t *err)
{
    while (s->in_launch) {
        RB_TRY(pipe_peek(&s->in, err));
        if (s->in.ended)
            return pipe_broken(&s->in, err);
        if (s->in.next.kind == PIPE_LAUNCH_END)
            s->in_launch = false;
        RB_TRY(pipe_skip(&s->in, err));
    }
    return RB_OK;
}

/* Reads everything before the next launch. */
static rb_code_t next_launch(pipe_source_t *s, rb_err_t *err)
{
    uint64_t n = s->in.n_launches;

    RB_TRY(pass_launch(s, err));
    s->n_copies = 0;
    while (s->in.n_launches == n && !s->in.ended) {
        RB_TRY(pipe_peek(&s->in, err));
        if (!s->greeted && !s->in.ended && s->in.next.kind != PIPE_HELLO)
            return pipe_garbled(&s->in, err);
        switch (s->in.ended ? PIPE_END : s->in.next.kind) {
        case PIPE_HELLO:
            RB_TRY(take_hello(s, err));
            break;
        case PIPE_COPY:
            RB_TRY(take_copy(s, err));
            break;
        case PIPE_CODE:
            RB_TRY(take_code(s, err));
            break;
        case PIPE_LISTING:
            RB_TRY(take_listing(s, err));
            break;
        case PIPE_LAUNCH:
            RB_TRY(take_launch(s, err));
            break;
        default:
            RB_TRY(pipe_skip(&s->in, err));
        }
    }
    return RB_OK;
}

/* --- the operations of a source -------------------------------------------------------------- */

static uint64_t n_launches(const trace_source_t *base)
{
    const pipe_source_t *s = (const pipe_source_t *)base;

    return s->in.ended ? s->in.n_launches : UINT64_MAX;
}

static rb_code_t come_to(trace_source_t *base, uint64_t id, bool *there, rb_err_t *err)
{
    pipe_source_t *s = (pipe_source_t *)base;

    while (s->in.n_launches < id && !s->in.ended)
        RB_TRY(next_launch(s, err));
    *there = s->in.n_launches >= id;
    return RB_OK;
}

static rb_code_t launch_info(trace_source_t *base, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    pipe_source_t *s = (pipe_source_t *)base;
    bool there;

    RB_TRY(come_to(base, id, &there, err));
    if (!there || s->in.n_launches != id)
        return rb_fail(err, RB_TRACE, "%s: launch %llu is not (or no longer) available",
                       s->in.origin, (unsigned long long)id);
    *info = s->launch.info;
    return RB_OK;
}

static size_t copies(const trace_source_t *base, uint64_t id, const memcpy_op_t **ops)
{
    const pipe_source_t *s = (const pipe_source_t *)base;

    *ops = s->copies;
    return id == s->in.n_launches ? s->n_copies : 0;
}

static rb_code_t open_launch(trace_source_t *base, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    pipe_source_t *s = (pipe_source_t *)base;
    launch_info_t info;

    RB_TRY(launch_info(base, id, &info, err));
    if (s->opened)
        return rb_fail(err, RB_TRACE, "%s: launch %llu can be read only once", s->in.origin,
                       (unsigned long long)id);
    s->opened = true;
    *out = rb_calloc(1, sizeof(**out));
    (*out)->source = s;
    (*out)->blocks = (pipe_blocks_t){.in = &s->in,
                                     .info = &s->launch.info,
                                     .insts = s->codes[s->launch.code].insts,
                                     .n_insts = s->codes[s->launch.code].n,
                                     .sum = &s->waits};
    pthread_mutex_init(&(*out)->lock, NULL);
    return RB_OK;
}

static void lend(trace_launch_t *l, pipe_block_lent_t *b)
{
    pthread_mutex_lock(&l->lock);
    b->next = l->lent;
    b->link = &l->lent;
    if (b->next != NULL)
        b->next->link = &b->next;
    l->lent = b;
    pthread_mutex_unlock(&l->lock);
}

static rb_code_t get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    pipe_source_t *s = l->source;
    pipe_block_lent_t *b = NULL;

    *out = NULL;
    while (b == NULL && s->in_launch) {
        RB_TRY(pipe_peek(&s->in, err));
        if (s->in.ended)
            return pipe_broken(&s->in, err);
        if (s->in.next.kind == PIPE_BLOCK || s->in.next.kind == PIPE_LONG_BLOCK)
            RB_TRY(pipe_block_take(&l->blocks, index, &b, err));
        else if (s->in.next.kind == PIPE_WAITS)
            RB_TRY(pipe_block_waits(&l->blocks, err));
        else
            RB_TRY(pass_launch(s, err));
    }
    if (b == NULL)
        return RB_OK;
    lend(l, b);
    *out = &b->block;
    return RB_OK;
}

static void free_block(trace_launch_t *l, trace_block_t *block)
{
    pipe_block_lent_t *b = (pipe_block_lent_t *)block;

    pthread_mutex_lock(&l->lock);
    *b->link = b->next;
    if (b->next != NULL)
        b->next->link = b->link;
    pthread_mutex_unlock(&l->lock);
    pipe_block_drop(&l->blocks, b);
}

static void use_store(trace_launch_t *l, stream_store_t *store)
{
    l->blocks.store = store;
}

/* Finds the lines of the loops of a launch that has been read. */
static void find_lines(pipe_source_t *s)
{
    const code_t *c = &s->codes[s->launch.code];

    for (size_t i = 0; i < s->waits.n; i++) {
        wait_loop_t *w = &s->waits.list[i];
        for (uint32_t k = 0; k < c->n && !w->has_line && w->kernel == s->launch.info.name; k++)
            w->has_line = c->insts[k].pc == w->pc && launch_listing_line(&c->listing, k, &w->line);
    }
}

static void close_launch(trace_launch_t *l)
{
    while (l->lent != NULL)
        free_block(l, &l->lent->block);
    find_lines(l->source);
    free(l->blocks.waits);
    free(l->blocks.wait_words);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static const char *inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    const code_t *c = &l->source->codes[l->source->launch.code];

    return inst >= c->insts && inst < c->insts + c->n
               ? launch_listing_text(&c->listing, (size_t)(inst - c->insts), len)
               : NULL;
}

static bool inst_line(trace_launch_t *l, const inst_t *inst, source_line_t *out)
{
    const code_t *c = &l->source->codes[l->source->launch.code];

    return inst >= c->insts && inst < c->insts + c->n &&
           launch_listing_line(&c->listing, (size_t)(inst - c->insts), out);
}

static size_t waits(trace_source_t *base, const wait_loop_t **list)
{
    pipe_source_t *s = (pipe_source_t *)base;

    *list = s->waits.list;
    return s->waits.n;
}

static void progress(const trace_source_t *base, uint64_t *done, uint64_t *total)
{
    *done = atomic_load_explicit(&((const pipe_source_t *)base)->in.n_bytes, memory_order_relaxed);
    *total = 0;
}

static void destroy(trace_source_t *base)
{
    pipe_source_t *s = (pipe_source_t *)base;

    close(s->in.fd);
    for (size_t i = 0; i < s->n_names; i++)
        free(s->names[i]);
    for (size_t i = 0; i < s->n_codes; i++) {
        free(s->codes[i].insts);
        launch_listing_free(&s->codes[i].listing);
    }
    free(s->names);
    free(s->codes);
    free(s->waits.list);
    free(s->copies);
    free(s);
}

static const trace_source_ops_t ops = {
    .name = "program",
    .n_launches = n_launches,
    .has_launch = come_to,
    .launch_info = launch_info,
    .copies = copies,
    .open = open_launch,
    .get_block = get_block,
    .free_block = free_block,
    .use_store = use_store,
    .close = close_launch,
    .inst_text = inst_text,
    .inst_line = inst_line,
    .waits = waits,
    .progress = progress,
    .destroy = destroy,
};

trace_source_t *launch_pipe_source(int fd, const char *origin)
{
    pipe_source_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &ops;
    s->in.fd = fd;
    s->in.origin = origin;
    return &s->base;
}
