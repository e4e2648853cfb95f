/* rubato libs: builds shared libraries from the static archives of a CUDA toolkit. */
#include "frontend/tool/cli/options/commands.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/program/program_folders.h"
#include "frontend/tool/run/program/vendor_libs.h"

static rb_code_t take_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    vendor_libs_options_t *o = ctx;

    (void)err;
    if (id == CLI_ARCHIVES)
        o->archives = value;
    else if (id == CLI_FORCE)
        o->force = true;
    return RB_OK;
}

static rb_code_t build(int argc, char **argv, rb_err_t *err)
{
    vendor_libs_options_t o = {0};
    char folder[PATH_MAX];
    cli_parser_t p;
    bool help;

    cli_parser_init(&p, cli_find_command("libs"), argc, argv);
    RB_TRY(cli_parser_read(&p, take_option, &o, &help, err));
    if (help) {
        cli_print_help(cli_find_command("libs"), stdout);
        return out_flush_stdout(err);
    }
    RB_TRY(cli_check_operands(&p, 0, 1, err));
    if (p.n_operands == 0)
        RB_TRY(program_libs_folder(folder, err));
    o.folder = p.n_operands > 0 ? p.operands[0] : folder;
    RB_TRY(vendor_libs_build(&o, err));
    return out_flush_stdout(err);
}

int cmd_libs(int argc, char **argv)
{
    rb_err_t err = {0};

    return build(argc, argv, &err) != RB_OK ? cli_report(&err) : 0;
}
