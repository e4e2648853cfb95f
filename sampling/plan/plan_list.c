#include "sampling/plan/plan_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/plan/plan_reading.h"

/* Skips brackets, commas and what Python prints around a NumPy scalar: "np.int64(". */
static char *skip_frame(char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n,[]()");
        size_t word = 0;
        while (isalnum((unsigned char)at[word]) || at[word] == '_' || at[word] == '.')
            word++;
        if (!isalpha((unsigned char)at[0]) || at[word] != '(')
            return at;
        at += word;
    }
}

/* Reads the pairs of a line; base: id of the first launch. */
static rb_code_t read_pairs(plan_reading_t *g, char *at, uint64_t base)
{
    while (*(at = skip_frame(at)) != '\0') {
        uint64_t id;
        char *end = NULL;
        if (!plan_take_u64(&at, &id) || id < base || id - base > UINT64_MAX - 1)
            return plan_reading_bad(g, base == 0
                                           ? "a sample is a launch id, from 0, and its weight"
                                           : "a sample is a launch id, from 1, and its weight");
        at = skip_frame(at);
        double weight = strtod(at, &end);
        if (end == at || !plan_weight_valid(weight))
            return plan_reading_bad(g, "a launch needs a weight greater than 0 and at most 1e12");
        at = end;
        RB_TRY(plan_reading_pair(g, id - base + 1, weight));
    }
    return RB_OK;
}

rb_code_t plan_read_list(plan_t *plan, FILE *in, const char *name, rb_err_t *err)
{
    plan_reading_t g;
    text_lines_t lines = plan_reading_lines(name, in);
    uint64_t base = 0;
    rb_code_t rc = RB_OK;
    bool more = true;
    plan_reading_begin(&g, plan, "list", name, err);
    while ((rc = text_lines_next(&lines, &more, err)) == RB_OK && more) {
        g.line = lines.number;
        char *comment = strchr(lines.text, '#');
        if (comment != NULL) {
            if (plan->n_samples == 0 && strstr(comment, "from 1") != NULL)
                base = 1;
            *comment = '\0';
        }
        if ((rc = read_pairs(&g, lines.text, base)) != RB_OK)
            break;
    }
    text_lines_free(&lines);
    if (rc == RB_OK)
        rc = plan_reading_join_pairs(&g);
    return plan_reading_finish(&g, in, rc);
}

void plan_write_list(const plan_t *plan, FILE *out)
{
    fprintf(out, "# launch and weight; launches count from 0\n");
    for (uint64_t i = 0; i < plan->n_samples; i++)
        fprintf(out, "%llu %.17g\n", (unsigned long long)plan->samples[i].launch - 1,
                plan->samples[i].weight);
}

static void put_number(FILE *out, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        fputc((int)(v >> 8 * i & 0xff), out);
}

/* As Python does it: long lists are appended in batches of 1000 items. */
void plan_write_pickle(const plan_t *plan, FILE *out)
{
    enum { BATCH = 1000 };
    fputs("\x80\x04]", out);
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        uint64_t id = plan->samples[i].launch - 1, bits;
        memcpy(&bits, &plan->samples[i].weight, sizeof(bits));
        if (i % BATCH == 0)
            fputc('(', out);
        if (id <= INT32_MAX) {
            fputc('J', out);
            put_number(out, id, 4);
        } else {
            fputs("\x8a\x09", out);
            put_number(out, id, 8);
            fputc(0, out);
        }
        fputc('G', out);
        for (size_t k = sizeof(bits); k-- > 0;)
            fputc((int)(bits >> 8 * k & 0xff), out);
        fputc(0x86, out);
        if (i % BATCH == BATCH - 1 || i + 1 == plan->n_samples)
            fputc('e', out);
    }
    fputc('.', out);
}
