/* rubato validate: compares the model with measurements on silicon. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_list.h"
#include "frontend/tool/run/run_setup.h"
#include "frontend/tool/silicon/application_set.h"
#include "frontend/tool/silicon/sensitivity.h"
#include "frontend/tool/silicon/validation.h"

/* A test with a verdict failed; 1 and 2 are errors of the environment and of the user. */
enum { EXIT_TESTS_FAIL = 3, EXIT_ROWS_BEYOND = 4, GPUS_MAX = 16, THREADS_MAX = 256 };

static const char *const all_gpus[] = {"v100", "titan_v", "qv100", "t4", "rtx2060", "rtx2080ti"};
enum { ALL_GPUS = sizeof(all_gpus) / sizeof(all_gpus[0]) };

typedef struct {
    const char *gpu[GPUS_MAX];
    size_t n_gpus;
    text_list_t sets;
    const char *only, *published, *output, *applications;
    uint64_t threads;
    bool json, list, short_form, guesses, sensitivity;
} validate_options_t;

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    validate_options_t *o = ctx;

    switch (id) {
    case CLI_GPU:
        if (o->n_gpus == GPUS_MAX)
            return rb_fail(err, RB_USAGE, "--gpu: at most %d", GPUS_MAX);
        o->gpu[o->n_gpus++] = value;
        return RB_OK;
    case CLI_SET:
        text_list_add(&o->sets, value);
        return RB_OK;
    case CLI_SUITE:
        o->only = value;
        return RB_OK;
    case CLI_PUBLISHED:
        o->published = value;
        return RB_OK;
    case CLI_APPLICATIONS:
        o->applications = value;
        return RB_OK;
    case CLI_OUTPUT:
        o->output = value;
        return RB_OK;
    case CLI_THREADS:
        return option_count("threads", value, 1, THREADS_MAX, &o->threads, err);
    case CLI_JSON:
        o->json = true;
        return RB_OK;
    case CLI_LIST:
        o->list = true;
        return RB_OK;
    case CLI_SHORT:
        o->short_form = true;
        return RB_OK;
    case CLI_GUESSES:
        o->guesses = true;
        return RB_OK;
    case CLI_SENSITIVITY:
        o->sensitivity = true;
        return RB_OK;
    default:
        rb_panic("validate: option %d is not handled", (int)id);
    }
}

/* --- output ---------------------------------------------------------------------------------- */

static void list_tests(const suite_t *suite)
{
    for (size_t i = 0; i < suite->n_tests; i++) {
        const suite_test_t *t = &suite->tests[i];

        printf("%-12s %s, %s\n", t->id, t->title, t->unit);
        printf("             %s\n", t->harness);
        for (size_t k = 0; k < t->n_expects; k++)
            printf("             %s %s: %s\n", t->expects[k].gates ? "tested on" : "reported on",
                   t->expects[k].gpus, t->expects[k].source);
        for (size_t k = 0; k < t->n_calibrations; k++)
            printf("             calibrates %s on %s\n", t->calibrations[k].what,
                   t->calibrations[k].gpus);
    }
}

static rb_code_t write_file(const char *folder, const char *name,
                            void (*write)(const validation_t *, size_t, FILE *),
                            const validation_t *v, size_t n, rb_err_t *err)
{
    out_file_t f;

    RB_TRY(out_file_open(&f, folder, name, err));
    write(v, n, f.out);
    return out_file_close(&f, RB_OK, err);
}

static rb_code_t write_files(const char *folder, const validation_t *v, size_t n, rb_err_t *err)
{
    bool made;

    RB_TRY(out_make_folder(folder, &made, err));
    RB_TRY(write_file(folder, "validation.csv", validation_write_csv, v, n, err));
    RB_TRY(write_file(folder, "validation.json", validation_write_json, v, n, err));
    return write_file(folder, "validation.html", validation_write_html, v, n, err);
}

static void show_progress(const suite_test_t *t, const char *point)
{
    fprintf(stderr, "\r\033[K%s %s", t->id, point != NULL ? point : "");
}

static rb_code_t print_all(const validate_options_t *o, const validation_t *v, size_t n,
                           rb_err_t *err)
{
    if (o->json)
        validation_write_json(v, n, stdout);
    for (size_t i = 0; !o->json && i < n; i++) {
        if (i > 0)
            putchar('\n');
        validation_print(&v[i], o->guesses, stdout);
    }
    return out_flush_stdout(err);
}

/* --- the command ----------------------------------------------------------------------------- */

static validation_options_t options_of(const validate_options_t *o, size_t gpu, bool terminal)
{
    return (validation_options_t){.gpu = o->gpu[gpu],
                                  .only = o->only,
                                  .published = o->published,
                                  .sets = o->sets.text,
                                  .n_sets = o->sets.n,
                                  .threads = (int)o->threads,
                                  .short_form = o->short_form,
                                  .progress = terminal ? show_progress : NULL};
}

static rb_code_t write_sensitivity(const char *folder, const sensitivity_t *s, size_t n,
                                   rb_err_t *err)
{
    out_file_t f;
    bool made;

    RB_TRY(out_make_folder(folder, &made, err));
    RB_TRY(out_file_open(&f, folder, "sensitivity.csv", err));
    sensitivity_write_csv(s, n, f.out);
    return out_file_close(&f, RB_OK, err);
}

/* What the guesses of each GPU decide. */
static rb_code_t run_sensitivity(const validate_options_t *o, const suite_t *suite, rb_err_t *err)
{
    sensitivity_t s[GPUS_MAX];
    size_t n = 0;
    bool terminal = isatty(STDERR_FILENO);
    rb_code_t rc = RB_OK;

    while (n < o->n_gpus && rc == RB_OK) {
        validation_options_t options = options_of(o, n, terminal);

        rc = sensitivity_run(&s[n], suite, &options, err);
        if (terminal)
            fputs("\r\033[K", stderr);
        n += rc == RB_OK;
    }
    if (rc == RB_OK && o->output != NULL)
        rc = write_sensitivity(o->output, s, n, err);
    for (size_t i = 0; i < n; i++) {
        if (rc == RB_OK)
            sensitivity_print(&s[i], stdout);
        sensitivity_free(&s[i]);
    }
    return rc == RB_OK ? out_flush_stdout(err) : rc;
}

/* Rows that fail, and rows without a gate that are beyond what they allow. */
typedef struct {
    size_t failed, beyond;
} bad_rows_t;

static rb_code_t run_suite(const validate_options_t *o, const suite_t *suite, bad_rows_t *bad,
                           rb_err_t *err)
{
    validation_t v[GPUS_MAX];
    size_t n = 0;
    bool terminal = isatty(STDERR_FILENO);
    rb_code_t rc = RB_OK;

    while (n < o->n_gpus && rc == RB_OK) {
        validation_options_t options = options_of(o, n, terminal);

        rc = validation_run(&v[n], suite, &options, err);
        n += rc == RB_OK;
    }
    if (terminal)
        fputs("\r\033[K", stderr);
    if (rc == RB_OK && o->output != NULL)
        rc = write_files(o->output, v, n, err);
    if (rc == RB_OK)
        rc = print_all(o, v, n, err);
    for (size_t i = 0; i < n; i++) {
        bad->failed += validation_count(&v[i], VERDICT_FAIL);
        bad->beyond += validation_count(&v[i], VERDICT_BEYOND);
        validation_free(&v[i]);
    }
    return rc;
}

static rb_code_t write_applications(const char *folder, const application_set_t *s, rb_err_t *err)
{
    out_file_t f;
    bool made;

    RB_TRY(out_make_folder(folder, &made, err));
    RB_TRY(out_file_open(&f, folder, "applications.csv", err));
    application_set_csv(s, f.out);
    return out_file_close(&f, RB_OK, err);
}

static rb_code_t run_applications(const validate_options_t *o, rb_err_t *err)
{
    application_set_t s;
    application_options_t options = {.gpu = o->n_gpus > 0 ? o->gpu[0] : "qv100",
                                     .folder = o->applications,
                                     .published = o->published,
                                     .sets = o->sets.text,
                                     .n_sets = o->sets.n,
                                     .threads = (int)o->threads};

    if (o->published == NULL)
        return rb_fail(err, RB_USAGE,
                       "--applications needs --published DIR, the folder of the published table "
                       "qv100-applications.csv");
    RB_TRY(application_set_run(&s, &options, err));
    rb_code_t rc = o->output != NULL ? write_applications(o->output, &s, err) : RB_OK;

    if (rc == RB_OK) {
        application_set_print(&s, options.gpu, stdout);
        rc = out_flush_stdout(err);
    }
    application_set_free(&s);
    return rc;
}

static rb_code_t validate(validate_options_t *o, bad_rows_t *bad, rb_err_t *err)
{
    suite_t suite;
    rb_code_t rc;

    if (o->sensitivity && (o->applications != NULL || o->json || o->guesses))
        return rb_fail(err, RB_USAGE,
                       "--sensitivity has a table of its own: leave --applications, --json and "
                       "--guesses away (-o DIR writes sensitivity.csv)");
    if (o->applications != NULL)
        return run_applications(o, err);
    RB_TRY(suite_read(&suite, NULL, err));
    if (o->list) {
        list_tests(&suite);
        rc = out_flush_stdout(err);
    } else if (o->sensitivity) {
        rc = run_sensitivity(o, &suite, err);
    } else {
        rc = run_suite(o, &suite, bad, err);
    }
    suite_free(&suite);
    return rc;
}

int cmd_validate(int argc, char **argv)
{
    const cli_command_t *command = cli_find_command("validate");
    validate_options_t o = {.threads = setup_usable_cores(),
                            .published = getenv("RUBATO_PUBLISHED")};
    rb_err_t err = {0};
    cli_parser_t p;
    bad_rows_t bad = {0};
    bool help;

    cli_parser_init(&p, command, argc, argv);
    rb_code_t rc = cli_parser_read(&p, take_option, &o, &help, &err);

    if (rc == RB_OK && help) {
        cli_print_help(command, stdout);
        rc = out_flush_stdout(&err);
    } else if (rc == RB_OK) {
        if (o.n_gpus == 0 && o.applications == NULL) {
            memcpy(o.gpu, all_gpus, sizeof(all_gpus));
            o.n_gpus = ALL_GPUS;
        }
        rc = cli_check_operands(&p, 0, 0, &err);
        if (rc == RB_OK)
            rc = validate(&o, &bad, &err);
    }
    free(o.sets.text);
    if (rc != RB_OK)
        return cli_report(&err);
    return bad.failed > 0 ? EXIT_TESTS_FAIL : bad.beyond > 0 ? EXIT_ROWS_BEYOND : 0;
}
