#include "frontend/tool/silicon/card_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/library_client.h"
#include "sim/core/alloc.h"

enum { TERMS = 2, NAMES = 5 };

/* A share of a row's value. */
typedef struct {
    const char *test; /* NULL: none */
    double x, factor;
} term_t;

/* A setting is the sum of its terms less `minus` settings of the base, less `less`. */
typedef struct {
    const char *key;
    term_t term[TERMS];
    const char *minus[NAMES];
    double less;
    bool lanes;    /* a width: the nearest power of two, if it is near enough */
    bool compared; /* only the difference to simulated tables says something */
    bool dram;     /* also less the cycles of a read from a closed bank, see closed_bank() */
} rule_t;

#define ONE(name)                                                                                  \
    {                                                                                              \
        {                                                                                          \
            name, 0, 1                                                                             \
        }                                                                                          \
    }
/* Rates are of an SM with four sub-cores. */
#define LANES(name)                                                                                \
    {                                                                                              \
        {                                                                                          \
            name, 0, 0.25                                                                          \
        }                                                                                          \
    }

static const rule_t rules[] = {
    {.key = "lat.fp32", .term = ONE("latency_ffma")},
    {.key = "lat.integer", .term = ONE("latency_lop")},
    {.key = "lat.imad", .term = ONE("latency_imad")},
    {.key = "lat.popc", .term = ONE("latency_popc")},
    {.key = "lat.mufu", .term = ONE("latency_mufu")},
    {.key = "lat.fp16", .term = ONE("latency_hfma2")},
    {.key = "lat.fp64", .term = ONE("latency_dadd")},
    {.key = "lat.fp64_fma", .term = ONE("latency_dfma")},
    {.key = "lat.shfl", .term = ONE("latency_shfl")},
    {.key = "lat.hmma", .term = ONE("latency_mma_f16_k8")},
    {.key = "lat.hmma_wide", .term = ONE("latency_mma_f16")},
    {.key = "lat.imma_wide", .term = ONE("latency_mma_s8")},
    {.key = "lat.dmma", .term = ONE("latency_mma_f64")},
    {.key = "sm.fp32_lanes", .term = LANES("rate_ffma"), .lanes = true},
    {.key = "sm.int_lanes", .term = LANES("rate_lop"), .lanes = true},
    {.key = "sm.fp16_lanes", .term = LANES("rate_hfma2"), .lanes = true},
    {.key = "sm.fp64_lanes", .term = LANES("rate_dfma"), .lanes = true},
    {.key = "sm.xu_lanes", .term = LANES("rate_mufu"), .lanes = true},
    {.key = "sm.tensor_fma", .term = LANES("rate_hmma"), .lanes = true},
    /* A barrier of one warp: issue, the unit's interval, the wait. */
    {.key = "sm.barrier_latency",
     .term = ONE("latency_barrier"),
     .minus = {"sm.barrier_interval"},
     .less = 1},
    /* Between two blocks of an SM; how the time divides into the two latencies is a guess. */
    {.key = "sched.dispatch_latency", .term = {{"latency_next_block", 32, 0.5}}, .compared = true},
    {.key = "sched.completion_latency",
     .term = {{"latency_next_block", 32, 0.5}},
     .compared = true},
    /* Pointers have 64 bits, which return 2 cycles after 32 (Huerta 2025). */
    {.key = "l1.latency", .term = ONE("latency_l1"), .less = 2},
    {.key = "l1.bank_bytes", .term = ONE("rate_l1"), .lanes = true},
    {.key = "shared.latency", .term = {{"latency_shared", 1, 1}}},
    {.key = "shared.conflict_latency",
     .term = {{"latency_shared", 32, 1.0 / 31}, {"latency_shared", 1, -1.0 / 31}}},
    {.key = "l2.latency",
     .term = ONE("latency_l2"),
     .minus = {"sm.mem_issue_latency", "l1.miss_latency", "icnt.request_latency",
               "icnt.reply_latency", "l1.fill_latency"}},
    {.key = "l2.atomic_latency", .term = {{"latency_atomic", 0, 1}, {"latency_l2", 0, -1}}},
    {.key = "dram.latency", .term = {{"latency_dram", 0, 1}, {"latency_l2", 0, -1}}, .dram = true},
};

/* What the driver reports, unlike a measurement. */
static const struct {
    const char *fact, *key;
    double factor;
} reported[] = {
    {"sms", "sm.count", 1}, {"l2_bytes", "l2.size", 1}, {"clock_khz", "gpu.clock_mhz", 1e-3}};

enum {
    N_RULES = sizeof(rules) / sizeof(rules[0]),
    N_REPORTED = sizeof(reported) / sizeof(reported[0])
};

/* Rows whose repeats differ by more support no value. */
static const double spread_max = 0.1;

/* How far a rate may be from a power of two. */
static const double lanes_error = 0.1;

/* --- values of the base -------------------------------------------------------------------- */

/* The value of a setting as -s takes it. */
static rb_code_t base_text(const rubato_config *base, const char *key, char text[512],
                           rb_err_t *err)
{
    rubato_error error = {0};

    if (rubato_config_get(base, key, text, 512, &error) != RUBATO_OK)
        return library_error(&error, err);
    const size_t n = strlen(text);
    if (n > 1 && text[0] == '"') { /* -s takes words without quotes */
        memmove(text, text + 1, n - 2);
        text[n - 2] = '\0';
    }
    return RB_OK;
}

static rb_code_t base_number(const rubato_config *base, const char *key, double *value,
                             rb_err_t *err)
{
    char text[512];

    RB_TRY(base_text(base, key, text, err));
    *value = strtod(text, NULL);
    return RB_OK;
}

/*
 * Core cycles of a read from a bank without an open row: tRCD, tCL, and the data of 64 bytes. Some
 * reads meet an open row, so the latency that remains is a few cycles too long; simulated tables
 * avoid that.
 */
static double closed_bank(const gpu_spec_t *s)
{
    const double line = 64.0 / (s->mem.dram.bus_bytes * s->mem.dram.data_rate);

    return (s->mem.dram.tRCD + s->mem.dram.tCL + line) * s->gpu.clock_mhz / s->mem.dram.clock_mhz;
}

/* --- one setting --------------------------------------------------------------------------- */

static fit_setting_t *add(card_fit_t *f, const char *key)
{
    rb_grow(&f->settings, &f->cap, f->n + 1, sizeof(f->settings[0]));
    fit_setting_t *s = &f->settings[f->n++];

    *s = (fit_setting_t){0};
    snprintf(s->key, sizeof(s->key), "%s", key);
    return s;
}

static void cite(fit_setting_t *s, const card_row_t *r)
{
    const size_t n = strlen(s->source);
    char at[32] = "";

    if (r->x > 0)
        snprintf(at, sizeof(at), " at %g", r->x);
    snprintf(s->source + n, sizeof(s->source) - n, "%s%s%s %g (%g to %g, %g repeats)",
             n > 0 ? ", " : "", r->test, at, r->value, r->low, r->high, r->repeats);
}

static bool is_steady(const card_row_t *r)
{
    return r->high - r->low <= spread_max * r->value;
}

/* The sum of a rule's terms; false, with the reason in s->source, if a row does not support it. */
static bool sum_terms(const rule_t *rule, const card_tables_t *t, fit_setting_t *s, double *sum)
{
    *sum = 0;
    for (size_t i = 0; i < TERMS && rule->term[i].test != NULL; i++) {
        const term_t *term = &rule->term[i];
        const card_row_t *r = card_tables_find(t, term->test, term->x);

        if (r == NULL || !is_steady(r)) {
            snprintf(s->source, sizeof(s->source),
                     r == NULL ? "there is no row %s"
                               : "the repeats of %s differ by more than 10 %%",
                     term->test);
            return false;
        }
        *sum += term->factor * r->value;
        cite(s, r);
    }
    return true;
}

/* The nearest power of two; 0: none is near. */
static double power_of_two(double value)
{
    const double nearest = value > 0 ? exp2(round(log2(value))) : 0;

    return fabs(value - nearest) <= lanes_error * nearest ? nearest : 0;
}

/* Removes the parts of a latency that other settings of the base hold. */
static rb_code_t remove_parts(const rule_t *rule, const rubato_config *base, double *value,
                              rb_err_t *err)
{
    *value -= rule->less;
    if (rule->dram)
        *value -= closed_bank(library_config_spec(base));
    for (size_t i = 0; i < NAMES && rule->minus[i] != NULL; i++) {
        double part;

        RB_TRY(base_number(base, rule->minus[i], &part, err));
        *value -= part;
    }
    return RB_OK;
}

/* Sets the value if the configuration accepts it and is then consistent. */
static void propose(fit_setting_t *s, rubato_config *base, double value)
{
    rubato_error error = {0}, ignored = {0};

    snprintf(s->value, sizeof(s->value), "%.17g", value);
    if (rubato_config_set(base, s->key, s->value, &error) == RUBATO_OK) {
        s->proposed = rubato_config_check(base, &error) == RUBATO_OK;
        if (!s->proposed && rubato_config_set(base, s->key, s->base, &ignored) != RUBATO_OK)
            rb_panic("config fit: %s = %s was refused", s->key, s->base);
    }
    if (!s->proposed)
        snprintf(s->source, sizeof(s->source), "%.6g does not fit: %.170s", value, error.text);
}

static rb_code_t fit_rule(card_fit_t *f, const rule_t *rule, rubato_config *base,
                          const card_tables_t *t, const card_tables_t *simulated, rb_err_t *err)
{
    fit_setting_t ignored = {0}, *s = add(f, rule->key);
    double value, model;

    RB_TRY(base_text(base, rule->key, s->base, err));
    if (!sum_terms(rule, t, s, &value))
        return RB_OK;
    if (rule->compared && simulated == NULL) {
        snprintf(s->source, sizeof(s->source), "needs tables of a simulation: --simulated");
        return RB_OK;
    }
    if (rule->lanes) {
        model = value;
        value = power_of_two(value);
        if (!(value > 0)) {
            snprintf(s->source, sizeof(s->source), "%.4g is not within 10 %% of a power of two",
                     model);
            return RB_OK;
        }
    } else if (simulated != NULL && sum_terms(rule, simulated, &ignored, &model)) {
        value += strtod(s->base, NULL) - model;
    } else {
        RB_TRY(remove_parts(rule, base, &value, err));
    }
    propose(s, base, round(value));
    return RB_OK;
}

static rb_code_t fit_reported(card_fit_t *f, size_t i, rubato_config *base, const card_tables_t *t,
                              rb_err_t *err)
{
    const char *fact = card_tables_fact(t, reported[i].fact);
    fit_setting_t *s = add(f, reported[i].key);
    char *end;

    RB_TRY(base_text(base, s->key, s->base, err));
    const double value = fact != NULL ? strtod(fact, &end) * reported[i].factor : 0;
    if (fact == NULL || *end != '\0' || !(value > 0)) {
        snprintf(s->source, sizeof(s->source), "card.csv does not say %s", reported[i].fact);
        return RB_OK;
    }
    snprintf(s->source, sizeof(s->source), "reported by the driver");
    propose(s, base, value);
    return RB_OK;
}

rb_code_t card_fit(card_fit_t *f, rubato_config *base, const card_tables_t *tables,
                   const card_tables_t *simulated, rb_err_t *err)
{
    *f = (card_fit_t){.tables = tables};
    for (size_t i = 0; i < N_REPORTED; i++)
        RB_TRY(fit_reported(f, i, base, tables, err));
    for (size_t i = 0; i < N_RULES; i++)
        RB_TRY(fit_rule(f, &rules[i], base, tables, simulated, err));
    return RB_OK;
}

void card_fit_free(card_fit_t *f)
{
    free(f->settings);
    *f = (card_fit_t){0};
}

/* --- output -------------------------------------------------------------------------------- */

/* Text from a table, without what could end a string or a comment. */
static void write_plain(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\')
            fputc(*text, out);
    }
}

static void write_fact(const card_fit_t *f, const char *key, FILE *out)
{
    const char *fact = card_tables_fact(f->tables, key);

    write_plain(fact != NULL ? fact : "unknown", out);
}

/* Writes the settings of the group of settings[first], if none before it is of that group. */
static void write_group(const card_fit_t *f, size_t first, const char *name, FILE *out)
{
    const size_t n = strcspn(f->settings[first].key, ".") + 1;

    for (size_t i = 0; i < first; i++) {
        if (f->settings[i].proposed && strncmp(f->settings[i].key, f->settings[first].key, n) == 0)
            return;
    }
    fprintf(out, "\n%.*s : {\n", (int)n - 1, f->settings[first].key);
    if (name != NULL && strncmp(f->settings[first].key, "gpu.", n) == 0) {
        fputs("    name = \"", out);
        write_plain(name, out);
        fputs("\"; # reported by the driver\n", out);
    }
    for (size_t i = first; i < f->n; i++) {
        const fit_setting_t *s = &f->settings[i];
        const bool fact = strncmp(s->source, "reported", 8) == 0;

        if (s->proposed && strncmp(s->key, f->settings[first].key, n) == 0) {
            const bool real = strcmp(s->key, "gpu.clock_mhz") == 0;
            fprintf(out, "    %s = %s%s; # %s", s->key + n, s->value,
                    real && strchr(s->value, '.') == NULL ? ".0" : "", fact ? "" : "measured: ");
            write_plain(s->source, out);
            fputc('\n', out);
        }
    }
    fputs("};\n", out);
}

void card_fit_write(const card_fit_t *f, const char *base, FILE *out)
{
    const size_t length = strlen(base);
    const bool is_file = length > 4 && strcmp(base + length - 4, ".cfg") == 0;

    fputs("# ", out);
    write_fact(f, "card", out);
    fputs(", driver ", out);
    write_fact(f, "driver", out);
    fputs(". Proposed by rubato config fit from tables of bench/card.\n"
          "# What is not here is inherited with its own sources and guesses.\n\n",
          out);
    fprintf(out, "inherit = \"%s%s\";\n", base, is_file ? "" : ".cfg");
    for (size_t i = 0; i < f->n; i++) {
        if (f->settings[i].proposed)
            write_group(f, i, card_tables_fact(f->tables, "card"), out);
    }
}

void card_fit_print(const card_fit_t *f, FILE *out)
{
    fprintf(out, "%-24s %10s %10s  %s\n", "setting", "base", "proposed", "from");
    for (size_t i = 0; i < f->n; i++) {
        const fit_setting_t *s = &f->settings[i];

        fprintf(out, "%-24s %10s %10s  ", s->key, s->base, s->proposed ? s->value : "-");
        write_plain(s->source, out);
        fputc('\n', out);
    }
}
