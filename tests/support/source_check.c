#include "tests/support/source_check.h"

#include <string.h>

#include "sim/isa/isa.h"

static void check_inst(const inst_t *in)
{
    RB_INVARIANT(in->cls < OP_CLASS_COUNT, "class %u", in->cls);
    RB_INVARIANT(in->n_dst <= INST_MAX_DST && in->n_src <= INST_MAX_SRC, "operands");
    RB_INVARIANT(in->n_wait <= INST_MAX_DEPS && in->n_set <= in->n_wait, "dependences");
    RB_INVARIANT(in->width <= 16 && (in->width & (in->width - 1)) == 0, "width %u", in->width);
    for (unsigned i = 0; i < in->n_wait; i++)
        RB_INVARIANT(in->dep[i] < REG_ID_COUNT, "register %u", in->dep[i]);
}

/* Words of the record at word of the warp's records, 0 if the instruction has none. */
static size_t check_record(const inst_t *in, uint32_t mask, const warp_stream_t *w, size_t word)
{
    size_t left = w->n_addr_words - word;

    if (in->space == MEM_NONE || in->width == 0 || mask == 0)
        return 0;
    RB_INVARIANT(left > 0, "an address record is missing");
    const uint64_t *rec = w->addrs + word;

    RB_INVARIANT(addr_lanes(rec) == (unsigned)__builtin_popcount(mask), "lanes");
    RB_INVARIANT(addr_words(rec) <= left, "an address record is cut");
    return addr_words(rec);
}

/* In one line, if there is any. */
static void check_text(trace_source_t *s, trace_launch_t *l, const inst_t *in)
{
    uint32_t len = 0;
    const char *text = s->ops->inst_text != NULL ? s->ops->inst_text(l, in, &len) : NULL;

    RB_INVARIANT(text == NULL || (len > 0 && memchr(text, '\n', len) == NULL &&
                                  memchr(text, '\0', len) == NULL),
                 "text of an instruction");
}

static void check_warp(trace_source_t *s, trace_launch_t *l, const warp_stream_t *w)
{
    size_t word = 0;
    uint64_t insts = 0;

    for (uint32_t i = 0; i < w->n_runs; i++) {
        const trace_run_t *run = &w->runs[i];

        RB_INVARIANT(run->count > 0, "an empty run");
        for (unsigned k = 0; k < run->count; k++) {
            check_inst(run->first + k);
            check_text(s, l, run->first + k);
            word += check_record(run->first + k, run->mask, w, word);
        }
        insts += run->count;
    }
    RB_INVARIANT(word == w->n_addr_words, "address records left over");
    RB_INVARIANT(insts == w->n_insts, "instruction count");
}

static void check_block(trace_source_t *s, trace_launch_t *l, const launch_info_t *info,
                        const trace_block_t *b, uint64_t index)
{
    uint64_t insts = 0;

    RB_INVARIANT(b->index == index && index < info->n_blocks, "index");
    RB_INVARIANT(b->n_warps == (info->block[0] * info->block[1] * info->block[2] + 31) / 32,
                 "warps");
    for (unsigned i = 0; i < 3; i++)
        RB_INVARIANT(b->id[i] < info->grid[i], "block id");
    for (unsigned w = 0; w < b->n_warps; w++) {
        check_warp(s, l, &b->warps[w]);
        insts += b->warps[w].n_insts;
    }
    RB_INVARIANT(insts == b->n_insts, "instructions of the block");
}

rb_code_t source_check_launch(trace_source_t *s, uint64_t id, rb_err_t *err)
{
    launch_info_t info;
    trace_launch_t *l;
    trace_block_t *b;
    rb_code_t code;

    RB_TRY(s->ops->launch_info(s, id, &info, err));
    RB_INVARIANT(info.n_blocks > 0 && isa_arch_name(info.arch) != NULL, "launch");
    RB_TRY(s->ops->open(s, id, &l, err));
    for (uint64_t k = 0; (code = s->ops->get_block(l, k, &b, err)) == RB_OK && b != NULL; k++) {
        check_block(s, l, &info, b, k);
        s->ops->free_block(l, b);
    }
    s->ops->close(l);
    return code;
}
