#include "frontend/tool/run/plan_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/io/out_file.h"
#include "sampling/plan/plan_json.h"
#include "sampling/plan/plan_list.h"
#include "sampling/plan/plan_macsim.h"
#include "sim/core/in_file.h"

const char *const plan_format_words[] = {"json", "macsim", "list", "pickle", NULL};

rb_code_t plan_file_write(const plan_t *plan, plan_format_t format, FILE *out, rb_err_t *err)
{
    switch (format) {
    case PLAN_FORMAT_MACSIM:
        return plan_write_macsim(plan, out, err);
    case PLAN_FORMAT_LIST:
        plan_write_list(plan, out);
        return RB_OK;
    case PLAN_FORMAT_PICKLE:
        plan_write_pickle(plan, out);
        return RB_OK;
    case PLAN_FORMAT_JSON:
        break;
    }
    plan_write_json(plan, out);
    return RB_OK;
}

rb_code_t plan_file_save(const char *path, const plan_t *plan, plan_format_t format, rb_err_t *err)
{
    out_file_t file;
    RB_TRY(out_file_open_path(&file, path, err));
    rb_code_t rc = plan_file_write(plan, format, file.out, err);
    return out_file_close(&file, rc, err);
}

/*
 * Recognises the format of a plan: a byte that is not text begins a pickle file; an object is JSON;
 * MacSim's file has two lines of text followed by clusters of three or more numbers; anything else
 * can only be a list.
 */
static plan_format_t format_of(FILE *in)
{
    enum { PICKLE = 0x80 };
    int c = getc(in);
    while (c != EOF && isspace(c))
        c = getc(in);
    plan_format_t format = c == PICKLE                   ? PLAN_FORMAT_PICKLE
                           : c == '{'                    ? PLAN_FORMAT_JSON
                           : c != EOF && isalpha(c) != 0 ? PLAN_FORMAT_MACSIM
                                                         : PLAN_FORMAT_LIST;
    if (fseek(in, 0, SEEK_SET) != 0)
        ungetc(c, in); /* on a pipe, this loses only blanks */
    return format;
}

static rb_code_t read_file(plan_t *plan, const char *path, rb_err_t *err)
{
    static rb_code_t (*const read[])(plan_t *, FILE *, const char *, rb_err_t *) = {
        [PLAN_FORMAT_JSON] = plan_read_json,
        [PLAN_FORMAT_MACSIM] = plan_read_macsim,
        [PLAN_FORMAT_LIST] = plan_read_list,
        [PLAN_FORMAT_PICKLE] = plan_read_pickle,
    };
    rb_err_t why = {0};
    FILE *in = in_file_open(path, &why);
    if (in == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    plan_format_t format = format_of(in);
    rb_code_t rc = ferror(in) ? rb_fail(err, RB_IO, "%s: %s", path, strerror(errno))
                              : read[format](plan, in, path, err);
    fclose(in);
    return rc;
}

rb_code_t plan_file_read(plan_t *plan, const char *path, rb_err_t *err)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return read_file(plan, path, err);
    if (!out_has(path, PLAN_FILE_NAME))
        return rb_fail(err, RB_USAGE,
                       "%s: has no " PLAN_FILE_NAME
                       ": a plan, or the folder of a run that sampled launches, is expected",
                       path);
    char *file = out_path(path, PLAN_FILE_NAME);
    const rb_code_t rc = read_file(plan, file, err);
    free(file);
    return rc;
}
