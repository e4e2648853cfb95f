#include "frontend/tool/run/sampled/plan_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/io/out_file.h"
#include "sampling/plan/plan_json.h"
#include "sampling/plan/plan_list.h"
#include "sampling/plan/plan_macsim.h"
#include "sim/core/files/in_file.h"

const char *const plan_format_words[] = {"json", "macsim", "list", NULL};

rb_code_t plan_file_write(const plan_t *plan, plan_format_t format, FILE *out, rb_err_t *err)
{
    switch (format) {
    case PLAN_FORMAT_MACSIM:
        return plan_write_macsim(plan, out, err);
    case PLAN_FORMAT_LIST:
        plan_write_list(plan, out);
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
 * Recognises the format of a plan by its first byte that is not blank, c: an object is JSON; MacSim's
 * file has two lines of text followed by clusters of three or more numbers; anything else can only be
 * a list.
 */
static plan_format_t format_of(int c)
{
    return c == '{'                      ? PLAN_FORMAT_JSON
           : c != EOF && isalpha(c) != 0 ? PLAN_FORMAT_MACSIM
                                         : PLAN_FORMAT_LIST;
}

static rb_code_t read_file(plan_t *plan, const char *path, rb_err_t *err)
{
    static rb_code_t (*const read[])(plan_t *, FILE *, const char *, rb_err_t *) = {
        [PLAN_FORMAT_JSON] = plan_read_json,
        [PLAN_FORMAT_MACSIM] = plan_read_macsim,
        [PLAN_FORMAT_LIST] = plan_read_list,
    };
    rb_err_t why = {0};
    FILE *in = in_file_open(path, &why);
    if (in == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    enum { PICKLE = 0x80 }; /* no text begins with it */
    int c = getc(in);
    while (c != EOF && isspace(c))
        c = getc(in);
    if (fseek(in, 0, SEEK_SET) != 0)
        ungetc(c, in); /* on a pipe, this loses only blanks */
    rb_code_t rc = RB_OK;
    if (ferror(in))
        rc = rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    else if (c == PICKLE)
        rc = rb_fail(err, RB_TRACE,
                     "%s: a pickle file; write the list in it as text: python3 -c 'import pickle; "
                     "print(pickle.load(open(\"%s\", \"rb\")))'",
                     path, path);
    else
        rc = read[format_of(c)](plan, in, path, err);
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
