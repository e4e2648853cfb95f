#include "frontend/tool/cli/trace/info_graph.h"

#include "frontend/tool/io/text_format.h"

static rb_code_t graph_of(trace_source_t *source, const stream_graph_t **g, rb_err_t *err)
{
    *g = NULL;
    return source->ops->graph == NULL ? RB_OK : source->ops->graph(source, g, err);
}

static void print_kind(const stream_summary_t *s, stream_op_kind_t kind, const char *name,
                       FILE *out)
{
    char bytes[FORMAT_MAX];
    const uint64_t n = s->ops[kind];
    if (n == 0)
        return;
    fprintf(out, ", %llu %s", (unsigned long long)n, name);
    if (s->bytes[kind] > 0)
        fprintf(out, " (%s)", format_bytes(bytes, s->bytes[kind]));
}

rb_code_t info_graph_text(trace_source_t *source, FILE *out, rb_err_t *err)
{
    const stream_graph_t *g;
    stream_summary_t s;
    RB_TRY(graph_of(source, &g, err));
    if (g == NULL)
        return RB_OK;
    stream_graph_summary(g, &s);
    fprintf(out, "%llu stream%s of the program: %llu launch%s", (unsigned long long)s.streams,
            s.streams == 1 ? "" : "s", (unsigned long long)s.ops[STREAM_OP_LAUNCH],
            s.ops[STREAM_OP_LAUNCH] == 1 ? "" : "es");
    print_kind(&s, STREAM_OP_TO_DEVICE, "to the device", out);
    print_kind(&s, STREAM_OP_FROM_DEVICE, "to the host", out);
    print_kind(&s, STREAM_OP_WITHIN, "within the device", out);
    print_kind(&s, STREAM_OP_SET, "to set memory", out);
    print_kind(&s, STREAM_OP_HOST, "where the host waits", out);
    fprintf(out,
            "\n%llu dependences; the longest chain has %llu operations; up to %llu launch%s can "
            "run at the same time\n",
            (unsigned long long)s.waits, (unsigned long long)s.longest,
            (unsigned long long)s.widest, s.widest == 1 ? "" : "es");
    return RB_OK;
}

static void json_operation(json_t *j, const stream_graph_t *g, const stream_op_t *op)
{
    json_begin_object(j, NULL);
    json_text(j, "kind", stream_op_name((stream_op_kind_t)op->kind));
    if (op->kind != STREAM_OP_HOST) {
        json_u64(j, "stream", op->stream);
        json_f64(j, "priority", op->priority);
    }
    if (op->kind == STREAM_OP_LAUNCH)
        json_u64(j, "launch", op->launch);
    if (op->bytes > 0)
        json_u64(j, "bytes", op->bytes);
    json_begin_array(j, "waits");
    for (uint32_t i = 0; i < op->n_waits; i++)
        json_u64(j, NULL, (uint64_t)g->waits[op->first_wait + i] + 1);
    json_end(j);
    json_end(j);
}

rb_code_t info_graph_json(trace_source_t *source, json_t *j, rb_err_t *err)
{
    const stream_graph_t *g;
    stream_summary_t s;
    RB_TRY(graph_of(source, &g, err));
    if (g == NULL)
        return RB_OK;
    stream_graph_summary(g, &s);
    json_begin_object(j, "graph");
    json_u64(j, "streams", s.streams);
    json_u64(j, "longest_chain", s.longest);
    json_u64(j, "launches_at_once", s.widest);
    json_begin_rows(j, "operations");
    for (size_t i = 0; i < g->n; i++)
        json_operation(j, g, &g->ops[i]);
    json_end(j);
    json_end(j);
    return RB_OK;
}
