/* rubato sass: prints the machine code of a program for people. */
#include <string.h>

#include "frontend/emulator/sass/code_file.h"
#include "frontend/emulator/sass/line_table.h"
#include "frontend/emulator/sass/sass_inst.h"
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/trace/sass_counters.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/log.h"

typedef struct {
    const char *file, *kernel;
    const char *counters; /* folder of a run whose counts are shown; NULL: none */
    uint32_t arch;        /* 0: all */
} sass_options_t;

/* What is listed: a file, with the counts of a run if counts is not NULL. */
typedef struct {
    const sass_options_t *options;
    const page_insts_t *counts;
    uint32_t n; /* kernels printed so far */
} listing_t;

static rb_code_t parse_arch(const char *text, uint32_t *arch, rb_err_t *err)
{
    static const char *const words[] = {"sm_70", "sm_72", "sm_75", "sm_80",
                                        "sm_86", "sm_87", "sm_89", NULL};
    static const uint32_t numbers[] = {70, 72, 75, 80, 86, 87, 89};
    unsigned index;

    RB_TRY(option_word("arch", text, words, &index, err));
    *arch = numbers[index];
    return RB_OK;
}

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    sass_options_t *o = ctx;

    if (id == CLI_ARCH)
        return parse_arch(value, &o->arch, err);
    if (id == CLI_COUNTERS)
        o->counters = value;
    else
        o->kernel = value;
    return RB_OK;
}

static rb_code_t read_options(sass_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;

    *o = (sass_options_t){0};
    cli_parser_init(&p, cli_find_command("sass"), argc, argv);
    RB_TRY(cli_parser_read(&p, take_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, o->counters != NULL ? 0 : 1, 1, err));
    o->file = p.n_operands > 0 ? p.operands[0] : NULL;
    return RB_OK;
}

static void print_control(uint32_t ctl)
{
    char wait[] = "------", read[] = "-", write[] = "-";

    for (unsigned i = 0; i < 6; i++)
        if (ctl_wait_mask(ctl) >> i & 1)
            wait[i] = (char)('0' + i);
    if (ctl_read_barrier(ctl) < 6)
        read[0] = (char)('0' + ctl_read_barrier(ctl));
    if (ctl_write_barrier(ctl) < 6)
        write[0] = (char)('0' + ctl_write_barrier(ctl));
    printf("B%s R%s W%s %c S%02u", wait, read, write, ctl_yield(ctl) ? 'Y' : '-', ctl_stall(ctl));
}

/* Name of the symbol that the linker puts into an instruction, or NULL. */
static const char *patched_symbol(const cubin_t *c, const cubin_kernel_t *k, uint32_t pc)
{
    const cubin_reloc_t *r = cubin_reloc_at(c, k->section, pc);

    return r != NULL ? c->elf.symbols[r->symbol].name : NULL;
}

static bool same_line(const line_row_t *a, const line_row_t *b)
{
    return a == b || (a != NULL && b != NULL && a->file == b->file && a->line == b->line);
}

/* Prints the source line that the instruction at pc comes from, where it changes. */
static void print_line(const line_table_t *lines, uint32_t section, uint32_t pc,
                       const line_row_t **last)
{
    const line_row_t *row = line_table_at(lines, section, pc);

    if (same_line(row, *last))
        return;
    if (row != NULL)
        printf("%s:%u\n", lines->files[row->file], row->line);
    else
        printf("no source line\n");
    *last = row;
}

/* counted: the kernel's counts, of l->counts; NULL: without counts. */
static void print_kernel(const listing_t *l, const cubin_t *c, const cubin_kernel_t *k,
                         const line_table_t *lines, const page_inst_kernel_t *counted)
{
    char text[SASS_TEXT_MAX];
    const line_row_t *line = NULL;
    sass_inst_t in;

    printf("\n%s: sm_%u, %u registers, %u B shared, %u B of %u parameters\n", k->name, c->arch,
           k->regs, k->shared_bytes, k->param_bytes, k->n_params);
    if (counted != NULL) {
        sass_counters_about(counted);
        putchar('\n');
    }
    for (uint32_t pc = 0; pc < k->code_bytes; pc += SASS_INST_BYTES) {
        print_line(lines, k->section, pc, &line);
        sass_decode(&in, k->code + pc, pc, c->arch);
        sass_text(&in, text);
        printf("  %04x  ", pc);
        if (counted != NULL) {
            sass_counters_print(l->counts, counted, pc);
            printf("  ");
        }
        print_control(sass_control(&in));
        const char *symbol = patched_symbol(c, k, pc);
        if (symbol != NULL)
            printf("  %-50s  (address of %s)\n", text, symbol);
        else
            printf("  %s\n", text);
    }
}

static void print_titles(const listing_t *l)
{
    if (l->counts == NULL) {
        printf("offset, waits for barriers, read and write barrier, yield, stall\n");
        return;
    }
    printf("%6s  ", "offset");
    sass_counters_titles();
    printf("  waits for barriers, read and write barrier, yield, stall\n");
}

/* Prints the wanted kernels of a cubin: those of the name, and with counts those that ran. */
static void print_cubin(listing_t *l, const cubin_t *c)
{
    const sass_options_t *o = l->options;
    line_table_t lines;

    line_table_read(&lines, &c->elf);
    if (lines.damaged)
        rb_warn("%s: its line table is damaged: no source lines are shown", o->file);
    for (uint32_t k = 0; k < c->n_kernels; k++) {
        const char *name = c->kernels[k].name;
        const page_inst_kernel_t *counted =
            l->counts != NULL ? sass_counters_kernel(l->counts, name, c->arch) : NULL;
        if ((o->kernel != NULL && strcmp(name, o->kernel) != 0) ||
            (l->counts != NULL && counted == NULL))
            continue;
        if (l->n++ == 0)
            print_titles(l);
        print_kernel(l, c, &c->kernels[k], &lines, counted);
    }
    line_table_free(&lines);
}

static rb_code_t print_file(const sass_options_t *o, const page_insts_t *counts, rb_err_t *err)
{
    listing_t l = {.options = o, .counts = counts};
    code_file_t f;

    RB_TRY(code_file_open(&f, o->file, o->arch, err));
    for (uint32_t i = 0; i < f.n_cubins; i++)
        print_cubin(&l, &f.cubins[i]);
    code_file_close(&f);
    if (l.n > 0)
        return RB_OK;
    if (counts != NULL)
        return rb_fail(err, RB_TRACE,
                       "%s: no kernel of it%s%s was counted in %s, for the same architecture; "
                       "'rubato sass --counters %s' lists what was",
                       o->file, o->kernel != NULL ? " named " : "",
                       o->kernel != NULL ? o->kernel : "", o->counters, o->counters);
    if (o->kernel != NULL)
        return rb_fail(err, RB_TRACE, "%s: no kernel '%s'; see 'rubato sass %s' for the names",
                       o->file, o->kernel, o->file);
    return rb_fail(err, RB_TRACE, "%s: has no kernel", o->file);
}

static rb_code_t print_counted(const sass_options_t *o, rb_err_t *err)
{
    page_insts_t counts;
    rb_code_t rc = sass_counters_read(&counts, o->counters, err);

    if (rc == RB_OK)
        rc = o->file != NULL ? print_file(o, &counts, err)
                             : sass_counters_list(&counts, o->counters, o->kernel, err);
    page_insts_free(&counts);
    return rc;
}

static rb_code_t print_listing(const sass_options_t *o, rb_err_t *err)
{
    if (o->counters != NULL)
        RB_TRY(print_counted(o, err));
    else
        RB_TRY(print_file(o, NULL, err));
    return out_flush_stdout(err);
}

int cmd_sass(int argc, char **argv)
{
    rb_err_t err = {0};
    sass_options_t options;
    bool help;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);

    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("sass"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        rc = print_listing(&options, &err);
    }
    return rc != RB_OK ? cli_report(&err) : 0;
}
