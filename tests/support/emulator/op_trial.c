#include "tests/support/emulator/op_trial.h"

#include <string.h>

#include "tests/support/emulator/op_values.h"
#include "tests/support/emulator/sass_lab.h"

static uint64_t seed = 0x9e3779b97f4a7c15ull;

/* --- encodings ------------------------------------------------------------------------------- */

void op_set_bits(op_case_t *c, unsigned first, unsigned count, uint64_t value)
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
char op_letter_of(const sass_row_t *row, char source)
{
    for (const char *t = row->operands; *t != '\0'; t += t[2] == ' ' ? 3 : 2) {
        const bool data = strchr("RKFIJLDHMYWn", t[0]) != NULL;
        if (data && (t[1] == source || (source == 'b' && t[1] == 'B')))
            return t[0];
        if ((t[0] == 'F' || t[0] == 'I') && t[1] == 's' && source == 'b')
            return t[0];
        if (t[0] == 'L' && t[1] == 'h' && source == 'c')
            return 'R';
        if (t[0] == 'U' && t[1] == 'h' && source == 'b')
            return 'F';
        if (t[0] == 'S' && (t[1] == source || (t[1] == 'x' && source == 'b')) && t[1] != 'b')
            return 'R';
        if ((t[0] == 'E' && t[1] == 'c' && source == 'c') ||
            (t[0] == 'B' && t[1] == 'm' && source == 'b'))
            return 'R';
        if (t[0] == 'H' && (t[1] == 'l' || t[1] == 'm') && source == (t[1] == 'l' ? 'b' : 'c'))
            return 'S';
    }
    return 0;
}

bool op_has_token(const sass_row_t *row, const char *token)
{
    for (const char *t = row->operands; *t != '\0'; t += t[2] == ' ' ? 3 : 2)
        if (t[0] == token[0] && t[1] == token[1])
            return true;
    return false;
}

/* The source that stands in bits 32-63 in a form. */
char op_field_source(const sass_row_t *row, unsigned form)
{
    const bool third = form == 2 || form == 3 || form == 7;
    const bool b = op_letter_of(row, 'b') != 0, c = op_letter_of(row, 'c') != 0;

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

/* Bit positions of a source's sign, magnitude and halves; false: it cannot have them. */
static bool modifier_bits(const op_case_t *c, char source, unsigned bit[3])
{
    static const unsigned of_a[3] = {72, 73, 74}, of_field[3] = {63, 62, 60},
                          of_half[3] = {84, 83, 81}, of_third[3] = {75, 74, 0};
    const sass_row_t *row = sass_find_row(c->lo, 75);
    const char letter = op_letter_of(row, source);
    const unsigned form = op_bits(c, 9, 3);
    const bool field = op_field_source(row, form) == source;

    const bool whole = op_has_token(row, "Is") || (letter == 'J' && source == 'b' && !field);

    if (letter == 0 || strchr("RKMYWS", letter) != NULL || whole || (field && is_immediate(form)))
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
    const char letter = op_letter_of(sass_find_row(c->lo, 75), source);
    unsigned bit[3];

    return strchr("FDH", letter) != NULL && modifier_bits(c, source, bit) && op_bits(c, bit[1], 1);
}

unsigned op_half(const op_case_t *c, char source)
{
    unsigned bit[3];

    return modifier_bits(c, source, bit) ? op_bits(c, bit[2], 2) : 0;
}

/* UP0 to UP6, if only the predicates are uniform: whether any thread of the warp has P0 to P6. */
static bool uniform_pred(const op_in_t *in, unsigned n)
{
    uint32_t any = 0;

    for (unsigned k = 0; k < LANES; k++)
        any |= in->warp[k].preds;
    return any >> n & 1;
}

bool op_pred(const op_case_t *c, const op_in_t *in, unsigned i)
{
    static const unsigned number[3] = {87, 77, 68}, inverted[3] = {90, 80, 71};
    const unsigned n = op_bits(c, number[i], 3);
    const bool uniform = i == 2 && op_reads_upred(c);
    const bool value = uniform ? uniform_pred(in, n) : (in->preds >> n & 1) != 0;

    return (n == SASS_PT || value) != op_bits(c, inverted[i], 1);
}

bool op_reads_upred(const op_case_t *c)
{
    return op_has_token(sass_find_row(c->lo, 75), "u2") && op_bits(c, 67, 1);
}

void op_put_pred(const op_case_t *c, op_out_t *out, unsigned i, bool value)
{
    const unsigned n = op_bits(c, i == 0 ? 81 : 84, 3);

    if (n != SASS_PT)
        out->preds = (out->preds & ~(1u << n)) | (uint32_t)value << n;
}

/* --- a trial --------------------------------------------------------------------------------- */

uint64_t op_dice(uint64_t sides)
{
    return (sass_lab_random(&seed) >> 20) % sides;
}

static void choose_modifiers(op_trial_t *t)
{
    for (char s = 'a'; s <= 'c'; s++) {
        unsigned bit[3];
        const char letter = op_letter_of(t->row, s);
        if (!modifier_bits(&t->c, s, bit) || t->c.no_signs)
            continue;
        op_set_bits(&t->c, bit[0], 1, op_dice(2));
        if (strchr("FDH", letter) != NULL)
            op_set_bits(&t->c, bit[1], 1, op_dice(3) == 0);
        if (letter == 'H')
            op_set_bits(&t->c, bit[2], 2, op_dice(3) == 0 ? 0 : 1 + op_dice(2) + 1);
    }
}

static void choose_predicates(op_trial_t *t)
{
    static const struct {
        const char *tokens[5];
        uint8_t bit, not_bit;
    } places[] = {{{"P0", "p0", "U0", "M0"}, 81, 0},
                  {{"P1", "p1"}, 84, 0},
                  {{"Q0", "q0", "X0", "Qr"}, 87, 90},
                  {{"Q1", "X1"}, 77, 80},
                  {{"Q2", "E2", "u2"}, 68, 71}};

    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        for (unsigned k = 0; places[i].tokens[k] != NULL; k++) {
            if (!op_has_token(t->row, places[i].tokens[k]))
                continue;
            if (places[i].bit == 68 && (t->row->flags & SASS_ROW_EX) && !op_bits(&t->c, 72, 1)) {
                op_set_bits(&t->c, 68, 3, SASS_PT);
                continue;
            }
            if (op_bits(&t->c, places[i].bit, 3) == 0) /* the case does not choose it */
                op_set_bits(&t->c, places[i].bit, 3, op_dice(4) == 0 ? (unsigned)SASS_PT : i);
            if (places[i].not_bit != 0)
                op_set_bits(&t->c, places[i].not_bit, 1, op_dice(2));
        }
}

/* Bit position of the register of a source. */
static unsigned register_bit(const op_trial_t *t, char source)
{
    const char letter = op_letter_of(t->row, source);

    if (source == 'a')
        return 24;
    if (letter == 'S' || letter == 'M') /* of SHFL and HMMA: always the same */
        return source == 'b' ? 32 : 64;
    return t->field == source ? 32 : 64;
}

/* Address and data of a memory instruction. LD and ST have longer offsets, so their data is
 * elsewhere. */
static void choose_address(op_trial_t *t)
{
    const bool is_long = t->row->op == SASS_LD || t->row->op == SASS_ST;

    op_set_bits(&t->c, 24, 8, REG_ADDRESS);
    if (is_long)
        op_set_bits(&t->c, 32, 32, OFFSET);
    else
        op_set_bits(&t->c, 40, 24, OFFSET);
    if (op_has_token(t->row, "Nb")) {
        t->no_data = op_dice(12) == 0;
        op_set_bits(&t->c, is_long ? 64 : 32, 8, t->no_data ? (unsigned)SASS_RZ : (unsigned)REG_B);
    }
    if (op_has_token(t->row, "Nc"))
        op_set_bits(&t->c, 64, 8, REG_C);
}

/* Puts registers, immediates and constants into the encoding. */
static void choose_registers(op_trial_t *t)
{
    const unsigned regs[3] = {REG_A, REG_B, REG_C}, none = t->uniform ? SASS_URZ : SASS_RZ;
    const bool shuffle = op_letter_of(t->row, 'b') == 'S';
    uint32_t *const words = t->constant;

    words[0] = op_values_word(t->c.values, &seed);
    words[1] = op_values_word(t->c.values, &seed);
    t->d = t->c.words == 0 || op_dice(4) != 0 ? REG_D : regs[op_dice(3)];
    if (t->c.words > 0)
        op_set_bits(&t->c, 16, 8, t->d);
    for (unsigned i = 0; i < 3; i++) {
        const char source = (char)('a' + (int)i);
        const char letter = op_letter_of(t->row, source);
        const bool is_field = t->field == source;
        if (letter == 0)
            continue;
        if (is_field && !shuffle && is_immediate(t->form)) {
            op_set_bits(&t->c, 32, 32, words[0]);
        } else if (is_field && (t->form == 3 || t->form == 5)) {
            op_set_bits(&t->c, 38, 16, OP_CONSTANT);
            op_set_bits(&t->c, 54, 5, 0);
        } else {
            const bool nothing =
                op_dice(12) == 0 && (letter != 'M' || source == 'c') && !(is_field && t->form >= 6);
            const unsigned n = nothing ? none : regs[i];
            op_set_bits(&t->c, register_bit(t, source), 8, n);
        }
    }
    if (t->c.memory != OP_NO_MEMORY)
        choose_address(t);
    if (shuffle && (t->form == 2 || t->form == 7))
        op_set_bits(&t->c, 40, 13, words[0]);
    if (shuffle && (t->form == 4 || t->form == 7))
        op_set_bits(&t->c, 53, 5, words[1]);
}

/* Value of a source in all lanes of a warp: an immediate, a constant, nothing, or lane 0's
 * register. */
static void settle_source(op_trial_t *t, op_in_t *warp, char source)
{
    const char letter = op_letter_of(t->row, source);
    const bool field = t->field == source, shuffle = letter == 'S';
    const unsigned bit = register_bit(t, source);
    const bool number = field && (is_immediate(t->form) || t->form == 3 || t->form == 5);
    const bool converted = op_has_token(t->row, "Fs") || op_has_token(t->row, "Is");
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

void op_trial_fill(op_trial_t *t)
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

/* The result's registers before the instruction. */
static void settle_preset(op_trial_t *t)
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

void op_trial_settle(op_trial_t *t)
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

void op_trial_choose(op_trial_t *t)
{
    choose_registers(t);
    choose_modifiers(t);
    choose_predicates(t);
}
