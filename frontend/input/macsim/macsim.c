#include "frontend/input/macsim/macsim.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/macsim/macsim_block.h"
#include "frontend/input/macsim/macsim_samples.h"
#include "sim/core/alloc.h"
#include "sim/core/fnv.h"
#include "sim/core/log.h"
#include "sim/isa/isa.h"

enum {
    ARCH_DEFAULT = 70,
    ARCH_LAUNCHES = 16,  /* number of launches examined to find the architecture */
    ARCH_RECORDS = 1024, /* records examined per launch */
};

typedef struct {
    trace_source_t base; /* first member */
    macsim_list_t list;
    launch_info_t *info;    /* owned; one per launch; n_blocks is 0 until first needed */
    uint64_t *bytes_before; /* owned; bytes of trace_info.txt, whose size grows with the launches'
                             * warps */
    uint32_t arch;
    file_reads_t *reads; /* borrowed; NULL: reads are not recorded */
    _Atomic uint64_t bytes_done;
} macsim_source_t;

struct trace_launch {
    macsim_source_t *source; /* borrowed */
    uint64_t id;
    macsim_blocks_t blocks;
};

static void note_launch(const macsim_source_t *s, uint64_t id);

static macsim_source_t *self(const trace_source_t *s)
{
    return (macsim_source_t *)(uintptr_t)s;
}

static uint64_t n_launches(const trace_source_t *s)
{
    return self(s)->list.n_kernels;
}

/* Equal for launches of the same kernel. */
static uint64_t hash_code(const char *name, uint32_t arch)
{
    return fnv_text(FNV_START ^ arch, name);
}

static rb_code_t launch_info(trace_source_t *base, uint64_t id, launch_info_t *info, rb_err_t *err)
{
    macsim_source_t *s = self(base);
    const macsim_kernel_t *k = &s->list.kernels[id - 1];
    launch_info_t *kept = &s->info[id - 1];

    if (kept->n_blocks == 0) {
        launch_info_t fresh = {.id = id,
                               .trace_id = k->number,
                               .name = k->name,
                               .file = k->trace,
                               .code_id = hash_code(k->name, s->arch),
                               .arch = s->arch};
        macsim_warps_t warps;
        rb_code_t code = macsim_warps_read(k, false, &warps, err);

        if (code == RB_OK)
            code = macsim_warps_shape(&warps, k, &fresh, err);
        macsim_warps_free(&warps);
        RB_TRY(code);
        *kept = fresh;
    }
    *info = *kept;
    return RB_OK;
}

/* The format has no memory copies. */
static size_t copies(const trace_source_t *base, uint64_t id, const memcpy_op_t **ops)
{
    (void)base;
    (void)id;
    *ops = NULL;
    return 0;
}

static void close_launch(trace_launch_t *l)
{
    macsim_blocks_free(&l->blocks);
    free(l);
}

static rb_code_t open_launch(trace_source_t *base, uint64_t id, trace_launch_t **out, rb_err_t *err)
{
    macsim_source_t *s = self(base);
    launch_info_t info;

    *out = NULL;
    RB_TRY(launch_info(base, id, &info, err));
    note_launch(s, id);
    trace_launch_t *l = rb_calloc(1, sizeof(*l));
    rb_code_t code = macsim_blocks_open(&l->blocks, &s->list.kernels[id - 1], &info, err);

    l->source = s;
    l->id = id;
    if (code != RB_OK) {
        close_launch(l);
        return code;
    }
    *out = l;
    return RB_OK;
}

/* Keeps the furthest point reached: several launches may be open at the same time. */
static void set_progress(const trace_launch_t *l, uint64_t blocks)
{
    macsim_source_t *s = l->source;
    const uint64_t *before = &s->bytes_before[l->id - 1];
    uint64_t seen = atomic_load_explicit(&s->bytes_done, memory_order_relaxed);
    double share = (double)blocks / (double)l->blocks.warps.n_blocks;
    uint64_t done = before[0] + (uint64_t)((double)(before[1] - before[0]) * share);

    while (done > seen && !atomic_compare_exchange_weak(&s->bytes_done, &seen, done))
        continue;
}

static rb_code_t get_block(trace_launch_t *l, uint64_t index, trace_block_t **out, rb_err_t *err)
{
    RB_TRY(macsim_blocks_get(&l->blocks, index, out, err));
    set_progress(l, *out != NULL ? index + 1 : l->blocks.warps.n_blocks);
    return RB_OK;
}

static void free_block(trace_launch_t *l, trace_block_t *b)
{
    macsim_blocks_give_back(&l->blocks, b);
}

static const char *inst_text(trace_launch_t *l, const inst_t *inst, uint32_t *len)
{
    const char *text = macsim_code_text(&l->blocks.code, inst);

    *len = text != NULL ? (uint32_t)strlen(text) : 0;
    return text;
}

/* Weight of a sampled launch: the sum over its occurrences of cluster size / samples in the
 * cluster. */
static double weight(const trace_source_t *base, uint64_t id)
{
    return self(base)->list.kernels[id - 1].weight;
}

static void launch_size(trace_source_t *base, uint64_t id, launch_size_t *out)
{
    const uint64_t *before = &self(base)->bytes_before[id - 1];

    out->bytes = before[1] - before[0];
}

static void progress(const trace_source_t *base, uint64_t *done, uint64_t *total)
{
    const macsim_source_t *s = self(base);

    *done = atomic_load_explicit(&s->bytes_done, memory_order_relaxed);
    *total = s->bytes_before[s->list.n_kernels];
}

static void destroy(trace_source_t *base)
{
    macsim_source_t *s = self(base);

    macsim_list_free(&s->list);
    free(s->info);
    free(s->bytes_before);
    free(s);
}

static const trace_source_ops_t macsim_ops = {
    .name = "macsim",
    .n_launches = n_launches,
    .launch_info = launch_info,
    .launch_size = launch_size,
    .copies = copies,
    .open = open_launch,
    .get_block = get_block,
    .free_block = free_block,
    .close = close_launch,
    .inst_text = inst_text,
    .weight = weight,
    .progress = progress,
    .destroy = destroy,
};

/* --- opening ---------------------------------------------------------------------------------- */

bool macsim_detect(const char *path)
{
    return macsim_list_detect(path);
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static char *counts_path(const macsim_kernel_t *k)
{
    static const char name[] = "/trace_info.txt";
    char *path = rb_calloc(strlen(k->folder) + sizeof(name), 1);

    strcpy(path, k->folder);
    strcat(path, name);
    return path;
}

static void measure(macsim_source_t *s)
{
    s->bytes_before = rb_calloc(s->list.n_kernels + 1, sizeof(s->bytes_before[0]));
    for (size_t i = 0; i < s->list.n_kernels; i++) {
        char *path = counts_path(&s->list.kernels[i]);

        s->bytes_before[i + 1] = s->bytes_before[i] + file_bytes(path);
        free(path);
    }
}

/* The architecture of the newest opcode in the first warp of a launch. Damaged data is reported
 * later. */
static unsigned probe_arch(const macsim_kernel_t *k)
{
    macsim_warps_t warps;
    macsim_reader_t *reader = NULL;
    const macsim_record_t *record;
    unsigned newest = 0;
    char *path = NULL;

    if (macsim_warps_read(k, false, &warps, NULL) == RB_OK) {
        path = macsim_warp_path(k, warps.warps[0].wid);
        reader = macsim_reader_open(path, NULL);
    }
    for (unsigned i = 0; reader != NULL && i < ARCH_RECORDS; i++) {
        if (macsim_reader_next(reader, &record, NULL) != RB_OK || record == NULL)
            break;
        unsigned arch = macsim_opcode_arch(record->opcode);

        newest = arch > newest ? arch : newest;
    }
    macsim_reader_close(reader);
    macsim_warps_free(&warps);
    free(path);
    return newest;
}

static uint32_t find_arch(const macsim_list_t *list)
{
    unsigned newest = ARCH_DEFAULT;

    for (size_t i = 0; i < list->n_kernels && i < ARCH_LAUNCHES; i++) {
        unsigned arch = probe_arch(&list->kernels[i]);

        newest = arch > newest ? arch : newest;
    }
    return newest;
}

static void warn_losses(const char *path, const macsim_list_t *list)
{
    bool described = false;

    for (size_t i = 0; i < list->n_kernels; i++)
        described |= list->kernels[i].described;
    rb_warn("%s: a MacSim trace holds 128-byte lines for lane addresses and no opcode modifiers, "
            "register pairs, address registers, addresses of atomics or predicated-off "
            "instructions: sectors, bank conflicts and dependences are approximate",
            path);
    if (!described)
        rb_warn("%s: without kernel_names.txt registers and shared memory of the kernels are "
                "unknown and do not limit occupancy",
                path);
    if (list->samples != NULL)
        rb_warn("%s: its launches are samples of a larger program, whose weights are in %s: totals "
                "describe the samples alone",
                path, list->samples);
}

static rb_code_t weigh(macsim_list_t *list, const macsim_options_t *opts, rb_err_t *err)
{
    macsim_weight_t *weights;
    size_t n;

    if (list->samples == NULL || opts == NULL || opts->samples == NULL)
        return RB_OK;
    RB_TRY(opts->samples(list->samples, &weights, &n, err));
    macsim_samples_weigh(list, weights, n);
    free(weights);
    return RB_OK;
}

trace_source_t *macsim_open(const char *path, const macsim_options_t *opts, rb_err_t *err)
{
    macsim_source_t *s = rb_calloc(1, sizeof(*s));

    s->base.ops = &macsim_ops;
    if (macsim_list_open(path, &s->list, err) != RB_OK || weigh(&s->list, opts, err) != RB_OK) {
        destroy(&s->base);
        return NULL;
    }
    s->info = rb_calloc(s->list.n_kernels, sizeof(s->info[0]));
    s->arch = opts != NULL && opts->arch != 0 ? opts->arch : find_arch(&s->list);
    measure(s);
    warn_losses(path, &s->list);
    return &s->base;
}

/* --- files ------------------------------------------------------------------------------------ */

static void visit_existing(const char *path, file_visit_fn visit, void *ctx)
{
    struct stat st;

    if (stat(path, &st) == 0)
        visit(ctx, path, false);
}

static void visit_launch(const macsim_kernel_t *k, file_visit_fn visit, void *ctx)
{
    char *counts = counts_path(k);
    macsim_warps_t warps;

    visit_existing(k->trace, visit, ctx);
    visit_existing(counts, visit, ctx);
    free(counts);
    if (macsim_warps_read(k, false, &warps, NULL) == RB_OK)
        for (size_t i = 0; i < warps.n_warps; i++) {
            char *path = macsim_warp_path(k, warps.warps[i].wid);

            visit_existing(path, visit, ctx);
            free(path);
        }
    macsim_warps_free(&warps);
}

void macsim_files(const trace_source_t *source, file_visit_fn visit, void *ctx)
{
    const macsim_list_t *list = &self(source)->list;

    if (list->config != NULL)
        visit(ctx, list->config, true);
    if (list->names != NULL)
        visit(ctx, list->names, true);
    if (list->samples != NULL)
        visit(ctx, list->samples, true);
    for (size_t i = 0; i < list->n_kernels; i++)
        visit_launch(&list->kernels[i], visit, ctx);
}

static void note_use(void *reads, const char *path, bool opened)
{
    (void)opened;
    file_reads_use(reads, path);
}

/* Records all files of a launch, whichever of its warps are used. */
static void note_launch(const macsim_source_t *s, uint64_t id)
{
    if (s->reads != NULL)
        visit_launch(&s->list.kernels[id - 1], note_use, s->reads);
}

void macsim_watch(trace_source_t *source, file_reads_t *reads)
{
    self(source)->reads = reads;
}
