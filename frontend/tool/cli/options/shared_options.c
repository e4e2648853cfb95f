#include "frontend/tool/cli/options/shared_options.h"

#include "frontend/tool/io/option_value.h"
#include "frontend/tool/io/text_list.h"
#include "sampling/launch/sample_syntax.h"

bool setup_option(setup_options_t *o, cli_option_id_t id, const char *value)
{
    if (id == CLI_GPU)
        o->gpu = value;
    else if (id == CLI_SET)
        text_list_add(&o->sets, value);
    else if (id == CLI_TMPDIR)
        o->tmpdir = value;
    else
        return false;
    return true;
}

rb_code_t option_once(const char **to, const char *option, const char *value, rb_err_t *err)
{
    if (*to != NULL)
        return rb_fail(err, RB_USAGE, "--%s is given twice, '%.200s' and '%.200s': choose one",
                       option, *to, value);
    *to = value;
    return RB_OK;
}

rb_code_t program_option(program_options_t *o, cli_option_id_t id, const char *value, bool *known,
                         rb_err_t *err)
{
    static const char *const archs[] = {"sm_70", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", NULL};
    unsigned index;

    *known = true;
    switch (id) {
    case CLI_ARCH:
        o->arch = value;
        return option_word("arch", value, archs, &index, err);
    case CLI_MAX_INSTS:
        return option_count("max-insts", value, 1, UINT64_MAX / 2, &o->max_insts, err);
    case CLI_TIMEOUT:
        return option_seconds("timeout", value, &o->timeout, err);
    case CLI_SKIP_UNSUPPORTED:
        o->skip_unsupported = true;
        return RB_OK;
    case CLI_LIBS:
        o->libs = value;
        return RB_OK;
    default:
        *known = false;
        return RB_OK;
    }
}

rb_code_t sample_option(char **all, const char *value, rb_err_t *err)
{
    sample_list_t list;
    RB_TRY(sample_list_parse(&list, value, err)); /* each argument must be a valid list */
    sample_list_free(&list);
    text_join(all, value);
    return RB_OK;
}
