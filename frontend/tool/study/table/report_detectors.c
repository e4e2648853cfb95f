#include "frontend/tool/study/table/report_detectors.h"

#include <stdlib.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/run/results/run_detectors.h"
#include "frontend/tool/study/sweep/sweep.h"

/* Limit of their size in a page, so that the page opens at once. */
enum { BYTES_MAX = 6 << 20 };

/* Finds the file of a folder; NULL: it has none. The caller frees the path. */
static char *find(const char *folder)
{
    char *path = out_path(folder, RUN_DETECTORS_FILE);
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static rb_code_t write_section(FILE *out, const char *folder, const char *title, size_t bytes_max,
                               rb_err_t *err)
{
    char *path = find(folder);
    rb_code_t rc = RB_OK;
    if (path != NULL) {
        report_page_section(out, false);
        rc = page_detectors(out, path, title, bytes_max, format_kernel, err);
    }
    free(path);
    return rc;
}

rb_code_t report_detectors_run(FILE *out, const char *folder, const char *title, rb_err_t *err)
{
    return write_section(out, folder, title, BYTES_MAX, err);
}

static rb_code_t write_jobs(FILE *out, const sweep_t *s, rb_err_t *err)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_jobs; i++) {
        char *path = s->jobs[i].same == i ? find(s->jobs[i].folder) : NULL;
        n += path != NULL;
        free(path);
    }
    for (size_t i = 0; i < s->n_jobs; i++) {
        if (s->jobs[i].same == i)
            RB_TRY(write_section(out, s->jobs[i].folder, s->jobs[i].label,
                                 BYTES_MAX / (n > 0 ? n : 1), err));
    }
    return RB_OK;
}

rb_code_t report_detectors_jobs(FILE *out, const char *folder, rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    rb_code_t rc = sweep_open(&s, folder, err);
    if (rc == RB_OK)
        rc = write_jobs(out, &s, err);
    sweep_free(&s);
    return rc;
}
