#include "sampling/plugin/plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/plugin/plugin_object.h"
#include "sampling/plugin/plugin_options.h"
#include "sim/core/alloc.h"
#include "sim/core/files/sha256.h"

enum { NAME_MAX_CHARS = 20 };

static const char *path_of(const plugin_t *p)
{
    return p->item + strlen("plugin:");
}

static rb_code_t refuse(const plugin_t *p, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_USAGE, "--sample %s: %s", p->item, what);
}

/* Sets the digest: the first eight bytes of the SHA-256 of the file. */
static rb_code_t hash_file(plugin_t *p, rb_err_t *err)
{
    unsigned char buffer[1 << 14], digest[SHA256_BYTES];
    sha256_t hash;
    FILE *in = fopen(path_of(p), "rb");
    if (in == NULL)
        return refuse(p, "cannot be read", err);
    sha256_init(&hash);
    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), in)) > 0;)
        sha256_update(&hash, buffer, n);
    const bool failed = ferror(in) != 0;
    fclose(in);
    sha256_final(&hash, digest);
    memcpy(&p->digest, digest, sizeof(p->digest));
    return failed ? refuse(p, "cannot be read", err) : RB_OK;
}

/* dlopen() would search a name without a slash in the system's library path. */
static rb_code_t load(plugin_t *p, rb_err_t *err)
{
    char *path = realpath(path_of(p), NULL);
    if (path == NULL)
        return refuse(p, "cannot be read", err);
    p->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    if (p->handle == NULL)
        return rb_fail(err, RB_USAGE, "--sample %s: cannot be loaded: %.600s", p->item, dlerror());
    p->sampler = dlsym(p->handle, "rubato_sampler");
    if (p->sampler == NULL)
        return refuse(p, "does not define the symbol rubato_sampler (see rubato_sampler.h)", err);
    if (p->sampler->interface_number != RUBATO_SAMPLER_INTERFACE)
        return rb_fail(
            err, RB_USAGE,
            "--sample %s: was compiled against interface %u, but this rubato has %u; compile "
            "it again with its rubato_sampler.h",
            p->item, p->sampler->interface_number, RUBATO_SAMPLER_INTERFACE);
    return RB_OK;
}

static rb_code_t check(const plugin_t *p, rb_err_t *err)
{
    const rubato_sampler_t *s = p->sampler;
    if (!plugin_name_valid(s->name, NAME_MAX_CHARS) || s->help == NULL)
        return refuse(p,
                      "a sampler needs a name of 1 to 20 lower-case letters, digits and '_' (a "
                      "letter first), "
                      "and a help text",
                      err);
    if ((s->launch == NULL) == (s->inside == NULL))
        return refuse(p,
                      "a sampler either chooses launches or works inside them: one of `launch` "
                      "and `inside` must be set",
                      err);
    if (s->launch != NULL && s->launch->weigh == NULL)
        return refuse(p, "a sampler that chooses launches must have the hook weigh()", err);
    if (s->launch != NULL && s->launch->interval != NULL && s->launch->round == NULL)
        return refuse(p, "the hook interval() requires round()", err);
    if (s->inside != NULL && s->inside->interval == NULL && s->inside->block == NULL)
        return refuse(p, "a sampler inside launches must have interval() or block()", err);
    if (s->inside != NULL && s->inside->records >= 1u << RUBATO_RECORDS)
        return refuse(p, "requests unknown kinds of records", err);
    return RB_OK;
}

static void name_it(plugin_t *p)
{
    const char *name = p->sampler->name;
    const size_t n = strlen("plugin:") + strlen(name) + 1;
    p->name = rb_calloc(n, 1);
    snprintf(p->name, n, "plugin:%s", name);
}

static rb_code_t open_file(plugin_t *p, rb_err_t *err)
{
    RB_TRY(plugin_object_check(path_of(p), err));
    RB_TRY(hash_file(p, err));
    RB_TRY(load(p, err));
    RB_TRY(check(p, err));
    name_it(p);
    return plugin_options_make(p, err);
}

rb_code_t plugin_open(plugin_t **out, const char *item, rb_err_t *err)
{
    const size_t n = strcspn(item, ",");
    plugin_t *p = rb_calloc(1, sizeof(*p));
    *out = NULL;
    p->item = rb_calloc(n + 1, 1);
    memcpy(p->item, item, n);
    rb_code_t rc = open_file(p, err);
    if (rc == RB_OK)
        *out = p;
    else
        plugin_close(p);
    return rc;
}

void plugin_close(plugin_t *p)
{
    if (p == NULL)
        return;
    plugin_options_free(p);
    if (p->handle != NULL)
        dlclose(p->handle);
    free(p->item);
    free(p->name);
    free(p);
}

rb_code_t plugin_failed(const plugin_t *p, const char *hook, const char *why, rb_err_t *err)
{
    return rb_fail(err, RB_USAGE, "%s: %s(): %.*s", p->name, hook, RUBATO_WHY_MAX - 1,
                   why[0] != '\0' ? why : "failed without a reason");
}
