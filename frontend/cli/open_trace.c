#include "frontend/cli/open_trace.h"

#include <string.h>

#include "frontend/accelsim/accelsim.h"
#include "frontend/macsim/macsim.h"
#include "frontend/trace/rbt_source.h"

typedef struct {
    const char *name; /* trace_source_ops_t.name of its sources */
    bool (*detect)(const char *path);
    trace_source_t *(*open)(const char *path, const char *tmpdir, rb_err_t *err);
    void (*files)(const trace_source_t *source, void (*visit)(void *ctx, const char *path),
                  void *ctx);
} trace_kind_t;

static trace_source_t *open_accelsim(const char *path, const char *tmpdir, rb_err_t *err)
{
    const accelsim_options_t opts = {.tmpdir = tmpdir};

    return accelsim_open(path, &opts, err);
}

static trace_source_t *open_macsim(const char *path, const char *tmpdir, rb_err_t *err)
{
    (void)tmpdir;
    return macsim_open(path, NULL, err);
}

static trace_source_t *open_rbt(const char *path, const char *tmpdir, rb_err_t *err)
{
    (void)tmpdir;
    return rbt_open(path, err);
}

static void rbt_files(const trace_source_t *source, void (*visit)(void *ctx, const char *path),
                      void *ctx)
{
    visit(ctx, rbt_source_file(source)->path);
}

/* Tried in this order; the last one says what is wrong with a path that is none of them. */
static const trace_kind_t kinds[] = {
    {"rbt", rbt_detect, open_rbt, rbt_files},
    {"macsim", macsim_detect, open_macsim, macsim_files},
    {"accelsim", accelsim_detect, open_accelsim, accelsim_files},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

trace_source_t *open_trace(const char *path, const char *tmpdir, rb_err_t *err)
{
    unsigned kind = 0;

    while (kind + 1 < N_KINDS && !kinds[kind].detect(path))
        kind++;
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

void open_trace_files(const trace_source_t *source, void (*visit)(void *ctx, const char *path),
                      void *ctx)
{
    for (unsigned i = 0; i < N_KINDS; i++)
        if (strcmp(source->ops->name, kinds[i].name) == 0)
            kinds[i].files(source, visit, ctx);
}
