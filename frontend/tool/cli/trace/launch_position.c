#include "frontend/tool/cli/trace/launch_position.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frontend/tool/io/option_value.h"

rb_code_t launch_position(trace_source_t *source, uint64_t id, uint64_t *position, rb_err_t *err)
{
    uint64_t lo = 1, hi = source->ops->n_launches(source) + 1;
    launch_info_t info = {0};

    *position = 0;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;

        RB_TRY(source->ops->launch_info(source, mid, &info, err));
        if (info.id == id) {
            *position = mid;
            return RB_OK;
        }
        if (info.id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return RB_OK;
}

/* Whether the trace has every id from 1 to its last one. */
static rb_code_t is_whole(trace_source_t *source, uint64_t *last, bool *whole, rb_err_t *err)
{
    launch_info_t info;
    uint64_t n = source->ops->n_launches(source);

    RB_TRY(source->ops->launch_info(source, n, &info, err));
    *last = info.id;
    *whole = info.id == n;
    return RB_OK;
}

rb_code_t launch_positions(trace_source_t *source, const char *list, uint64_t **positions,
                           size_t *n, rb_err_t *err)
{
    uint64_t last, *ids;
    size_t kept = 0, n_ids;
    bool whole;

    RB_TRY(is_whole(source, &last, &whole, err));
    RB_TRY(option_id_list("launches", list, last, &ids, &n_ids, err));
    for (size_t i = 0; i < n_ids && !whole; i++) {
        uint64_t position;
        rb_code_t code = launch_position(source, ids[i], &position, err);

        if (code != RB_OK) {
            free(ids);
            return code;
        }
        if (position != 0)
            ids[kept++] = position;
    }
    *positions = ids;
    *n = whole ? n_ids : kept;
    if (*n > 0)
        return RB_OK;
    free(ids);
    *positions = NULL;
    return rb_fail(err, RB_USAGE, "--launches %s: the trace has none of these launches", list);
}
