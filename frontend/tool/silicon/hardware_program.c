/* Finds the program of a table of measurements that a trace of a suite belongs to. */
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

const char *hardware_find_program(const hardware_table_t *t, const char *name)
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
    return several ? NULL : best;
}
