#include "frontend/tool/run/results/run_finished.h"

#include <string.h>

#include "frontend/tool/report/json_walk.h"
#include "frontend/tool/run/results/run_report.h"

/* The contents of a run.json. */
typedef struct {
    trace_identity_t *trace;
    bool complete;
    char identity[REPORT_IDENTITY];
    char sha256[SHA256_TEXT]; /* hash of the trace; "": see the files that were read */
    char file[512];           /* a file that was read; its hash follows */
    rb_err_t err;
} finished_t;

static void take_text(char *to, size_t size, const json_reader_t *r)
{
    snprintf(to, size, "%s", r->text);
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

static void take_leaf(void *ctx, const char *path, json_event_t e, const json_reader_t *r)
{
    finished_t *f = ctx;
    if (strcmp(path, "complete") == 0) {
        f->complete = e == JSON_READ_TRUE;
    } else if (e != JSON_READ_STRING) {
        return;
    } else if (strcmp(path, "identity") == 0) {
        take_text(f->identity, sizeof(f->identity), r);
    } else if (strcmp(path, "trace.sha256") == 0) {
        take_text(f->sha256, sizeof(f->sha256), r);
    } else if (strncmp(path, "trace.read[", 11) == 0) {
        if (ends_with(path, ".file"))
            take_text(f->file, sizeof(f->file), r);
        else if (ends_with(path, ".sha256") && f->err.code == RB_OK)
            (void)!trace_identity_recall(f->trace, f->file, r->text, &f->err);
    }
}

rb_code_t run_finished_check(const char *path, const char *identity, trace_identity_t *trace,
                             bool *complete, rb_err_t *err)
{
    finished_t f = {.trace = trace};
    const json_walk_t walk = {.leaf = take_leaf, .ctx = &f};
    char wanted[REPORT_IDENTITY];
    trace_read_t read;
    RB_TRY(json_walk_file(path, &walk, err));
    if (f.err.code != RB_OK)
        return rb_fail(err, f.err.code, "%s", f.err.text);
    if (f.sha256[0] != '\0')
        RB_TRY(trace_identity_recall_all(trace, f.sha256, err));
    trace_identity_result(trace, &read);
    report_identity(wanted, identity, &read);
    *complete = f.complete;
    if (strcmp(f.identity, wanted) == 0)
        return RB_OK;
    return rb_fail(err, RB_USAGE,
                   "%s: has the results of another run (trace, configuration, version, build or "
                   "selection differ); --force starts over",
                   path);
}
