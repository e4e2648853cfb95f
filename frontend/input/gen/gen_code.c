#include "frontend/input/gen/gen_code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/err.h"
#include "sim/isa/isa.h"

enum { PC_STEP = 16, TEXT_MAX = 160, RZ = 255, DEFAULT_WIDTH = 4 };

/* An instruction being parsed. */
typedef struct {
    inst_t inst;
    gen_step_t step;
    char mnemonic[64];
    char line[TEXT_MAX];
} parsed_t;

/* Collected counts, which are the capacities of the arrays of a gen_code_t. */
typedef struct {
    gen_code_t *code;
    size_t cap_insts, cap_texts, cap_steps, n_steps;
    unsigned arch;
} assembler_t;

/* Register number of "R12" or "RZ" at p, also after a sign or bars and before .reuse and the like;
 * otherwise -1. */
static int general_register(const char *p)
{
    p += strspn(p, "-~|! ");
    if (p[0] != 'R')
        return -1;
    if (p[1] == 'Z')
        return RZ;
    return isdigit((unsigned char)p[1]) ? (int)strtol(p + 1, NULL, 10) : -1;
}

static void add_register(reg_op_t *ops, uint8_t *n, unsigned max, int number, const char *line)
{
    RB_INVARIANT(*n < max, "generated code: too many registers: %s", line);
    ops[(*n)++] = (reg_op_t){.file = REG_GPR, .num = (uint8_t)number, .count = 1};
}

/* "[R4+0x10]", "[R4+-0x80]", "[R4]". */
static void read_address(parsed_t *x, const char *operand)
{
    const char *plus = strchr(operand, '+');
    int reg = general_register(operand + 1);

    RB_INVARIANT(reg >= 0, "generated code: no address register: %s", x->line);
    x->step.reg = (uint8_t)reg;
    x->step.offset = plus != NULL ? (int32_t)strtol(plus + 1, NULL, 16) : 0;
    add_register(x->inst.src, &x->inst.n_src, INST_MAX_SRC, reg, x->line);
}

static void read_operand(parsed_t *x, const char *operand, unsigned position)
{
    int reg = general_register(operand);

    if (*operand == '[')
        read_address(x, operand);
    else if (reg >= 0 && position == 0)
        add_register(x->inst.dst, &x->inst.n_dst, INST_MAX_DST, reg, x->line);
    else if (reg >= 0)
        add_register(x->inst.src, &x->inst.n_src, INST_MAX_SRC, reg, x->line);
}

static const char *read_guard(parsed_t *x, const char *p)
{
    x->step.guard = GEN_GUARD_NONE;
    if (*p != '@')
        return p;
    x->step.negated = p[1] == '!';
    p += 1 + x->step.negated;
    RB_INVARIANT(*p == 'P', "generated code: bad guard: %s", x->line);
    x->step.guard = p[1] == 'T' ? GEN_GUARD_NONE : (uint8_t)(p[1] - '0');
    p += 2;
    return p + strspn(p, " ");
}

static void parse(parsed_t *x, const char *text, size_t len, unsigned arch)
{
    *x = (parsed_t){0};
    RB_INVARIANT(len < sizeof(x->line), "generated code: too long: %.*s", (int)len, text);
    memcpy(x->line, text, len);
    const char *p = read_guard(x, x->line);
    size_t n = strcspn(p, " ");

    RB_INVARIANT(n < sizeof(x->mnemonic), "generated code: too long: %s", x->line);
    memcpy(x->mnemonic, p, n);
    p += n;
    for (unsigned position = 0; *p != '\0'; position++) {
        p += strspn(p, ", ");
        read_operand(x, p, position);
        p += strcspn(p, ",");
    }
    if (!isa_decode(arch, x->mnemonic, n, 0, &x->inst))
        rb_panic("generated code: unknown opcode: %s", x->line);
    if (x->inst.access != ACC_NONE && x->inst.space != MEM_CONST) /* tracers omit addresses of
                                                                   * constants */
        (void)isa_decode(arch, x->mnemonic, n, DEFAULT_WIDTH, &x->inst);
    x->step.addresses = x->inst.space != MEM_NONE && x->inst.width != 0;
}

static size_t print_registers(char *out, size_t size, const reg_op_t *ops, unsigned n)
{
    size_t used = (size_t)snprintf(out, size, "%u ", n);

    for (unsigned i = 0; i < n; i++)
        used += (size_t)snprintf(out + used, size - used, "R%u ", ops[i].num);
    return used;
}

/* The text in the format of inst_text() of a trace source; call before isa_finish(), which drops
 * RZ. */
static char *trace_text(const parsed_t *x)
{
    char out[TEXT_MAX];
    size_t n = print_registers(out, sizeof(out), x->inst.dst, x->inst.n_dst);

    n += (size_t)snprintf(out + n, sizeof(out) - n, "%s ", x->mnemonic);
    n += print_registers(out + n, sizeof(out) - n, x->inst.src, x->inst.n_src);
    snprintf(out + n, sizeof(out) - n, x->step.addresses ? "%u @" : "%u", x->inst.width);
    return rb_strdup(out);
}

static void append(assembler_t *a, parsed_t *x, gen_segment_t *segment)
{
    gen_code_t *c = a->code;

    rb_grow(&c->insts, &a->cap_insts, c->n + 1u, sizeof(c->insts[0]));
    rb_grow(&c->texts, &a->cap_texts, c->n + 1u, sizeof(c->texts[0]));
    c->texts[c->n] = trace_text(x);
    x->inst.pc = c->n * PC_STEP;
    isa_finish(&x->inst, x->mnemonic, strlen(x->mnemonic));
    if (x->step.addresses || x->step.guard != GEN_GUARD_NONE || x->step.negated) {
        rb_grow(&c->steps, &a->cap_steps, a->n_steps + 1, sizeof(c->steps[0]));
        x->step.at = segment->n;
        c->steps[a->n_steps++] = x->step;
        segment->n_steps++;
        segment->guarded |= x->step.guard != GEN_GUARD_NONE || x->step.negated;
    }
    c->insts[c->n] = x->inst;
    isa_link(&c->insts[c->n], c->n);
    c->n++;
    segment->n++;
}

/* Whether the instruction at *p is for this architecture; moves past a prefix. */
static bool take_prefix(const char **p, unsigned arch)
{
    if (!isdigit((unsigned char)**p))
        return true;
    char *end;
    unsigned long only = strtoul(*p, &end, 10);

    RB_INVARIANT(*end == ':', "generated code: bad prefix: %s", *p);
    *p = end + 1 + strspn(end + 1, " ");
    return only == arch;
}

static void assemble(assembler_t *a, const char *text, gen_segment_t *segment)
{
    for (const char *p = text; *(p += strspn(p, " ")) != '\0';) {
        bool wanted = take_prefix(&p, a->arch);
        size_t len = strcspn(p, ";");
        parsed_t x;

        RB_INVARIANT(p[len] == ';', "generated code: ';' is missing: %s", p);
        if (wanted) {
            parse(&x, p, len, a->arch);
            append(a, &x, segment);
        }
        p += len + 1;
    }
}

void gen_code_init(gen_code_t *c, const char *const *listing, unsigned n_segments, unsigned arch)
{
    assembler_t a = {.code = c, .arch = arch};

    *c = (gen_code_t){.n_segments = n_segments};
    c->segments = rb_calloc(n_segments, sizeof(c->segments[0]));
    for (unsigned i = 0; i < n_segments; i++)
        assemble(&a, listing[i], &c->segments[i]);
    unsigned inst = 0, step = 0;

    for (unsigned i = 0; i < n_segments; i++) {
        gen_segment_t *s = &c->segments[i];

        s->first = c->insts + inst;
        s->steps = c->steps != NULL ? c->steps + step : NULL;
        inst += s->n;
        step += s->n_steps;
    }
}

void gen_code_free(gen_code_t *c)
{
    for (unsigned i = 0; i < c->n; i++)
        free(c->texts[i]);
    free(c->texts);
    free(c->insts);
    free(c->steps);
    free(c->segments);
    *c = (gen_code_t){0};
}

const char *gen_code_text(const gen_code_t *c, const inst_t *inst)
{
    return inst >= c->insts && inst < c->insts + c->n ? c->texts[inst - c->insts] : NULL;
}
