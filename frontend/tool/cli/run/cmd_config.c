/* rubato config: lists, shows, explains, checks, imports and fits configurations. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frontend/input/gpgpusim/config_import.h"
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/library/config_groups.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/silicon/card_fit.h"
#include "sim/conf/param_value.h"
#include "sim/conf/suggest.h"
#include "sim/gpu/setting_scope.h"

enum { SETS_MAX = 256 };

typedef struct {
    const char *gpu, *output, *base, *simulated;
    const char *set[SETS_MAX];
    size_t n_sets;
    char **operand; /* operands after the action */
    int n_operands;
    bool skip_unsupported;
} config_args_t;

static const param_group_t *find_group(const char *name)
{
    const param_group_t *g;
    for (size_t i = 0; (g = config_group(i)) != NULL; i++)
        if (!strcmp(g->name, name))
            return g;
    return NULL;
}

/* The path of an operand: what --gpu accepts, or any file. */
static const char *operand_path(const char *word, char path[PATH_MAX])
{
    const char *suffix = strrchr(word, '.');
    if (strchr(word, '/') != NULL || (suffix != NULL && !strcmp(suffix, ".cfg")) ||
        access(word, F_OK) != 0)
        return word;
    snprintf(path, PATH_MAX, "./%s", word);
    return path;
}

/* Opens the named configurations, each one on top of the previous, and applies the settings of -s.
 * NULL: *err is set. */
static rubato_config *open_config(const config_args_t *a, const char *first, int n_more,
                                  rb_err_t *err)
{
    rubato_error error = {0};
    char path[PATH_MAX];
    rubato_config *c = rubato_config_open(first, &library_program_log, &error);
    for (int i = 0; i < n_more && error.code == RUBATO_OK; i++)
        (void)rubato_config_add(c, operand_path(a->operand[i], path), &error);
    if (error.code != RUBATO_OK)
        library_error(&error, err);
    else if (library_config_set(c, a->set, a->n_sets, err) == RB_OK)
        return c;
    rubato_config_destroy(c);
    return NULL;
}

/* A configuration that is wrong is listed, too: 'config check' says why. */
static void print_gpu(void *ctx, const char *name, const char *path)
{
    rubato_error error = {0};
    char l2[FORMAT_MAX];
    rubato_config *c = rubato_config_open(name, &library_program_log, &error);
    (void)ctx;
    if (error.code == RUBATO_OK && rubato_config_check(c, &error) == RUBATO_OK) {
        const gpu_spec_t *s = library_config_spec(c);
        printf("%-12s sm_%u %4u SMs %6.0f MHz %9s L2  %s\n", name, s->gpu.arch, s->sm.sm.count,
               s->gpu.clock_mhz, format_bytes(l2, s->mem.l2.size), path);
    } else {
        printf("%-12s %s: see 'rubato config check %s'\n", name, path, name);
    }
    rubato_config_destroy(c);
}

static rb_code_t list(const config_args_t *a, rb_err_t *err)
{
    if (a->n_operands)
        return rb_fail(err, RB_USAGE, "config list: takes no name; 'config show %s' prints it",
                       a->operand[0]);
    conf_visit_gpus(print_gpu, NULL);
    return RB_OK;
}

static rb_code_t show(const config_args_t *a, rb_err_t *err)
{
    rubato_error error = {0};
    char path[PATH_MAX];
    const char *only = NULL;
    int files = a->n_operands;
    if (files && find_group(a->operand[files - 1]))
        only = a->operand[--files];
    config_args_t more = *a;
    const char *first = a->gpu ? a->gpu : "v100";
    if (!a->gpu && files) {
        first = operand_path(*more.operand++, path);
        files--;
    }
    rubato_config *c = open_config(&more, first, files, err);
    if (c == NULL)
        return err->code;
    char *text = rubato_config_text(c, only, &error);
    if (text != NULL)
        fputs(text, stdout);
    else
        library_error(&error, err);
    rubato_free(text);
    rubato_config_destroy(c);
    return err->code;
}

static void explain_param(const param_group_t *g, const param_t *p)
{
    char range[PARAM_VALUE_TEXT];
    param_range(p, range);
    printf("%s.%s\n", g->name, p->name);
    if (*p->help)
        printf("    %s\n", p->help);
    printf("    legal: %s\n    default: %s\n", range, p->def);
    const setting_scope_t *scope = setting_scope_find(g->name, p->name);
    if (scope != NULL)
        printf("    acts: %s\n", scope->when);
    const setting_hidden_t *by;
    for (size_t i = 0; (by = setting_hidden_at(i)) != NULL; i++)
        if (setting_is_hidden(by, g->name, p->name))
            printf("    without effect: with %s = true\n", by->part);
    for (const param_choice_t *c = p->choices; c != NULL && c->name != NULL; c++) {
        if (c->help != NULL)
            printf("    %s: %s\n", c->name, c->help);
    }
}

static void explain_group(const param_group_t *g)
{
    printf("%s: %s\n\n", g->name, g->help);
    for (size_t i = 0; i < g->n_params; i++)
        explain_param(g, &g->params[i]);
}

/* Explains the settings whose path begins with key ("l2.mshr") or whose name is key ("ways"). */
static rb_code_t explain_key(const char *key, rb_err_t *err)
{
    char full[128];
    size_t found = 0;
    suggest_t near;
    const param_group_t *g;
    for (size_t n = 0; (g = config_group(n)) != NULL; n++)
        for (size_t i = 0; i < g->n_params; i++) {
            const param_t *p = &g->params[i];
            snprintf(full, sizeof(full), "%s.%s", g->name, p->name);
            if (strcmp(p->name, key) && strncmp(full, key, strlen(key)))
                continue;
            explain_param(g, p);
            found++;
        }
    if (found)
        return RB_OK;
    // The tables have names without their group, so the two parts of "group.name" are searched one
    // after the other.
    const char *dot = strchr(key, '.'), *group = NULL, *best = NULL;
    snprintf(full, sizeof(full), "%.*s", dot ? (int)(dot - key) : 0, key);
    const param_group_t *own = find_group(full);
    suggest_begin(&near, dot ? dot + 1 : key);
    for (size_t n = 0; (g = config_group(n)) != NULL; n++) {
        if (!dot)
            suggest_offer(&near, g->name);
        for (size_t i = 0; i < g->n_params && (own == NULL || g == own); i++)
            suggest_offer(&near, g->params[i].name);
        if (near.best != best)
            group = near.best != g->name ? g->name : NULL;
        best = near.best;
    }
    return best ? rb_fail(err, RB_USAGE, "no setting begins with '%.100s'; did you mean '%s%s%s'?",
                          key, group ? group : "", group ? "." : "", best)
                : rb_fail(err, RB_USAGE,
                          "no setting begins with '%.100s'; 'rubato config explain' lists the "
                          "groups",
                          key);
}

static rb_code_t explain(const config_args_t *a, rb_err_t *err)
{
    const param_group_t *g;
    for (size_t i = 0; !a->n_operands && (g = config_group(i)) != NULL; i++)
        printf("%-14s %2zu settings: %s\n", g->name, g->n_params, g->help);
    for (int i = 0; i < a->n_operands; i++) {
        g = find_group(a->operand[i]);
        if (g)
            explain_group(g);
        else
            RB_TRY(explain_key(a->operand[i], err));
    }
    return RB_OK;
}

static rb_code_t check_one(const char *word, rb_err_t *err)
{
    const config_args_t alone = {0};
    rubato_error error = {0};
    char path[PATH_MAX];
    rubato_config *c = open_config(&alone, operand_path(word, path), 0, err);
    if (c != NULL && rubato_config_check(c, &error) != RUBATO_OK)
        library_error(&error, err);
    rubato_config_destroy(c);
    return err->code;
}

/* Reports every bad file, not only the first one. */
static rb_code_t check(const config_args_t *a, rb_err_t *err)
{
    rb_code_t worst = RB_OK;
    if (!a->n_operands)
        return rb_fail(err, RB_USAGE, "config check: which file?");
    for (int i = 0; i < a->n_operands; i++) {
        rb_err_t here = {0};
        rb_code_t code = check_one(a->operand[i], &here);
        if (code == RB_OK) {
            printf("%s: good\n", a->operand[i]);
            continue;
        }
        if (worst != RB_OK)
            cli_report(err);
        *err = here;
        worst = code;
    }
    return worst;
}

/* Writes the imported configuration to a file and the list of keys to stdout. */
static rb_code_t import_to_file(const import_t *im, const char *path, rb_err_t *err)
{
    out_file_t f;
    RB_TRY(out_file_open_path(&f, path, err));
    import_write_config(im, f.out);
    rb_code_t code = out_file_close(&f, RB_OK, err);
    if (code == RB_OK)
        import_write_report(im, "", stdout);
    return code;
}

static rb_code_t refuse_lost(const import_t *im, rb_err_t *err)
{
    const size_t n = import_write_lost(im, stderr);
    return n == 0 ? RB_OK
                  : rb_fail(err, RB_CONFIG,
                            "config import: %zu key%s, listed above, change%s results and %s no "
                            "counterpart; --skip-unsupported imports the rest",
                            n, n > 1 ? "s" : "", n > 1 ? "" : "s", n > 1 ? "have" : "has");
}

static rb_code_t import(const config_args_t *a, rb_err_t *err)
{
    if (!a->n_operands)
        return rb_fail(err, RB_USAGE, "config import: which gpgpusim.config?");
    import_t *im = import_create();
    rb_code_t code = RB_OK;
    for (int i = 0; i < a->n_operands && code == RB_OK; i++)
        code = import_read(im, a->operand[i], err);
    if (code == RB_OK)
        code = import_map(im, err);
    if (code == RB_OK && !a->skip_unsupported)
        code = refuse_lost(im, err);
    if (code == RB_OK && a->output)
        code = import_to_file(im, a->output, err);
    else if (code == RB_OK)
        import_write_config(im, stdout);
    import_destroy(im);
    return code;
}

/* Without -o the configuration goes to stdout, otherwise the list of settings does. */
static rb_code_t write_fit(const card_fit_t *fit, const config_args_t *a, rb_err_t *err)
{
    out_file_t f;
    if (a->output == NULL) {
        card_fit_write(fit, a->base, stdout);
        return RB_OK;
    }
    RB_TRY(out_file_open_path(&f, a->output, err));
    card_fit_write(fit, a->base, f.out);
    RB_TRY(out_file_close(&f, RB_OK, err));
    card_fit_print(fit, stdout);
    return RB_OK;
}

static rb_code_t fit(const config_args_t *a, rb_err_t *err)
{
    card_tables_t tables = {0}, simulated = {0};
    card_fit_t f = {0};
    if (a->n_operands != 1 || a->base == NULL)
        return rb_fail(err, RB_USAGE,
                       "config fit: give one folder of tables (bench/card), and the "
                       "configuration to start from: --base GPU");
    rubato_config *base = library_config_open(a->base, a->set, a->n_sets, err);
    rb_code_t code = base != NULL ? RB_OK : err->code;
    if (code == RB_OK)
        code = card_tables_read(&tables, a->operand[0], err);
    if (code == RB_OK && a->simulated != NULL)
        code = card_tables_read(&simulated, a->simulated, err);
    if (code == RB_OK)
        code = card_fit(&f, base, &tables, a->simulated != NULL ? &simulated : NULL, err);
    if (code == RB_OK)
        code = write_fit(&f, a, err);
    card_fit_free(&f);
    card_tables_free(&tables);
    card_tables_free(&simulated);
    rubato_config_destroy(base);
    return code;
}

static rb_code_t run_action(config_args_t *a, rb_err_t *err)
{
    static const struct {
        const char *name;
        rb_code_t (*run)(const config_args_t *a, rb_err_t *err);
    } action[] = {{"list", list},   {"show", show},     {"explain", explain},
                  {"check", check}, {"import", import}, {"fit", fit}};
    suggest_t near;
    if (!a->n_operands)
        return rb_fail(
            err, RB_USAGE,
            "config: list, show, explain, check, import or fit? See 'rubato config --help'");
    const char *name = *a->operand++;
    a->n_operands--;
    suggest_begin(&near, name);
    for (size_t i = 0; i < sizeof(action) / sizeof(action[0]); i++) {
        if (!strcmp(name, action[i].name))
            return action[i].run(a, err);
        suggest_offer(&near, action[i].name);
    }
    return near.best ? rb_fail(err, RB_USAGE, "config: unknown action '%.60s'; did you mean '%s'?",
                               name, near.best)
                     : rb_fail(err, RB_USAGE,
                               "config: unknown action '%.60s'; there are list, show, explain, "
                               "check, import and fit",
                               name);
}

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    config_args_t *a = ctx;
    switch (id) {
    case CLI_GPU:
        a->gpu = value;
        return RB_OK;
    case CLI_OUTPUT:
        a->output = value;
        return RB_OK;
    case CLI_SKIP_UNSUPPORTED:
        a->skip_unsupported = true;
        return RB_OK;
    case CLI_BASE:
        a->base = value;
        return RB_OK;
    case CLI_SIMULATED:
        a->simulated = value;
        return RB_OK;
    case CLI_SET:
        if (a->n_sets == SETS_MAX)
            return rb_fail(err, RB_USAGE, "more than %d settings: put them into a file", SETS_MAX);
        a->set[a->n_sets++] = value;
        return RB_OK;
    default:
        rb_panic("config: option %d is not handled", (int)id);
    }
}

static rb_code_t config(int argc, char **argv, rb_err_t *err)
{
    config_args_t a = {0};
    cli_parser_t p;
    bool help = false;
    const cli_command_t *command = cli_find_command("config");
    cli_parser_init(&p, command, argc, argv);
    RB_TRY(cli_parser_read(&p, take_option, &a, &help, err));
    a.operand = p.operands;
    a.n_operands = p.n_operands;
    if (help)
        cli_print_help(command, stdout);
    else
        RB_TRY(run_action(&a, err));
    return out_flush_stdout(err);
}

int cmd_config(int argc, char **argv)
{
    rb_err_t err = {0};
    if (config(argc, argv, &err) != RB_OK)
        return cli_report(&err);
    return 0;
}
