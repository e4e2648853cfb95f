#include "tests/support/emulator/op_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator/op_trial.h"
#include "tests/support/emulator/sass_code.h"
#include "tests/support/test.h"

enum {
    MAX_CODE = 96,
    MAX_TRIALS = 400, /* for a case whose fields have more combinations than this */
};

static uint8_t forms_tried[512];
static uint32_t values_tried[512][SASS_MAX_MODS];
static sass_code_t last_code[512];

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
    put(p, 0x73c2 | (uint64_t)d << 16 | (uint64_t)d << 24, 0xe0000);
}

/* Loads (0x1..) or stores (0x6..) 16 bytes at the lane's place. */
static void put_place(program_t *p, const op_trial_t *t, bool store, unsigned reg)
{
    static const uint64_t opcodes[][2] = {[OP_GLOBAL] = {0x7381, 0x7386},
                                          [OP_SHARED] = {0x7984, 0x7388},
                                          [OP_LOCAL] = {0x7983, 0x7387}};
    const uint64_t hi = (6 << 9) | (t->c.memory == OP_GLOBAL ? 0x1ee100 : 0);

    put(p,
        opcodes[t->c.memory][store] | (uint64_t)REG_ADDRESS << 24 |
            (uint64_t)reg << (store ? 32 : 16) | (uint64_t)OFFSET << 40,
        hi);
}

/* The address of the lane's place, minus the offset in the encoding; source a is stored there. */
static void put_address(program_t *p, const op_trial_t *t)
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
static void put_prologue(program_t *p, const op_trial_t *t)
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
    for (unsigned r = REG_A; r < REG_D + 4 && (t->uniform || t->to_uniform || t->form >= 6); r++)
        if (r < REG_PREDS || r >= REG_D)
            put_to_uniform(p, r);
    const bool preds = t->uniform || op_reads_upred(&t->c);
    for (uint64_t k = 0; k < SASS_PT && preds; k++) /* VOTEU.ANY URZ, UPk, Pk */
        put(p, 0x7886 | (uint64_t)SASS_URZ << 16, 0x100 | k << 17 | k << 23);
}

static void put_epilogue(program_t *p, const op_trial_t *t)
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

/* Replaces the code of a kernel with shared memory, or of one with local memory. */
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
    sass_decode(&in, code, 0, 75);
    return in;
}

/* The lines that the lanes read, made before the sources are final. */
static void write_lines(const op_trial_t *t, uint32_t *line)
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

static void compare_lane(const op_trial_t *t, const op_in_t *in, const uint32_t *preset,
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
    if (t->to_uniform) { /* other uniform predicates have no defined value */
        const uint32_t written = op_has_token(t->row, "U0") && op_bits(&t->c, 81, 3) == 0;
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

static void run_trial(op_trial_t *t)
{
    uint32_t lines[THREADS * LINE_IN / 4] = {0};
    program_t p = {.n = 0};
    sass_lab_t lab;
    uint64_t out;

    op_trial_fill(t);
    write_lines(t, lines);
    op_trial_settle(t);
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

/* Tries a case in one form, with the current values of its fields. */
static void try_form(const op_case_t *c, unsigned form)
{
    static op_trial_t t;

    t = (op_trial_t){.row = sass_find_row(c->lo, 75), .c = *c, .form = form};
    t.uniform = t.row->flags & SASS_ROW_UNIFORM;
    t.to_uniform = !t.uniform && (op_has_token(t.row, "Ud") || op_has_token(t.row, "U0"));
    t.field = op_field_source(t.row, form);
    op_set_bits(&t.c, 9, 3, form);
    op_set_bits(&t.c, 91, 1, form >= 6 && op_letter_of(t.row, 'b') != 'S');
    op_set_bits(&t.c, 12, 3,
                !c->whole_warps && op_dice(2) == 0 ? (unsigned)GUARD : (unsigned)SASS_PT);
    op_set_bits(&t.c, 15, 1, op_bits(&t.c, 12, 3) == GUARD && op_dice(2) == 0);
    op_trial_choose(&t);
    op_lab_note(t.c.lo, t.c.hi);
    run_trial(&t);
}

static uint8_t forms_of(const op_case_t *c)
{
    const sass_row_t *row = sass_find_row(c->lo, 75);
    const bool b = op_letter_of(row, 'b') != 0,
               third = op_letter_of(row, 'c') != 0 || op_has_token(row, "FB");

    if (c->forms != 0)
        return c->forms;
    if (row->flags & SASS_ROW_UNIFORM)
        return b && third ? 0x16 : b ? 0x12 : 0x02;
    if (op_has_token(row, "FB") || op_has_token(row, "HB") || op_has_token(row, "DB") ||
        (third && !b))
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

    assert_non_null(sass_find_row(c->lo, 75));
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
            if (enough > MAX_TRIALS) /* repeats each value of each field */
                which = i % n == f ? i / n % values : (unsigned)op_dice(values);
            op_set_bits(&one, c->fields[f].bit, c->fields[f].width, value_of(&c->fields[f], which));
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
    const sass_row_t *row = sass_find_row(lo, 75);
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
    const sass_row_t *row = sass_find_row(opcode, 75);

    for (unsigned i = 0; i < SASS_MAX_MODS; i++) {
        const sass_mod_t *m = &row->mods[i];
        if (m->names == NULL || m->width == 0)
            continue;
        for (unsigned v = 0; v < 1u << m->width; v++) {
            op_case_t c = {.lo = last_code[opcode].lo, .hi = last_code[opcode].hi};
            op_set_bits(&c, m->bit, m->width, v);
            op_set_bits(&c, 12, 4, SASS_PT);
            if ((values_tried[opcode][i] >> v & 1) == 0 &&
                !(m->names[v] != NULL && strncmp(m->names[v], "INVALID", 7) == 0) &&
                strcmp(row->mods[i].names[m->width == 1] != NULL ? m->names[1] : "", "E") != 0 &&
                !op_lab_refused(c.lo, c.hi))
                fail_msg("%s: modifier %s (bit %u, value %u) is executed but not tested", row->name,
                         m->names[v] != NULL ? m->names[v] : "(none)", m->bit, v);
        }
    }
}
