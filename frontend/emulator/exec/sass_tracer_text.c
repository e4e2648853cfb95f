#include "frontend/emulator/exec/sass_tracer_text.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_SOURCES = 5, FIELD_MAX = 64 }; /* limit of sources of the tracer */

/* The general registers of an instruction in the roles that the tracer assigns. */
typedef struct {
    unsigned dest, source[MAX_SOURCES];
    unsigned n_dest, n_sources;
} registers_t;

/* The register of an operand; false: the tracer sees none. */
static bool general_register(const sass_operand_t *o, unsigned *num)
{
    *num = o->num;
    return o->kind == SASS_OPERAND_REG ||
           (o->kind == SASS_OPERAND_MEM && (o->num != SASS_RZ || o->ureg == SASS_URZ));
}

static void collect(const sass_inst_t *in, registers_t *r, int64_t *immediate)
{
    bool first = true;

    *r = (registers_t){0};
    *immediate = 0;
    for (unsigned i = 0; i < in->n_operands; i++) {
        const sass_operand_t *o = &in->operand[i];
        unsigned num;
        if (o->hidden)
            continue;
        if (o->kind == SASS_OPERAND_IMM && o->style != SASS_FLOAT && o->style != SASS_DOUBLE &&
            o->style != SASS_HALF)
            *immediate = o->value;
        if (general_register(o, &num)) {
            if (first && o->kind == SASS_OPERAND_REG) {
                r->dest = num;
                r->n_dest = 1;
            } else if (r->n_sources < MAX_SOURCES) {
                r->source[r->n_sources++] = num;
            }
        }
        first = false;
    }
}

/* Appends to text, which has room for every possible output. */
static size_t RB_PRINTF(3, 4) put(char *text, size_t n, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int written = vsnprintf(text + n, FIELD_MAX, format, ap);
    va_end(ap);
    return n + (size_t)(written > 0 ? written : 0);
}

const char *sass_tracer_text(void *code, const inst_t *inst, uint32_t *len)
{
    static _Thread_local char text[SASS_TEXT_MAX + (MAX_SOURCES + 6) * FIELD_MAX];
    const emu_code_t *c = code;
    const sass_inst_t *in = &c->insts[inst - c->static_code];
    registers_t r;
    int64_t immediate;

    collect(in, &r, &immediate);
    size_t n = put(text, 0, "%u ", r.n_dest);
    if (r.n_dest > 0)
        n = put(text, n, "R%u ", r.dest);
    n += sass_mnemonic(in, text + n);
    n = put(text, n, " %u ", r.n_sources);
    for (unsigned i = 0; i < r.n_sources; i++)
        n = put(text, n, "R%u ", r.source[i]);
    bool addresses = inst_traced_by_accelsim(inst);
    n = put(text, n, "%u %s%d", addresses ? inst->width : 0u, addresses ? "@ " : "",
            (int)(int32_t)immediate);
    *len = (uint32_t)n;
    return text;
}
