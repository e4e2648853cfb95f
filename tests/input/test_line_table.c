/* Line tables of machine code: those of nvcc as nvdisasm -g shows them, and damaged ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/sass/code_file.h"
#include "frontend/emulator/sass/line_table.h"
#include "tests/support/test.h"

#define LINES_CUBIN RUBATO_ROOT "/traces/cubin/lines.sm75.cubin"

/* What "nvdisasm -g" prints for the kernel: the first instruction of each line. */
static const struct {
    uint32_t pc, line;
    bool header;
} wanted[] = {
    {0x000, 9, false},  {0x010, 11, false}, {0x040, 12, false}, {0x060, 16, false},
    {0x130, 17, false}, {0x160, 4, true},   {0x180, 5, true},   {0x190, 4, true},
    {0x1a0, 5, true},   {0x1b0, 16, false}, {0x1c0, 5, true},   {0x1d0, 4, true},
    {0x1e0, 16, false}, {0x1f0, 5, true},   {0x200, 16, false}, {0x220, 17, false},
    {0x270, 18, false}, {0x280, 6, false},
};

enum { N_WANTED = sizeof(wanted) / sizeof(wanted[0]) };

static void open_lines(code_file_t *f, line_table_t *t, const cubin_kernel_t **k)
{
    rb_err_t err = {0};

    assert_int_equal(code_file_open(f, LINES_CUBIN, 0, &err), RB_OK);
    *k = cubin_find(&f->cubins[0], "lines");
    assert_non_null(*k);
    line_table_read(t, &f->cubins[0].elf);
}

static void lines_are_those_of_nvdisasm(void **state)
{
    const cubin_kernel_t *k;
    line_table_t t;
    code_file_t f;

    (void)state;
    open_lines(&f, &t, &k);
    assert_false(t.damaged);
    assert_int_equal(t.n_files, 2);
    for (uint32_t pc = 0, i = 0; pc < k->code_bytes; pc += 16) {
        if (i + 1 < N_WANTED && wanted[i + 1].pc == pc)
            i++;
        const line_row_t *row = line_table_at(&t, k->section, pc);
        assert_non_null(row);
        assert_int_equal(row->line, wanted[i].line);
        assert_string_equal(t.files[row->file],
                            wanted[i].header ? "/src/polynomial.h" : "/src/lines.cu");
    }
    assert_null(line_table_at(&t, k->section, k->code_bytes));
    assert_null(line_table_at(&t, 0, 0));
    assert_null(line_table_at(&t, f.cubins[0].elf.n_sections, 0));
    line_table_free(&t);
    code_file_close(&f);
}

static void code_without_a_table_has_no_lines(void **state)
{
    rb_err_t err = {0};
    line_table_t t;
    code_file_t f;

    (void)state;
    assert_int_equal(code_file_open(&f, RUBATO_ROOT "/traces/cubin/bfs.sm75.cubin", 0, &err),
                     RB_OK);
    line_table_read(&t, &f.cubins[0].elf);
    assert_false(t.damaged);
    assert_null(line_table_at(&t, f.cubins[0].kernels[0].section, 0));
    line_table_free(&t);
    code_file_close(&f);
}

/* Rows are in order, once an address, in code; files exist. */
static void assert_sound(const line_table_t *t, const elf_file_t *elf)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < elf->n_sections; i++)
        bytes += elf->sections[i].data != NULL ? elf->sections[i].size : 0;
    assert_true(t->n_rows <= bytes);
    for (size_t i = 0; i < t->n_rows; i++) {
        const line_row_t *r = &t->rows[i], *last = i > 0 ? r - 1 : NULL;
        assert_true(r->section < elf->n_sections && r->pc <= elf->sections[r->section].size);
        assert_true(r->line == 0 || r->file < t->n_files);
        if (last != NULL)
            assert_true(last->section < r->section ||
                        (last->section == r->section && last->pc < r->pc));
    }
    assert_true(!t->damaged || t->n_rows == 0);
}

static uint8_t *section_bytes(code_file_t *f, const char *name, size_t *n)
{
    const elf_section_t *s = elf_section(&f->cubins[0].elf, name);

    *n = (size_t)s->size;
    return f->data + (s->data - f->data);
}

/* Every byte of the table and of its relocations, with several values. */
static void changed_bytes_do_no_harm(void **state)
{
    static const char *const names[] = {".debug_line", ".rel.debug_line"};
    const cubin_kernel_t *k;
    line_table_t t;
    code_file_t f;

    (void)state;
    open_lines(&f, &t, &k);
    line_table_free(&t);
    for (size_t s = 0; s < 2; s++) {
        size_t n;
        uint8_t *bytes = section_bytes(&f, names[s], &n);
        for (size_t i = 0; i < n; i++)
            for (unsigned m = 1; m < 256; m += m < 8 ? 1 : 31) {
                bytes[i] ^= (uint8_t)m;
                line_table_read(&t, &f.cubins[0].elf);
                assert_sound(&t, &f.cubins[0].elf);
                line_table_free(&t);
                bytes[i] ^= (uint8_t)m;
            }
    }
    code_file_close(&f);
}

static void cut_tables_do_no_harm(void **state)
{
    const cubin_kernel_t *k;
    line_table_t t;
    code_file_t f;
    size_t n;

    (void)state;
    open_lines(&f, &t, &k);
    line_table_free(&t);
    (void)section_bytes(&f, ".debug_line", &n);
    elf_section_t *s = (elf_section_t *)(uintptr_t)elf_section(&f.cubins[0].elf, ".debug_line");
    const uint8_t *data = s->data;
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *copy = malloc(cut + 1); /* a sanitizer sees reads behind it */
        memcpy(copy, data, cut);
        copy = realloc(copy, cut > 0 ? cut : 1);
        s->data = copy;
        s->size = cut;
        line_table_read(&t, &f.cubins[0].elf);
        assert_sound(&t, &f.cubins[0].elf);
        assert_true(cut == 0 || t.damaged);
        line_table_free(&t);
        free(copy);
    }
    code_file_close(&f);
}

/* --- made tables ----------------------------------------------------------------------------- */

enum { MADE_CODE = 1 << 10, MADE_MAX = 1 << 20 };

typedef struct {
    elf_section_t sections[4]; /* none, .text.k, .debug_line, its relocations */
    uint32_t by_name[4];
    elf_symbol_t symbol;
    elf_file_t elf;
    uint8_t line[MADE_MAX], reloc[16], code[MADE_CODE];
    size_t n;
} made_t;

static void put(made_t *m, const void *p, size_t n)
{
    assert_true(m->n + n <= MADE_MAX);
    memcpy(m->line + m->n, p, n);
    m->n += n;
}

static void put_text(made_t *m, const char *text)
{
    put(m, text, strlen(text) + 1);
}

/* A unit with n copies of a piece of program behind its set_address. */
static made_t *make(const uint8_t *piece, size_t piece_bytes, size_t copies)
{
    static const uint8_t head[] = {0,    0,  0,  0, 2, 0, 0, 0, 0, 0, 16, 1,
                                   0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0,  1};
    static const uint8_t set_address[] = {0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0};
    made_t *m = calloc(1, sizeof(*m));

    put(m, head, sizeof(head));
    put_text(m, "/d");
    put_text(m, "");
    put_text(m, "a.cu");
    put(m, "\1\0\0", 3);
    put_text(m, "");
    uint32_t header = (uint32_t)m->n - 10;
    memcpy(m->line + 6, &header, 4);
    uint64_t at = m->n + 3;
    memcpy(m->reloc, &at, 8);
    put(m, set_address, sizeof(set_address));
    for (size_t i = 0; i < copies; i++)
        put(m, piece, piece_bytes);
    uint32_t length = (uint32_t)m->n - 4;
    memcpy(m->line, &length, 4);
    m->symbol = (elf_symbol_t){.name = "k", .section = 1};
    m->sections[0].name = "";
    m->sections[1] = (elf_section_t){.name = ".text.k", .data = m->code, .size = MADE_CODE};
    m->sections[2] = (elf_section_t){.name = ".debug_line", .data = m->line, .size = m->n};
    m->sections[3] =
        (elf_section_t){.name = ".rel.debug_line", .data = m->reloc, .size = 16, .type = 9};
    const uint32_t order[] = {0, 2, 3, 1};
    memcpy(m->by_name, order, sizeof(order));
    m->elf = (elf_file_t){.origin = "made",
                          .sections = m->sections,
                          .n_sections = 4,
                          .by_name = m->by_name,
                          .symbols = &m->symbol,
                          .n_symbols = 1};
    return m;
}

static void read_made(const uint8_t *piece, size_t n, size_t copies, bool damaged, size_t rows)
{
    made_t *m = make(piece, n, copies);
    line_table_t t;

    line_table_read(&t, &m->elf);
    assert_int_equal(t.damaged, damaged);
    assert_int_equal(t.n_rows, rows);
    assert_sound(&t, &m->elf);
    line_table_free(&t);
    free(m);
}

static void made_programs_have_their_rows(void **state)
{
    /* a row, 16 bytes further a row 3 lines below, end of the sequence after 16 more */
    static const uint8_t good[] = {1, 2, 1, 3, 3, 1, 2, 1, 0, 1, 1};
    /* line 0 has no line; the later row of an address counts */
    static const uint8_t twice[] = {1, 3, 5, 1, 2, 1, 0, 1, 1};
    made_t *m = make(twice, sizeof(twice), 1);
    line_table_t t;

    (void)state;
    read_made(good, sizeof(good), 1, false, 3);
    line_table_read(&t, &m->elf);
    assert_int_equal(line_table_at(&t, 1, 0)->line, 6);
    assert_string_equal(t.files[line_table_at(&t, 1, 8)->file], "/d/a.cu");
    assert_null(line_table_at(&t, 1, 16));
    line_table_free(&t);
    free(m);
}

static void absurd_programs_are_refused(void **state)
{
    static const uint8_t row[] = {1};         /* the same row again and again */
    static const uint8_t steps[] = {2, 1, 1}; /* rows behind the end of the code */
    static const uint8_t back[] = {
        2,    2,    1,    2,    0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 1,    1}; /* addresses that go down */
    static const uint8_t line[] = {3, 0x70, 1}; /* a line below 0 */
    static const uint8_t open_end[] = {0};      /* an opcode of 0 bytes */
    static const uint8_t beyond[] = {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    static const uint8_t file[] = {4, 0x7f, 1, 2, 1, 1, 0, 1, 1}; /* a file that does not exist */

    (void)state;
    read_made(row, sizeof(row), MADE_MAX / 2, false, 1);
    read_made(steps, sizeof(steps), MADE_MAX / 4, true, 0);
    read_made(back, sizeof(back), 1, true, 0);
    read_made(line, sizeof(line), 1, true, 0);
    read_made(open_end, sizeof(open_end), 1, true, 0);
    read_made(beyond, sizeof(beyond), 1, true, 0);
    read_made(file, sizeof(file), 1, false, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_nvdisasm),
        cmocka_unit_test(code_without_a_table_has_no_lines),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(cut_tables_do_no_harm),
        cmocka_unit_test(made_programs_have_their_rows),
        cmocka_unit_test(absurd_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
