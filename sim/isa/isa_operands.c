/*
 * Which registers an instruction reads and writes, as far as its mnemonic tells.
 *
 * NVBit traces list operand 0 as the destination if it is a general register, and all other general
 * registers as sources, each by its first register only. So SHFL, whose operand 0 is a predicate,
 * lists its result among the sources; RET lists the address it jumps to as its destination; a
 * 128-bit load lists one of the four registers it writes. restore_*() undo that.
 */
#include "sim/isa/isa.h"
#include "sim/isa/isa_table.h"
#include "sim/isa/isa_text.h"

enum { RZ = 255, URZ = 63, PT = 7 };

static bool is_zero_register(reg_op_t op)
{
    return (op.file == REG_GPR && op.num == RZ) || (op.file == REG_UNIFORM && op.num == URZ) ||
           ((op.file == REG_PRED || op.file == REG_UPRED) && op.num == PT);
}

static bool base_is(const char *text, size_t len, const char *name)
{
    size_t base = isa_base_len(text, len);

    return base == strlen(name) && memcmp(text, name, base) == 0;
}

/* --- places ---------------------------------------------------------------------------------- */

static void move_source_to_destination(inst_t *in)
{
    for (unsigned i = 0; i < in->n_src; i++) {
        if (in->src[i].file != REG_GPR)
            continue;
        if (in->n_dst == INST_MAX_DST)
            return;
        in->dst[in->n_dst++] = in->src[i];
        memmove(&in->src[i], &in->src[i + 1], (in->n_src - i - 1) * sizeof(in->src[0]));
        in->n_src--;
        return;
    }
}

static bool writes_general_register(const inst_t *in)
{
    for (unsigned i = 0; i < in->n_dst; i++)
        if (in->dst[i].file == REG_GPR)
            return true;
    return false;
}

/* Opcodes whose operand 0 is a predicate and operand 1 the general register they write. */
static bool hides_destination(const char *text, size_t len)
{
    static const char *const names[] = {"SHFL", "ATOM", "ATOMG", "SUATOM", "LOP3", "QSPC", "MATCH"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (base_is(text, len, names[i]))
            return true;
    return false;
}

/* Opcodes that write no general register although their operand 0 is one. */
static bool has_no_destination(const inst_t *in, const char *text, size_t len)
{
    return in->cls == OP_BARRIER || in->cls == OP_SLEEP || in->cls == OP_STORE_LG ||
           in->cls == OP_STORE_SH || in->access == ACC_REDUCTION ||
           (in->cls == OP_BRANCH && !base_is(text, len, "BMOV"));
}

static void restore_places(inst_t *in, const char *text, size_t len)
{
    if (has_no_destination(in, text, len)) {
        for (unsigned i = in->n_dst; i-- > 0 && in->n_src < INST_MAX_SRC;) {
            memmove(&in->src[1], &in->src[0], in->n_src * sizeof(in->src[0]));
            in->src[0] = in->dst[i];
            in->n_src++;
        }
        in->n_dst = 0;
    } else if (hides_destination(text, len) && !writes_general_register(in)) {
        if (base_is(text, len, "LOP3"))
            in->flags |= INST_PRED_WRITE;
        move_source_to_destination(in);
    }
}

/* --- widths ---------------------------------------------------------------------------------- */

/* Widens an operand to n registers if it is aligned: to n, or to 4 for more than 2. */
static void widen(reg_op_t *op, unsigned n)
{
    unsigned align = n > 2 ? 4 : n;
    unsigned zero = op->file == REG_GPR ? RZ : URZ;

    if ((op->file == REG_GPR || op->file == REG_UNIFORM) && n > op->count && op->num % align == 0 &&
        op->num + n <= zero)
        op->count = (uint8_t)n;
}

static void widen_all(reg_op_t *ops, unsigned n_ops, unsigned n)
{
    for (unsigned i = 0; i < n_ops; i++)
        widen(&ops[i], n);
}

/* The i-th general register among the sources, NULL if there are fewer. */
static reg_op_t *gpr_source(inst_t *in, unsigned i)
{
    for (unsigned k = 0; k < in->n_src; k++)
        if (in->src[k].file == REG_GPR && i-- == 0)
            return &in->src[k];
    return NULL;
}

static unsigned count_gpr_sources(const inst_t *in)
{
    unsigned n = 0;

    for (unsigned k = 0; k < in->n_src; k++)
        n += in->src[k].file == REG_GPR;
    return n;
}

/* Memory operands: [address] for loads; [address], data ... for the rest. If a store has a single
 * general register, it is the data: the address is uniform or absolute. */
static void widen_memory(inst_t *in, const char *text, size_t len)
{
    unsigned regs = isa_text_width(text, len) / 4;
    unsigned n = count_gpr_sources(in);
    bool load = in->access == ACC_LOAD;
    unsigned first_data = load ? n : n == 1 ? 0 : 1;
    bool address = load ? n > 0 : n > 1;

    if (in->flags & INST_TO_SHARED) { /* [shared address], [global address] */
        if (n > 1)
            widen(gpr_source(in, n - 1), 2);
        return;
    }
    if (address && (in->flags & INST_ADDR64))
        widen(gpr_source(in, 0), 2);
    if (regs < 2)
        return;
    widen_all(in->dst, in->n_dst, regs);
    for (unsigned i = first_data; i < n; i++)
        widen(gpr_source(in, i), regs);
}

/* IMAD.WIDE writes a pair and adds a pair. If only two sources are listed, the third is a constant
 * or an immediate: a non-zero immediate is the multiplier, so the second source is the addend. */
static void widen_wide(inst_t *in)
{
    unsigned n = count_gpr_sources(in);

    widen_all(in->dst, in->n_dst, 2);
    if (n == 3 || (n == 2 && (in->flags & INST_IMM) && in->imm != 0))
        widen(gpr_source(in, n - 1), 2);
}

/* F2F.<to>.<from>, I2F, F2I, FRND: of two types, the first is that of the result. */
static void widen_conversion(inst_t *in, const char *text, size_t len)
{
    bool f64 = isa_has_token(text, len, "F64");
    bool i64 = isa_has_token(text, len, "S64") || isa_has_token(text, len, "U64");
    bool to, from;

    if (base_is(text, len, "I2F")) {
        to = f64;
        from = i64;
    } else if (base_is(text, len, "F2I")) {
        to = i64;
        from = f64;
    } else if (base_is(text, len, "F2F")) {
        size_t pos = isa_base_len(text, len);
        isa_token_t token = {0};

        while (isa_next_token(text, len, &pos, &token) && token.text[0] != 'F')
            continue;
        to = isa_token_is(token, "F64");
        from = !to || isa_has_token(text + pos, len - pos, "F64");
    } else {
        to = from = true; /* FRND.F64 */
    }
    if (to)
        widen_all(in->dst, in->n_dst, 2);
    if (from)
        widen_all(in->src, in->n_src, 2);
}

/*
 * Registers of the fragments A, B and C (= D), and multiply-adds of a whole warp. The fragments are
 * those of the PTX mma instruction of the same shape (PTX ISA, "Warp Level Matrix Instructions").
 * Volta's 884 is executed in steps that each handle one register pair of C: four steps with 32-bit
 * accumulators, two with 16-bit ones.
 */
typedef struct {
    const char *base, *shape;
    const char *type;      /* required modifier or NULL; rows with one come first */
    uint8_t a, b, c32;     /* c32: with 32-bit accumulators */
    uint8_t c16;           /* with 16-bit accumulators (first type F16) */
    uint16_t fma32, fma16; /* per warp instruction */
} mma_shape_t;

static const mma_shape_t mma_shapes[] = {
    {"HMMA", "884", NULL, 2, 2, 2, 2, 256, 512},
    {"HMMA", "1684", NULL, 2, 1, 4, 4, 512, 512},
    {"HMMA", "1688", "TF32", 4, 2, 4, 4, 1024, 1024},
    {"HMMA", "1688", NULL, 2, 1, 4, 2, 1024, 1024},
    {"HMMA", "16816", NULL, 4, 2, 4, 2, 2048, 2048},
    {"HMMA", "16832", NULL, 4, 4, 4, 2, 2048, 2048}, /* sparse: only half of A is stored */
    {"IMMA", "8816", NULL, 1, 1, 2, 2, 0, 0},
    {"IMMA", "8832", NULL, 1, 1, 2, 2, 0, 0},
    {"IMMA", "16816", NULL, 2, 1, 4, 4, 0, 0},
    {"IMMA", "16832", NULL, 4, 2, 4, 4, 0, 0},
    {"IMMA", "16864", NULL, 4, 2, 4, 4, 0, 0},
    {"BMMA", "88128", NULL, 1, 1, 2, 2, 0, 0},
    {"BMMA", "168128", NULL, 2, 1, 4, 4, 0, 0},
    {"BMMA", "168256", NULL, 4, 2, 4, 4, 0, 0},
    {"DMMA", "884", NULL, 2, 2, 4, 4, 256, 256},
};

static const mma_shape_t *find_mma_shape(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof(mma_shapes) / sizeof(mma_shapes[0]); i++) {
        const mma_shape_t *s = &mma_shapes[i];

        if (base_is(text, len, s->base) && isa_has_token(text, len, s->shape) &&
            (s->type == NULL || isa_has_token(text, len, s->type)))
            return s;
    }
    return NULL;
}

static bool mma_accumulates_16(const char *text, size_t len)
{
    return !isa_has_token(text, len, "F32") && isa_has_token(text, len, "F16");
}

static void widen_tensor(inst_t *in, const mma_shape_t *s, bool c16)
{
    unsigned regs[3] = {s->a, s->b, c16 ? s->c16 : s->c32};

    widen_all(in->dst, in->n_dst, regs[2]);
    for (unsigned i = 0; i < 3; i++) {
        reg_op_t *op = gpr_source(in, i);

        if (op != NULL)
            widen(op, regs[i]);
    }
}

static void restore_widths(inst_t *in, const char *text, size_t len)
{
    const mma_shape_t *shape;

    switch (in->cls) {
    case OP_IMAD:
        if (isa_has_token(text, len, "WIDE"))
            widen_wide(in);
        break;
    case OP_FP64:
    case OP_FP64_FMA:
    case OP_FP64_CMP:
        widen_all(in->dst, in->n_dst, 2);
        widen_all(in->src, in->n_src, 2);
        break;
    case OP_CONV64:
        widen_conversion(in, text, len);
        break;
    case OP_CS2R:
        if (!isa_has_token(text, len, "32"))
            widen_all(in->dst, in->n_dst, 2);
        break;
    case OP_MATCH:
        if (isa_has_token(text, len, "U64"))
            widen_all(in->src, in->n_src, 2);
        break;
    case OP_UNIFORM:
        if (isa_has_token(text, len, "WIDE") || isa_has_token(text, len, "64"))
            widen_all(in->dst, in->n_dst, 2);
        break;
    case OP_HMMA:
    case OP_IMMA:
        shape = find_mma_shape(text, len);
        if (shape != NULL)
            widen_tensor(in, shape, mma_accumulates_16(text, len));
        break;
    default:
        if (in->space != MEM_NONE)
            widen_memory(in, text, len);
        break;
    }
}

/* --- summaries ------------------------------------------------------------------------------- */

static unsigned drop_zero_registers(reg_op_t *ops, unsigned n)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < n; i++)
        if (!is_zero_register(ops[i]))
            ops[kept++] = ops[i];
    return kept;
}

unsigned isa_register_id(reg_op_t op, unsigned i)
{
    static const struct {
        uint16_t first, count;
    } files[] = {
        [REG_GPR] = {REG_ID_GPR, REG_ID_PRED - REG_ID_GPR},
        [REG_PRED] = {REG_ID_PRED, REG_ID_UNIFORM - REG_ID_PRED},
        [REG_UNIFORM] = {REG_ID_UNIFORM, REG_ID_UPRED - REG_ID_UNIFORM},
        [REG_UPRED] = {REG_ID_UPRED, REG_ID_COUNT - REG_ID_UPRED},
    };
    unsigned num = op.num + i;

    return num < files[op.file & 3].count ? files[op.file & 3].first + num : REG_ID_COUNT;
}

typedef struct {
    uint64_t bits[REG_ID_COUNT / 64 + 1];
} id_set_t;

/* Adds id; false if it was there already. */
static bool id_set_add(id_set_t *set, unsigned id)
{
    uint64_t bit = 1ull << id % 64;
    bool added = !(set->bits[id / 64] & bit);

    set->bits[id / 64] |= bit;
    return added;
}

/* Appends the registers not yet in seen to list[n .. max). */
static unsigned list_registers(const reg_op_t *ops, unsigned n_ops, id_set_t *seen, uint16_t *list,
                               unsigned n, unsigned max)
{
    for (unsigned k = 0; k < n_ops; k++)
        for (unsigned i = 0; i < ops[k].count; i++) {
            unsigned id = isa_register_id(ops[k], i);

            if (id < REG_ID_COUNT && n < max && id_set_add(seen, id))
                list[n++] = (uint16_t)id;
        }
    return n;
}

static void fill_dependences(inst_t *in)
{
    uint16_t written[INST_MAX_DEPS];
    id_set_t seen = {{0}};
    unsigned n_set = list_registers(in->dst, in->n_dst, &seen, written, 0, INST_MAX_DEPS);
    unsigned n_src = list_registers(in->src, in->n_src, &seen, in->dep, 0, INST_MAX_DEPS - n_set);

    memcpy(in->dep + n_src, written, n_set * sizeof(written[0]));
    in->n_wait = (uint8_t)(n_src + n_set);
    in->n_set = (uint8_t)n_set;
}

static void fill_bank_reads(inst_t *in)
{
    id_set_t seen = {{0}};

    memset(in->bank_reads, 0, sizeof(in->bank_reads));
    for (unsigned k = 0; k < in->n_src; k++)
        for (unsigned i = 0; i < in->src[k].count && in->src[k].file == REG_GPR; i++) {
            unsigned id = isa_register_id(in->src[k], i);

            if (id < REG_ID_COUNT && id_set_add(&seen, id))
                in->bank_reads[id % 4]++;
        }
}

static unsigned count_flops(const inst_t *in, const char *text, size_t len)
{
    static const struct {
        const char *base;
        unsigned flops;
    } rows[] = {
        {"FADD", 1},      {"FADD32I", 1},   {"FMUL", 1},    {"FMUL32I", 1},
        {"FFMA", 2},      {"FFMA32I", 2},   {"FSWZADD", 1}, {"HADD2", 2},
        {"HADD2_32I", 2}, {"HMUL2", 2},     {"HFMA2", 4},   {"HMUL2_32I", 2},
        {"DADD", 1},      {"HFMA2_32I", 4}, {"DMUL", 1},    {"DFMA", 2},
    };

    if (in->flags & INST_TENSOR) {
        const mma_shape_t *s = find_mma_shape(text, len);

        if (s == NULL)
            return 0;
        return 2u * (mma_accumulates_16(text, len) ? s->fma16 : s->fma32) / 32;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (base_is(text, len, rows[i].base))
            return rows[i].flops;
    return 0;
}

void isa_finish(inst_t *in, const char *text, size_t len)
{
    if (!(in->flags & INST_FULL_REGS)) {
        restore_places(in, text, len);
        restore_widths(in, text, len);
    }
    in->n_dst = (uint8_t)drop_zero_registers(in->dst, in->n_dst);
    in->n_src = (uint8_t)drop_zero_registers(in->src, in->n_src);
    fill_dependences(in);
    fill_bank_reads(in);
    in->flops = (uint8_t)count_flops(in, text, len);
    isa_derive(in);
}
