#include "sampling/plan/plan_macsim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/plan/plan_reading.h"

static rb_code_t read_cluster(plan_reading_t *g, char *line)
{
    uint64_t size, draws, id, from = g->plan->n_samples, got = 0;
    if (!plan_take_u64(&line, &size) || !plan_take_u64(&line, &draws))
        return plan_reading_bad(
            g, "a cluster consists of its size, its number of samples and their launches");
    if (size == 0 || draws == 0)
        return plan_reading_bad(g, "a cluster has no launches or no samples");
    RB_TRY(plan_reading_cluster(g, size, draws));
    while (plan_take_u64(&line, &id)) {
        if (id == UINT64_MAX)
            return plan_reading_bad(g, "a launch id is too large");
        plan_reading_sample(g, id + 1, (double)size / (double)draws);
        got++;
    }
    if (line[strspn(line, " \t\r\n")] != '\0')
        return plan_reading_bad(g, "not a launch id");
    if (got != draws)
        return plan_reading_bad(g,
                                "the number of launches differs from the stated number of samples");
    plan_reading_join_draws(g, from);
    if (g->plan->n_samples - from > size)
        return plan_reading_bad(g, "a cluster has samples of more launches than its size");
    return RB_OK;
}

rb_code_t plan_read_macsim(plan_t *plan, FILE *in, const char *name, rb_err_t *err)
{
    enum { FREE_TEXT = 2 };
    plan_reading_t g;
    text_lines_t lines = plan_reading_lines(name, in);
    rb_code_t rc = RB_OK;
    bool more = true;
    plan_reading_begin(&g, plan, "macsim", name, err);
    plan->random = true;
    while ((rc = text_lines_next(&lines, &more, err)) == RB_OK && more) {
        g.line = lines.number;
        if (g.line <= FREE_TEXT)
            continue;
        if (lines.text[strspn(lines.text, " \t\r")] == '\0' ||
            (rc = read_cluster(&g, lines.text)) != RB_OK)
            break;
    }
    text_lines_free(&lines);
    return plan_reading_finish(&g, in, rc);
}

rb_code_t plan_write_macsim(const plan_t *plan, FILE *out, rb_err_t *err)
{
    fprintf(out, "Kernel sampling information from rubato.\n%s, seed %llu\n", plan->method,
            (unsigned long long)plan->seed);
    for (uint64_t c = 0, at = 0; c < plan->n_clusters; c++) {
        const plan_cluster_t *k = &plan->clusters[c];
        double weight = (double)k->size / (double)k->draws;
        if (k->draws > 0)
            fprintf(out, "%llu %llu", (unsigned long long)k->size, (unsigned long long)k->draws);
        for (; at < plan->n_samples && plan->samples[at].cluster == c; at++) {
            const plan_sample_t *s = &plan->samples[at];
            if (fabs(s->weight - weight * s->draws) > 1e-9 * s->weight)
                return rb_fail(err, RB_USAGE,
                               "the plan of %.60s has weights other than the number of launches: "
                               "MacSim's format cannot store them",
                               plan->method);
            for (uint32_t i = 0; i < s->draws; i++)
                fprintf(out, " %llu", (unsigned long long)s->launch - 1);
        }
        if (k->draws > 0)
            fputc('\n', out);
    }
    return RB_OK;
}
