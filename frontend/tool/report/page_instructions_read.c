/* Reads the profile of a run's instructions. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/profile_number.h"
#include "frontend/input/profile/table_reader.h"
#include "frontend/tool/report/page_instructions.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

const char *const page_counter_names[PAGE_COUNTERS] = {
    "issued",           "lanes",      "pred_off",     "awaited_long",
    "awaited_short",    "requests",   "sectors",      "l1_hits",
    "l1_pending",       "l1_tags",    "atomic_lanes", "shared_wavefronts",
    "shared_conflicts", "l2_sectors", "l2_hits",      "results",
    "result_cycles",
};

enum { KERNEL, NAME, ARCH, LAUNCHES, ESTIMATED, PC, TEXT, FILE_PATH, LINE, FIELDS };
static const char *const field_names[FIELDS] = {"kernel", "name", "arch", "launches", "estimated",
                                                "pc",     "text", "file", "line"};
enum { FILES_MAX = 1 << 16 };

/* The file has no such column. */
#define NO_COLUMN UINT32_MAX

typedef struct {
    page_insts_t *p;
    uint32_t field[FIELDS], counter[PAGE_COUNTERS], state[PAGE_STATES_MAX];
} columns_t;

static bool field_is(const table_field_t *f, const char *name)
{
    return f->len == strlen(name) && memcmp(f->at, name, f->len) == 0;
}

static uint32_t find_column(const table_reader_t *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_fields; i++)
        if (field_is(&r->fields[i], name))
            return i;
    return NO_COLUMN;
}

static rb_code_t not_a_row(const table_reader_t *r, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s:%llu: not a row of a profile of instructions", r->path,
                   (unsigned long long)r->line);
}

/* The columns by their names. Newer files may have more counters and states. */
static rb_code_t find_columns(columns_t *c, const table_reader_t *r, rb_err_t *err)
{
    static const char prefix[] = "state_";
    const size_t skip = sizeof(prefix) - 1;

    for (unsigned i = 0; i < FIELDS; i++) {
        c->field[i] = find_column(r, field_names[i]);
        if (c->field[i] == NO_COLUMN)
            return rb_fail(err, RB_TRACE,
                           "%s: not an instructions.csv of this version: it has no "
                           "column '%s'",
                           r->path, field_names[i]);
    }
    for (unsigned i = 0; i < PAGE_COUNTERS; i++)
        c->counter[i] = find_column(r, page_counter_names[i]);
    for (uint32_t i = 0; i < r->n_fields && c->p->n_states < PAGE_STATES_MAX; i++) {
        char *name = table_field_text(&r->fields[i]);
        if (strncmp(name, prefix, skip) == 0 && strcmp(name + skip, "no_warp") != 0) {
            c->state[c->p->n_states] = i;
            c->p->states[c->p->n_states++] = rb_strdup(name + skip);
        }
        free(name);
    }
    return RB_OK;
}

/* A number that is not negative; an empty field is empty. */
static bool number_at(const table_reader_t *r, uint32_t column, double empty, double *out)
{
    *out = empty;
    if (column == NO_COLUMN)
        return true;
    if (column >= r->n_fields)
        return false;
    const table_field_t *f = &r->fields[column];
    return f->len == 0 || (profile_number(f->at, f->len, out) && isfinite(*out) && *out >= 0);
}

static char *text_at(const table_reader_t *r, uint32_t column)
{
    return column < r->n_fields ? table_field_text(&r->fields[column]) : rb_strdup("");
}

/* The index of a path, which is often that of the row before; takes it. */
static int64_t file_index(page_insts_t *p, char *path)
{
    size_t i = p->n_files;

    while (i > 0 && strcmp(p->files[i - 1], path) != 0)
        i--;
    if (i > 0 || p->n_files == FILES_MAX) {
        free(path);
        return (int64_t)i - 1;
    }
    rb_grow(&p->files, &p->cap_files, p->n_files + 1, sizeof(*p->files));
    p->files[p->n_files] = path;
    return (int64_t)p->n_files++;
}

/* The kernel of a row, which is that of the row before or a new one. */
static rb_code_t take_kernel(const columns_t *c, const table_reader_t *r, rb_err_t *err)
{
    page_insts_t *p = c->p;
    page_inst_kernel_t *last = p->n_kernels > 0 ? &p->kernels[p->n_kernels - 1] : NULL;
    page_inst_kernel_t k = {.first = p->n_insts};
    double estimated;

    if (!number_at(r, c->field[KERNEL], -1, &k.number) || k.number < 0 ||
        !number_at(r, c->field[ARCH], 0, &k.arch) ||
        !number_at(r, c->field[LAUNCHES], 1, &k.launches) ||
        !number_at(r, c->field[ESTIMATED], 0, &estimated) ||
        (last != NULL && k.number < last->number))
        return not_a_row(r, err);
    if (last != NULL && k.number == last->number)
        return RB_OK;
    k.estimated = estimated != 0;
    k.name = text_at(r, c->field[NAME]);
    rb_grow(&p->kernels, &p->cap_kernels, p->n_kernels + 1, sizeof(*p->kernels));
    p->kernels[p->n_kernels++] = k;
    return RB_OK;
}

/* Adds a row; one without pc belongs to no instruction. */
static rb_code_t take_row(const columns_t *c, const table_reader_t *r, rb_err_t *err)
{
    page_insts_t *p = c->p;
    page_inst_t in = {.file = PAGE_NO_FILE};
    bool good = number_at(r, c->field[PC], -1, &in.pc) && number_at(r, c->field[LINE], 0, &in.line);

    for (unsigned i = 0; i < PAGE_COUNTERS; i++)
        good &= number_at(r, c->counter[i], 0, &in.counter[i]);
    for (uint32_t i = 0; i < p->n_states; i++)
        good &= number_at(r, c->state[i], 0, &in.state[i]);
    if (!good)
        return not_a_row(r, err);
    RB_TRY(take_kernel(c, r, err));
    page_inst_kernel_t *k = &p->kernels[p->n_kernels - 1];
    if (in.pc < 0)
        return RB_OK;
    if (k->n > 0 && p->insts[p->n_insts - 1].pc >= in.pc)
        return not_a_row(r, err);
    if (in.line > 0)
        in.file = file_index(p, text_at(r, c->field[FILE_PATH]));
    in.text = text_at(r, c->field[TEXT]);
    for (uint32_t i = 0; i < p->n_states; i++)
        k->cycles += in.state[i];
    rb_grow(&p->insts, &p->cap_insts, p->n_insts + 1, sizeof(*p->insts));
    p->insts[p->n_insts++] = in;
    k->n++;
    return RB_OK;
}

static rb_code_t read_rows(page_insts_t *p, table_reader_t *r, rb_err_t *err)
{
    columns_t c = {.p = p};
    bool more;

    RB_TRY(table_reader_row(r, &more, err));
    RB_TRY(find_columns(&c, r, err));
    RB_TRY(table_reader_row(r, &more, err));
    while (more) {
        RB_TRY(take_row(&c, r, err));
        RB_TRY(table_reader_row(r, &more, err));
    }
    return RB_OK;
}

/* --- waits ----------------------------------------------------------------------------------- */

enum { W_KERNEL, W_PC, W_STATE, W_FOR, W_CYCLES, W_FIELDS };
static const char *const wait_names[W_FIELDS] = {"kernel", "pc", "state", "for_pc", "cycles"};

static rb_code_t take_wait(page_insts_t *p, const uint32_t *column, const table_reader_t *r,
                           rb_err_t *err)
{
    page_wait_t w = {.state = 0};

    if (!number_at(r, column[W_KERNEL], -1, &w.kernel) || !number_at(r, column[W_PC], -1, &w.pc) ||
        !number_at(r, column[W_FOR], -1, &w.for_pc) ||
        !number_at(r, column[W_CYCLES], 0, &w.cycles) || column[W_STATE] >= r->n_fields ||
        w.kernel < 0 || w.pc < 0)
        return not_a_row(r, err);
    while (w.state < p->n_states && !field_is(&r->fields[column[W_STATE]], p->states[w.state]))
        w.state++;
    if (w.state == p->n_states)
        return RB_OK; /* a state that instructions.csv does not have */
    rb_grow(&p->waits, &p->cap_waits, p->n_waits + 1, sizeof(*p->waits));
    p->waits[p->n_waits++] = w;
    return RB_OK;
}

static rb_code_t read_waits(page_insts_t *p, table_reader_t *r, rb_err_t *err)
{
    uint32_t column[W_FIELDS];
    bool more;

    RB_TRY(table_reader_row(r, &more, err));
    for (unsigned i = 0; i < W_FIELDS; i++) {
        column[i] = find_column(r, wait_names[i]);
        if (column[i] == NO_COLUMN)
            return rb_fail(err, RB_TRACE,
                           "%s: not an instruction_waits.csv of this version: it "
                           "has no column '%s'",
                           r->path, wait_names[i]);
    }
    RB_TRY(table_reader_row(r, &more, err));
    while (more) {
        RB_TRY(take_wait(p, column, r, err));
        RB_TRY(table_reader_row(r, &more, err));
    }
    return RB_OK;
}

static int by_kernel(const void *a, const void *b)
{
    const page_wait_t *x = a, *y = b;

    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return (x->for_pc > y->for_pc) - (x->for_pc < y->for_pc);
}

/* Gives each kernel its waits. */
static void divide_waits(page_insts_t *p)
{
    size_t at = 0;

    if (p->n_waits == 0)
        return;
    qsort(p->waits, p->n_waits, sizeof(*p->waits), by_kernel);
    for (size_t i = 0; i < p->n_kernels; i++) {
        page_inst_kernel_t *k = &p->kernels[i];
        while (at < p->n_waits && p->waits[at].kernel < k->number)
            at++;
        k->wait = at;
        while (at < p->n_waits && p->waits[at].kernel == k->number)
            at++;
        k->n_waits = at - k->wait;
    }
}

/* --- all ------------------------------------------------------------------------------------- */

static int by_cycles(const void *a, const void *b)
{
    const page_inst_kernel_t *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static rb_code_t read_table(page_insts_t *p, const char *path,
                            rb_code_t (*read)(page_insts_t *, table_reader_t *, rb_err_t *),
                            rb_err_t *err)
{
    profile_input_t *in = NULL;
    table_reader_t r;

    RB_TRY(profile_input_open(&in, path, err));
    table_reader_init(&r, in);
    rb_code_t rc = read(p, &r, err);
    table_reader_free(&r);
    profile_input_close(in);
    return rc;
}

rb_code_t page_insts_read(page_insts_t *p, const char *path, const char *waits, rb_err_t *err)
{
    *p = (page_insts_t){0};
    RB_TRY(read_table(p, path, read_rows, err));
    if (waits != NULL)
        RB_TRY(read_table(p, waits, read_waits, err));
    divide_waits(p);
    if (p->n_kernels > 0)
        qsort(p->kernels, p->n_kernels, sizeof(*p->kernels), by_cycles);
    return RB_OK;
}

void page_insts_free(page_insts_t *p)
{
    for (uint32_t i = 0; i < p->n_states; i++)
        free(p->states[i]);
    for (size_t i = 0; i < p->n_files; i++)
        free(p->files[i]);
    for (size_t i = 0; i < p->n_insts; i++)
        free(p->insts[i].text);
    for (size_t i = 0; i < p->n_kernels; i++)
        free(p->kernels[i].name);
    free(p->files);
    free(p->insts);
    free(p->kernels);
    free(p->waits);
    *p = (page_insts_t){0};
}

const page_inst_t *page_insts_at(const page_insts_t *p, const page_inst_kernel_t *k, double pc)
{
    size_t i;

    FIND_FIRST(i, k->first, k->first + k->n, p->insts[i].pc >= pc);
    return i < k->first + k->n && p->insts[i].pc == pc ? &p->insts[i] : NULL;
}
