/* The decoder against listings of nvdisasm, instruction by instruction. */
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/sass/code_file.h"
#include "frontend/emulator/sass/sass_inst.h"
#include "sim/isa/isa.h"
#include "tests/support/test.h"

enum { MAX_LABELS = 512, LISTING_BYTES = 4 << 20 };

static const char *const units[] = {
    "diverge", "histo",      "matmul",         "merge",   "generic",   "misc",
    "reduce",  "texture",    "softmax",        "spmv",    "transpose", "vecadd",
    "radix",   "persistent", "shared_atomics", "virtual", "tensor"};

/* A listing: its text, split into lines, and the labels of the section that is being read. */
typedef struct {
    char *text;
    struct {
        char name[128];
        uint32_t pc;
    } labels[MAX_LABELS];
    unsigned n_labels;
} listing_t;

static char *read_xz(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    uint8_t *packed = malloc(LISTING_BYTES), *text = malloc(LISTING_BYTES + 1);
    size_t n = fread(packed, 1, LISTING_BYTES, in), at = 0, out = 0;
    uint64_t limit = UINT64_MAX;
    fclose(in);
    assert_int_equal(
        lzma_stream_buffer_decode(&limit, 0, NULL, packed, &at, n, text, &out, LISTING_BYTES),
        LZMA_OK);
    text[out] = '\0';
    free(packed);
    return (char *)text;
}

/* An instruction line: "        / *0010* /  TEXT ;  / * 0x... * /". False for other lines. */
static bool inst_line(const char *line, uint32_t *pc, char *text, size_t room)
{
    unsigned offset;
    const char *from, *to;

    from = strstr(line, "/*");
    if (from == NULL || from[2] == ' ' || sscanf(from, "/*%x*/", &offset) != 1)
        return false;
    from = strstr(line, "*/") + 2;
    to = strstr(line, "/* 0x");
    const char *comment = strstr(from, "(*\"");
    if (comment != NULL && comment < to)
        to = comment;
    const char *semicolon = strchr(from, ';');
    if (semicolon != NULL && semicolon < to)
        to = semicolon;
    while (*from == ' ' || *from == '{')
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '}'))
        to--;
    *pc = offset;
    snprintf(text, room, "%.*s", (int)(to - from), from);
    return true;
}

/* Labels of a section come before the instruction that they name. */
static void collect_labels(listing_t *l, const char *section, const char *kernel)
{
    uint32_t pc, next = 0;
    char text[SASS_TEXT_MAX], line[1024];

    l->n_labels = 1;
    l->labels[0].pc = 0;
    snprintf(l->labels[0].name, sizeof(l->labels[0].name), "%s", kernel);
    for (const char *p = section; *p != '\0' && strncmp(p, "//-----", 7) != 0;) {
        size_t n = strcspn(p, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)n, p);
        if (inst_line(line, &pc, text, sizeof(text))) {
            next = pc + SASS_INST_BYTES;
        } else if (line[0] != ' ' && line[0] != '\t' && n > 0 && line[n - 1] == ':') {
            assert_true(l->n_labels < MAX_LABELS);
            l->labels[l->n_labels].pc = next;
            snprintf(l->labels[l->n_labels++].name, 128, "%.*s", (int)n - 1, line);
        }
        p += n + (p[n] != '\0');
    }
}

static uint32_t label_pc(const listing_t *l, const char *name, size_t n)
{
    for (unsigned i = 0; i < l->n_labels; i++)
        if (strncmp(l->labels[i].name, name, n) == 0 && l->labels[i].name[n] == '\0')
            return l->labels[i].pc;
    fail_msg("no label %.*s", (int)n, name);
    return 0;
}

/* The text of the listing with labels replaced by their values, and without extra blanks. */
static void resolve(const listing_t *l, const char *text, char *out, size_t room)
{
    size_t n = 0;

    for (const char *p = text; *p != '\0' && n + 16 < room;) {
        if (*p == '`') {
            size_t len = strcspn(p + 2, ")");
            n += (size_t)snprintf(out + n, room - n, "0x%x", label_pc(l, p + 2, len));
            p += 2 + len + (p[2 + len] == ')');
        } else if (*p == ' ' && (p[1] == ',' || p[1] == ' ')) {
            p++;
        } else {
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
}

/* An operand that the linker sets is 0 before linking. */
static bool same_text(const char *expected, const char *got)
{
    const char *symbol = strstr(expected, "32@");

    if (symbol == NULL)
        return strcmp(expected, got) == 0;
    return strncmp(expected, got, (size_t)(symbol - expected)) == 0 &&
           strcmp(got + (symbol - expected), "0x0") == 0;
}

static unsigned check_section(listing_t *l, const char *section, const cubin_kernel_t *k,
                              unsigned arch)
{
    char line[1024], text[SASS_TEXT_MAX], expected[SASS_TEXT_MAX], got[SASS_TEXT_MAX];
    unsigned n_insts = 0;
    uint32_t pc;

    collect_labels(l, section, k->name);
    for (const char *p = section; *p != '\0' && strncmp(p, "//-----", 7) != 0;) {
        size_t n = strcspn(p, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)n, p);
        p += n + (p[n] != '\0');
        if (!inst_line(line, &pc, text, sizeof(text)))
            continue;
        sass_inst_t in;
        assert_true(pc < k->code_bytes);
        bool known = sass_decode(&in, k->code + pc, pc, arch);
        sass_text(&in, got);
        resolve(l, text, expected, sizeof(expected));
        if (!known || !same_text(expected, got))
            fail_msg("%s+0x%x: '%s', expected '%s'", k->name, pc, got, expected);
        n_insts++;
    }
    assert_int_equal(n_insts * SASS_INST_BYTES, k->code_bytes);
    return n_insts;
}

static unsigned check_unit(const char *unit, unsigned arch)
{
    char path[512];
    code_file_t f;
    rb_err_t err = {0};
    listing_t *l = calloc(1, sizeof(*l));
    unsigned n = 0;

    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/cubin/%s.sm%u.sass.xz", unit, arch);
    l->text = read_xz(path);
    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/cubin/%s.sm%u.cubin", unit, arch);
    assert_int_equal(code_file_open(&f, path, 0, &err), RB_OK);
    assert_int_equal(f.cubins[0].arch, arch);
    for (uint32_t i = 0; i < f.cubins[0].n_kernels; i++) {
        char head[256];
        const cubin_kernel_t *k = &f.cubins[0].kernels[i];
        snprintf(head, sizeof(head), "\n.text.%s:", k->name);
        const char *section = strstr(l->text, head);
        assert_non_null(section);
        n += check_section(l, section + 1, k, arch);
    }
    code_file_close(&f);
    free(l->text);
    free(l);
    return n;
}

static void every_instruction_reads_as_in_the_listings(void **state)
{
    unsigned n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        n += check_unit(units[i], 70) + check_unit(units[i], 75);
    assert_int_equal(n, 10704);
}

static sass_inst_t decode(uint64_t lo, uint64_t hi)
{
    uint8_t code[SASS_INST_BYTES];
    sass_inst_t in;

    memcpy(code, &lo, 8);
    memcpy(code + 8, &hi, 8);
    sass_decode(&in, code, 0, 75);
    return in;
}

static void assert_regs(const reg_op_t *ops, unsigned n, const reg_op_t *expected, unsigned n_exp)
{
    assert_int_equal(n, n_exp);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(ops[i].file, expected[i].file);
        assert_int_equal(ops[i].num, expected[i].num);
        assert_int_equal(ops[i].count, expected[i].count);
    }
}

#define CHECK_SETS(in, ...)                                                                        \
    do {                                                                                           \
        const reg_op_t *e = (const reg_op_t[]){__VA_ARGS__};                                       \
        unsigned n_all = sizeof((const reg_op_t[]){__VA_ARGS__}) / sizeof(reg_op_t);               \
        assert_regs((in).dst, (in).n_dst, e, (in).n_dst);                                          \
        assert_regs((in).src, (in).n_src, e + (in).n_dst, n_all - (in).n_dst);                     \
    } while (0)

static void read_and_write_sets_are_the_true_ones(void **state)
{
    inst_t in;
    sass_inst_t s;

    (void)state;
    /* @!P2 LDG.E.SYS R24, [R4]: the address is a pair, the guard is read */
    s = decode(0x000000000418a381, 0x000ea800001ee900);
    assert_true(sass_to_inst(&s, 70, &in));
    CHECK_SETS(in, {REG_GPR, 24, 1}, {REG_PRED, 2, 1}, {REG_GPR, 4, 2});
    assert_int_equal(in.width, 4);
    assert_int_equal(in.space, MEM_GLOBAL);
    assert_true(in.flags & INST_CONTROL_WORD);
    assert_true(in.flags & INST_FULL_REGS);
    /* STG.E.128.SYS [R12.64+UR4], R4 */
    s = decode(0x000000040c007986, 0x000fe2000c10ed04);
    assert_true(sass_to_inst(&s, 75, &in));
    assert_int_equal(in.n_dst, 0);
    CHECK_SETS(in, {REG_GPR, 12, 2}, {REG_UNIFORM, 4, 2}, {REG_GPR, 4, 4});
    /* IMAD.WIDE R2, R4, R3, c[0x0][0x160] */
    s = decode(0x0000580004027625, 0x000fc800078e0203);
    assert_true(sass_to_inst(&s, 70, &in));
    CHECK_SETS(in, {REG_GPR, 2, 2}, {REG_GPR, 4, 1}, {REG_GPR, 3, 1});
    assert_int_equal(in.const_offset, 0x160);
    assert_true(in.flags & INST_CONST_ADDR);
    /* ISETP.GE.U32.AND.EX P0, PT, R23.reuse, R7, PT, P0 */
    s = decode(0x000000071700720c, 0x000fc80003f06100);
    assert_true(sass_to_inst(&s, 70, &in));
    CHECK_SETS(in, {REG_PRED, 0, 1}, {REG_GPR, 23, 1}, {REG_GPR, 7, 1}, {REG_PRED, 0, 1});
    /* HMMA.884.F32.F32.STEP0 R24, R6.reuse.ROW, R10.reuse.COL, R24 */
    s = decode(0x0000000a06187236, 0x0c0fe40000005418);
    assert_true(sass_to_inst(&s, 70, &in));
    CHECK_SETS(in, {REG_GPR, 24, 2}, {REG_GPR, 6, 2}, {REG_GPR, 10, 2}, {REG_GPR, 24, 2});
    /* ATOMG.E.CAS.STRONG.GPU PT, R0, [R2], R4, R5 */
    s = decode(0x00000004020073a9, 0x000ea200001f4105);
    assert_true(sass_to_inst(&s, 70, &in));
    CHECK_SETS(in, {REG_GPR, 0, 1}, {REG_GPR, 2, 2}, {REG_GPR, 4, 1}, {REG_GPR, 5, 1});
    assert_int_equal(in.access, ACC_ATOMIC);
}

static void control_words_are_taken_apart(void **state)
{
    inst_t in;
    /* ISETP.GE.AND P0, PT, R0, c[0x0][0x180], PT with 0x000fda0003f06270 */
    sass_inst_t s = decode(0x0000600000007a0c, 0x000fda0003f06270);

    (void)state;
    assert_true(sass_to_inst(&s, 70, &in));
    assert_int_equal(ctl_stall(in.ctl), 13);
    assert_true(ctl_yield(in.ctl)); /* the bit is clear */
    assert_int_equal(ctl_write_barrier(in.ctl), 7);
    assert_int_equal(ctl_read_barrier(in.ctl), 7);
    assert_int_equal(ctl_wait_mask(in.ctl), 0);
    /* S2R R3, SR_TID.X with 0x000e240000002100: write barrier 0 */
    s = decode(0x0000000000037919, 0x000e240000002100);
    assert_true(sass_to_inst(&s, 70, &in));
    assert_int_equal(ctl_write_barrier(in.ctl), 0);
    assert_int_equal(ctl_stall(in.ctl), 2);
}

/* S2R and CS2R are clock reads only if they read the cycle counter. */
static void reads_of_the_cycle_counter_are_marked(void **state)
{
    inst_t in;
    /* S2R R3, SR_TID.X; the special register is in bits 72 to 79 */
    const uint64_t tid = 0x000e240000002100, clocklo = 0x000e240000005000,
                   clockhi = 0x000e240000005100;
    sass_inst_t s = decode(0x0000000000037919, tid);

    (void)state;
    assert_true(sass_to_inst(&s, 70, &in));
    assert_false(in.flags & INST_CLOCK);
    s = decode(0x0000000000037919, clocklo);
    assert_true(sass_to_inst(&s, 70, &in));
    assert_true(in.flags & INST_CLOCK);
    s = decode(0x0000000000037919, clockhi);
    assert_true(sass_to_inst(&s, 75, &in));
    assert_true(in.flags & INST_CLOCK);
    /* CS2R R4, SR_CLOCKLO; CS2R R4, SRZ */
    s = decode(0x0000000000047805, 0x000fca0000015000);
    assert_true(sass_to_inst(&s, 70, &in));
    assert_true(in.flags & INST_CLOCK);
    s = decode(0x0000000000047805, 0x000fca000001ff00);
    assert_true(sass_to_inst(&s, 70, &in));
    assert_false(in.flags & INST_CLOCK);
}

/* Stores of whole texels, which occur only in graphics and hand-written code. */
static void formatted_stores_to_surfaces_read_as_listed(void **state)
{
    static const struct {
        uint64_t lo, hi;
        const char *text;
    } cases[] = {
        {0x7000580806007b9b, 0x000fe20000110f00, "SUST.P.2D.STRONG.CTA.TRAP [R6], R8, 0x0, 0x58"},
        {0x6800580806007b9b, 0x000fe20000110100, "SUST.P.2D.STRONG.CTA.R [R6], R8, 0x0, 0x58"},
        {0x0000580c06007b9b, 0x000fe20000110300,
         "SUST.P.1D.STRONG.CTA.RG.IGN [R6], R12, 0x0, 0x58"},
    };
    char text[SASS_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sass_inst_t in = decode(cases[i].lo, cases[i].hi);
        sass_text(&in, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* Any 128 bits decode to printable text; unknown opcodes are named as unknown. */
static void no_encoding_breaks_the_decoder(void **state)
{
    uint64_t seed = 88172645463325252ull;
    char text[SASS_TEXT_MAX];
    inst_t in;

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t word[2];
        for (unsigned k = 0; k < 2; k++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            word[k] = seed;
        }
        if (i < 4096)
            word[0] = (word[0] & ~0xfffull) | i;
        sass_inst_t s = decode(word[0], word[1]);
        assert_true(s.n_operands <= SASS_MAX_OPERANDS);
        assert_true(sass_text(&s, text) < SASS_TEXT_MAX);
        sass_to_inst(&s, 75, &in);
        assert_true(in.n_src <= INST_MAX_SRC && in.n_dst <= INST_MAX_DST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_reads_as_in_the_listings),
        cmocka_unit_test(read_and_write_sets_are_the_true_ones),
        cmocka_unit_test(control_words_are_taken_apart),
        cmocka_unit_test(reads_of_the_cycle_counter_are_marked),
        cmocka_unit_test(formatted_stores_to_surfaces_read_as_listed),
        cmocka_unit_test(no_encoding_breaks_the_decoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
