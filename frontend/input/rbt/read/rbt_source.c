#include "frontend/input/rbt/read/rbt_source.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "frontend/input/rbt/read/rbt_claim.h"
#include "frontend/input/rbt/read/rbt_digest.h"
#include "frontend/input/rbt/read/rbt_launch_get.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"
#include "sim/gpu/source/wait_loops.h"

/* Pages of launches that are kept, because sampled runs go over a program again and again: 5 MB at most. */
enum { LAUNCH_PAGES = 16 };

typedef struct {
    trace_source_t base; /* first member */
    rbt_file_t file;
    pthread_mutex_t lock; /* guards the launches below */
    struct {
        rbt_launch_t *launches; /* owned; NULL: none */
        size_t page;
    } kept[LAUNCH_PAGES]; /* by the page's number */
    rbt_unpacker_t *unpacker;
    rbt_pages_t pages; /* of open launches */
    bool has_waits;
    wait_loops_t waits; /* valid if has_waits */
    _Atomic uint64_t bytes_done;
} rbt_source_t;

static rbt_source_t *self(const trace_source_t *s)
{
    return (rbt_source_t *)(uintptr_t)s;
}

bool rbt_detect(const char *path)
{
    return rbt_file_detect(path);
}

static uint64_t n_launches(const trace_source_t *s)
{
    return self(s)->file.n_launches;
}

static rb_code_t find_launch(rbt_source_t *s, uint64_t id, rbt_launch_t *out, rb_err_t *err)
{
    size_t page = rbt_file_launch_page(&s->file, id - 1);
    rb_code_t code = RB_OK;

    pthread_mutex_lock(&s->lock);
    rbt_launch_t **launches = &s->kept[page % LAUNCH_PAGES].launches;
    if (*launches == NULL || s->kept[page % LAUNCH_PAGES].page != page) {
        rb_err_t why = {0};

        free(*launches);
        *launches = rbt_launches_read(&s->file, page, s->unpacker, &why);
        s->kept[page % LAUNCH_PAGES].page = page;
        if (*launches == NULL)
            code = rb_fail(err, why.code, "%s", why.text);
    }
    if (code == RB_OK)
        *out = (*launches)[id - 1 - s->file.launch_pages[page].first_launch];
    pthread_mutex_unlock(&s->lock);
    return code;
}

static rb_code_t launch_info(trace_source_t *base, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    rbt_source_t *s = self(base);
    rbt_launch_t l;

    RB_TRY(find_launch(s, id, &l, err));
    *info = rbt_launch_info(&s->file, &l.row);
    return RB_OK;
}

static rb_code_t launch_counts(trace_source_t *base, uint64_t id, launch_counts_t *out,
                               rb_err_t *err)
{
    rbt_launch_t l;

    RB_TRY(find_launch(self(base), id, &l, err));
    *out = (launch_counts_t){
        .blocks = l.row.n_blocks,
        .warp_insts = l.row.warp_insts,
        .thread_insts = l.row.thread_insts,
        .atomics = l.row.atomics,
        .requests = rbt_sum_requests(l.row.requests),
        .global_sectors = l.row.sectors[RBT_SPACE_GLOBAL],
        .local_sectors = l.row.sectors[RBT_SPACE_LOCAL],
        .texture_sectors = l.row.sectors[RBT_SPACE_TEX],
    };
    memcpy(out->insts, l.row.classes, sizeof(out->insts));
    return RB_OK;
}

/* If a page cannot be read, launch_info() reports it. */
static double weight(const trace_source_t *base, uint64_t id)
{
    rbt_launch_t l;
    double w = 1;

    if (find_launch(self(base), id, &l, NULL) == RB_OK)
        memcpy(&w, &l.row.weight, sizeof(w));
    return w;
}

static void launch_size(trace_source_t *base, uint64_t id, launch_size_t *out)
{
    rbt_launch_t l;

    if (find_launch(self(base), id, &l, NULL) == RB_OK)
        out->warp_insts = l.row.warp_insts;
}

static size_t first_copy(const rbt_file_t *f, uint64_t launches)
{
    size_t i;

    FIND_FIRST(i, 0, f->n_copies, f->copy_launch[i] >= launches);
    return i;
}

static size_t copies(const trace_source_t *base, uint64_t id, const memcpy_op_t **ops)
{
    const rbt_file_t *f = &self(base)->file;
    size_t first = first_copy(f, id - 1);

    *ops = f->copies + first;
    return first_copy(f, id) - first;
}

static rb_code_t graph(trace_source_t *base, const stream_graph_t **out, rb_err_t *err)
{
    const rbt_file_t *f = &self(base)->file;

    (void)err;
    *out = f->has_graph ? &f->graph : NULL;
    return RB_OK;
}

static rb_code_t open_launch(trace_source_t *base, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    rbt_source_t *s = self(base);
    rbt_launch_t launch;

    *out = NULL;
    RB_TRY(find_launch(s, id, &launch, err));
    return rbt_launch_open(out, &s->file, id - 1, &launch, &s->pages, &s->bytes_done, err);
}

static rb_code_t digest(trace_source_t *base, uint64_t id, uint64_t *out, rb_err_t *err)
{
    trace_launch_t *l;

    RB_TRY(open_launch(base, id, &l, err));
    const rb_code_t code = rbt_launch_digest(l, out, err);

    rbt_launch_close(l);
    return code;
}

/* The lines of the loops of a kernel. If its code cannot be read, running the launch will say so. */
static void add_lines(rbt_source_t *s, const rbt_kernel_t *kernel)
{
    const rbt_code_t *code;
    rb_err_t ignored = {0};

    if (rbt_file_code(&s->file, (size_t)(kernel - s->file.kernels), &code, &ignored) != RB_OK)
        return;
    for (size_t i = 0; i < s->waits.n; i++) {
        wait_loop_t *w = &s->waits.list[i];
        for (size_t k = 0; k < code->n_insts && !w->has_line && w->kernel == kernel->name; k++)
            w->has_line =
                code->insts[k].pc == w->pc && rbt_code_line(code, &code->insts[k], &w->line);
    }
}

static size_t waits(trace_source_t *base, const wait_loop_t **list)
{
    rbt_source_t *s = self(base);
    const rbt_waits_t *all = &s->file.waits;
    rb_err_t ignored = {0};
    rbt_launch_t launch;

    for (size_t i = 0; i < all->n_launches && !s->has_waits; i++) {
        const rbt_waits_launch_t *l = &all->launches[i];
        if (l->place >= s->file.n_launches || l->n_blocks == 0 ||
            find_launch(s, l->place + 1, &launch, &ignored) != RB_OK)
            continue;
        const rbt_kernel_t *kernel = &s->file.kernels[launch.row.kernel];
        for (size_t k = 0; k < l->n_blocks; k++) {
            const rbt_waits_block_t *b = &all->blocks[l->first_block + k];
            wait_loops_add(&s->waits, kernel->name, all->waits + b->first_wait, b->n_waits);
        }
        add_lines(s, kernel);
    }
    s->has_waits = true;
    *list = s->waits.list;
    return s->waits.n;
}

static void progress(const trace_source_t *base, uint64_t *done, uint64_t *total)
{
    const rbt_source_t *s = self(base);

    *total = s->file.bytes;
    *done = atomic_load_explicit(&s->bytes_done, memory_order_relaxed);
    if (*done > *total)
        *done = *total;
}

static void destroy(trace_source_t *base)
{
    rbt_source_t *s = self(base);

    rbt_pages_free(&s->pages);
    rbt_file_close(&s->file);
    for (size_t i = 0; i < LAUNCH_PAGES; i++)
        free(s->kept[i].launches);
    free(s->waits.list);
    ZSTD_freeDCtx(s->unpacker);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static const trace_source_ops_t rbt_ops = {
    .name = "rbt",
    .n_launches = n_launches,
    .launch_info = launch_info,
    .launch_size = launch_size,
    .launch_counts = launch_counts,
    .digest = digest,
    .copies = copies,
    .graph = graph,
    .open = open_launch,
    .get_block = rbt_launch_block,
    .claim = rbt_launch_claim,
    .decode = rbt_launch_decode,
    .use_store = rbt_launch_use_store,
    .free_block = rbt_launch_give_back,
    .close = rbt_launch_close,
    .inst_text = rbt_launch_inst_text,
    .inst_line = rbt_launch_inst_line,
    .weight = weight,
    .block_facts = rbt_launch_block_facts,
    .warp_profile = rbt_launch_warp_profile,
    .basic_block = rbt_launch_basic_block,
    .waits = waits,
    .progress = progress,
    .destroy = destroy,
};

trace_source_t *rbt_open(const char *path, rb_err_t *err)
{
    rbt_source_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &rbt_ops;
    pthread_mutex_init(&s->lock, NULL);
    rbt_pages_init(&s->pages);
    s->unpacker = ZSTD_createDCtx();
    if (rbt_file_open(&s->file, path, err) == RB_OK) {
        if (s->unpacker != NULL)
            return &s->base;
        rb_fail(err, RB_NOMEM, "no memory for zstd");
    }
    destroy(&s->base);
    return NULL;
}

bool rbt_is_source(const trace_source_t *source)
{
    return source->ops == &rbt_ops;
}

rbt_file_t *rbt_source_file(const trace_source_t *source)
{
    return &self(source)->file;
}
