#include "frontend/input/silicon/silicon_inst.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/isa.h"

enum { RZ = 255, URZ = 63, PT = 7, DEFAULT_WIDTH = 4, TEXT_MAX = 200, NO_BARRIER = 7 };

/* An instruction being parsed: a copy of the line, and the position in it. */
typedef struct {
    char line[TEXT_MAX];
    inst_t *out;
    unsigned sources; /* number of source operands so far, for the reuse bits */
    rb_err_t *err;
} reader_t;

static rb_code_t wrong(reader_t *r, const char *what, const char *at)
{
    return rb_fail(r->err, RB_TRACE, "%s: '%s'", what, at);
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* --- control word ---------------------------------------------------------------------------- */

static rb_code_t read_control_part(reader_t *r, const char *part, size_t len)
{
    uint32_t *ctl = &r->out->ctl;
    char kind = part[0];
    const char *value = part + 1;
    size_t n = len - 1;
    bool digit = n == 1 && value[0] >= '0' && value[0] <= '5', none = n == 1 && value[0] == '-';

    if (kind == 'B') {
        for (size_t i = 0; i < n; i++) {
            if (value[i] == '-')
                continue;
            if (value[i] < '0' || value[i] > '5')
                return wrong(r, "barriers are 0 to 5", part);
            *ctl |= UINT32_C(1) << (11 + value[i] - '0');
        }
    } else if (kind == 'R' && (digit || none)) {
        *ctl = (*ctl & ~(7u << 8)) | (none ? NO_BARRIER : (uint32_t)(value[0] - '0')) << 8;
    } else if (kind == 'W' && (digit || none)) {
        *ctl = (*ctl & ~(7u << 5)) | (none ? NO_BARRIER : (uint32_t)(value[0] - '0')) << 5;
    } else if (kind == 'Y' && n == 0) {
        *ctl &= ~(1u << 4);
    } else if (kind == '-' && n == 0) {
        return RB_OK;
    } else if (kind == 'S' && n >= 1 && n <= 2 && strspn(value, "0123456789") >= n) {
        unsigned long stall = strtoul(value, NULL, 10);

        if (stall > 15)
            return wrong(r, "a stall count is at most 15", part);
        *ctl = (*ctl & ~15u) | (uint32_t)stall;
    } else {
        return wrong(r, "not a part of a control word", part);
    }
    return RB_OK;
}

/* Parses "[...]" at the beginning; moves *p past it. */
static rb_code_t read_control(reader_t *r, const char **p)
{
    if (**p != '[')
        return RB_OK;
    const char *part = *p + 1, *end = strchr(part, ']');

    if (end == NULL)
        return wrong(r, "']' is missing", *p);
    r->out->flags |= INST_CONTROL_WORD;
    r->out->ctl = 1u << 4 | NO_BARRIER << 5 | NO_BARRIER << 8;
    while (part < end) {
        size_t n = strcspn(part, ":]");

        if (n == 0)
            return wrong(r, "an empty part of a control word", *p);
        RB_TRY(read_control_part(r, part, n));
        part += n + (part[n] == ':');
    }
    *p = skip_blanks(end + 1);
    return RB_OK;
}

/* --- operands -------------------------------------------------------------------------------- */

static rb_code_t add(reader_t *r, bool write, reg_file_t file, unsigned num, unsigned count)
{
    inst_t *in = r->out;
    uint8_t *n = write ? &in->n_dst : &in->n_src;

    if (*n == (write ? INST_MAX_DST : INST_MAX_SRC))
        return wrong(r, "too many operands", r->line);
    (write ? in->dst : in->src)[(*n)++] =
        (reg_op_t){.file = (uint8_t)file, .num = (uint8_t)num, .count = (uint8_t)count};
    return RB_OK;
}

/* Parses a register at *p: its file and number; moves *p past it. False: there is none. */
static bool take_register(const char **p, reg_file_t *file, unsigned *num)
{
    static const struct {
        const char *prefix, *zero;
        reg_file_t file;
        unsigned zero_num;
    } files[] = {{"UR", "URZ", REG_UNIFORM, URZ},
                 {"UP", "UPT", REG_UPRED, PT},
                 {"R", "RZ", REG_GPR, RZ},
                 {"P", "PT", REG_PRED, PT}};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        size_t zero = strlen(files[i].zero), prefix = strlen(files[i].prefix);
        const char *digits = *p + prefix;

        *file = files[i].file;
        if (strncmp(*p, files[i].zero, zero) == 0 && !isalnum((unsigned char)(*p)[zero])) {
            *num = files[i].zero_num;
            *p += zero;
            return true;
        }
        if (strncmp(*p, files[i].prefix, prefix) != 0 || !isdigit((unsigned char)*digits))
            continue;
        char *end;
        unsigned long value = strtoul(digits, &end, 10);

        if (value >= files[i].zero_num || isalnum((unsigned char)*end))
            return false;
        *num = (unsigned)value;
        *p = end;
        return true;
    }
    return false;
}

/* "[R4.64+UR6+0x10]": only the registers matter, as sources. */
static rb_code_t read_address(reader_t *r, const char *operand)
{
    const char *p = operand + 1;

    while (*p != '\0' && *p != ']') {
        reg_file_t file;
        unsigned num;

        if (take_register(&p, &file, &num)) {
            RB_TRY(add(r, false, file, num, strncmp(p, ".64", 3) == 0 ? 2 : 1));
            if (strncmp(p, ".64", 3) == 0)
                r->out->flags |= INST_ADDR64;
        }
        p += strcspn(p, "+]");
        p += *p == '+';
    }
    return *p == ']' ? RB_OK : wrong(r, "']' is missing", operand);
}

/* "c[0x0][0x160]", "c[0x3][R12+0x4]" */
static rb_code_t read_constant(reader_t *r, const char *operand)
{
    char *end;
    unsigned long bank = strtoul(operand + 2, &end, 0), offset = 0;
    const char *p = end + 2;
    reg_file_t file;
    unsigned num;

    if (end[0] == ']' && end[1] == '[') {
        if (take_register(&p, &file, &num))
            RB_TRY(add(r, false, file, num, 1));
        offset = strtoul(p, &end, 0);
    }
    if (*end != ']' || bank > 31 || offset > UINT16_MAX)
        return wrong(r, "not a constant such as c[0x0][0x160]", operand);
    r->out->flags |= INST_CONST_ADDR;
    r->out->const_bank = (uint8_t)bank;
    r->out->const_offset = (uint16_t)offset;
    return RB_OK;
}

/* Whether operand number position is a destination. */
static bool is_written(const inst_t *in, const char *operand, unsigned position)
{
    bool predicate = operand[0] == 'P' || operand[0] == 'U' || operand[0] == '!';

    if (in->access == ACC_STORE || in->access == ACC_REDUCTION)
        return false;
    switch ((op_class_t)in->cls) {
    case OP_BRANCH:
    case OP_EXIT:
    case OP_BARRIER:
    case OP_MEMBAR:
    case OP_DEPBAR:
    case OP_SLEEP:
    case OP_NOP:
        return false;
    case OP_SHFL: /* SHFL.IDX PT, R0, R1, ... */
        return position < 2;
    default:
        break;
    }
    if (in->flags & INST_PRED_WRITE) /* ISETP.GE.AND P0, PT, R0, ... */
        return position < 2 && predicate;
    /* IADD3 R0, P0, R1, ...: P0 is a carry. */
    return position == 0 || (position == 1 && predicate);
}

static rb_code_t read_operand(reader_t *r, const char *operand, unsigned position)
{
    const char *p = operand + strspn(operand, "-~|!");
    bool write = is_written(r->out, operand, position);
    unsigned num;
    reg_file_t file;

    if (*p == '[')
        return read_address(r, p);
    if (p[0] == 'c' && p[1] == '[')
        return read_constant(r, p);
    if (strncmp(p, "SR_CLOCK", 8) == 0) {
        r->out->flags |= INST_CLOCK;
        return RB_OK;
    }
    if (take_register(&p, &file, &num) && strchr(".|", *p) != NULL) {
        unsigned slot = r->sources;

        if (!write)
            r->sources++;
        if (!write && strstr(p, ".reuse") != NULL && slot < 4)
            r->out->ctl |= UINT32_C(1) << (17 + slot);
        return add(r, write, file, num, 1);
    }
    if (isdigit((unsigned char)*p)) {
        r->out->flags |= INST_IMM;
        r->out->imm = (int32_t)strtoll(operand, NULL, 0);
        return RB_OK;
    }
    if (strncmp(p, "SR", 2) == 0 || strncmp(p, "SB", 2) == 0 || *p == 'B' || *p == '{')
        return RB_OK; /* special registers, dependence and convergence barriers: no registers */
    return wrong(r, "not an operand", operand);
}

static rb_code_t read_operands(reader_t *r, char *p)
{
    for (unsigned position = 0; *p != '\0'; position++) {
        p += strspn(p, ", \t");
        size_t n = strcspn(p, ",");
        bool last = p[n] == '\0';

        p[n] = '\0';
        for (size_t i = n; i > 0 && (p[i - 1] == ' ' || p[i - 1] == '\t'); i--)
            p[i - 1] = '\0';
        if (*p != '\0')
            RB_TRY(read_operand(r, p, position));
        p += last ? n : n + 1;
    }
    return RB_OK;
}

/* Parses "@!P0 " at *p. */
static rb_code_t read_guard(reader_t *r, const char **p)
{
    if (**p != '@')
        return RB_OK;
    const char *q = *p + 1 + ((*p)[1] == '!');
    reg_file_t file;
    unsigned num;

    if (!take_register(&q, &file, &num) || (file != REG_PRED && file != REG_UPRED))
        return wrong(r, "not a guard", *p);
    RB_TRY(add(r, false, file, num, 1));
    *p = skip_blanks(q);
    return RB_OK;
}

rb_code_t silicon_inst_read(const char *text, size_t len, unsigned arch, inst_t *out,
                            const char **mnemonic, size_t *mnemonic_len, rb_err_t *err)
{
    reader_t r = {.out = out, .err = err};
    const char *p = r.line;

    *out = (inst_t){0};
    if (len >= sizeof(r.line))
        return rb_fail(err, RB_TRACE, "an instruction is at most %d characters long", TEXT_MAX - 1);
    memcpy(r.line, text, len);
    RB_TRY(read_control(&r, &p));
    uint32_t flags = out->flags;

    RB_TRY(read_guard(&r, &p));
    size_t n = strcspn(p, " \t");

    *mnemonic = text + (p - r.line);
    *mnemonic_len = n;
    if (n == 0)
        return wrong(&r, "an opcode is missing", r.line);
    if (!isa_decode(arch, p, n, 0, out))
        return wrong(&r, "unknown opcode", p);
    if (out->access != ACC_NONE && out->space != MEM_CONST)
        (void)isa_decode(arch, p, n, DEFAULT_WIDTH, out);
    out->flags |= flags;
    RB_TRY(read_operands(&r, r.line + (p - r.line) + n));
    isa_finish(out, *mnemonic, n);
    return RB_OK;
}
