#include "sim/isa/isa.h"

#include "sim/isa/isa_table.h"
#include "sim/isa/isa_text.h"

typedef struct {
    const char *name;
    uint8_t pipe, group;
} class_row_t;

#define CLASS_ROW_(id, text, pipe_id, group_id, latency)                                           \
    [OP_##id] = {.name = text, .pipe = PIPE_##pipe_id, .group = MIX_##group_id},
static const class_row_t class_rows[OP_CLASS_COUNT] = {ISA_CLASS_MAP(CLASS_ROW_)};

#define NAME_PIPE_(id, text) [PIPE_##id] = text,
static const char *const pipe_names[PIPE_COUNT] = {ISA_PIPE_MAP(NAME_PIPE_)};

#define NAME_GROUP_(id, text) [MIX_##id] = text,
static const char *const group_names[MIX_COUNT] = {ISA_GROUP_MAP(NAME_GROUP_)};

const char *isa_class_name(op_class_t cls)
{
    return (unsigned)cls < OP_CLASS_COUNT ? class_rows[cls].name : "?";
}

const char *isa_pipe_name(pipe_t pipe)
{
    return (unsigned)pipe < PIPE_COUNT ? pipe_names[pipe] : "?";
}

const char *isa_group_name(mix_group_t group)
{
    return (unsigned)group < MIX_COUNT ? group_names[group] : "?";
}

pipe_t isa_class_pipe(op_class_t cls)
{
    return (pipe_t)class_rows[cls].pipe;
}

mix_group_t isa_class_group(op_class_t cls)
{
    return (mix_group_t)class_rows[cls].group;
}

const isa_opcode_t *isa_opcode(unsigned n)
{
    return n < isa_table_size ? &isa_table[n] : NULL;
}

/* strcmp() of text[0 .. len) with a terminated name. */
static int compare(const char *text, size_t len, const char *name)
{
    int order = strncmp(text, name, len);

    return order != 0 ? order : name[len] == '\0' ? 0 : -1;
}

int isa_find(const char *mnemonic, size_t len)
{
    unsigned low = 0, high = isa_table_size;

    if (len == 0 || memchr(mnemonic, '\0', len) != NULL)
        return -1;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        int order = compare(mnemonic, len, isa_table[middle].mnemonic);

        if (order == 0)
            return (int)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

const char *isa_arch_name(unsigned arch)
{
    switch (arch) {
    case 70:
    case 72:
        return "Volta";
    case 75:
        return "Turing";
    case 80:
    case 86:
    case 87:
        return "Ampere";
    case 89:
        return "Ada";
    case 90:
        return "Hopper";
    default:
        return NULL;
    }
}

unsigned isa_text_width(const char *text, size_t len)
{
    static const struct {
        const char *token;
        unsigned bytes;
    } widths[] = {
        {"128", 16}, {"64", 8},  {"32", 4},  {"U8", 1},  {"S8", 1},  {"U16", 2},
        {"S16", 2},  {"F64", 8}, {"U64", 8}, {"S64", 8}, {"U32", 4}, {"S32", 4},
    };
    size_t pos = isa_base_len(text, len);
    bool matrix = pos == 4 && (memcmp(text, "LDSM", 4) == 0 || memcmp(text, "STSM", 4) == 0);
    unsigned found = matrix ? 4 : 0;
    isa_token_t token;

    while (isa_next_token(text, len, &pos, &token)) {
        if (matrix) {
            if (isa_token_is(token, "2"))
                found = 8;
            else if (isa_token_is(token, "4"))
                found = 16;
            continue;
        }
        for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
            if (isa_token_is(token, widths[i].token))
                found = widths[i].bytes;
    }
    return found;
}

/* MEMBAR.SC.CTA, .SC.GPU, .ALL.SYS, ...: without a scope it counts as GPU. */
static uint32_t membar_flags(const char *text, size_t len)
{
    if (isa_has_token(text, len, "SYS"))
        return INST_MEMBAR_GPU | INST_MEMBAR_SYS;
    if (isa_has_token(text, len, "CTA") || isa_has_token(text, len, "SM"))
        return 0;
    return INST_MEMBAR_GPU;
}

/*
 * A load or store of GPU or system scope is served by the L2. ".SYS" alone is not: Volta's and
 * Turing's compilers write LDG.E.SYS for an ordinary load.
 */
static uint32_t memory_flags(const char *text, size_t len)
{
    bool strong = isa_has_token(text, len, "STRONG") || isa_has_token(text, len, "MMIO");
    bool wide = isa_has_token(text, len, "GPU") || isa_has_token(text, len, "SYS");
    uint32_t flags = isa_has_token(text, len, "E") ? INST_ADDR64 : 0;

    flags |= isa_has_token(text, len, "CONSTANT") ? INST_READ_ONLY : 0;
    flags |= isa_has_token(text, len, "POPC") ? INST_INCREMENT : 0;
    flags |= isa_has_token(text, len, "BYPASS") ? INST_BYPASS_L1 : 0; /* LDGSTS */
    return flags | (strong && wide ? INST_BYPASS_L1 : 0);
}

/* Conversions with a 64-bit side run on the double-precision pipe. */
static bool converts_64_bits(const char *text, size_t len)
{
    return isa_has_token(text, len, "F64") || isa_has_token(text, len, "S64") ||
           isa_has_token(text, len, "U64");
}

bool isa_decode(unsigned arch, const char *text, size_t len, unsigned mem_width, inst_t *in)
{
    int found = isa_find(text, isa_base_len(text, len));

    (void)arch; /* one table is enough: no mnemonic has changed its meaning since Volta */
    in->width = 0;
    if (found < 0) {
        in->opcode = UINT16_MAX;
        in->cls = OP_UNKNOWN;
        in->space = MEM_NONE;
        in->access = ACC_NONE;
        return false;
    }
    const isa_opcode_t *op = &isa_table[found];

    in->opcode = (uint16_t)found;
    in->cls = op->cls;
    in->space = op->space;
    in->access = op->access;
    in->flags |= op->flags;
    if (op->space != MEM_NONE) {
        unsigned stated = isa_text_width(text, len);
        bool legal = mem_width == 1 || mem_width == 2 || mem_width == 8 || mem_width == 16;

        in->flags |= memory_flags(text, len);
        if (mem_width != 0)
            in->width = (uint8_t)(stated != 0 ? stated : legal ? mem_width : 4);
    }
    if (op->flags & INST_MEMBAR)
        in->flags |= membar_flags(text, len);
    if ((op->flags & INST_BARRIER) && isa_has_token(text, len, "ARV"))
        in->flags |= INST_BAR_ARRIVE;
    if (op->cls == OP_CONV && converts_64_bits(text, len))
        in->cls = OP_CONV64;
    return true;
}
