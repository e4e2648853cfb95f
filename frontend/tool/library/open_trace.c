#include "frontend/tool/library/open_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/emulator/sass/machine_code.h"
#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/archive/trace_archive.h"
#include "frontend/input/macsim/macsim.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "sampling/plan/plan_macsim.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

typedef struct {
    const char *name; /* trace_source_ops_t.name of the sources of this kind */
    bool (*detect)(const char *path);
    trace_source_t *(*open)(const char *path, const char *tmpdir, rb_err_t *err);
    void (*files)(const trace_source_t *source, file_visit_fn visit, void *ctx);
    void (*watch)(trace_source_t *source, file_reads_t *reads); /* NULL: not needed */
} trace_kind_t;

static const void *find_code(void *ctx, const char *kernel, unsigned arch)
{
    return machine_code_kernel(ctx, kernel, arch);
}

static bool complete_inst(const void *code, inst_t *in)
{
    return machine_kernel_complete(code, in);
}

static void code_files(const void *ctx, void (*visit)(void *visit_ctx, const char *path),
                       void *visit_ctx)
{
    machine_code_files(ctx, visit, visit_ctx);
}

static void close_code(void *ctx)
{
    machine_code_close(ctx);
}

/* Opens the cubins in the folder of a trace; *out NULL: none. */
static rb_code_t open_cubins(const char *path, machine_code_t **out, rb_err_t *err)
{
    struct stat st;
    const char *slash = strrchr(path, '/');

    *out = NULL;
    if (stat(path, &st) != 0)
        return RB_OK; /* accelsim_open() reports the error */
    if (S_ISDIR(st.st_mode))
        return machine_code_open(path, out, err);
    char *folder = rb_strdup(slash != NULL ? path : ".");
    if (slash != NULL)
        folder[slash == path ? 1 : slash - path] = '\0';
    rb_code_t rc = machine_code_open(folder, out, err);
    free(folder);
    return rc;
}

static trace_source_t *open_accelsim(const char *path, const char *tmpdir, rb_err_t *err)
{
    machine_code_t *code;

    if (open_cubins(path, &code, err) != RB_OK)
        return NULL;
    const accelsim_machine_t machine = {.ctx = code,
                                        .find = find_code,
                                        .complete = complete_inst,
                                        .files = code_files,
                                        .destroy = close_code};
    const accelsim_options_t opts = {.tmpdir = tmpdir, .machine = code != NULL ? &machine : NULL};

    return accelsim_open(path, &opts, err);
}

/* Reads the file of a MacSim trace about the sampling of its launches, as a plan. */
static rb_code_t read_samples(const char *path, macsim_weight_t **weights, size_t *n, rb_err_t *err)
{
    FILE *in = fopen(path, "r");
    plan_t plan;

    if (in == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    rb_code_t code = plan_read_macsim(&plan, in, path, err);
    fclose(in);
    RB_TRY(code);
    *n = plan.n_samples;
    *weights = rb_calloc(*n, sizeof(**weights));
    for (size_t i = 0; i < *n; i++)
        (*weights)[i] = (macsim_weight_t){.number = plan.samples[i].launch - 1,
                                          .weight = plan.samples[i].weight};
    plan_free(&plan);
    return RB_OK;
}

static trace_source_t *open_macsim(const char *path, const char *tmpdir, rb_err_t *err)
{
    (void)tmpdir;
    return macsim_open(path, &(macsim_options_t){.samples = read_samples}, err);
}

static trace_source_t *open_rbt(const char *path, const char *tmpdir, rb_err_t *err)
{
    (void)tmpdir;
    return rbt_open(path, err);
}

static void rbt_files(const trace_source_t *source, file_visit_fn visit, void *ctx)
{
    visit(ctx, rbt_source_file(source)->path, false);
}

/* Tried in this order; the last one reports the error for a path of none of these kinds. */
static const trace_kind_t kinds[] = {
    {"rbt", rbt_detect, open_rbt, rbt_files, NULL},
    {"macsim", macsim_detect, open_macsim, macsim_files, macsim_watch},
    {"accelsim", accelsim_detect, open_accelsim, accelsim_files, accelsim_watch},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Whether a file is a program or an object: the first bytes of ELF. Pipes are not touched. */
static bool is_program(const char *path)
{
    static const char elf[] = {0x7f, 'E', 'L', 'F'};
    char head[sizeof(elf)];
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    FILE *in = fopen(path, "rb");
    const bool read = in != NULL && fread(head, sizeof(head), 1, in) == 1;
    if (in != NULL)
        fclose(in);
    return read && memcmp(head, elf, sizeof(elf)) == 0;
}

trace_source_t *open_trace(const char *path, const char *tmpdir, rb_err_t *err)
{
    unsigned kind = 0;

    while (kind + 1 < N_KINDS && !kinds[kind].detect(path))
        kind++;
    if (trace_archive_stem(path) > 0 && access(path, F_OK) == 0 && !in_file_is_folder(path) &&
        !kinds[kind].detect(path)) {
        (void)rb_fail(err, RB_TRACE,
                      "%s: an archive of traces: 'rubato sweep' runs them all, 'rubato info' lists "
                      "them; to use one elsewhere, unpack it",
                      path);
        return NULL;
    }
    if (!kinds[kind].detect(path) && is_program(path)) {
        (void)rb_fail(
            err, RB_TRACE,
            "%s: this is a program or machine code, not a trace: to run a program, put -- "
            "before it ('rubato run -- %s%s'); 'rubato sass' lists machine code",
            path, strchr(path, '/') == NULL ? "./" : "", path);
        return NULL;
    }
    return kinds[kind].open(path, tmpdir, err);
}

bool open_trace_detect(const char *path)
{
    for (unsigned i = 0; i < N_KINDS; i++) {
        if (kinds[i].detect(path))
            return true;
    }
    return false;
}

/* The kind of a source; NULL: a program. */
static const trace_kind_t *kind_of(const trace_source_t *source)
{
    for (unsigned i = 0; i < N_KINDS; i++)
        if (strcmp(source->ops->name, kinds[i].name) == 0)
            return &kinds[i];
    return NULL;
}

void open_trace_files(const trace_source_t *source, file_visit_fn visit, void *ctx)
{
    const trace_kind_t *kind = kind_of(source);
    if (kind != NULL)
        kind->files(source, visit, ctx);
}

void open_trace_watch(trace_source_t *source, file_reads_t *reads)
{
    const trace_kind_t *kind = kind_of(source);
    if (kind != NULL && kind->watch != NULL)
        kind->watch(source, reads);
}
