#include "frontend/tool/library/source_code.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/isa/isa.h"

enum { PC_STEP = 16, DEFAULT_WIDTH = 4 };

/* The place of an instruction, for messages. */
typedef struct {
    uint64_t launch;
    size_t inst;
    const char *opcode;
} place_t;

static rb_code_t fail(const place_t *at, rb_err_t *err, const char *what, const char *text)
{
    return rb_fail(err, RB_TRACE, "launch %llu, instruction %zu (%.60s): %s%.60s",
                   (unsigned long long)at->launch, at->inst, at->opcode, what, text);
}

/* Parses "R4", "P0", "UR2" or "UP1" at *text and moves past it; false: no such register. */
static bool read_register(const char **text, reg_op_t *out)
{
    static const struct {
        const char *prefix;
        reg_file_t file;
        unsigned long last;
    } files[] = {
        {"UR", REG_UNIFORM, 62}, {"UP", REG_UPRED, 6}, {"R", REG_GPR, 254}, {"P", REG_PRED, 6}};
    const char *p = *text;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const size_t n = strlen(files[i].prefix);
        if (strncmp(p, files[i].prefix, n) != 0 || p[n] < '0' || p[n] > '9')
            continue;
        char *end;
        const unsigned long num = strtoul(p + n, &end, 10);
        if (num > files[i].last || (*end != '\0' && *end != ' '))
            return false;
        *out = (reg_op_t){.file = (uint8_t)files[i].file, .num = (uint8_t)num, .count = 1};
        *text = end;
        return true;
    }
    return false;
}

/* Parses a list of registers, separated by blanks, into out. */
static rb_code_t read_registers(const place_t *at, const char *list, reg_op_t *out, uint8_t max,
                                uint8_t *n, rb_err_t *err)
{
    const char *p = list != NULL ? list : "";
    for (p += strspn(p, " "); *p != '\0'; p += strspn(p, " ")) {
        if (*n == max)
            return fail(at, err, "too many registers: ", list);
        if (!read_register(&p, &out[*n]))
            return fail(at, err, "write registers as 'R4 P0 UR2 UP1', not ", p);
        (*n)++;
    }
    return RB_OK;
}

static rb_code_t read_inst(const place_t *at, const rubato_inst *from, unsigned arch, inst_t *in,
                           rb_err_t *err)
{
    const size_t n = strlen(from->opcode);
    *in = (inst_t){.pc = (uint32_t)at->inst * PC_STEP};
    if (!isa_decode(arch, from->opcode, n, 0, in))
        return fail(at, err, "unknown opcode", "");
    if (in->access != ACC_NONE && in->width == 0)
        (void)isa_decode(arch, from->opcode, n, DEFAULT_WIDTH, in);
    RB_TRY(read_registers(at, from->dst, in->dst, INST_MAX_DST, &in->n_dst, err));
    RB_TRY(read_registers(at, from->src, in->src, INST_MAX_SRC, &in->n_src, err));
    isa_finish(in, from->opcode, n);
    if (from->control != RUBATO_NO_CONTROL) {
        in->flags |= INST_CONTROL_WORD | INST_FULL_REGS;
        in->ctl = from->control;
        isa_derive(in);
    }
    return RB_OK;
}

static rb_code_t check_control(const place_t *at, const rubato_kernel *k, rb_err_t *err)
{
    const uint32_t word = k->code[at->inst].control;
    if ((word == RUBATO_NO_CONTROL) != (k->code[0].control == RUBATO_NO_CONTROL))
        return fail(at, err,
                    "either either all instructions of a kernel have a control word, or none", "");
    if (word != RUBATO_NO_CONTROL && word >> 21 != 0)
        return fail(at, err, "a control word has 21 bits", "");
    return RB_OK;
}

rb_code_t source_code_read(const rubato_kernel *k, uint64_t id, inst_t **code, rb_err_t *err)
{
    inst_t *all = rb_calloc(k->n_code, sizeof(*all));
    rb_code_t rc = RB_OK;
    for (size_t i = 0; i < k->n_code && rc == RB_OK; i++) {
        const place_t at = {id, i, k->code[i].opcode != NULL ? k->code[i].opcode : "no opcode"};
        if (k->code[i].opcode == NULL)
            rc = fail(&at, err, "an instruction needs an opcode", "");
        else if ((rc = check_control(&at, k, err)) == RB_OK)
            rc = read_inst(&at, &k->code[i], k->arch, &all[i], err);
        isa_link(&all[i], i);
    }
    if (rc == RB_OK)
        *code = all;
    else
        free(all);
    return rc;
}
