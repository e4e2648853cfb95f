/* Finds the programs of a table of measurements that the traces of a suite belong to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/silicon/hardware_compare.h"
#include "sim/core/alloc.h"

/* Lower-case letters and digits of a name, without a last part NO_ARGS; the caller frees it. */
static char *plain(const char *name)
{
    static const char no_args[] = "/NO_ARGS";
    size_t n = strlen(name), m = 0;
    if (n > strlen(no_args) && strcmp(name + n - strlen(no_args), no_args) == 0)
        n -= strlen(no_args);
    char *text = rb_calloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        if (isalnum((unsigned char)name[i]))
            text[m++] = (char)tolower((unsigned char)name[i]);
    }
    return text;
}

/* How well a program's name fits: by whole names, or one as a part of the other. */
typedef enum { FIT_NONE, FIT_PART, FIT_PLAIN, FIT_EXACT } fit_t;

static fit_t fit(const char *name, const char *program)
{
    if (strcmp(name, program) == 0)
        return FIT_EXACT;
    char *x = plain(name), *y = plain(program);
    const bool parts =
        x[0] != '\0' && y[0] != '\0' && (strstr(x, y) != NULL || strstr(y, x) != NULL);
    const fit_t f = x[0] != '\0' && strcmp(x, y) == 0 ? FIT_PLAIN : parts ? FIT_PART : FIT_NONE;
    free(x);
    free(y);
    return f;
}

/* The program that fits a name best; NULL: none, or several. */
static const char *find(const hardware_table_t *t, const char *name, fit_t *best_fit)
{
    const char *best = NULL;
    fit_t how = FIT_NONE;
    bool several = false;
    for (size_t i = 0; i < t->n_rows; i++) {
        const char *program = t->rows[i].program;
        const fit_t f = program != NULL ? fit(name, program) : FIT_NONE;
        if (f == FIT_NONE || f < how)
            continue;
        several = f == how && strcmp(best, program) != 0 ? true : f == how && several;
        best = f > how || best == NULL ? program : best;
        how = f;
    }
    *best_fit = how;
    return several ? NULL : best;
}

/* Whether another trace fits the program of trace i at least as well. */
static bool is_contested(const char *const *programs, const fit_t *fits, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++) {
        if (k != i && programs[k] != NULL && fits[k] >= fits[i] &&
            strcmp(programs[k], programs[i]) == 0)
            return true;
    }
    return false;
}

void hardware_find_programs(const hardware_table_t *t, const char *const *names, size_t n,
                            hardware_program_t *found)
{
    const char **programs = rb_calloc(n + 1, sizeof(*programs));
    fit_t *fits = rb_calloc(n + 1, sizeof(*fits));
    for (size_t i = 0; i < n; i++)
        programs[i] = find(t, names[i], &fits[i]);
    for (size_t i = 0; i < n; i++) {
        found[i] = (hardware_program_t){0};
        if (programs[i] != NULL && !is_contested(programs, fits, n, i))
            found[i] = (hardware_program_t){programs[i], fits[i] == FIT_PART};
    }
    free(programs);
    free(fits);
}
