#include "tests/support/source_check.h"

#include <string.h>

#include "sim/isa/isa.h"
#include "tests/support/trace/stream_check.h"

static void check_inst(const inst_t *in)
{
    RB_INVARIANT(in->cls < OP_CLASS_COUNT, "class %u", in->cls);
    RB_INVARIANT(in->n_dst <= INST_MAX_DST && in->n_src <= INST_MAX_SRC, "operands");
    RB_INVARIANT(in->n_wait <= INST_MAX_DEPS && in->n_set <= in->n_wait, "dependences");
    RB_INVARIANT(in->width <= 16 && (in->width & (in->width - 1)) == 0, "width %u", in->width);
    for (unsigned i = 0; i < in->n_wait; i++)
        RB_INVARIANT(in->dep[i] < REG_ID_COUNT, "register %u", in->dep[i]);
}

/* The message, which must be one line, if there is any. */
static void check_text(trace_source_t *s, trace_launch_t *l, const inst_t *in)
{
    uint32_t len = 0;
    const char *text = s->ops->inst_text != NULL ? s->ops->inst_text(l, in, &len) : NULL;

    RB_INVARIANT(text == NULL || (len > 0 && memchr(text, '\n', len) == NULL &&
                                  memchr(text, '\0', len) == NULL),
                 "text of an instruction");
}

static void check_line(trace_source_t *s, trace_launch_t *l, const inst_t *in)
{
    source_line_t line;

    if (s->ops->inst_line == NULL || !s->ops->inst_line(l, in, &line))
        return;
    RB_INVARIANT(line.line > 0 && strchr(line.file, '\n') == NULL, "line of an instruction");
}

static void check_code(trace_source_t *s, trace_launch_t *l, const trace_block_t *b)
{
    for (uint32_t w = 0; w < b->n_warps; w++)
        for (uint32_t i = 0; i < b->warps[w].n_runs; i++) {
            const trace_run_t *run = &b->warps[w].runs[i];

            for (unsigned k = 0; k < run->count; k++) {
                check_inst(run->first + k);
                check_text(s, l, run->first + k);
                check_line(s, l, run->first + k);
            }
        }
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
        RB_INVARIANT(b->index == k && k < info.n_blocks, "index");
        stream_check_damaged(&info, b);
        check_code(s, l, b);
        s->ops->free_block(l, b);
    }
    s->ops->close(l);
    return code;
}
