/*
 * A kernel of a listing: text with directives. It is assembled for given parameters into static
 * code and a small program that determines what each warp executes. docs/listings.md describes the
 * text.
 */
#ifndef RUBATO_SILICON_KERNEL_H
#define RUBATO_SILICON_KERNEL_H

#include "frontend/input/silicon/silicon_expr.h"
#include "sim/gpu/source/trace_source.h"

/* The text of a kernel: the lines between ".kernel NAME" and the next ".kernel" or ".test". */
typedef struct {
    const char *file;  /* for messages */
    const char *name;  /* owned by the suite that read it, like all that follows */
    char **line;       /* without comments and surrounding blanks; empty lines are kept */
    unsigned first_no; /* number of line[0] in the file */
    size_t n_lines;
} kernel_text_t;

/* A parameter: its value replaces $name in the text. */
typedef struct {
    const char *name, *value;
} kernel_param_t;

/* Variables of expressions; those of .loop and .let follow. */
enum {
    VAR_LANE,
    VAR_WARP,
    VAR_THREAD,
    VAR_THREAD_X,
    VAR_THREAD_Y,
    VAR_BLOCK,
    VAR_BLOCK_X,
    VAR_BLOCK_Y,
    VAR_BLOCK_Z,
    VAR_LAUNCH, /* from 0 */
    VAR_FIRST_LOCAL,
    KERNEL_MAX_VARS = 48
};

typedef enum {
    STEP_RUN,     /* n instructions that the same lanes execute */
    STEP_ADDRESS, /* the address of an instruction of the run before */
    STEP_GUARDED, /* one instruction, executed where the condition holds */
    STEP_LET,
    STEP_LOOP,
    STEP_LOOP_END,
    STEP_IF,
    STEP_LANES,
    STEP_LANES_END
} step_kind_t;

typedef struct {
    step_kind_t kind;
    uint32_t inst;  /* STEP_RUN, STEP_GUARDED: number in code */
    uint32_t n;     /* STEP_RUN */
    uint32_t other; /* STEP_LOOP, STEP_IF, STEP_LANES: the step after the body; STEP_LOOP_END: its
                     * STEP_LOOP */
    uint32_t var;   /* STEP_LOOP, STEP_LET */
    uint32_t expr;  /* number of the count, condition, address or value in expr */
} kernel_step_t;

/* A parameter with a numeric value. */
typedef struct {
    char *name; /* owned */
    double value;
} kernel_number_t;

/* An assembled kernel. */
typedef struct {
    launch_info_t info;
    kernel_number_t *number; /* owned: its parameters */
    inst_t *code;            /* owned */
    char **text;             /* owned: mnemonics */
    expr_t *expr;            /* owned */
    kernel_step_t *step;     /* owned */
    memcpy_op_t *copy;       /* owned; host copies before the launch */
    size_t n_code, n_text, n_expr, n_step, n_copy, n_number;
    size_t cap_code, cap_text, cap_expr, cap_step, cap_copy, cap_number;
    uint32_t n_warps;
} kernel_t;

/* Assembles text. params override defaults in the text (".param"), except the first n_outer, which
 * apply where neither the others nor the text have a parameter of the name. RB_TRACE with file and line.
 * The caller sets the launch's id. */
RB_CHECKED rb_code_t kernel_assemble(kernel_t *k, const kernel_text_t *text, unsigned arch,
                                     const kernel_param_t *params, size_t n_params, size_t n_outer,
                                     rb_err_t *err);

/* A hash of the code: equal for kernels that differ in addresses, counts and shapes alone. */
uint64_t kernel_code_hash(const kernel_t *k);

void kernel_free(kernel_t *k);

#endif
