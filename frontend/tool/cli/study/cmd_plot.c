/* rubato plot: draws figures of studies for papers. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/figure/figure.h"
#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

typedef struct {
    figure_options_t figure;
    unsigned what, theme, form;
    bool has_what, has_form;
} plot_options_t;

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    plot_options_t *o = ctx;
    uint64_t columns;
    switch (id) {
    case CLI_WHAT:
        o->has_what = true;
        return option_word("what", value, figure_words, &o->what, err);
    case CLI_AS:
        o->has_form = true;
        return option_word("as", value, matrix_form_words, &o->form, err);
    case CLI_THEME:
        return option_word("theme", value, figure_theme_words, &o->theme, err);
    case CLI_COLUMNS:
        RB_TRY(option_count("columns", value, 1, 2, &columns, err));
        o->figure.columns = (unsigned)columns;
        return RB_OK;
    case CLI_STAT:
        o->figure.stat = value;
        return RB_OK;
    case CLI_BASE:
        o->figure.base = value;
        return RB_OK;
    case CLI_AXIS:
        text_list_add(&o->figure.axes, value);
        return RB_OK;
    case CLI_MATCH:
        text_list_add(&o->figure.choice.match, value);
        return RB_OK;
    case CLI_WHERE:
        text_list_add(&o->figure.choice.where, value);
        return RB_OK;
    case CLI_HARDWARE:
        o->figure.hardware = value;
        return RB_OK;
    case CLI_OUTPUT:
        o->figure.output = value;
        return RB_OK;
    default:
        rb_panic("plot: option %d is not handled", (int)id);
    }
}

static rb_code_t check(const plot_options_t *o, rb_err_t *err)
{
    if (!o->has_what)
        return rb_fail(err, RB_USAGE,
                       "plot: --what is missing: speedup, curve, heatmap, stack, roofline or "
                       "correlation");
    if ((o->what == FIGURE_correlation) != (o->figure.hardware != NULL))
        return rb_fail(err, RB_USAGE,
                       "plot: --hardware FILE and --what correlation belong together");
    return RB_OK;
}

/* Draws into the folder of the first study unless -o says otherwise. */
static rb_code_t draw(const plot_options_t *o, rb_err_t *err)
{
    figure_options_t figure = o->figure;
    const matrix_form_t form = (matrix_form_t)o->form;
    char *name = rb_format("%s.svg", figure_words[o->what]);
    char *path = out_path(figure.folders[0], name);
    figure.kind = (figure_kind_t)o->what;
    figure.theme = (figure_theme_t)o->theme;
    figure.form = o->has_form ? &form : NULL;
    if (figure.output == NULL)
        figure.output = path;
    rb_code_t rc = figure_draw(&figure, err);
    if (rc == RB_OK)
        rb_info("%s; its data and script are beside it (.csv, .gp)", figure.output);
    free(name);
    free(path);
    return rc;
}

static rb_code_t plot(plot_options_t *o, int argc, char **argv, rb_err_t *err)
{
    enum { FOLDERS_MAX = 100 };
    cli_parser_t p;
    bool help;
    const cli_command_t *command = cli_find_command("plot");
    cli_parser_init(&p, command, argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, &help, err));
    if (help) {
        cli_print_help(command, stdout);
        return out_flush_stdout(err);
    }
    RB_TRY(cli_check_operands(&p, 1, FOLDERS_MAX, err));
    RB_TRY(check(o, err));
    o->figure.folders = p.operands;
    o->figure.n_folders = (size_t)p.n_operands;
    return draw(o, err);
}

int cmd_plot(int argc, char **argv)
{
    rb_err_t err = {0};
    plot_options_t o = {.figure = {.columns = 1}};
    rb_code_t rc = plot(&o, argc, argv, &err);
    free(o.figure.axes.text);
    free(o.figure.choice.match.text);
    free(o.figure.choice.where.text);
    return rc == RB_OK ? 0 : cli_report(&err);
}
