/* rubato predict: predicts the cycles of a trace without simulating it. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/cli/options/shared_options.h"
#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/study/predictions.h"
#include "sim/core/files/json_write.h"
#include "sim/core/log.h"

enum { LEVEL_MAX = 1, NAME_WIDTH = 33, DOUBTFUL = 2 };

static const char *const format_words[] = {"table", "csv", "json", NULL};
typedef enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON } format_t;

typedef struct {
    setup_options_t setup;
    text_list_t vary;
    uint64_t level;
    unsigned format;
} predict_options_t;

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    predict_options_t *o = ctx;
    if (setup_option(&o->setup, id, value))
        return RB_OK;
    switch (id) {
    case CLI_VARY:
        text_list_add(&o->vary, value);
        return RB_OK;
    case CLI_LEVEL:
        return option_count("level", value, 0, LEVEL_MAX, &o->level, err);
    case CLI_FORMAT:
        return option_word("format", value, format_words, &o->format, err);
    default:
        rb_panic("predict: option %d is not handled", (int)id);
    }
}

static rb_code_t read_options(predict_options_t *o, int argc, char **argv, bool *help,
                              rb_err_t *err)
{
    cli_parser_t p;
    *o = (predict_options_t){.level = LEVEL_MAX};
    cli_parser_init(&p, cli_find_command("predict"), argc, argv);
    RB_TRY(cli_parser_read(&p, take_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 1, 1, err));
    o->setup.trace = p.operands[0];
    return RB_OK;
}

/* The points that the options describe. */
static rb_code_t make_study(study_t *study, const predict_options_t *o, rb_err_t *err)
{
    RB_TRY(study_add_trace(study, o->setup.trace, NULL, NULL, 0, err));
    for (size_t i = 0; i < o->setup.sets.n; i++)
        RB_TRY(study_add_setting(study, o->setup.sets.text[i], err));
    for (size_t i = 0; i < o->vary.n; i++)
        RB_TRY(study_add_vary(study, o->vary.text[i], err));
    RB_TRY(study_finish(study, err));
    for (const char *const *word = study_words; *word != NULL; word++)
        if (strcmp(*word, "delta") != 0 && study_word(study, 0, *word) != NULL)
            return rb_fail(err, RB_USAGE,
                           "--vary %s: a prediction runs nothing: only settings and "
                           "delta can vary",
                           *word);
    return RB_OK;
}

/* --- output ----------------------------------------------------------------------------------- */

static void print_launches(const predictions_t *p, FILE *out)
{
    char name[NAME_WIDTH], cycles[FORMAT_MAX];
    fprintf(out, "launch  %-32s %14s %8s  %-16s %7s %7s\n", "kernel", "cycles", "waves", "bound",
            "L1 hit", "L2 hit");
    for (uint64_t i = 0; i < p->n_launches; i++) {
        const predicted_t *x = prediction_of(p, i, 0);
        char l1[FORMAT_MAX], l2[FORMAT_MAX];
        fprintf(out, "%6llu  %-32s %14s %8.2f  %-16s %7s %7s%s\n", (unsigned long long)i + 1,
                format_kernel(name, sizeof(name), p->name[i]),
                format_grouped(cycles, (uint64_t)x->cycles), x->waves, predict_bound_name(x->bound),
                format_share(l1, x->traffic.l1_hit), format_share(l2, x->traffic.l2_hit),
                x->doubts != 0 ? "  ?" : "");
    }
    fputc('\n', out);
}

static void print_table(const predictions_t *p, const char *gpu, const predict_options_t *o,
                        FILE *out)
{
    char cycles[FORMAT_MAX], share[FORMAT_MAX];
    fprintf(out, "%s on %s: predicted (level %u), not simulated\n\n", o->setup.trace, gpu,
            (unsigned)o->level);
    if (p->n_points == 1)
        print_launches(p, out);
    fprintf(out, "%16s %8s  %-26s %s\n", "predicted cycles", "ratio", "bound (share of cycles)",
            p->n_points > 1 ? "point" : "");
    for (size_t i = 0; i < p->n_points; i++) {
        double most;
        char bound[64];
        const predict_bound_t b = predictions_bound(p, i, &most);
        snprintf(bound, sizeof(bound), "%s (%s)", predict_bound_name(b), format_share(share, most));
        fprintf(out, "%16s %8.3f  %-26s %s\n",
                format_grouped(cycles, (uint64_t)predictions_total(p, i)),
                predictions_total(p, i) / predictions_total(p, 0), bound,
                p->n_points > 1 ? p->label[i] : "");
    }
}

static void print_csv(const predictions_t *p, FILE *out)
{
    csv_t c = {.out = out};
    static const char *const heads[] = {"point", "launch", "kernel", "predicted_cycles",
                                        "waves", "bound",  "l1_hit", "l2_hit",
                                        "doubts"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        csv_text(&c, heads[i]);
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        csv_text(&c, predict_bound_name((predict_bound_t)b));
    csv_end_row(&c);
    for (size_t k = 0; k < p->n_points; k++)
        for (uint64_t i = 0; i < p->n_launches; i++) {
            const predicted_t *x = prediction_of(p, i, k);
            csv_text(&c, p->label[k]);
            csv_u64(&c, i + 1);
            csv_text(&c, p->name[i]);
            csv_f64(&c, x->cycles);
            csv_f64(&c, x->waves);
            csv_text(&c, predict_bound_name(x->bound));
            csv_f64(&c, x->traffic.l1_hit);
            csv_f64(&c, x->traffic.l2_hit);
            csv_u64(&c, x->doubts);
            for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
                csv_f64(&c, x->part[b]);
            csv_end_row(&c);
        }
}

static void json_launch(json_t *j, const predictions_t *p, uint64_t launch, const predicted_t *x)
{
    json_begin_object(j, NULL);
    json_u64(j, "id", launch + 1);
    json_text(j, "name", p->name[launch]);
    json_f64(j, "predicted_cycles", x->cycles);
    json_f64(j, "waves", x->waves);
    json_text(j, "bound", predict_bound_name(x->bound));
    json_f64(j, "l1_hit", x->traffic.l1_hit);
    json_f64(j, "l2_hit", x->traffic.l2_hit);
    json_begin_object(j, "parts");
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        json_f64(j, predict_bound_name((predict_bound_t)b), x->part[b]);
    json_end(j);
    json_begin_array(j, "doubts");
    for (unsigned bit = 0; bit < PREDICT_DOUBTS; bit++)
        if (x->doubts >> bit & 1)
            json_text(j, NULL, predict_doubt_text(bit));
    json_end(j);
    json_end(j);
}

static void print_json(const predictions_t *p, const char *gpu, const predict_options_t *o,
                       FILE *out)
{
    json_t j;
    json_init(&j, out);
    json_begin_object(&j, NULL);
    json_text(&j, "trace", o->setup.trace);
    json_text(&j, "gpu", gpu);
    json_bool(&j, "predicted", true);
    json_u64(&j, "level", o->level);
    json_f64(&j, "cpu_seconds", p->cpu_seconds);
    json_begin_rows(&j, "points");
    for (size_t k = 0; k < p->n_points; k++) {
        json_begin_object(&j, NULL);
        json_text(&j, "point", p->label[k]);
        json_f64(&j, "predicted_cycles", predictions_total(p, k));
        json_begin_rows(&j, "launches");
        for (uint64_t i = 0; i < p->n_launches; i++)
            json_launch(&j, p, i, prediction_of(p, i, k));
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    fputc('\n', out);
}

/* Says what the model does not hold for. */
static void tell_doubts(const predictions_t *p)
{
    double share;
    for (size_t i = 0; i < p->n_points; i++)
        if (p->config[i].spec.gpu.concurrent_launches > 1) {
            rb_warn("gpu.concurrent_launches: each launch is predicted as if it were alone");
            break;
        }
    const unsigned doubts = predictions_doubts(p, &share);
    for (unsigned bit = 0; bit < PREDICT_DOUBTS; bit++)
        if (doubts >> bit & 1)
            rb_warn("the prediction does not hold for some launches (%.0f %% of the cycles): %s",
                    100 * share, predict_doubt_text(bit));
}

static rb_code_t predict(const predict_options_t *o, setup_t *s, study_t *study, rb_err_t *err)
{
    predictions_t p = {0};
    RB_TRY(setup_open(s, &o->setup, err));
    RB_TRY(make_study(study, o, err));
    rb_code_t rc = predictions_make(&p, study, s->gpu, s->source, (unsigned)o->level, err);
    if (rc == RB_OK) {
        o->format == FORMAT_TABLE ? print_table(&p, s->gpu, o, stdout)
        : o->format == FORMAT_CSV ? print_csv(&p, stdout)
                                  : print_json(&p, s->gpu, o, stdout);
        tell_doubts(&p);
        rc = out_flush_stdout(err);
    }
    predictions_free(&p);
    return rc;
}

int cmd_predict(int argc, char **argv)
{
    rb_err_t err = {0};
    predict_options_t options;
    setup_t setup = {0};
    bool help;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);
    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("predict"), stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        study_t *study = study_create();
        rc = predict(&options, &setup, study, &err);
        study_destroy(study);
        setup_close(&setup);
    }
    free(options.setup.sets.text);
    free(options.vary.text);
    return rc != RB_OK ? cli_report(&err) : 0;
}
