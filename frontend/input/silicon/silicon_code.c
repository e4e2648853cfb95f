/* Adds instructions and steps to the kernel that is being assembled. */
#include <stdio.h>
#include <string.h>

#include "frontend/input/silicon/silicon_assembler.h"
#include "frontend/input/silicon/silicon_inst.h"
#include "sim/core/alloc.h"
#include "sim/isa/inst.h"

enum { PC_STEP = 16 };

kernel_step_t *assembler_step(assembler_t *a, step_kind_t kind)
{
    kernel_t *k = a->k;

    if (kind != STEP_ADDRESS && kind != STEP_LET)
        a->run = 0;
    rb_grow(&k->step, &k->cap_step, k->n_step + 1, sizeof(k->step[0]));
    k->step[k->n_step] = (kernel_step_t){.kind = kind};
    return &k->step[k->n_step++];
}

rb_code_t assembler_expr(assembler_t *a, const char *text, size_t len, uint32_t *number)
{
    kernel_t *k = a->k;
    expr_t e;

    RB_TRY(assembler_parse(a, text, len, &e));
    rb_grow(&k->expr, &k->cap_expr, k->n_expr + 1, sizeof(k->expr[0]));
    k->expr[k->n_expr++] = e;
    *number = (uint32_t)k->n_expr - 1;
    return RB_OK;
}

static bool has_addresses(const inst_t *in)
{
    return in->space != MEM_NONE && in->width != 0;
}

/* An LDC with addresses: that of bank b and offset o is b << 16 | o. */
static void give_width(inst_t *ldc, const char *mnemonic, size_t len)
{
    static const char wide[] = ".64";
    bool is_wide =
        len >= strlen(wide) && memcmp(mnemonic + len - strlen(wide), wide, strlen(wide)) == 0;

    ldc->width = is_wide ? 8 : 4;
    ldc->flags &= ~(uint32_t)INST_CONST_ADDR;
    isa_derive(ldc);
}

/* The last instruction joins the open run, or begins one. */
static void put_run(assembler_t *a)
{
    kernel_t *k = a->k;

    if (a->run == 0) {
        assembler_step(a, STEP_RUN)->inst = (uint32_t)k->n_code - 1;
        a->run = k->n_step;
    }
    k->step[a->run - 1].n++;
}

/* Cuts " WORD rest" off the line; returns the rest, or NULL. */
static char *cut_at(char *line, const char *word)
{
    char *at = strstr(line, word);

    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + strlen(word);
}

/* "INSTRUCTION [if CONDITION] [@ ADDRESS]"; modifies line. */
static rb_code_t put_inst(assembler_t *a, char *line)
{
    kernel_t *k = a->k;
    char whole[ASSEMBLER_LINE];

    snprintf(whole, sizeof(whole), "%s", line);
    const char *at = cut_at(line, " @ "), *condition = cut_at(line, " if "), *mnemonic;
    size_t len = strlen(line), mnemonic_len;
    rb_err_t what = {0};
    inst_t in;
    uint32_t address = 0, guard = 0;

    while (len > 0 && line[len - 1] == ' ')
        len--;
    rb_code_t rc = silicon_inst_read(line, len, a->arch, &in, &mnemonic, &mnemonic_len, &what);

    if (rc != RB_OK)
        return assembler_place(a, rc, &what);
    if (k->n_code == ASSEMBLER_CODE)
        return assembler_wrong(a, "too much code", whole);
    if (at != NULL && in.cls == OP_LDC)
        give_width(&in, mnemonic, mnemonic_len);
    if (has_addresses(&in) != (at != NULL))
        return assembler_wrong(
            a, at != NULL ? "takes no address" : "needs an address: ' @ expression'", whole);
    *(in.flags & INST_CONTROL_WORD ? &a->was_given : &a->was_not) = true;
    if (at != NULL)
        RB_TRY(assembler_expr(a, at, strlen(at), &address));
    if (condition != NULL)
        RB_TRY(assembler_expr(a, condition, strlen(condition), &guard));
    in.pc = (uint32_t)k->n_code * PC_STEP;
    rb_grow(&k->code, &k->cap_code, k->n_code + 1, sizeof(k->code[0]));
    rb_grow(&k->text, &k->cap_text, k->n_text + 1, sizeof(k->text[0]));
    k->text[k->n_text] = rb_calloc(mnemonic_len + 1, 1);
    memcpy(k->text[k->n_text++], mnemonic, mnemonic_len);
    k->code[k->n_code++] = in;
    if (condition != NULL) {
        kernel_step_t *s = assembler_step(a, STEP_GUARDED);

        s->inst = (uint32_t)k->n_code - 1;
        s->expr = guard;
    } else {
        put_run(a);
    }
    if (at != NULL)
        assembler_step(a, STEP_ADDRESS)->expr = address;
    return RB_OK;
}

rb_code_t assembler_insts(assembler_t *a, char *line)
{
    for (char *p = line + strspn(line, " ;"), *next; *p != '\0'; p = next) {
        size_t len = strcspn(p, ";");

        next = p + len + strspn(p + len, " ;");
        p[len] = '\0';
        RB_TRY(put_inst(a, p));
    }
    return RB_OK;
}
