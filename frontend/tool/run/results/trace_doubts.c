#include "frontend/tool/run/results/trace_doubts.h"

#include "sim/core/log.h"

void trace_doubts_warn(const char *path, const stream_doubts_t *d)
{
    for (unsigned i = 0; i < STREAM_DOUBT_COUNT; i++) {
        const stream_doubt_t doubt = stream_doubt(d, i);
        if (doubt.n > 0)
            rb_warn(
                "%s: %llu of %llu %s: possible, but hardly what the program did; the tracer or a "
                "conversion may have lost something",
                path, (unsigned long long)doubt.n, (unsigned long long)doubt.of, doubt.what);
    }
}

void trace_doubts_json(json_t *j, const stream_doubts_t *d)
{
    json_begin_object(j, "doubts");
    for (unsigned i = 0; i < STREAM_DOUBT_COUNT; i++) {
        const stream_doubt_t doubt = stream_doubt(d, i);
        json_u64(j, doubt.name, doubt.n);
    }
    json_end(j);
}
