#include "frontend/tool/evaluate/report/evaluate_metrics.h"

#include <math.h>

#include "frontend/tool/io/text_format.h"

/* One bar of the figure: a count or a rate. */
typedef struct {
    const char *name; /* name in the figure */
    bool is_rate;
    unsigned index; /* a metric_id_t or a score_count_t */
} figure_metric_t;

static const figure_metric_t figure_metrics[] = {
    {"DRAM read", false, SCORE_dram_read_bytes},
    {"DRAM write", false, SCORE_dram_write_bytes},
    {"shared LD", false, SCORE_shared_load_instructions},
    {"shared ST", false, SCORE_shared_store_instructions},
    {"global LD", false, SCORE_global_load_instructions},
    {"global ST", false, SCORE_global_store_instructions},
    {"L1 hit rate", true, METRIC_global_load_hit_rate},
    {"L2 read hit rate", true, METRIC_l2_read_hit_rate},
    {"FP16", false, SCORE_fp16_instructions},
    {"FP32", false, SCORE_fp32_instructions},
    {"INT32", false, SCORE_integer_instructions},
    {"warp execution efficiency", true, METRIC_warp_execution_efficiency},
    {"branch efficiency", true, METRIC_branch_efficiency},
};

/* "+1.2 %" or "+1.2 points"; "-" if one of the values is unknown. */
static void print_difference(FILE *out, const figure_metric_t *m, double full, double other)
{
    char text[FORMAT_MAX] = "-";
    double d = m->is_rate ? other - full : full > 0.0 ? other / full - 1.0 : (double)NAN;
    if (isfinite(d))
        snprintf(text, sizeof(text), "%+.2f %s", 100.0 * d, m->is_rate ? "points" : "%");
    fprintf(out, "  %16s", text);
}

static void print_full(FILE *out, const figure_metric_t *m, double full, size_t launches)
{
    char text[FORMAT_MAX];
    if (!isfinite(full))
        fprintf(out, "%12s", "-");
    else if (m->is_rate)
        fprintf(out, "%12s", format_share(text, full));
    else
        fprintf(out, "%12s", format_si(text, full / (double)launches));
}

void evaluate_metrics_print(FILE *out, const char *label, const sampled_score_t *s, size_t launches)
{
    fprintf(out, "\n%s: the 13 metrics of STEM+ROOT's figure 14\n%-28s%12s  %16s  %16s\n", label,
            "", "full", "picked", "run");
    for (size_t i = 0; i < sizeof(figure_metrics) / sizeof(figure_metrics[0]); i++) {
        const figure_metric_t *m = &figure_metrics[i];
        double full = m->is_rate ? s->full[m->index] : s->full_count[m->index];
        fprintf(out, "  %-26s", m->name);
        print_full(out, m, full, launches);
        print_difference(out, m, full,
                         m->is_rate ? s->picked[m->index] : s->picked_count[m->index]);
        print_difference(out, m, full,
                         m->is_rate ? s->sampled[m->index] : s->sampled_count[m->index]);
        fputc('\n', out);
    }
}
