/*
 * The state of an assembly: the text of a kernel, the position in it, and the parameters. A line
 * may use parameters, $name or $(expression), which are replaced before it is parsed.
 */
#ifndef RUBATO_SILICON_ASSEMBLER_H
#define RUBATO_SILICON_ASSEMBLER_H

#include "frontend/input/silicon/silicon_kernel.h"

enum { ASSEMBLER_LINE = 400, ASSEMBLER_PARAMS = 64, ASSEMBLER_NESTING = 8 };

enum { ASSEMBLER_CODE = 1 << 18 }; /* 4 MiB of code */

typedef struct assembler {
    kernel_t *k;
    const kernel_text_t *text;
    unsigned arch;
    kernel_param_t param[ASSEMBLER_PARAMS]; /* names and values are owned: given ones, defaults,
                                             * .repeat */
    size_t n_params;
    size_t n_outer;               /* the first of them, which .param hides */
    size_t n_top;                 /* those that are in no .repeat */
    char *local[KERNEL_MAX_VARS]; /* owned: names of open loops and of .let */
    unsigned n_locals;
    size_t run;       /* number + 1 of the STEP_RUN that instructions may join; 0: none */
    unsigned nesting; /* depth of nested blocks */
    unsigned depth;   /* depth of parameters in parameters */
    size_t n_read;    /* number of lines read */
    size_t at;        /* line being read */
    /* Of a program (silicon_program.h): reads its directives; false: not one. NULL: a kernel is read. */
    bool (*directive)(struct assembler *a, const char *line, const char *operands, rb_code_t *rc);
    void *ctx;      /* of directive() */
    bool was_given; /* at least one instruction has a control word ... */
    bool was_not;   /* ... or lacks one */
    rb_err_t *err;
} assembler_t;

/* Fails with the message of what, preceded by file and line. */
rb_code_t assembler_place(const assembler_t *a, rb_code_t rc, const rb_err_t *what);

/* Fails with file and line, what is wrong, and the offending text. */
rb_code_t assembler_wrong(const assembler_t *a, const char *what, const char *text);

/* The last added parameter of this name; NULL: none. */
kernel_param_t *assembler_param(assembler_t *a, const char *name, size_t len);

/* Adds a copy of a parameter; assembler_pop() removes the last one. */
RB_CHECKED rb_code_t assembler_push(assembler_t *a, const char *name, size_t len,
                                    const char *value);
void assembler_pop(assembler_t *a);

/* The meaning of a name in an expression. ctx: the assembler. */
expr_name_t assembler_resolve(void *ctx, const char *name, size_t len);

/* Parses an expression of parameters and variables. Free with expr_free(). */
RB_CHECKED rb_code_t assembler_parse(assembler_t *a, const char *text, size_t len, expr_t *e);

/* Evaluates an expression of parameters, which must be an integer of min .. max. */
RB_CHECKED rb_code_t assembler_whole(assembler_t *a, const char *text, size_t len, int64_t min,
                                     int64_t max, int64_t *out);

/* Replaces the parameters of a line, also in the substituted text. */
RB_CHECKED rb_code_t assembler_substitute(assembler_t *a, const char *in, char out[ASSEMBLER_LINE]);

/* Moves *p past a word and the blanks behind it; returns its length. */
size_t assembler_word(const char **p, const char **word);

/* Whether the line is ".NAME ...". */
bool assembler_is(const char *line, const char *name);

/* Finds ".param NAME" in a text: what follows the name; NULL: there is none. */
const char *assembler_declared(const kernel_text_t *text, const char *name, size_t len);

/* Appends a step to the kernel; valid until the next one. */
kernel_step_t *assembler_step(assembler_t *a, step_kind_t kind);

/* Appends an expression to the kernel; *number is its place. */
RB_CHECKED rb_code_t assembler_expr(assembler_t *a, const char *text, size_t len, uint32_t *number);

/* Appends instructions separated by ';', and modifies line. */
RB_CHECKED rb_code_t assembler_insts(assembler_t *a, char *line);

/* Reads all lines of a->text. */
RB_CHECKED rb_code_t assembler_read(assembler_t *a);

#endif
