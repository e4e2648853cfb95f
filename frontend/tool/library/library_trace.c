/* Traces from files and from the caller's functions. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/library_internal.h"
#include "frontend/tool/library/open_trace.h"
#include "sim/core/alloc.h"
#include "sim/core/files/unnamed_file.h"

const char *library_tmpdir(const char *named)
{
    return unnamed_file_dir(named);
}

/* Architectures after Ampere run on the largest model. */
const char *library_default_gpu(unsigned arch)
{
    if (arch < 80)
        return arch == 75 ? "rtx2060" : "v100";
    return arch == 80 || arch >= 90 ? "a100" : "rtx3070";
}

/* Hands an open source over to its handle. tmpdir: as for library_tmpdir(). */
static void take(rubato_trace *t, trace_source_t *source, const char *tmpdir)
{
    t->tmpdir = rb_strdup(library_tmpdir(tmpdir));
    t->source = source;
    if (source != NULL)
        source->tmpdir = t->tmpdir;
}

/* Makes the handle of a source; returns NULL with an error if there is none. */
static rubato_trace *finish(rubato_trace *t, const rb_err_t *err, rubato_error *error)
{
    if (t->source != NULL)
        return t;
    library_fail(error, err);
    rubato_trace_destroy(t);
    return NULL;
}

rubato_trace *rubato_trace_open(const char *path, const char *tmpdir, const rubato_log *log,
                                rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(path, "path", error))
        return NULL;
    rubato_trace *t = rb_calloc(1, sizeof(*t));
    library_scope_init(&t->scope, log);
    library_entry_t before = library_enter(&t->scope);
    take(t, open_trace(path, library_tmpdir(tmpdir), &err), tmpdir);
    library_leave(before);
    return finish(t, &err, error);
}

rubato_trace *rubato_trace_create(const rubato_source *source, const rubato_log *log,
                                  rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(source, "source", error))
        return NULL;
    rubato_trace *t = rb_calloc(1, sizeof(*t));
    library_scope_init(&t->scope, log);
    take(t, source_calls_create(source, &err), NULL);
    return finish(t, &err, error);
}

rubato_trace *library_trace_open(const char *path, const char *tmpdir, rb_err_t *err)
{
    rubato_error error = {0};
    rubato_trace *t = rubato_trace_open(path, tmpdir, &library_program_log, &error);
    if (t == NULL)
        library_error(&error, err);
    return t;
}

rubato_trace *library_trace_take(trace_source_t *source, const char *tmpdir)
{
    rubato_trace *t = rb_calloc(1, sizeof(*t));
    library_scope_init(&t->scope, &library_program_log);
    take(t, source, tmpdir);
    return t;
}

trace_source_t *library_trace_source(const rubato_trace *trace)
{
    return trace->source;
}

void rubato_trace_destroy(rubato_trace *trace)
{
    if (trace == NULL)
        return;
    if (trace->source != NULL)
        trace->source->ops->destroy(trace->source);
    library_scope_free(&trace->scope);
    free(trace->tmpdir);
    free(trace);
}

uint64_t rubato_trace_launches(const rubato_trace *trace)
{
    return trace != NULL ? trace->source->ops->n_launches(trace->source) : 0;
}

rubato_code rubato_trace_launch(rubato_trace *trace, uint64_t id, rubato_launch_info *info,
                                rubato_error *error)
{
    rb_err_t err = {0};
    launch_info_t l;
    if (!library_given(trace, "trace", error) || !library_given(info, "info", error))
        return RUBATO_USAGE;
    library_entry_t before = library_enter(&trace->scope);
    if (id == 0 || id > rubato_trace_launches(trace)) {
        rb_fail(&err, RB_USAGE, "there is no launch %llu, only 1 to %llu", (unsigned long long)id,
                (unsigned long long)rubato_trace_launches(trace));
    } else if (trace->source->ops->launch_info(trace->source, id, &l, &err) == RB_OK) {
        *info = (rubato_launch_info){.id = l.id,
                                     .trace_id = l.trace_id,
                                     .name = l.name,
                                     .registers = l.regs,
                                     .shared_bytes = l.shared_bytes,
                                     .arch = l.arch,
                                     .stream = l.stream};
        memcpy(info->grid, l.grid, sizeof(info->grid));
        memcpy(info->block, l.block, sizeof(info->block));
    }
    library_leave(before);
    return library_fail(error, &err);
}

const char *rubato_trace_gpu(rubato_trace *trace)
{
    rubato_launch_info first = {0};
    if (trace == NULL)
        return NULL;
    (void)rubato_trace_launch(trace, 1, &first, NULL);
    return library_default_gpu(first.arch);
}
