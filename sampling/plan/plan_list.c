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
