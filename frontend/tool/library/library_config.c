/* Configurations. */
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/library_internal.h"
#include "sampling/inside/inside_sampler.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

/* Extends a valid configuration; if the result is invalid, restores the old one. */
static rb_code_t extend(rubato_config *c, rb_code_t (*add)(conf_t *, const char *, rb_err_t *),
                        const char *const *what, size_t n, rb_err_t *err)
{
    if (n == 0)
        return RB_OK;
    const conf_mark_t mark = conf_mark(c->conf);
    library_entry_t before = library_enter(&c->scope);
    rb_code_t rc = RB_OK;
    for (size_t i = 0; i < n && rc == RB_OK; i++)
        rc = add(c->conf, what[i], err);
    if (rc == RB_OK)
        rc = gpu_spec_apply(&c->spec, c->conf, err);
    if (rc != RB_OK) {
        conf_rewind(c->conf, mark);
        rb_code_t again = gpu_spec_apply(&c->spec, c->conf, NULL);
        RB_INVARIANT(again == RB_OK, "a configuration that was good no longer is");
    }
    library_leave(before);
    return rc;
}

/* A configuration without any layer. */
static rubato_config *create(const rubato_log *log)
{
    rubato_config *c = rb_calloc(1, sizeof(*c));
    library_scope_init(&c->scope, log);
    c->conf = conf_create();
    inside_add_groups(c->conf);
    return c;
}

rubato_config *rubato_config_open(const char *gpu, const rubato_log *log, rubato_error *error)
{
    if (!library_given(gpu, "gpu", error))
        return NULL;
    rubato_config *c = create(log);
    if (rubato_config_add(c, gpu, error) == RUBATO_OK)
        return c;
    rubato_config_destroy(c);
    return NULL;
}

rubato_code rubato_config_add(rubato_config *config, const char *gpu, rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(config, "config", error) || !library_given(gpu, "gpu", error))
        return RUBATO_USAGE;
    (void)!extend(config, conf_load_gpu, &gpu, 1, &err);
    return library_fail(error, &err);
}

void rubato_config_destroy(rubato_config *config)
{
    if (config == NULL)
        return;
    conf_destroy(config->conf);
    library_scope_free(&config->scope);
    free(config);
}

rubato_code rubato_config_set(rubato_config *config, const char *key, const char *value,
                              rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(config, "config", error) || !library_given(key, "key", error) ||
        !library_given(value, "value", error))
        return RUBATO_USAGE;
    size_t n = strlen(key) + strlen(value) + 2;
    char *assignment = rb_calloc(n, 1);
    snprintf(assignment, n, "%s=%s", key, value);
    (void)!library_config_set(config, (const char *const *)&assignment, 1, &err);
    free(assignment);
    return library_fail(error, &err);
}

rb_code_t library_config_set(rubato_config *config, const char *const *sets, size_t n,
                             rb_err_t *err)
{
    return extend(config, conf_set, sets, n, err);
}

rubato_code rubato_config_get(const rubato_config *config, const char *key, char *value,
                              size_t size, rubato_error *error)
{
    rb_err_t err = {0};
    char text[PARAM_VALUE_TEXT];
    if (!library_given(config, "config", error) || !library_given(key, "key", error) ||
        !library_given(value, "value", error))
        return RUBATO_USAGE;
    library_entry_t before = library_enter(&config->scope);
    if (!conf_value(config->conf, key, text))
        rb_fail(&err, RB_USAGE, "unknown setting '%.200s'", key);
    else if (strlen(text) >= size)
        rb_fail(&err, RB_USAGE, "%s: its value needs %zu bytes", key, strlen(text) + 1);
    else
        strcpy(value, text);
    library_leave(before);
    return library_fail(error, &err);
}

rubato_code rubato_config_check(rubato_config *config, rubato_error *error)
{
    rb_err_t err = {0};
    if (!library_given(config, "config", error))
        return RUBATO_USAGE;
    library_entry_t before = library_enter(&config->scope);
    (void)!gpu_spec_from_conf(&config->spec, config->conf, &err);
    library_leave(before);
    return library_fail(error, &err);
}

rubato_config *library_config_open(const char *gpu, const char *const *sets, size_t n,
                                   rb_err_t *err)
{
    rubato_config *c = create(&library_program_log);
    library_entry_t before = library_enter(&c->scope);
    rb_code_t rc = conf_load_gpu(c->conf, gpu, err);
    for (size_t i = 0; i < n && rc == RB_OK; i++)
        rc = conf_set(c->conf, sets[i], err);
    if (rc == RB_OK)
        rc = gpu_spec_from_conf(&c->spec, c->conf, err);
    library_leave(before);
    if (rc == RB_OK)
        return c;
    rubato_config_destroy(c);
    return NULL;
}

conf_t *library_config_layers(rubato_config *config)
{
    return config->conf;
}

const gpu_spec_t *library_config_spec(const rubato_config *config)
{
    return &config->spec;
}

char *rubato_config_text(rubato_config *config, const char *group, rubato_error *error)
{
    memory_file_t memory;
    if (rubato_config_check(config, error) != RUBATO_OK)
        return NULL;
    FILE *out = memory_file_open(&memory);
    library_entry_t before = library_enter(&config->scope);
    conf_write_resolved(config->conf, group, out);
    library_leave(before);
    return memory_file_close(&memory, NULL);
}
