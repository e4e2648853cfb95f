#include "frontend/input/accelsim/accelsim.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/block/accelsim_block.h"
#include "frontend/input/accelsim/block/accelsim_claim.h"
#include "frontend/input/accelsim/file/accelsim_list.h"
#include "frontend/input/accelsim/file/accelsim_stream.h"
#include "frontend/input/accelsim/group/accelsim_group.h"
#include "frontend/input/accelsim/text/accelsim_header.h"
#include "frontend/input/order/stream_builder.h"
#include "sim/core/alloc.h"

typedef struct {
    trace_source_t base; /* first member */
    accelsim_list_t list;
    launch_info_t *info;        /* owned; one per launch; name is NULL until first needed */
    char *tmpdir;               /* owned; NULL: the default */
    accelsim_machine_t machine; /* find is NULL: no machine code */
    size_t sort_bytes;
    file_reads_t *reads; /* borrowed; NULL: reads are not recorded */
    _Atomic uint64_t bytes_done;
    stream_builder_t order; /* valid once ordered */
    bool ordered;
} accelsim_source_t;

struct trace_launch {
    accelsim_source_t *source;       /* borrowed */
    const accelsim_kernel_t *kernel; /* borrowed */
    accelsim_header_t header;
    accelsim_stream_t *stream; /* owned */
    accelsim_lines_t lines;    /* of the file or, for a raw file, of the grouped text */
    accelsim_group_t *group;   /* owned; NULL unless the file is raw */
    block_reader_t reader;
    accelsim_claims_t claims;
};

static accelsim_source_t *self(const trace_source_t *s)
{
    return (accelsim_source_t *)(uintptr_t)s;
}

/* Keeps the furthest point reached: several launches may be open at the same time. */
static void set_progress(accelsim_source_t *s, uint64_t done)
{
    uint64_t seen = atomic_load_explicit(&s->bytes_done, memory_order_relaxed);

    while (done > seen && !atomic_compare_exchange_weak(&s->bytes_done, &seen, done))
        continue;
}

static rb_code_t read_stream(void *ctx, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    return accelsim_stream_read(ctx, buf, cap, got, err);
}

/* Like read_stream(), for an open launch. */
static rb_code_t read_launch(void *ctx, char *buf, size_t cap, size_t *got, rb_err_t *err)
{
    trace_launch_t *l = ctx;
    rb_code_t code = accelsim_stream_read(l->stream, buf, cap, got, err);

    set_progress(l->source, l->kernel->bytes_before + accelsim_stream_consumed(l->stream));
    return code;
}

static uint64_t n_launches(const trace_source_t *s)
{
    return self(s)->list.n_kernels;
}

/* Reads the header of a file. The caller frees *h, also after an error. */
static rb_code_t read_header(const char *path, accelsim_header_t *h, rb_err_t *err)
{
    rb_err_t why = {0};
    accelsim_stream_t *stream = accelsim_stream_open(path, &why);
    accelsim_lines_t lines;

    *h = (accelsim_header_t){0};
    if (stream == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    accelsim_lines_init(&lines, path, read_stream, stream);
    rb_code_t code = accelsim_header_read(&lines, h, err);

    accelsim_lines_free(&lines);
    accelsim_stream_close(stream);
    return code;
}

static rb_code_t launch_info(trace_source_t *base, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    accelsim_source_t *s = self(base);
    launch_info_t *kept = &s->info[id - 1];

    if (kept->name == NULL) {
        accelsim_header_t h;
        rb_code_t code = read_header(s->list.kernels[id - 1].path, &h, err);

        if (code == RB_OK) {
            *kept = h.info;
            kept->name = rb_strdup(h.name);
            kept->id = id;
        }
        accelsim_header_free(&h);
        RB_TRY(code);
    }
    *info = *kept;
    return RB_OK;
}

static size_t copies(const trace_source_t *base, uint64_t id, const memcpy_op_t **ops)
{
    const accelsim_list_t *list = &self(base)->list;
    size_t first = list->kernels[id - 1].first_copy;
    size_t end = id <= list->n_kernels ? list->kernels[id].first_copy : list->n_copies;

    *ops = list->n_copies > 0 ? list->copies + first : NULL;
    return end - first;
}

/* The work of a list in its order. It names no events. Its copies are those of cudaMemcpy(): in the
 * legacy default stream, and the host waits for them. */
static rb_code_t build_graph(accelsim_source_t *s, stream_builder_t *b, rb_err_t *err)
{
    const accelsim_list_t *list = &s->list;
    size_t copy = 0;

    for (uint64_t id = 1; id <= list->n_kernels + 1; id++) {
        const size_t end = id <= list->n_kernels ? list->kernels[id].first_copy : list->n_copies;
        launch_info_t info;

        for (; copy < end; copy++) {
            stream_builder_add(b, STREAM_LEGACY,
                               (stream_op_t){.kind = STREAM_OP_TO_DEVICE,
                                             .addr = list->copies[copy].addr,
                                             .bytes = list->copies[copy].bytes});
            stream_builder_host_stream(b, STREAM_LEGACY);
        }
        if (id > list->n_kernels)
            break;
        RB_TRY(launch_info(&s->base, id, &info, err));
        /* 1 is the handle of the legacy default stream (cudaStreamLegacy). */
        stream_builder_add(b, info.stream == 1 ? STREAM_LEGACY : info.stream,
                           (stream_op_t){.kind = STREAM_OP_LAUNCH, .launch = id});
    }
    return RB_OK;
}

static rb_code_t graph(trace_source_t *base, const stream_graph_t **out, rb_err_t *err)
{
    accelsim_source_t *s = self(base);
    rb_code_t code = RB_OK;

    *out = NULL;
    if (!s->ordered) {
        stream_builder_free(&s->order);
        stream_builder_init(&s->order);
        code = build_graph(s, &s->order, err);
        s->ordered = code == RB_OK;
    }
    if (s->ordered && s->order.several)
        *out = &s->order.graph;
    return code;
}

static void close_launch(trace_launch_t *l)
{
    accelsim_claims_free(&l->claims);
    block_reader_free(&l->reader);
    accelsim_lines_free(&l->lines);
    accelsim_group_destroy(l->group);
    accelsim_header_free(&l->header);
    accelsim_stream_close(l->stream);
    free(l);
}

static rb_code_t group(trace_launch_t *l, rb_err_t *err)
{
    accelsim_options_t opts = {.tmpdir = l->source->tmpdir, .sort_bytes = l->source->sort_bytes};

    l->group = accelsim_group_create(&l->lines, &l->header, &opts, err);
    if (l->group == NULL)
        return err->code;
    accelsim_lines_free(&l->lines);
    accelsim_lines_init(&l->lines, l->kernel->path, accelsim_group_read, l->group);
    return RB_OK;
}

static rb_code_t open_launch(trace_source_t *base, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    trace_launch_t *l = rb_calloc(1, sizeof(*l));
    rb_err_t why = {0};

    *out = NULL;
    l->source = self(base);
    l->kernel = &l->source->list.kernels[id - 1];
    l->stream = accelsim_stream_open(l->kernel->path, &why);
    if (l->stream != NULL)
        accelsim_stream_watch(l->stream, l->source->reads);
    accelsim_lines_init(&l->lines, l->kernel->path, read_launch, l);
    block_reader_init(&l->reader, &l->lines, &l->header);
    if (l->stream != NULL && accelsim_header_read(&l->lines, &l->header, &why) == RB_OK &&
        (!l->header.raw || group(l, &why) == RB_OK)) {
        const accelsim_machine_t *machine = &l->source->machine;
        if (machine->find == NULL)
            machine = NULL;
        block_reader_start(&l->reader, machine);
        accelsim_claims_init(&l->claims, &l->reader, machine);
        *out = l;
        return RB_OK;
    }
    close_launch(l);
    return rb_fail(err, why.code, "%s", why.text);
}

static rb_code_t get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    return block_reader_get(&l->reader, index, out, err);
}

static rb_code_t claim(trace_launch_t *l, uint64_t index, uint64_t max, claim_status_t *status,
                       trace_claim_t **out, uint64_t *n, rb_err_t *err)
{
    return accelsim_claim(&l->claims, index, max, status, out, n, err);
}

static rb_code_t decode(trace_launch_t *l, trace_claim_t *c, trace_block_t **out, uint64_t *n,
                        rb_err_t *err)
{
    return accelsim_decode(&l->claims, c, out, n, err);
}

static void use_store(trace_launch_t *l, stream_store_t *store)
{
    l->reader.store = store;
}

static void free_block(trace_launch_t *l, trace_block_t *b)
{
    block_reader_give_back(&l->reader, b);
}

static const char *inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    const char *text = accelsim_code_text(&l->reader.code, inst, len);

    return text != NULL ? text : accelsim_claims_text(&l->claims, inst, len);
}

static void launch_size(trace_source_t *base, uint64_t id, launch_size_t *out)
{
    const accelsim_kernel_t *k = &self(base)->list.kernels[id - 1];

    out->bytes = k[1].bytes_before - k->bytes_before;
}

static void progress(const trace_source_t *base, uint64_t *done, uint64_t *total)
{
    const accelsim_source_t *s = self(base);

    *total = s->list.kernels[s->list.n_kernels].bytes_before;
    *done = atomic_load_explicit(&s->bytes_done, memory_order_relaxed);
    if (*done > *total)
        *done = *total;
}

static void destroy(trace_source_t *base)
{
    accelsim_source_t *s = self(base);

    for (size_t i = 0; i < s->list.n_kernels; i++)
        free((char *)(uintptr_t)s->info[i].name);
    free(s->info);
    stream_builder_free(&s->order);
    free(s->tmpdir);
    if (s->machine.find != NULL)
        s->machine.destroy(s->machine.ctx);
    accelsim_list_free(&s->list);
    free(s);
}

static const trace_source_ops_t accelsim_ops = {
    .name = "accelsim",
    .n_launches = n_launches,
    .launch_info = launch_info,
    .launch_size = launch_size,
    .copies = copies,
    .graph = graph,
    .open = open_launch,
    .get_block = get_block,
    .claim = claim,
    .decode = decode,
    .use_store = use_store,
    .free_block = free_block,
    .close = close_launch,
    .inst_text = inst_text,
    .progress = progress,
    .destroy = destroy,
};

trace_source_t *accelsim_open(const char *path, const accelsim_options_t *opts, rb_err_t *err)
{
    accelsim_source_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &accelsim_ops;
    if (opts != NULL) {
        s->tmpdir = rb_strdup(opts->tmpdir);
        s->sort_bytes = opts->sort_bytes;
        if (opts->machine != NULL)
            s->machine = *opts->machine;
    }
    if (accelsim_list_open(path, &s->list, err) != RB_OK) {
        s->info = rb_calloc(s->list.n_kernels + 1, sizeof(s->info[0]));
        destroy(&s->base);
        return NULL;
    }
    s->info = rb_calloc(s->list.n_kernels, sizeof(s->info[0]));
    return &s->base;
}

/* Whether the first line of the file is a header line of a kernel file. */
static bool begins_like_header(const char *path)
{
    enum { BYTES = 512 };
    char text[BYTES + 1] = {0};
    accelsim_stream_t *stream = accelsim_stream_open(path, NULL);
    size_t n = 0, got = 1;

    if (stream == NULL)
        return false;
    while (n < BYTES && got > 0 &&
           accelsim_stream_read(stream, text + n, BYTES - n, &got, NULL) == RB_OK)
        n += got;
    accelsim_stream_close(stream);
    return strncmp(text, "-kernel name", 12) == 0 || strstr(text, "\n-kernel name") != NULL ||
           strncmp(text, "-grid dim", 9) == 0;
}

bool accelsim_detect(const char *path)
{
    return accelsim_list_detect(path) || begins_like_header(path);
}

typedef struct {
    file_visit_fn visit;
    void *ctx;
} code_visit_t;

static void visit_code(void *ctx, const char *path)
{
    const code_visit_t *v = ctx;

    v->visit(v->ctx, path, true);
}

void accelsim_files(const trace_source_t *source, file_visit_fn visit, void *ctx)
{
    const accelsim_source_t *s = self(source);
    code_visit_t code = {visit, ctx};

    if (s->list.path != NULL)
        visit(ctx, s->list.path, true);
    for (size_t i = 0; i < s->list.n_kernels; i++)
        visit(ctx, s->list.kernels[i].path, false);
    if (s->machine.find != NULL)
        s->machine.files(s->machine.ctx, visit_code, &code);
}

void accelsim_watch(trace_source_t *source, file_reads_t *reads)
{
    self(source)->reads = reads;
}
