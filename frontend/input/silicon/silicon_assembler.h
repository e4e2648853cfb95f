/*
 * The text of a kernel while it is assembled: where it is read, and its parameters. A line may name
 * parameters, $name or $(expression); they are replaced before it is read.
 */
#ifndef RUBATO_SILICON_ASSEMBLER_H
#define RUBATO_SILICON_ASSEMBLER_H

#include "frontend/input/silicon/silicon_kernel.h"

enum { ASSEMBLER_LINE = 400, ASSEMBLER_PARAMS = 32, ASSEMBLER_NESTING = 8 };

typedef struct {
    kernel_t *k;
    const kernel_text_t *text;
    unsigned arch;
    kernel_param_t param[ASSEMBLER_PARAMS]; /* names and values owned: given, defaults, .repeat */
    size_t n_params;
    const char *loop_name[KERNEL_MAX_VARS]; /* of loops that are open */
    unsigned n_loops;
    unsigned nesting; /* of blocks */
    unsigned depth;   /* of parameters in parameters */
    size_t n_read;    /* lines */
    size_t at;        /* line being read */
    bool was_given;   /* at least one instruction has a control word */
    bool was_not;     /* ... or has none */
    rb_err_t *err;
} assembler_t;

/* Fails with a message that has neither file nor line, both before it. */
rb_code_t assembler_place(const assembler_t *a, rb_code_t rc, const rb_err_t *what);

/* Fails with file and line, what is wrong, and the text that is. */
rb_code_t assembler_wrong(const assembler_t *a, const char *what, const char *text);

/* The parameter added last of this name; NULL: there is none. */
kernel_param_t *assembler_param(assembler_t *a, const char *name, size_t len);

/* Adds a parameter, copied; takes the one added last away. */
RB_CHECKED rb_code_t assembler_push(assembler_t *a, const char *name, size_t len,
                                    const char *value);
void assembler_pop(assembler_t *a);

/* What a name in an expression is. ctx: the assembler. */
expr_name_t assembler_resolve(void *ctx, const char *name, size_t len);

/* An expression of parameters and variables. Free with expr_free(). */
RB_CHECKED rb_code_t assembler_parse(assembler_t *a, const char *text, size_t len, expr_t *e);

/* The value of an expression of parameters: a whole number of min .. max. */
RB_CHECKED rb_code_t assembler_whole(assembler_t *a, const char *text, size_t len, int64_t min,
                                     int64_t max, int64_t *out);

/* Replaces the parameters of a line, also in what they stand for. */
RB_CHECKED rb_code_t assembler_substitute(assembler_t *a, const char *in, char out[ASSEMBLER_LINE]);

#endif
