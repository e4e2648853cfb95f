#include "frontend/input/accelsim/write/accelsim_synthesis.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/isa/isa.h"

enum { MNEMONIC_MAX = 100 };

typedef struct {
    char *text;
    size_t n;
} fields_t;

static void add(fields_t *f, const char *word)
{
    int n =
        snprintf(f->text + f->n, ACCELSIM_SYNTHESIS_MAX - f->n, "%s%s", f->n > 0 ? " " : "", word);

    if (n > 0 && (size_t)n < ACCELSIM_SYNTHESIS_MAX - f->n)
        f->n += (size_t)n;
}

static void add_number(fields_t *f, int64_t value)
{
    char word[24];

    snprintf(word, sizeof(word), "%lld", (long long)value);
    add(f, word);
}

/* Adds each operand by its first register; untyped lines can only name general registers. */
static void add_registers(fields_t *f, const reg_op_t *ops, unsigned n, unsigned max, bool typed)
{
    static const char *const prefixes[] = {
        [REG_GPR] = "R", [REG_PRED] = "P", [REG_UNIFORM] = "UR", [REG_UPRED] = "UP"};
    char word[16];
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++)
        count += typed || ops[i].file == REG_GPR;
    count = count < max ? count : max;
    add_number(f, count);
    for (unsigned i = 0; i < n && count > 0; i++) {
        if (!typed && ops[i].file != REG_GPR)
            continue;
        snprintf(word, sizeof(word), "%s%u", prefixes[ops[i].file & 3], ops[i].num);
        add(f, word);
        count--;
    }
}

/* Returns modifiers of a memory instruction in the form that isa_decode() reads. */
static const char *width_modifier(const inst_t *inst, const char *name)
{
    bool matrix = strcmp(name, "LDSM") == 0 || strcmp(name, "STSM") == 0;

    switch (inst->width) {
    case 1:
        return ".U8";
    case 2:
        return ".U16";
    case 8:
        return matrix ? ".2" : ".64";
    case 16:
        return matrix ? ".4" : ".128";
    default:
        return "";
    }
}

static const char *fence_modifier(const inst_t *inst)
{
    if (!(inst->flags & INST_MEMBAR))
        return "";
    return inst->flags & INST_MEMBAR_SYS   ? ".SC.SYS"
           : inst->flags & INST_MEMBAR_GPU ? ".SC.GPU"
                                           : ".SC.CTA";
}

/* Whether the first result is a register pair that only a modifier expresses. */
static bool is_wide(const inst_t *inst)
{
    return inst->cls == OP_IMAD && inst->n_dst > 0 && inst->dst[0].count == 2;
}

static void make_mnemonic(const inst_t *inst, char mnemonic[MNEMONIC_MAX])
{
    const isa_opcode_t *op = isa_opcode(inst->opcode);

    if (op == NULL) {
        snprintf(mnemonic, MNEMONIC_MAX, "UNKNOWN");
        return;
    }
    snprintf(mnemonic, MNEMONIC_MAX, "%s%s%s%s%s%s%s%s", op->mnemonic, is_wide(inst) ? ".WIDE" : "",
             inst->flags & INST_ADDR64 ? ".E" : "",
             inst->space != MEM_NONE ? width_modifier(inst, op->mnemonic) : "",
             inst->flags & INST_READ_ONLY ? ".CONSTANT" : "",
             inst->flags & INST_BYPASS_L1 ? ".STRONG.GPU" : "", fence_modifier(inst),
             inst->flags & INST_BAR_ARRIVE ? ".ARV" : "");
}

/* Copies the first word of text if trace readers would accept it as an opcode. */
static bool take_mnemonic(const char *text, char mnemonic[MNEMONIC_MAX])
{
    size_t n = strcspn(text, " \t");

    if (n == 0 || n >= MNEMONIC_MAX || text[0] < 'A' || text[0] > 'Z')
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '.' && text[i] != '_')
            return false;
    memcpy(mnemonic, text, n);
    mnemonic[n] = '\0';
    return true;
}

void accelsim_synthesise(const inst_t *inst, const char *mnemonic, bool typed,
                         char text[ACCELSIM_SYNTHESIS_MAX])
{
    enum { DESTS_MAX = 1, SOURCES_MAX = 5 }; /* limits of the tracer */
    fields_t f = {.text = text};
    char opcode[MNEMONIC_MAX];
    bool addresses = inst_traced_by_accelsim(inst);

    text[0] = '\0';
    if (!take_mnemonic(mnemonic, opcode))
        make_mnemonic(inst, opcode);
    add_registers(&f, inst->dst, inst->n_dst, DESTS_MAX, typed);
    add(&f, opcode);
    add_registers(&f, inst->src, inst->n_src, SOURCES_MAX, typed);
    add_number(&f, addresses ? inst->width : 0);
    if (addresses)
        add(&f, "@");
    add_number(&f, inst->imm);
    if (typed)
        add(&f, "0 NoVal");
}
