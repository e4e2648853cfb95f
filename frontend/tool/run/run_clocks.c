#include "frontend/tool/run/run_clocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"

struct run_clocks {
    out_file_t file;
};

rb_code_t run_clocks_open(run_clocks_t **out, const char *folder, rb_err_t *err)
{
    run_clocks_t *x = rb_calloc(1, sizeof(*x));
    rb_code_t rc = out_file_open(&x->file, folder, RUN_CLOCKS_FILE, err);
    if (rc != RB_OK) {
        free(x);
        return rc;
    }
    fputs("launch,block,warp,read,clock\n", x->file.out);
    *out = x;
    return RB_OK;
}

void run_clocks_add(run_clocks_t *x, const launch_info_t *info, const clock_read_t *reads, size_t n)
{
    uint64_t number = 0;
    for (size_t i = 0; i < n; i++) {
        const clock_read_t *r = &reads[i];
        const bool same = i > 0 && r[-1].block == r->block && r[-1].warp == r->warp;
        number = same ? number + 1 : 0;
        fprintf(x->file.out, "%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 "\n",
                info->id, r->block, r->warp, number, (uint64_t)r->cycle);
    }
}

rb_code_t run_clocks_finish(run_clocks_t *x, rb_err_t *err)
{
    return x != NULL ? out_file_close(&x->file, RB_OK, err) : RB_OK;
}

void run_clocks_free(run_clocks_t *x)
{
    if (x == NULL)
        return;
    out_file_abandon(&x->file);
    free(x);
}
