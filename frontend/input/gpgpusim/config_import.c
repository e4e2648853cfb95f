#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/input/gpgpusim/config_import_internal.h"
#include "sim/conf/param_value.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"
#include "sim/gpu/gpu_conf.h"

enum { FILE_MAX_BYTES = 1 << 20, OPTIONS_MAX = 4096, WORD_MAX = 1024 };

import_t *import_create(void)
{
    return rb_calloc(1, sizeof(import_t));
}

void import_destroy(import_t *im)
{
    for (size_t i = 0; i < im->n_options; i++) {
        free(im->option[i].name);
        free(im->option[i].value);
    }
    for (size_t i = 0; i < im->n_files; i++)
        free(im->file[i]);
    free(im->file);
    free(im->option);
    free(im->setting);
    free(im);
}

static rb_code_t read_bytes(const char *path, char **text, size_t *n, rb_err_t *err)
{
    struct stat st;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "r") : NULL;
    if (!f) {
        const char *why = errno ? strerror(errno) : "not a regular file";
        return rb_fail(err, RB_IO, "%.500s: %s", path, why);
    }
    *text = rb_calloc(FILE_MAX_BYTES + 2, 1);
    *n = fread(*text, 1, FILE_MAX_BYTES + 1, f);
    bool failed = ferror(f) != 0;
    fclose(f);
    if (failed)
        return rb_fail(err, RB_IO, "%.500s: cannot be read", path);
    bool binary = false;
    for (const char *c = *text; c < *text + *n && !binary; c++)
        binary = (unsigned char)*c < ' ' && !isspace((unsigned char)*c);
    if (*n > FILE_MAX_BYTES || binary)
        return rb_fail(err, RB_CONFIG,
                       "%.500s: this is not a gpgpusim.config (too large or binary)", path);
    return RB_OK;
}

static void add_option(import_t *im, const char *file, int line, const char *name, size_t n,
                       const char *value)
{
    rb_grow(&im->option, &im->cap_options, im->n_options + 1, sizeof(*im->option));
    import_option_t *o = &im->option[im->n_options++];
    *o = (import_option_t){.file = file, .line = line, .value = rb_strdup(value)};
    o->name = rb_calloc(n + 1, 1);
    memcpy(o->name, name, n);
    o->key = import_today(o->name);
}

/* Adds a word of a file: a key if it begins with '-' and a letter, otherwise a part of the last
 * key's value. */
static rb_code_t add_word(import_t *im, const char *file, int line, const char *word, size_t n,
                          rb_err_t *err)
{
    bool key = n > 1 && word[0] == '-' && (isalpha((unsigned char)word[1]) || word[1] == '_');
    bool first = !im->n_options || im->option[im->n_options - 1].file != file;
    if ((!key && first) || n > WORD_MAX)
        return rb_fail(err, RB_CONFIG,
                       "%.400s:%d: '%.*s%s' is not an option: -key value is expected", file, line,
                       n > 40 ? 40 : (int)n, word, n > 40 ? "..." : "");
    if (key) {
        if (im->n_options == OPTIONS_MAX)
            return rb_fail(err, RB_CONFIG, "%.400s:%d: more than %d options", file, line,
                           OPTIONS_MAX);
        add_option(im, file, line, word + 1, n - 1, "");
        return RB_OK;
    }
    import_option_t *o = &im->option[im->n_options - 1];
    size_t have = strlen(o->value);
    if (have + n > WORD_MAX)
        return rb_fail(err, RB_CONFIG, "%.400s:%d: the value of -%.60s is too long", file, line,
                       o->name);
    o->value = rb_realloc(o->value, have + n + 2, 1);
    snprintf(o->value + have, n + 2, "%s%.*s", have ? " " : "", (int)n, word);
    return RB_OK;
}

/* Words separated by blanks; '#' begins a comment. */
static rb_code_t add_words(import_t *im, const char *file, const char *text, rb_err_t *err)
{
    int line = 1;
    for (const char *c = text; *c;) {
        if (*c == '#') {
            c += strcspn(c, "\n");
        } else if (isspace((unsigned char)*c)) {
            line += *c++ == '\n';
        } else {
            size_t n = strcspn(c, " \t\r\n\v\f#");
            RB_TRY(add_word(im, file, line, c, n, err));
            c += n;
        }
    }
    return RB_OK;
}

rb_code_t import_read(import_t *im, const char *path, rb_err_t *err)
{
    char *text = NULL;
    size_t n = 0;
    errno = 0;
    rb_code_t code = read_bytes(path, &text, &n, err);
    if (code == RB_OK) {
        rb_grow(&im->file, &im->cap_files, im->n_files + 1, sizeof(*im->file));
        im->file[im->n_files] = rb_strdup(path);
        code = add_words(im, im->file[im->n_files++], text, err);
    }
    free(text);
    return code;
}

/* The configuration of this architecture provides everything that the foreign file does not
 * state. */
static const char *base_file(const import_t *im)
{
    return im->arch >= 75 ? "turing.cfg" : "volta.cfg";
}

/* The imported setting that the message names first; NULL: none. */
static const import_setting_t *setting_in(const import_t *im, const char *message)
{
    const import_setting_t *first = NULL;
    const char *at = NULL;
    for (size_t i = 0; i < im->n_settings; i++) {
        char name[80];
        int n = snprintf(name, sizeof(name), "%s.%s", im->setting[i].group, im->setting[i].key);
        const char *here = strstr(message, name);
        if (here != NULL && !isalnum((unsigned char)here[n]) && here[n] != '_' &&
            (at == NULL || here < at)) {
            at = here;
            first = &im->setting[i];
        }
    }
    return first;
}

static const char result_name[] = "imported configuration";

/* Attributes an error in the result to the foreign option that caused it. */
static rb_code_t blame(const import_t *im, const rb_err_t *why, rb_err_t *err)
{
    const import_setting_t *s = setting_in(im, why->text);
    const char *text = why->text;
    if (strncmp(text, result_name, sizeof(result_name) - 1) == 0 && strstr(text, ": ") != NULL)
        text = strstr(text, ": ") + 2;
    if (s == NULL)
        return rb_fail(err, why->code, "%.400s: does not make a valid GPU: %.500s", im->file[0],
                       text);
    if (s->from->line == 0)
        return rb_fail(err, why->code, "%.400s: -%.60s is not set, so it is %.60s: %.500s",
                       s->from->file, s->from->name, s->from->value, text);
    return rb_fail(err, why->code, "%.400s:%d: -%.60s %.60s: %.500s", s->from->file, s->from->line,
                   s->from->name, s->from->value, text);
}

/* Reads the result back: it must be a valid GPU. */
static rb_code_t check_result(const import_t *im, rb_err_t *err)
{
    gpu_spec_t spec;
    rb_err_t why = {0};
    memory_file_t memory;
    size_t n;
    import_write_config(im, memory_file_open(&memory));
    char *text = memory_file_close(&memory, &n);
    conf_t *c = conf_create();
    rb_code_t code = conf_load_text(c, result_name, text, n, &why);
    if (code == RB_OK)
        code = gpu_spec_from_conf(&spec, c, &why);
    conf_destroy(c);
    free(text);
    return code == RB_OK ? RB_OK : blame(im, &why, err);
}

static void add_missing(import_t *im)
{
    const char *key[IMPORT_DEFAULTS], *value[IMPORT_DEFAULTS];
    const size_t n = import_missing(im, key, value);
    for (size_t i = 0; i < n; i++)
        add_option(im, im->file[0], 0, key[i], strlen(key[i]), value[i]);
}

rb_code_t import_map(import_t *im, rb_err_t *err)
{
    if (!im->n_options)
        return rb_fail(err, RB_CONFIG, "%.400s: has no options", im->file[0]);
    im->arch = import_arch(im);
    add_missing(im);
    for (size_t i = 0; i < im->n_options; i++) {
        import_option_t *o = &im->option[i];
        if (import_find(im, o->key) == o) {
            import_option(im, o);
            continue;
        }
        o->superseded = true;
        import_treat(o, IMPORT_UNUSED, "overridden further down");
    }
    return check_result(im, err);
}

static void write_group(const import_t *im, const char *group, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < im->n_settings; i++) {
        const import_setting_t *s = &im->setting[i];
        if (strcmp(s->group, group))
            continue;
        if (!any)
            fprintf(out, "\n%s : {\n", group);
        any = true;
        int width = fprintf(out, "    %s = %s;", s->key, s->value);
        fprintf(out, "%*s # -%.60s %.60s%s\n", width < 36 ? 36 - width : 0, "", s->from->name,
                s->from->value, s->from->status == IMPORT_APPROXIMATED ? " (approximated)" : "");
    }
    if (any)
        fprintf(out, "};\n");
}

/* The name of the folder of the first file, such as SM7_QV100. */
static void write_name(const import_t *im, char name[PARAM_TEXT_MAX])
{
    const char *path = im->n_files ? im->file[0] : "", *slash = strrchr(path, '/');
    const char *start = slash;
    while (start && start > path && start[-1] != '/')
        start--;
    int n = slash ? (int)(slash - start) : 0;
    snprintf(name, PARAM_TEXT_MAX, "%.*s", n > 40 ? 40 : n, start ? start : "");
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-. ", *c))
            *c = '_';
    if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
        snprintf(name, PARAM_TEXT_MAX, "imported");
}

void import_write_config(const import_t *im, FILE *out)
{
    char name[PARAM_TEXT_MAX];
    write_name(im, name);
    fprintf(out,
            "# Imported by rubato config import. Settings that the foreign file does not have come "
            "from\n"
            "# the inherited configuration. The end of this file lists every key of the foreign "
            "file.\n\n"
            "inherit = \"%s\";\n\ngpu : {\n    name = \"%s\";\n    arch = %u;\n",
            base_file(im), name, im->arch);
    for (size_t i = 0; i < im->n_settings; i++)
        if (!strcmp(im->setting[i].group, "gpu"))
            fprintf(out, "    %s = %s; # -%.60s %.60s\n", im->setting[i].key, im->setting[i].value,
                    im->setting[i].from->name, im->setting[i].from->value);
    fprintf(out, "};\n");
    for (const gpu_group_t *g = gpu_groups; g->group; g++)
        if (strcmp(g->group->name, "gpu"))
            write_group(im, g->group->name, out);
    fprintf(out, "\n");
    import_write_report(im, "# ", out);
}

static void write_option(const import_option_t *o, const char *prefix, FILE *out)
{
    static const char *const status[] = {"lost", "approximated", "same", "no effect"};
    fprintf(out, "%s%-12s -%.80s %.60s", prefix, status[o->status], o->name, o->value);
    if (o->line == 0)
        fprintf(out, " (not set: Accel-Sim's default)");
    if (*o->set)
        fprintf(out, " -> %s", o->set);
    fprintf(out, "%s%s\n", *o->reason ? ": " : "", o->reason);
}

void import_write_report(const import_t *im, const char *prefix, FILE *out)
{
    size_t count[IMPORT_STATUSES] = {0};
    bool timed = false;
    for (size_t i = 0; i < im->n_options; i++) {
        const import_option_t *o = &im->option[i];
        count[o->status]++;
        write_option(o, prefix, out);
        timed = timed || !strncmp(o->key, "trace_opcode_", sizeof("trace_opcode_") - 1);
    }
    if (!timed)
        fprintf(out, "%sno trace.config: latencies and lanes of arithmetic are inherited\n",
                prefix);
    fprintf(out,
            "%s%zu keys: %zu same, %zu approximated, %zu lost, %zu without effect on results\n",
            prefix, im->n_options, count[IMPORT_SAME], count[IMPORT_APPROXIMATED],
            count[IMPORT_LOST], count[IMPORT_UNUSED]);
}

size_t import_write_lost(const import_t *im, FILE *out)
{
    size_t n = 0;
    for (size_t i = 0; i < im->n_options; i++)
        if (im->option[i].status == IMPORT_LOST) {
            write_option(&im->option[i], "", out);
            n++;
        }
    return n;
}
