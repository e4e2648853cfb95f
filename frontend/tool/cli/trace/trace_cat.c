#include "frontend/tool/cli/trace/trace_cat.h"

#include <ctype.h>
#include <inttypes.h>

#include "frontend/tool/cli/trace/launch_position.h"
#include "sim/gpu/source/read_blocks.h"
#include "sim/isa/isa.h"

/* Returns the next word of a text; *len is its length. */
static const char *next_word(const char **p, const char *end, int *len)
{
    while (*p < end && isspace((unsigned char)**p))
        ++*p;
    const char *word = *p;

    while (*p < end && !isspace((unsigned char)**p))
        ++*p;
    *len = (int)(*p - word);
    return word;
}

/* Prints "1 R4 LDG.E.SYS 1 R2 4 @ 0" as "LDG.E.SYS R4, R2"; other texts unchanged. */
static void print_text(const char *text, uint32_t n, FILE *out)
{
    const char *p = text, *end = text + n, *dst;
    int len, dst_len = 0;
    const char *word = next_word(&p, end, &len);

    if (len > 1 && *word == 'L' && isdigit((unsigned char)word[1]))
        word = next_word(&p, end, &len);
    if (len == 0 || !isdigit((unsigned char)*word)) {
        fprintf(out, "%.*s", (int)n, text);
        return;
    }
    int n_dst = *word - '0';

    dst = NULL;
    for (int i = 0; i < n_dst; i++) {
        word = next_word(&p, end, &len);
        if (i == 0)
            dst = word;
        dst_len = (int)(word + len - dst);
    }
    word = next_word(&p, end, &len);
    fprintf(out, "%-20.*s", len, word);
    if (dst_len > 0)
        fprintf(out, " %.*s", dst_len, dst);
    word = next_word(&p, end, &len);
    for (int n_src = len > 0 && isdigit((unsigned char)*word) ? *word - '0' : 0, i = 0; i < n_src;
         i++) {
        word = next_word(&p, end, &len);
        fprintf(out, "%s%.*s", i > 0 || dst_len > 0 ? ", " : " ", len, word);
    }
}

static void print_addresses(const uint64_t *rec, FILE *out)
{
    uint64_t addr[32];
    unsigned n = addr_unpack(rec, addr);

    if (addr_form(rec) == ADDR_AFFINE) {
        fprintf(out, "  0x%" PRIx64, addr[0]);
        if (n > 1)
            fprintf(out, " %+" PRId32 " x%u", addr_stride(rec), n);
        return;
    }
    for (unsigned k = 0; k < n; k++)
        fprintf(out, "%s0x%" PRIx64, k == 0 ? "  " : " ", addr[k]);
}

static void print_inst(trace_source_t *source, trace_launch_t *l, const inst_t *in, uint32_t mask,
                       const uint64_t **rec, FILE *out)
{
    uint32_t len = 0;
    const char *text = source->ops->inst_text != NULL ? source->ops->inst_text(l, in, &len) : NULL;

    fprintf(out, "%04x %08x  ", in->pc, mask);
    if (text != NULL)
        print_text(text, len, out);
    else
        fprintf(out, "%s", isa_opcode(in->opcode)->mnemonic);
    if (in->space != MEM_NONE && in->width != 0 && mask != 0) {
        print_addresses(*rec, out);
        *rec += addr_words(*rec);
    }
    fputc('\n', out);
}

static void print_warp(trace_source_t *source, trace_launch_t *l, const trace_block_t *b,
                       uint32_t w, FILE *out)
{
    warp_stream_t *warp = &b->warps[w];

    fprintf(out, "warp %u: %" PRIu64 " instructions\n", w, warp->n_insts);
    for (bool some = stream_first(warp); some; some = stream_next(warp)) {
        const uint64_t *rec = warp->addrs;

        for (uint32_t r = 0; r < warp->n_runs; r++)
            for (unsigned k = 0; k < warp->runs[r].count; k++)
                print_inst(source, l, warp->runs[r].first + k, warp->runs[r].mask, &rec, out);
    }
}

static rb_code_t print_block(trace_source_t *source, trace_launch_t *l, const launch_info_t *info,
                             const trace_cat_t *what, FILE *out, rb_err_t *err)
{
    trace_block_t *b = NULL;
    rb_code_t code = RB_OK;

    RB_TRY(source->ops->get_block(l, what->block, &b, err));
    if (b == NULL)
        return rb_fail(err, RB_USAGE, "launch %" PRIu64 " of the trace has no block %" PRIu64,
                       info->id, what->block);
    if (what->warp >= (int64_t)b->n_warps) {
        code = rb_fail(err, RB_USAGE, "block %" PRIu64 " has warps 0 to %u", what->block,
                       b->n_warps - 1);
    } else {
        fprintf(out, "launch %" PRIu64 " (%s), block %" PRIu64 " = %u,%u,%u\n", info->id,
                info->name, b->index, b->id[0], b->id[1], b->id[2]);
        for (uint32_t w = 0; w < b->n_warps; w++)
            if (what->warp == TRACE_CAT_ALL_WARPS || what->warp == (int64_t)w)
                print_warp(source, l, b, w, out);
    }
    source->ops->free_block(l, b);
    return code;
}

rb_code_t trace_cat(trace_source_t *source, const trace_cat_t *what, FILE *out, rb_err_t *err)
{
    uint64_t position = 1;
    launch_info_t info;
    block_reading_t reading;

    if (what->launch != 0)
        RB_TRY(launch_position(source, what->launch, &position, err));
    if (position == 0 || position > source->ops->n_launches(source))
        return rb_fail(err, RB_USAGE, "the trace has no launch %" PRIu64, what->launch);
    RB_TRY(source->ops->launch_info(source, position, &info, err));
    RB_TRY(block_reading_open(&reading, source, position, err));
    rb_code_t code = print_block(source, reading.launch, &info, what, out, err);

    block_reading_close(&reading);
    return code;
}
