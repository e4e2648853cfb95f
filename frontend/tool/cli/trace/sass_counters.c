#include "frontend/tool/cli/trace/sass_counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/text_format.h"
#include "sim/core/alloc.h"

enum { WIDTH = 87 }; /* of the columns */

/* Places of page_counter_names. */
enum { ISSUED, LANES, REQUESTS = 5, SECTORS = 6, L1_HITS = 7, RESULTS = 15, RESULT_CYCLES = 16 };

rb_code_t sass_counters_read(page_insts_t *p, const char *folder, rb_err_t *err)
{
    char *insts = rb_format("%s/instructions.csv", folder);
    char *waits = rb_format("%s/instruction_waits.csv", folder);
    rb_code_t rc;

    *p = (page_insts_t){0};
    if (access(insts, F_OK) != 0)
        rc = rb_fail(err, RB_USAGE,
                     "%s: has no instructions.csv; 'rubato run TRACE --per-instruction -o %s' "
                     "writes it",
                     folder, folder);
    else
        rc = page_insts_read(p, insts, access(waits, F_OK) == 0 ? waits : NULL, err);
    free(insts);
    free(waits);
    return rc;
}

const page_inst_kernel_t *sass_counters_kernel(const page_insts_t *p, const char *name,
                                               uint32_t arch)
{
    for (size_t i = 0; i < p->n_kernels; i++)
        if (strcmp(p->kernels[i].name, name) == 0 && p->kernels[i].arch == arch)
            return &p->kernels[i];
    return NULL;
}

/* A number of a file, which may be anything that is not negative. */
static unsigned long long whole(double v)
{
    return v < 1e18 ? (unsigned long long)v : 1000000000000000000ULL;
}

static double cycles_of(const page_insts_t *p, const page_inst_t *in)
{
    double sum = 0;
    for (uint32_t s = 0; s < p->n_states; s++)
        sum += in->state[s];
    return sum;
}

/* The state that most cycles were charged to, in which the warps waited; n_states: none. */
static uint32_t main_state(const page_insts_t *p, const page_inst_t *in)
{
    uint32_t most = p->n_states;
    for (uint32_t s = 0; s < p->n_states; s++)
        if (in->state[s] > 0 && strcmp(p->states[s], "selected") != 0 &&
            (most == p->n_states || in->state[s] > in->state[most]))
            most = s;
    return most;
}

/* The offset that the warps waited longest for in that state, or -1. */
static double waits_for(const page_insts_t *p, const page_inst_kernel_t *k, double pc,
                        uint32_t state)
{
    for (size_t i = k->wait; i < k->wait + k->n_waits; i++)
        if (p->waits[i].pc == pc && p->waits[i].state == state)
            return p->waits[i].for_pc;
    return -1;
}

static void print_ratio(int width, double a, double b, const char *unit)
{
    if (b > 0)
        printf(" %*.1f%s", width, a / b, unit);
    else
        printf(" %*s", width + (int)strlen(unit), "");
}

void sass_counters_titles(void)
{
    printf("%10s %5s %12s %6s  %-24s %8s %7s %7s", "issued", "lanes", "warp cycles", "share",
           "longest wait (for)", "sectors", "L1 hits", "latency");
}

void sass_counters_about(const page_inst_kernel_t *k)
{
    char text[FORMAT_MAX];

    printf("%s warp cycles in %.0f launch%s%s", format_grouped(text, whole(k->cycles)), k->launches,
           k->launches == 1 ? "" : "es", k->estimated ? ", estimated" : "");
}

static void print_counts(const page_insts_t *p, const page_inst_kernel_t *k, const page_inst_t *in)
{
    const double *c = in->counter, cycles = cycles_of(p, in);
    const uint32_t state = main_state(p, in);
    char wait[64] = "";

    if (state < p->n_states) {
        double on = waits_for(p, k, in->pc, state);
        if (on >= 0)
            snprintf(wait, sizeof(wait), "%.18s %04llx", p->states[state], whole(on));
        else
            snprintf(wait, sizeof(wait), "%.24s", p->states[state]);
    }
    printf("%10.0f", c[ISSUED]);
    print_ratio(5, c[LANES], c[ISSUED], "");
    printf(" %12.0f", cycles);
    print_ratio(4, 100 * cycles, k->cycles, " %");
    printf("  %-24s", wait);
    print_ratio(8, c[SECTORS], c[REQUESTS], "");
    print_ratio(5, 100 * c[L1_HITS], c[SECTORS], " %");
    print_ratio(7, c[RESULT_CYCLES], c[RESULTS], "");
}

void sass_counters_print(const page_insts_t *p, const page_inst_kernel_t *k, uint32_t pc)
{
    const page_inst_t *in = page_insts_at(p, k, pc);

    if (in != NULL)
        print_counts(p, k, in);
    else
        printf("%*s", WIDTH, "");
}

static void list_kernel(const page_insts_t *p, const page_inst_kernel_t *k)
{
    const page_inst_t *last = NULL;
    char name[256];

    printf("\n%s: sm_%.0f, ", format_kernel(name, sizeof(name), k->name), k->arch);
    sass_counters_about(k);
    putchar('\n');
    for (const page_inst_t *in = p->insts + k->first; in < p->insts + k->first + k->n; in++) {
        bool moved =
            last == NULL ? in->file >= 0 : in->file != last->file || in->line != last->line;
        if (moved && in->file >= 0)
            printf("%s:%.0f\n", p->files[in->file], in->line);
        else if (moved)
            puts("no source line");
        printf("  %04llx  ", whole(in->pc));
        print_counts(p, k, in);
        printf("  %s\n", in->text);
        last = in;
    }
}

rb_code_t sass_counters_list(const page_insts_t *p, const char *folder, const char *kernel,
                             rb_err_t *err)
{
    char name[256];
    unsigned n = 0;

    for (size_t i = 0; i < p->n_kernels; i++) {
        const page_inst_kernel_t *k = &p->kernels[i];
        if (kernel != NULL && strcmp(k->name, kernel) != 0 &&
            strcmp(format_kernel(name, sizeof(name), k->name), kernel) != 0)
            continue;
        if (n++ == 0) {
            printf("%6s  ", "offset");
            sass_counters_titles();
            printf("  instruction\n");
        }
        list_kernel(p, k);
    }
    if (n == 0)
        return rb_fail(err, RB_TRACE, "%s: has no counts of kernel '%s'", folder,
                       kernel == NULL ? "" : kernel);
    return RB_OK;
}
