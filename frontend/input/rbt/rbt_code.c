#include "frontend/input/rbt/rbt_code.h"

#include <stdlib.h>

#include "sim/isa/inst_check.h"
#include "sim/isa/isa.h"

/* Minimum bytes of an instruction, a basic block and a span: they bound what a damaged count can
 * allocate. */
enum { INST_BYTES_MIN = 20, BB_BYTES_MIN = 3, SPAN_BYTES_MIN = 2, MNEMONIC_MAX = 64 };

void rbt_code_free(rbt_code_t *c)
{
    free(c->insts);
    free(c->text_at);
    free(c->has_text);
    free(c->texts);
    free(c->bbs);
    free(c->spans);
    free(c->lines);
    for (size_t i = 0; i < c->n_files; i++)
        free(c->files[i]);
    free(c->files);
    *c = (rbt_code_t){0};
}

static void read_operands(rbt_in_t *in, reg_op_t *ops, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = rbt_get_bytes(in, 3);

        if (p == NULL)
            return;
        ops[i] = (reg_op_t){.file = p[0], .num = p[1], .count = p[2]};
    }
}

static void read_dependences(rbt_in_t *in, inst_t *inst)
{
    inst->n_wait = rbt_get_u8(in);
    inst->n_set = rbt_get_u8(in);
    if (inst->n_wait > INST_MAX_DEPS || inst->n_set > inst->n_wait) {
        in->bad = true;
        inst->n_wait = inst->n_set = 0;
    }
    for (unsigned k = 0; k < inst->n_wait; k++)
        inst->dep[k] = (uint16_t)rbt_get_count(in, REG_ID_COUNT - 1);
    const uint8_t *banks = rbt_get_bytes(in, sizeof(inst->bank_reads));

    if (banks != NULL)
        memcpy(inst->bank_reads, banks, sizeof(inst->bank_reads));
}

static void read_registers(rbt_code_t *c, rbt_in_t *in)
{
    for (size_t i = 0; i < c->n_insts && !in->bad; i++) {
        inst_t *inst = &c->insts[i];

        inst->n_dst = rbt_get_u8(in);
        inst->n_src = rbt_get_u8(in);
        if (inst->n_dst > INST_MAX_DST || inst->n_src > INST_MAX_SRC) {
            in->bad = true;
            return;
        }
        read_operands(in, inst->dst, inst->n_dst);
        read_operands(in, inst->src, inst->n_src);
        read_dependences(in, inst);
        in->bad |= !inst_is_valid(inst);
        if (!in->bad) {
            isa_derive(inst);
            isa_link(inst, i);
        }
    }
}

/* Opcodes are matched by name: their numbers may have changed since the file was written. */
static void read_opcodes(rbt_code_t *c, rbt_in_t *in)
{
    for (size_t i = 0; i < c->n_insts && !in->bad; i++) {
        size_t len = rbt_get_count(in, MNEMONIC_MAX);
        const uint8_t *name = rbt_get_bytes(in, len);
        int number = name != NULL ? isa_find((const char *)name, len) : -1;

        c->insts[i].opcode = number >= 0 ? (uint16_t)number : 0;
    }
}

#define GET_FIELD(field, expr)                                                                     \
    for (size_t i = 0; i < c->n_insts && !in->bad; i++)                                            \
    c->insts[i].field = (expr)

static void read_fields(rbt_code_t *c, rbt_in_t *in, const uint8_t *classes, size_t n_classes)
{
    uint32_t pc = 0;

    for (size_t i = 0; i < c->n_insts; i++)
        pc = c->insts[i].pc = pc + (uint32_t)rbt_get_signed(in);
    read_opcodes(c, in);
    for (size_t i = 0; i < c->n_insts && !in->bad; i++) {
        uint8_t cls = rbt_get_u8(in);

        if (cls >= n_classes)
            in->bad = true;
        else
            c->insts[i].cls = classes[cls];
    }
    GET_FIELD(space, rbt_get_u8(in));
    GET_FIELD(access, rbt_get_u8(in));
    GET_FIELD(width, rbt_get_u8(in));
    GET_FIELD(flops, rbt_get_u8(in));
    GET_FIELD(flags, (uint32_t)rbt_get_count(in, UINT32_MAX));
    GET_FIELD(ctl, (uint32_t)rbt_get_count(in, UINT32_MAX));
    GET_FIELD(imm, (int32_t)rbt_get_count(in, UINT32_MAX));
    GET_FIELD(const_offset, (uint16_t)rbt_get_count(in, UINT16_MAX));
    GET_FIELD(const_bank, rbt_get_u8(in));
}

static void read_texts(rbt_code_t *c, rbt_in_t *in)
{
    uint64_t total = 0;

    for (size_t i = 0; i < c->n_insts; i++) {
        uint64_t len = rbt_get_count(in, RBT_CODE_BYTES);

        c->has_text[i] = len > 0;
        c->text_at[i] = (uint32_t)total;
        total += len > 0 ? len - 1 : 0;
        if (total > rbt_in_left(in)) {
            in->bad = true;
            return;
        }
    }
    c->text_at[c->n_insts] = (uint32_t)total;
    const uint8_t *texts = rbt_get_bytes(in, total);

    if (texts == NULL)
        return;
    c->texts = rb_calloc(total + 1, 1);
    memcpy(c->texts, texts, total);
}

static void read_bbs(rbt_code_t *c, rbt_in_t *in)
{
    size_t cap = 0, n = 0;

    for (size_t i = 0; i < c->n_bbs && !in->bad; i++) {
        rbt_bb_t *bb = &c->bbs[i];

        bb->span = (uint32_t)n;
        bb->n_spans = (uint32_t)rbt_get_count(in, rbt_in_left(in) / SPAN_BYTES_MIN);
        rb_grow(&c->spans, &cap, n + bb->n_spans, sizeof(c->spans[0]));
        for (uint32_t k = 0; k < bb->n_spans; k++) {
            rbt_span_t s = {.first = (uint32_t)rbt_get_count(in, c->n_insts - 1),
                            .count = (uint32_t)rbt_get_count(in, RBT_BB_INSTS)};

            bb->n_insts += s.count;
            if (s.count == 0 || s.count > c->n_insts - s.first || bb->n_insts > RBT_BB_INSTS) {
                in->bad = true;
                return;
            }
            c->spans[n++] = s;
        }
        in->bad |= bb->n_spans == 0;
    }
}

/* --- sections -------------------------------------------------------------------------------- */

static void read_files(rbt_code_t *c, rbt_in_t *in)
{
    size_t n = rbt_get_count(in, RBT_CODE_FILES);

    c->files = rb_calloc(n + 1, sizeof(*c->files));
    while (c->n_files < n && !in->bad) {
        size_t len = rbt_get_count(in, RBT_NAME_BYTES);
        const uint8_t *path = rbt_get_bytes(in, len);

        if (path == NULL || memchr(path, '\0', len) != NULL) {
            in->bad = true;
            return;
        }
        c->files[c->n_files] = rb_calloc(len + 1, 1);
        memcpy(c->files[c->n_files++], path, len);
    }
}

static void read_lines(rbt_code_t *c, rbt_in_t *in)
{
    uint64_t line = 0;

    if (c->lines != NULL) {
        in->bad = true;
        return;
    }
    read_files(c, in);
    c->lines = rb_calloc(c->n_insts + 1, sizeof(*c->lines));
    for (size_t i = 0; i < c->n_insts && !in->bad; i++)
        c->lines[i].file = (uint32_t)rbt_get_count(in, c->n_files);
    for (size_t i = 0; i < c->n_insts && !in->bad; i++) {
        if (c->lines[i].file == 0)
            continue;
        line += (uint64_t)rbt_get_signed(in);
        in->bad |= line == 0 || line > INT32_MAX;
        c->lines[i].line = (uint32_t)line;
    }
    in->bad |= in->at != in->end;
}

static void read_sections(rbt_code_t *c, rbt_in_t *in)
{
    while (!in->bad && in->at != in->end) {
        uint64_t kind = rbt_get_varint(in);
        size_t n = rbt_get_count(in, rbt_in_left(in));
        const uint8_t *bytes = rbt_get_bytes(in, n);

        if (bytes == NULL)
            return;
        rbt_in_t section = {.at = bytes, .end = bytes + n};
        if (kind == RBT_SECTION_LINES)
            read_lines(c, &section);
        in->bad |= section.bad;
    }
}

const char *rbt_code_read(rbt_code_t *c, const uint8_t *data, size_t n, const uint8_t *classes,
                          size_t n_classes)
{
    rbt_in_t in = {.at = data, .end = data + n};

    *c = (rbt_code_t){0};
    size_t n_insts = rbt_get_count(&in, RBT_CODE_INSTS), n_bbs = rbt_get_varint(&in);

    if (in.bad || n_insts > rbt_in_left(&in) / INST_BYTES_MIN ||
        n_bbs > rbt_in_left(&in) / BB_BYTES_MIN || (n_insts == 0 && n_bbs > 0))
        return "more instructions or basic blocks than its bytes can hold";
    c->n_insts = n_insts;
    c->n_bbs = n_bbs;
    c->insts = rb_calloc(n_insts + 1, sizeof(*c->insts));
    c->text_at = rb_calloc(n_insts + 1, sizeof(*c->text_at));
    c->has_text = rb_calloc(n_insts + 1, sizeof(*c->has_text));
    c->bbs = rb_calloc(n_bbs + 1, sizeof(*c->bbs));
    read_fields(c, &in, classes, n_classes);
    if (!in.bad)
        read_registers(c, &in);
    if (in.bad)
        return "an instruction is inconsistent";
    read_texts(c, &in);
    if (in.bad)
        return "the texts of the instructions are inconsistent";
    read_bbs(c, &in);
    if (in.bad)
        return "a basic block is inconsistent";
    read_sections(c, &in);
    return in.bad ? "what follows the basic blocks is inconsistent" : NULL;
}

const char *rbt_code_text(const rbt_code_t *c, const inst_t *inst, uint32_t *len)
{
    size_t i = (size_t)(inst - c->insts);

    if (inst < c->insts || i >= c->n_insts || !c->has_text[i])
        return NULL;
    *len = c->text_at[i + 1] - c->text_at[i];
    return c->texts + c->text_at[i];
}

bool rbt_code_line(const rbt_code_t *c, const inst_t *inst, source_line_t *out)
{
    size_t i = (size_t)(inst - c->insts);

    if (inst < c->insts || i >= c->n_insts || c->lines == NULL || c->lines[i].file == 0)
        return false;
    *out = (source_line_t){.file = c->files[c->lines[i].file - 1], .line = c->lines[i].line};
    return true;
}
