#include "frontend/tool/run/run_streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

static bool read_number(const char **text, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    *out = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0 && *out <= most;
}

/* Reads "0:sm=0-39" and a comma. */
static bool read_share(const char **text, sm_share_t *out)
{
    static const char word[] = ":sm=";
    uint64_t first, last;
    if (!read_number(text, UINT64_MAX, &out->stream) || strncmp(*text, word, sizeof(word) - 1) != 0)
        return false;
    *text += sizeof(word) - 1;
    if (!read_number(text, UINT32_MAX, &first))
        return false;
    last = first;
    if (**text == '-') {
        ++*text;
        if (!read_number(text, UINT32_MAX, &last))
            return false;
    }
    out->first = (uint32_t)first;
    out->last = (uint32_t)last;
    const bool more = **text == ',' && (*text)[1] != '\0';
    *text += more;
    return first <= last && (more || **text == '\0');
}

rb_code_t run_streams_parse(const char *text, sm_share_t **out, size_t *n, rb_err_t *err)
{
    const char *at = text;
    size_t cap = 0;
    *out = NULL;
    *n = 0;
    do {
        rb_grow(out, &cap, *n + 1, sizeof(**out));
        if (!read_share(&at, &(*out)[*n]))
            return rb_fail(err, RB_USAGE,
                           "--streams: '%.100s' is not a list of streams and SMs such as "
                           "0:sm=0-39,2:sm=40-79",
                           text);
        for (size_t i = 0; i < *n; i++) {
            if ((*out)[i].stream == (*out)[*n].stream)
                return rb_fail(err, RB_USAGE, "--streams: stream %llu is named twice",
                               (unsigned long long)(*out)[i].stream);
        }
        ++*n;
    } while (*at != '\0');
    return RB_OK;
}

static void put_row(csv_t *c, size_t i, const stream_op_t *op, const stream_op_time_t *t,
                    bool estimated)
{
    const bool launch = op->kind == STREAM_OP_LAUNCH;
    csv_u64(c, i + 1);
    csv_text(c, stream_op_name((stream_op_kind_t)op->kind));
    csv_u64(c, op->stream);
    csv_f64(c, op->priority);
    if (launch)
        csv_u64(c, op->launch);
    else
        csv_text(c, NULL);
    csv_u64(c, op->bytes);
    csv_u64(c, t->ready);
    csv_u64(c, t->start);
    csv_u64(c, t->end);
    csv_u64(c, t->end - t->start);
    if (launch) {
        csv_u64(c, t->alone);
        csv_u64(c, t->end - t->start - t->alone);
    } else {
        csv_text(c, NULL);
        csv_text(c, NULL);
    }
    csv_u64(c, t->critical);
    csv_u64(c, estimated);
    csv_end_row(c);
}

rb_code_t run_streams_write(const char *folder, const stream_graph_t *g,
                            const stream_op_time_t *times, bool estimated, rb_err_t *err)
{
    out_file_t file;
    RB_TRY(out_file_open(&file, folder, "streams.csv", err));
    csv_t c = {.out = file.out};
    fputs("operation,kind,stream,priority,launch,bytes,ready,start,end,cycles,alone,shared,"
          "critical,estimated\n",
          file.out);
    for (size_t i = 0; i < g->n; i++) {
        if (times[i].ran)
            put_row(&c, i, &g->ops[i], &times[i], estimated);
    }
    return out_file_close(&file, RB_OK, err);
}

static void put_counters(csv_t *c, const char *part, const stat_def_t *defs, const uint64_t *values,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char path[80];
        snprintf(path, sizeof(path), "copies.%s.%s", part, defs[i].name);
        csv_text(c, path);
        csv_u64(c, values[i]);
        csv_text(c, defs[i].unit);
        csv_end_row(c);
    }
}

rb_code_t run_streams_write_copies(const char *folder, const copy_counters_t *copies, rb_err_t *err)
{
    out_file_t file;
    RB_TRY(out_file_open(&file, folder, "copies.csv", err));
    csv_t c = {.out = file.out};
    fputs("path,value,unit\n", file.out);
    put_counters(&c, "l2", l2_stat_defs, (const uint64_t *)&copies->l2, L2_STAT_COUNT);
    put_counters(&c, "dram", dram_stat_defs, (const uint64_t *)&copies->dram, DRAM_STAT_COUNT);
    return out_file_close(&file, RB_OK, err);
}

void run_streams_tell(const stream_graph_t *g, const stream_op_time_t *times, bool estimated)
{
    uint64_t launches = 0, overlapped = 0, end = 0, sum = 0;
    for (size_t i = 0; i < g->n; i++) {
        if (!times[i].ran)
            continue;
        const uint64_t cycles = times[i].end - times[i].start;
        end = times[i].end > end ? times[i].end : end;
        sum += cycles;
        if (g->ops[i].kind != STREAM_OP_LAUNCH)
            continue;
        launches++;
        overlapped += times[i].alone < cycles;
    }
    rb_info("the work of all streams %s %llu cycles, its launches and copies one by one %llu; %llu "
            "of %llu launches overlap%s%s",
            estimated ? "would take" : "took", (unsigned long long)end, (unsigned long long)sum,
            (unsigned long long)overlapped, (unsigned long long)launches, estimated ? "" : "ped",
            estimated ? " (a replay with their mean durations)" : "");
}
