#include "tests/support/op_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/sass/sass_table.h"
#include "tests/support/op_values.h"
#include "tests/support/sass_code.h"
#include "tests/support/test.h"

/*
 * The kernel: a lane has a line of 16 words (sources a, b, c, then its predicates and what the
 * result's registers hold before) and writes one of 12 (result, predicates, place in memory).
 */
enum {
    LANES = 32,
    WARPS = 2,
    THREADS = WARPS * LANES,
    LINE_IN = 64,
    LINE_OUT = 48,
    IN = 0x160, /* parameters of the kernel whose place it takes */
    OUT = 0x168,
    PLACES = OP_CONSTANT, /* of a memory instruction instead: where the places begin */
    OFFSET = 48,          /* in its encoding */
    REG_A = 8,
    REG_B = 12,
    REG_C = 16,
    REG_PREDS = 20,
    REG_D = 24,
    REG_PREDS_OUT = 28,
    SPARE = 29,
    U_SPARE = 30,
    REG_ADDRESS = 32,
    REG_PLACE = 36,
    GUARD = 5, /* predicate that guards */
    MAX_CODE = 96,
    MAX_TRIALS = 400, /* of a case whose fields have more values than that together */
};

/* An instruction in one form, with all its bits, and what it is tried on. */
typedef struct {
    const sass_row_t *row;
    op_case_t c;
    unsigned form;
    bool uniform, to_uniform; /* all of it; its result only */
    bool no_data;             /* a memory instruction takes zeros instead of source b */
    char field;               /* source in bits 32-63, or 0 */
    unsigned d;               /* number of the result's first register */
    unsigned pd[2];
    uint32_t constant[2]; /* an immediate, or the constant */
    op_in_t in[THREADS];
    uint32_t preset[THREADS][4];
} trial_t;

static uint64_t seed = 0x9e3779b97f4a7c15ull;
static uint8_t forms_tried[512];
static uint32_t values_tried[512][SASS_MAX_MODS];
static sass_code_t last_code[512];

/* --- encodings ------------------------------------------------------------------------------- */

static void set_bits(op_case_t *c, unsigned first, unsigned count, uint64_t value)
{
    const uint64_t mask = (1ull << count) - 1;

    if (first < 64)
        c->lo = (c->lo & ~(mask << first)) | (value & mask) << first;
    else
        c->hi = (c->hi & ~(mask << (first - 64))) | (value & mask) << (first - 64);
}

uint32_t op_bits(const op_case_t *c, unsigned first, unsigned count)
{
    const uint64_t word = first < 64 ? c->lo >> first : c->hi >> (first - 64);

    return (uint32_t)(word & ((1ull << count) - 1));
}

/* The letter of a source in the row's operands; 0: it has no such source. */
static char letter_of(const sass_row_t *row, char source)
{
    for (const char *t = row->operands; *t != '\0'; t += t[2] == ' ' ? 3 : 2) {
        const bool data = strchr("RFIJLDHMYWn", t[0]) != NULL;
        if (data && (t[1] == source || (source == 'b' && t[1] == 'B')))
            return t[0];
        if ((t[0] == 'F' || t[0] == 'I') && t[1] == 's' && source == 'b')
            return t[0];
        if (t[0] == 'L' && t[1] == 'h' && source == 'c')
            return 'R';
        if (t[0] == 'H' && (t[1] == 'l' || t[1] == 'm') && source == (t[1] == 'l' ? 'b' : 'c'))
            return 'S';
    }
    return 0;
}

static bool has_token(const sass_row_t *row, const char *token)
{
    for (const char *t = row->operands; *t != '\0'; t += t[2] == ' ' ? 3 : 2)
        if (t[0] == token[0] && t[1] == token[1])
            return true;
    return false;
}

/* The source that stands in bits 32-63 in a form. */
static char field_source(const sass_row_t *row, unsigned form)
{
    const bool third = form == 2 || form == 3 || form == 7;
    const bool b = letter_of(row, 'b') != 0, c = letter_of(row, 'c') != 0;

    if (b && c)
        return third ? 'c' : 'b';
    if (b)
        return 'b';
    return c && third ? 'c' : 0;
}

static bool is_immediate(unsigned form)
{
    return form == 2 || form == 4;
}

/* Where a source's sign, magnitude and halves are; false: it cannot have them. */
static bool modifier_bits(const op_case_t *c, char source, unsigned bit[3])
{
    static const unsigned of_a[3] = {72, 73, 74}, of_field[3] = {63, 62, 60},
                          of_half[3] = {84, 83, 81}, of_third[3] = {75, 74, 0};
    const sass_row_t *row = sass_find_row(c->lo);
    const char letter = letter_of(row, source);
    const unsigned form = op_bits(c, 9, 3);
    const bool field = field_source(row, form) == source;

    if (letter == 0 || strchr("RMYWS", letter) != NULL || (field && is_immediate(form)))
        return false;
    memcpy(bit,
           source == 'a'   ? of_a
           : field         ? of_field
           : letter == 'H' ? of_half
                           : of_third,
           sizeof(of_a));
    return true;
}

bool op_neg(const op_case_t *c, char source)
{
    unsigned bit[3];

    return modifier_bits(c, source, bit) && op_bits(c, bit[0], 1);
}

bool op_abs(const op_case_t *c, char source)
{
    const char letter = letter_of(sass_find_row(c->lo), source);
    unsigned bit[3];

    return strchr("FDH", letter) != NULL && modifier_bits(c, source, bit) && op_bits(c, bit[1], 1);
}

unsigned op_half(const op_case_t *c, char source)
{
    unsigned bit[3];

    return modifier_bits(c, source, bit) ? op_bits(c, bit[2], 2) : 0;
}

bool op_pred(const op_case_t *c, const op_in_t *in, unsigned i)
{
    static const unsigned number[3] = {87, 77, 68}, inverted[3] = {90, 80, 71};
    const unsigned n = op_bits(c, number[i], 3);

    return (n == SASS_PT || (in->preds >> n & 1) != 0) != op_bits(c, inverted[i], 1);
}

void op_put_pred(const op_case_t *c, op_out_t *out, unsigned i, bool value)
{
    const unsigned n = op_bits(c, i == 0 ? 81 : 84, 3);

    if (n != SASS_PT)
        out->preds = (out->preds & ~(1u << n)) | (uint32_t)value << n;
}

/* --- a trial --------------------------------------------------------------------------------- */

static uint64_t dice(uint64_t sides)
{
    return (sass_lab_random(&seed) >> 20) % sides;
}

static void choose_modifiers(trial_t *t)
{
    for (char s = 'a'; s <= 'c'; s++) {
        unsigned bit[3];
        const char letter = letter_of(t->row, s);
        if (!modifier_bits(&t->c, s, bit) || t->c.no_signs)
            continue;
        set_bits(&t->c, bit[0], 1, dice(2));
        if (strchr("FDH", letter) != NULL)
            set_bits(&t->c, bit[1], 1, dice(3) == 0);
        if (letter == 'H')
            set_bits(&t->c, bit[2], 2, dice(3) == 0 ? 0 : 1 + dice(2) + 1);
    }
}

static void choose_predicates(trial_t *t)
{
    static const struct {
        const char *tokens[5];
        uint8_t bit, not_bit;
    } places[] = {{{"P0", "p0", "U0"}, 81, 0},
                  {{"P1", "p1"}, 84, 0},
                  {{"Q0", "q0", "X0", "Qr"}, 87, 90},
                  {{"Q1", "X1"}, 77, 80},
                  {{"Q2", "E2"}, 68, 71}};

    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        for (unsigned k = 0; places[i].tokens[k] != NULL; k++) {
            if (!has_token(t->row, places[i].tokens[k]))
                continue;
            if (op_bits(&t->c, places[i].bit, 3) == 0) /* the case has not chosen */
                set_bits(&t->c, places[i].bit, 3, dice(4) == 0 ? (unsigned)SASS_PT : i);
            if (places[i].not_bit != 0)
                set_bits(&t->c, places[i].not_bit, 1, dice(2));
        }
}

/* Where the register of a source stands. */
static unsigned register_bit(const trial_t *t, char source)
{
    const char letter = letter_of(t->row, source);

    if (source == 'a')
        return 24;
    if (letter == 'S' || letter == 'M') /* of SHFL and HMMA: always the same */
        return source == 'b' ? 32 : 64;
    return t->field == source ? 32 : 64;
}

/* Address and data of a memory instruction. Offsets of LD and ST are longer: data is elsewhere. */
static void choose_address(trial_t *t)
{
    const bool is_long = t->row->op == SASS_LD || t->row->op == SASS_ST;

    set_bits(&t->c, 24, 8, REG_ADDRESS);
    if (is_long)
        set_bits(&t->c, 32, 32, OFFSET);
    else
        set_bits(&t->c, 40, 24, OFFSET);
    if (has_token(t->row, "Nb")) {
        t->no_data = dice(12) == 0;
        set_bits(&t->c, is_long ? 64 : 32, 8, t->no_data ? (unsigned)SASS_RZ : (unsigned)REG_B);
    }
    if (has_token(t->row, "Nc"))
        set_bits(&t->c, 64, 8, REG_C);
}

/* Puts registers, immediates and constants into the encoding. */
static void choose_registers(trial_t *t)
{
    const unsigned regs[3] = {REG_A, REG_B, REG_C}, none = t->uniform ? SASS_URZ : SASS_RZ;
    const bool shuffle = letter_of(t->row, 'b') == 'S';
    uint32_t *const words = t->constant;

    words[0] = op_values_word(t->c.values, &seed);
    words[1] = op_values_word(t->c.values, &seed);
    t->d = t->c.words == 0 || dice(4) != 0 ? REG_D : regs[dice(3)];
    if (t->c.words > 0)
        set_bits(&t->c, 16, 8, t->d);
    for (unsigned i = 0; i < 3; i++) {
        const char source = (char)('a' + (int)i);
        const char letter = letter_of(t->row, source);
        const bool is_field = t->field == source;
        if (letter == 0)
            continue;
        if (is_field && !shuffle && is_immediate(t->form)) {
            set_bits(&t->c, 32, 32, words[0]);
        } else if (is_field && (t->form == 3 || t->form == 5)) {
            set_bits(&t->c, 38, 16, OP_CONSTANT);
            set_bits(&t->c, 54, 5, 0);
        } else {
            const bool nothing =
                dice(12) == 0 && (letter != 'M' || source == 'c') && !(is_field && t->form >= 6);
            const unsigned n = nothing ? none : regs[i];
            set_bits(&t->c, register_bit(t, source), 8, n);
        }
    }
    if (t->c.memory != OP_NO_MEMORY)
        choose_address(t);
    if (shuffle && (t->form == 2 || t->form == 7))
        set_bits(&t->c, 40, 13, words[0]);
    if (shuffle && (t->form == 4 || t->form == 7))
        set_bits(&t->c, 53, 5, words[1]);
}

/* What a source is in all lanes of a warp: an immediate, a constant, nothing, or lane 0's. */
static void settle_source(trial_t *t, op_in_t *warp, char source)
{
    const char letter = letter_of(t->row, source);
    const bool field = t->field == source, shuffle = letter == 'S';
    const unsigned bit = register_bit(t, source);
    const bool number = field && (is_immediate(t->form) || t->form == 3 || t->form == 5);
    const bool converted = has_token(t->row, "Fs") || has_token(t->row, "Is");
    const bool wide = letter == 'D' || letter == 'L' || (converted && op_bits(&t->c, 84, 2) == 3);
    const bool upper = letter == 'D' || (wide && letter == 'F'); /* what an immediate gives */

    if (letter == 0)
        return;
    for (unsigned k = 0; k < LANES; k++) {
        op_in_t *in = &warp[k];
        uint32_t *v = source == 'a' ? in->a : source == 'b' ? in->b : in->c;
        const uint32_t *first = source == 'a' ? warp->a : source == 'b' ? warp->b : warp->c;
        if (shuffle && source == 'b' && (t->form == 4 || t->form == 7)) {
            v[0] = t->constant[1] & 31;
        } else if (shuffle && source == 'c' && (t->form == 2 || t->form == 7)) {
            v[0] = t->constant[0] & 0x1fff;
        } else if (number && is_immediate(t->form)) {
            v[0] = upper ? 0 : t->constant[0];
            v[1] = upper ? t->constant[0] : 0u - (t->constant[0] >> 31);
        } else if (number) {
            v[0] = t->constant[0];
            v[1] = wide ? t->constant[1] : v[1];
        } else if (field && t->form >= 6) {
            v[0] = first[0];
            v[1] = first[1];
        } else if (op_bits(&t->c, bit, 8) == (t->uniform ? SASS_URZ : SASS_RZ)) {
            memset(v, 0, 4 * sizeof(*v));
        }
    }
}

static void fill_lanes(trial_t *t)
{
    for (unsigned i = 0; i < THREADS; i++) {
        op_in_t *in = &t->in[i];
        const op_in_t empty = {.lane = i % LANES,
                               .thread = i,
                               .warp = &t->in[i / LANES * LANES],
                               .constant = t->constant[0] | (uint64_t)t->constant[1] << 32};
        *in = empty;
        if (t->uniform && i % LANES != 0) {
            *in = *in->warp;
            in->lane = i % LANES;
            in->thread = i;
            memcpy(t->preset[i], t->preset[i - 1], sizeof(t->preset[i]));
            continue;
        }
        op_values_fill(t->c.values, in, &seed);
        for (unsigned k = 0; k < 4; k++)
            t->preset[i][k] = (uint32_t)sass_lab_random(&seed);
    }
}

/* The lines that the lanes read, made before the sources are settled. */
static void write_lines(const trial_t *t, uint32_t *line)
{
    for (unsigned i = 0; i < THREADS; i++, line += LINE_IN / 4) {
        const op_in_t *in = &t->in[i];
        memcpy(line, in->a, 16);
        memcpy(line + 4, in->b, 16);
        memcpy(line + 8, in->c, 16);
        line[12] = in->preds;
        line[13] = t->preset[i][0];
    }
}

/* The result's registers before the instruction. */
static void settle_preset(trial_t *t)
{
    for (unsigned i = 0; i < THREADS; i++) {
        const unsigned from = t->to_uniform ? i / LANES * LANES : i; /* R2UR: the first lane's */
        const op_in_t *in = &t->in[from];
        uint32_t *p = t->preset[i];
        for (unsigned k = 0; k < 4; k++)
            p[k] = t->preset[from][0];
        if (t->d != REG_D)
            memcpy(p, t->d == REG_A ? in->a : t->d == REG_B ? in->b : in->c, 16);
    }
}

static void settle(trial_t *t)
{
    settle_preset(t);
    for (unsigned w = 0; w < THREADS; w += LANES) {
        uint32_t active = 0;
        const unsigned guard = op_bits(&t->c, 12, 3);
        const bool inverted = op_bits(&t->c, 15, 1);
        for (unsigned k = 0; k < LANES; k++)
            if ((guard == SASS_PT || (t->in[w + k].preds >> guard & 1) != 0) != inverted)
                active |= 1u << k;
        for (unsigned k = 0; k < LANES; k++)
            t->in[w + k].active = active;
        for (char s = 'a'; s <= 'c'; s++)
            settle_source(t, &t->in[w], s);
        for (unsigned k = 0; k < LANES && t->no_data; k++)
            memset(t->in[w + k].b, 0, sizeof(t->in[w + k].b));
    }
}

/* --- the kernel ------------------------------------------------------------------------------ */

typedef struct {
    sass_code_t code[MAX_CODE];
    size_t n;
} program_t;

static void put(program_t *p, uint64_t lo, uint64_t hi)
{
    assert_true(p->n < MAX_CODE);
    p->code[p->n++] = (sass_code_t){lo, hi};
}

static void put_move(program_t *p, unsigned d, unsigned s)
{
    put(p, 0x7202 | (uint64_t)d << 16 | (uint64_t)s << 32, 0xf00);
}

static void put_from_uniform(program_t *p, unsigned d, unsigned s)
{
    put(p, 0x7c02 | (uint64_t)d << 16 | (uint64_t)s << 32, 0xf00);
}

static void put_to_uniform(program_t *p, unsigned d)
{
    put(p, 0x73c2 | (uint64_t)d << 16 | (uint64_t)d << 24, 0);
}

/* Loads (0x1..) or stores (0x6..) 16 bytes at the place. */
static void put_place(program_t *p, const trial_t *t, bool store, unsigned reg)
{
    static const uint64_t opcodes[][2] = {[OP_GLOBAL] = {0x7381, 0x7386},
                                          [OP_SHARED] = {0x7984, 0x7388},
                                          [OP_LOCAL] = {0x7983, 0x7387}};
    const uint64_t hi = (6 << 9) | (t->c.memory == OP_GLOBAL ? 0x10e100 : 0);

    put(p,
        opcodes[t->c.memory][store] | (uint64_t)REG_ADDRESS << 24 |
            (uint64_t)reg << (store ? 32 : 16) | (uint64_t)OFFSET << 40,
        hi);
}

/* The place's address, less the offset in the encoding; source a goes there. */
static void put_address(program_t *p, const trial_t *t)
{
    if (t->c.memory == OP_GLOBAL) {
        p->code[p->n++] = sass_code_number_to(1, 16);
        p->code[p->n++] = sass_code_address_to(REG_ADDRESS, 0, 1, PLACES);
    } else if (t->c.memory == OP_SHARED) { /* IMAD R, tid, 16, RZ */
        put(p, 0x7824 | (uint64_t)REG_ADDRESS << 16 | 16ull << 32, 0x078e00ff);
    } else {
        p->code[p->n++] = sass_code_number_to(REG_ADDRESS, 0u - OFFSET);
    }
    put_place(p, t, true, REG_A);
}

/* Loads the lane's line into registers; with a uniform instruction, into uniform ones as well. */
static void put_prologue(program_t *p, const trial_t *t)
{
    p->code[p->n++] = sass_code_tid_to(0);
    p->code[p->n++] = sass_code_number_to(1, LINE_IN);
    p->code[p->n++] = sass_code_address_to(2, 0, 1, IN);
    for (unsigned i = 0; i < 4; i++) {
        sass_code_t load = sass_code_load_to(REG_A + 4 * i, 2, 16);
        load.lo |= (uint64_t)(16 * i) << 40;
        p->code[p->n++] = load;
    }
    put(p, 0x7804 | (uint64_t)REG_PREDS << 24 | 0x7full << 32, 0); /* R2P */
    for (unsigned k = 0; k < 4; k++)
        put_move(p, REG_D + k, REG_PREDS + 1);
    if (t->c.memory != OP_NO_MEMORY)
        put_address(p, t);
    if (!t->uniform && !t->to_uniform && t->form < 6)
        return;
    for (unsigned r = REG_A; r < REG_D + 4; r++)
        if (r < REG_PREDS || r >= REG_D)
            put_to_uniform(p, r);
    for (uint64_t k = 0; k < SASS_PT && t->uniform; k++) /* VOTEU.ANY URZ, UPk, Pk */
        put(p, 0x7886 | (uint64_t)SASS_URZ << 16, 0x100 | k << 17 | k << 23);
}

static void put_epilogue(program_t *p, const trial_t *t)
{
    const unsigned d = t->d;

    put(p, 0x7803 | (uint64_t)REG_PREDS_OUT << 16 | (uint64_t)SASS_RZ << 24 | 0x7full << 32, 0);
    if (t->uniform || t->to_uniform) {
        for (unsigned k = 0; k < 4; k++)
            put_from_uniform(p, d + k, d + k);
        p->code[p->n++] = sass_code_number_to(REG_PREDS_OUT, 0);
        for (uint64_t k = 0; k < SASS_PT; k++) { /* USEL: 0 or bit k; MOV; LOP3: or */
            put(p, 0x7887 | (uint64_t)U_SPARE << 16 | (uint64_t)SASS_URZ << 24 | 1ull << (32 + k),
                k << 23 | 1 << 26);
            put_from_uniform(p, SPARE, U_SPARE);
            put(p,
                0x7212 | (uint64_t)REG_PREDS_OUT << 16 | (uint64_t)REG_PREDS_OUT << 24 |
                    (uint64_t)SPARE << 32,
                0x780fcff | 7 << 17);
        }
    }
    p->code[p->n++] = sass_code_number_to(1, LINE_OUT);
    p->code[p->n++] = sass_code_address_to(2, 0, 1, OUT);
    p->code[p->n++] = sass_code_store_from(d, 2, 16);
    sass_code_t store = sass_code_store_from(REG_PREDS_OUT, 2, 4);
    store.lo |= 16ull << 40;
    p->code[p->n++] = store;
    if (t->c.memory == OP_NO_MEMORY)
        return;
    put_place(p, t, false, REG_PLACE);
    store = sass_code_store_from(REG_PLACE, 2, 16);
    store.lo |= 32ull << 40;
    p->code[p->n++] = store;
}

/* In the place of a kernel that has shared memory, or of one that has local memory. */
static rb_code_t run(sass_lab_t *lab, const program_t *p, const void *lines, const op_case_t *c,
                     uint64_t constant, uint64_t *out)
{
    const bool local = c->memory == OP_LOCAL;

    sass_lab_open(lab, local ? "misc" : "matmul", 75);
    *out = sass_lab_put(lab, NULL, (size_t)THREADS * LINE_OUT);
    if (c->memory == OP_GLOBAL)
        constant = sass_lab_put(lab, NULL, (size_t)THREADS * 16) - OFFSET;
    sass_lab_kernel(lab, local ? "trig" : "matmul");
    sass_lab_code(lab, p->code, p->n);
    sass_lab_pointer(lab, sass_lab_put(lab, lines, (size_t)THREADS * LINE_IN));
    sass_lab_pointer(lab, *out);
    if (!local)
        sass_lab_pointer(lab, constant);
    sass_lab_int(lab, 0);
    return sass_lab_run(lab, (uint32_t[]){1, 1, 1}, (uint32_t[]){THREADS, 1, 1}, 0, NULL, NULL);
}

static sass_inst_t decoded(uint64_t lo, uint64_t hi)
{
    uint8_t code[SASS_INST_BYTES];
    sass_inst_t in;

    memcpy(code, &lo, 8);
    memcpy(code + 8, &hi, 8);
    sass_decode(&in, code, 0);
    return in;
}

static void compare_lane(const trial_t *t, const op_in_t *in, const uint32_t *preset,
                         const uint32_t *line)
{
    op_out_t expected = {.preds = in->preds}, got = {.preds = line[4]};
    char text[SASS_TEXT_MAX];

    memcpy(expected.d, preset, sizeof(expected.d));
    memcpy(got.place, line + 8, sizeof(got.place));
    if (t->c.memory != OP_NO_MEMORY)
        memcpy(expected.place, in->a, sizeof(expected.place));
    if (in->active >> in->lane & 1)
        t->c.expect(&t->c, in, &expected);
    memcpy(got.d, line, sizeof(got.d));
    if (t->to_uniform) { /* other uniform predicates hold nothing */
        const uint32_t written = has_token(t->row, "U0") && op_bits(&t->c, 81, 3) == 0;
        expected.preds &= written;
        got.preds &= written;
    }
    if (memcmp(&expected, &got, sizeof(got)) == 0 || (t->c.same && t->c.same(&expected, &got)))
        return;
    sass_inst_t s = decoded(t->c.lo, t->c.hi);
    sass_text(&s, text);
    fail_msg(
        "%s (%016llx %016llx), lane %u: a %08x %08x, b %08x %08x, c %08x %08x, predicates "
        "%02x: %08x %08x %08x %08x and %02x, place %08x %08x, expected %08x %08x %08x %08x and "
        "%02x, place %08x %08x",
        text, (unsigned long long)t->c.lo, (unsigned long long)t->c.hi, in->lane, in->a[0],
        in->a[1], in->b[0], in->b[1], in->c[0], in->c[1], in->preds, got.d[0], got.d[1], got.d[2],
        got.d[3], got.preds, got.place[0], got.place[1], expected.d[0], expected.d[1],
        expected.d[2], expected.d[3], expected.preds, expected.place[0], expected.place[1]);
}

static void run_trial(trial_t *t)
{
    uint32_t lines[THREADS * LINE_IN / 4] = {0};
    program_t p = {.n = 0};
    sass_lab_t lab;
    uint64_t out;

    fill_lanes(t);
    write_lines(t, lines);
    settle(t);
    put_prologue(&p, t);
    put(&p, t->c.lo, t->c.hi);
    put_epilogue(&p, t);
    if (run(&lab, &p, lines, &t->c, t->in[0].constant, &out) != RB_OK)
        fail_msg("%s", lab.err.text);
    const uint32_t *line = sass_lab_at(&lab, out);
    for (unsigned i = 0; i < THREADS; i++)
        compare_lane(t, &t->in[i], t->preset[i], line + (size_t)i * LINE_OUT / 4);
    sass_lab_close(&lab);
}

/* Tries a case in a form, with its fields as they are. */
static void try_form(const op_case_t *c, unsigned form)
{
    static trial_t t;

    t = (trial_t){.row = sass_find_row(c->lo), .c = *c, .form = form};
    t.uniform = t.row->flags & SASS_ROW_UNIFORM;
    t.to_uniform = !t.uniform && (has_token(t.row, "Ud") || has_token(t.row, "U0"));
    t.field = field_source(t.row, form);
    set_bits(&t.c, 9, 3, form);
    set_bits(&t.c, 91, 1, form >= 6 && letter_of(t.row, 'b') != 'S');
    set_bits(&t.c, 12, 3, !c->whole_warps && dice(2) == 0 ? (unsigned)GUARD : (unsigned)SASS_PT);
    set_bits(&t.c, 15, 1, op_bits(&t.c, 12, 3) == GUARD && dice(2) == 0);
    choose_registers(&t);
    choose_modifiers(&t);
    choose_predicates(&t);
    op_lab_note(t.c.lo, t.c.hi);
    run_trial(&t);
}

static uint8_t forms_of(const op_case_t *c)
{
    const sass_row_t *row = sass_find_row(c->lo);
    const bool b = letter_of(row, 'b') != 0,
               third = letter_of(row, 'c') != 0 || has_token(row, "FB");

    if (c->forms != 0)
        return c->forms;
    if (row->flags & SASS_ROW_UNIFORM)
        return b && third ? 0x16 : b ? 0x12 : 0x02;
    if (has_token(row, "FB") || has_token(row, "HB") || has_token(row, "DB") || (third && !b))
        return 0x8e;
    return b && third ? 0xfe : b ? 0x72 : 0x02;
}

static unsigned n_values(const op_field_t *f)
{
    return f->allowed != 0 ? (unsigned)__builtin_popcount(f->allowed) : 1u << f->width;
}

/* Value number i of a field. */
static unsigned value_of(const op_field_t *f, unsigned i)
{
    uint32_t left = f->allowed;

    if (left == 0)
        return i;
    while (i-- > 0)
        left &= left - 1;
    return (unsigned)__builtin_ctz(left);
}

void op_lab_check(const op_case_t *c)
{
    const uint8_t forms = forms_of(c);
    unsigned form = 0, n = 0;
    uint64_t all = 1;

    assert_non_null(sass_find_row(c->lo));
    while (n < OP_MAX_FIELDS && c->fields[n].width != 0)
        all *= n_values(&c->fields[n++]);
    const uint64_t enough = all * (unsigned)__builtin_popcount(forms);
    const unsigned trials = enough < 24 ? 24 : enough > MAX_TRIALS ? MAX_TRIALS : (unsigned)enough;
    for (unsigned i = 0; i < trials; i++) {
        op_case_t one = *c;
        uint64_t number = i / (unsigned)__builtin_popcount(forms);
        for (unsigned f = 0; f < n; f++) {
            const unsigned values = n_values(&c->fields[f]);
            unsigned which = (unsigned)(number % values);
            number /= values;
            if (enough > MAX_TRIALS) /* each value of each field again and again */
                which = i % n == f ? i / n % values : (unsigned)dice(values);
            set_bits(&one, c->fields[f].bit, c->fields[f].width, value_of(&c->fields[f], which));
        }
        do
            form = (form + 1) % 8;
        while ((forms >> form & 1) == 0);
        try_form(&one, form);
    }
}

void op_lab_check_all(const op_case_t *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        op_lab_check(&cases[i]);
}

/* --- what has been tried --------------------------------------------------------------------- */

void op_lab_note(uint64_t lo, uint64_t hi)
{
    const unsigned opcode = lo & 511;
    const sass_row_t *row = sass_find_row(lo);
    const op_case_t c = {.lo = lo, .hi = hi};

    forms_tried[opcode] |= (uint8_t)(1u << op_bits(&c, 9, 3));
    last_code[opcode] = (sass_code_t){lo, hi};
    for (unsigned i = 0; i < SASS_MAX_MODS; i++)
        if (row->mods[i].names != NULL && row->mods[i].width > 0)
            values_tried[opcode][i] |= 1u << op_bits(&c, row->mods[i].bit, row->mods[i].width);
}

bool op_lab_tried(unsigned opcode)
{
    return forms_tried[opcode] != 0;
}

bool op_lab_refused(uint64_t lo, uint64_t hi)
{
    const op_case_t none = {.lo = lo};
    program_t p = {.n = 0};
    sass_lab_t lab;
    uint64_t out;

    put(&p, lo, hi);
    bool refused = run(&lab, &p, NULL, &none, 0, &out) != RB_OK && lab.totals.unsupported;
    sass_lab_close(&lab);
    return refused;
}

void op_lab_check_modifiers(unsigned opcode)
{
    const sass_row_t *row = sass_find_row(opcode);

    for (unsigned i = 0; i < SASS_MAX_MODS; i++) {
        const sass_mod_t *m = &row->mods[i];
        if (m->names == NULL || m->width == 0)
            continue;
        for (unsigned v = 0; v < 1u << m->width; v++) {
            op_case_t c = {.lo = last_code[opcode].lo, .hi = last_code[opcode].hi};
            set_bits(&c, m->bit, m->width, v);
            set_bits(&c, 12, 4, SASS_PT);
            if ((values_tried[opcode][i] >> v & 1) == 0 &&
                !(m->names[v] != NULL && strncmp(m->names[v], "INVALID", 7) == 0) &&
                strcmp(row->mods[i].names[m->width == 1] != NULL ? m->names[1] : "", "E") != 0 &&
                !op_lab_refused(c.lo, c.hi))
                fail_msg("%s: modifier %s (bit %u, value %u) is executed but not tested", row->name,
                         m->names[v] != NULL ? m->names[v] : "(none)", m->bit, v);
        }
    }
}
