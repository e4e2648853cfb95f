#include "frontend/input/gen/gen_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/input/gen/gen_program.h"
#include "frontend/input/silicon/silicon_folder.h"
#include "frontend/input/silicon/silicon_program.h"
#include "sim/core/alloc.h"
#include "sim/core/files/data_folder.h"

enum { PATH_ROOM = DATA_PATH_MAX + 300 };

/* False: the folder of the listings is not installed. */
static bool find_folder(char path[DATA_PATH_MAX])
{
    char found[DATA_FOLDERS_MAX][DATA_PATH_MAX];

    if (data_folders("share/rubato/workloads", found) == 0)
        return false;
    memcpy(path, found[0], DATA_PATH_MAX);
    return true;
}

/* --- the list -------------------------------------------------------------------------------- */

static void add_kind(gen_list_t *list, const char *name, const char *summary, bool has_blocks)
{
    rb_grow(&list->kind, &list->cap, list->n + 1, sizeof(list->kind[0]));
    list->kind[list->n++] = (gen_kind_info_t){
        .name = rb_strdup(name), .summary = rb_strdup(summary), .has_blocks = has_blocks};
}

static void add_param(gen_kind_info_t *kind, const gen_param_t *p)
{
    kind->params = rb_realloc(kind->params, kind->n_params + 1, sizeof(*p));
    kind->params[kind->n_params++] = (gen_param_t){
        .name = rb_strdup(p->name), .help = rb_strdup(p->help), p->min, p->max, p->def};
}

static void add_built_in(gen_list_t *list, const gen_kind_t *kind)
{
    add_kind(list, kind->name, kind->summary, gen_has_blocks(kind));
    for (unsigned i = 0; i < GEN_MAX_PARAMS && kind->param[i].name != NULL; i++)
        add_param(&list->kind[list->n - 1], &kind->param[i]);
}

static rb_code_t add_listing(gen_list_t *list, const char *path, const suite_t *suite,
                             rb_err_t *err)
{
    const char *file = strrchr(path, '/') + 1;
    char name[64];
    program_params_t params;
    rb_code_t rc = program_params_read(&params, suite, err);

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(file, "."), file);
    add_kind(list, name, suite->summary != NULL ? suite->summary : "", program_has_blocks(suite));
    for (size_t i = 0; i < params.n; i++) {
        const program_param_t *p = &params.param[i];

        add_param(&list->kind[list->n - 1],
                  &(gen_param_t){p->name, p->help, p->min, p->max, p->def});
    }
    program_params_free(&params);
    return rc;
}

static rb_code_t read_listing(void *ctx, const char *path, const char *text, size_t size,
                              rb_err_t *err)
{
    suite_t suite;

    (void)text;
    (void)size;
    RB_TRY(suite_read_file(&suite, path, err));
    rb_code_t rc = add_listing(ctx, path, &suite, err);

    suite_free(&suite);
    return rc;
}

rb_code_t gen_list_read(gen_list_t *list, rb_err_t *err)
{
    char folder[DATA_PATH_MAX];

    *list = (gen_list_t){0};
    for (unsigned i = 0; gen_kinds[i] != NULL; i++)
        add_built_in(list, gen_kinds[i]);
    return find_folder(folder) ? silicon_folder_visit(folder, read_listing, list, err) : RB_OK;
}

void gen_list_free(gen_list_t *list)
{
    for (unsigned i = 0; i < list->n; i++) {
        gen_kind_info_t *k = &list->kind[i];

        for (unsigned p = 0; p < k->n_params; p++) {
            free((char *)(uintptr_t)k->params[p].name);
            free((char *)(uintptr_t)k->params[p].help);
        }
        free(k->params);
        free((char *)(uintptr_t)k->name);
        free((char *)(uintptr_t)k->summary);
    }
    free(list->kind);
}

/* --- a program ------------------------------------------------------------------------------- */

/* Names of workloads have neither dots nor slashes. */
static rb_code_t find_listing(const char *kind, char path[PATH_ROOM], rb_err_t *err)
{
    char folder[DATA_PATH_MAX];

    if (strpbrk(kind, "./") != NULL) {
        snprintf(path, PATH_ROOM, "%s", kind);
        return RB_OK;
    }
    if (find_folder(folder)) {
        int n = snprintf(path, PATH_ROOM, "%s/%s.sil", folder, kind);

        if (n > 0 && n < PATH_ROOM && access(path, R_OK) == 0)
            return RB_OK;
    }
    return rb_fail(err, RB_USAGE, "there is no workload '%s'; see rubato gen --list", kind);
}

/* Reads "NAME=VALUE"; *out owns the name. */
static rb_code_t read_assignment(const char *text, kernel_param_t *out, rb_err_t *err)
{
    const char *equals = strchr(text, '=');

    if (equals == NULL)
        return rb_fail(err, RB_USAGE, "parameter '%s': NAME=VALUE is needed", text);
    char *name = rb_strdup(text);

    name[equals - text] = '\0';
    *out = (kernel_param_t){name, equals + 1};
    return RB_OK;
}

trace_source_t *gen_listing_open(const gen_spec_t *spec, rb_err_t *err)
{
    kernel_param_t *params = rb_calloc(spec->n_params + 2, sizeof(params[0]));
    trace_source_t *source = NULL;
    char seed[32], size[32], path[PATH_ROOM];
    size_t n = 0, n_all = spec->n_params;
    rb_code_t rc = find_listing(spec->kind, path, err);

    if (rc == RB_OK)
        rc = gen_check_spec(spec, err);
    for (; n < spec->n_params && rc == RB_OK; n += rc == RB_OK)
        rc = read_assignment(spec->params[n], &params[n], err);
    /* numbers of expressions are exact to 2^53 */
    snprintf(seed, sizeof(seed), "%llu",
             (unsigned long long)(spec->seed & ((UINT64_C(1) << 53) - 1)));
    snprintf(size, sizeof(size), "%llu", (unsigned long long)spec->size);
    params[n_all++] = (kernel_param_t){"seed", seed};
    if (spec->size != 0)
        params[n_all++] = (kernel_param_t){"size", size};
    if (rc == RB_OK)
        source = silicon_program_open(&(program_spec_t){.path = path,
                                                        .name = spec->kind,
                                                        .arch = spec->arch != 0 ? spec->arch : 70,
                                                        .params = params,
                                                        .n_params = n_all,
                                                        .blocks = spec->blocks},
                                      err);
    while (n-- > 0)
        free((char *)(uintptr_t)params[n].name);
    free(params);
    return source;
}
