#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/gpgpusim/config_import_internal.h"
#include "sim/core/alloc.h"
#include "sim/gpu/gpu_conf.h"

import_option_t *import_find(const import_t *im, const char *key)
{
    for (size_t i = im->n_options; i > 0; i--)
        if (!strcmp(im->option[i - 1].key, key))
            return &im->option[i - 1];
    return NULL;
}

const char *import_value(const import_t *im, const char *key)
{
    const import_option_t *o = import_find(im, key);
    return o ? o->value : NULL;
}

uint64_t import_number(const import_t *im, const char *key, uint64_t fallback)
{
    const char *value = import_value(im, key);
    char *end;
    if (!value || !isdigit((unsigned char)*value))
        return fallback;
    unsigned long long n = strtoull(value, &end, 10);
    return *end || n > UINT32_MAX ? fallback : n;
}

void import_treat(import_option_t *o, import_status_t status, const char *fmt, ...)
{
    va_list args;
    o->status = status;
    if (!*fmt)
        return;
    va_start(args, fmt);
    vsnprintf(o->reason, sizeof(o->reason), fmt, args);
    va_end(args);
}

void import_exact(import_option_t *o)
{
    o->status = IMPORT_SAME;
}

/* Checks a value against the parameter table; writes it in the format of a config file. */
static bool table_value(const char *group, const char *key, const char *value,
                        char out[PARAM_VALUE_TEXT], char *why, size_t size)
{
    for (const gpu_group_t *g = gpu_groups; g->group; g++) {
        const param_t *p = strcmp(g->group->name, group) ? NULL : param_find(g->group, key);
        if (!p)
            continue;
        char *copy = rb_strdup(value);
        value_t v = {.kind = VALUE_WORD, .s = copy};
        void *spec = rb_calloc(1, g->group->spec_size);
        bool good = param_assign(p, &v, spec, why, size);
        if (good)
            param_format(p, spec, out);
        free(spec);
        free(copy);
        return good;
    }
    rb_panic("import: no setting %s.%s", group, key);
}

/* An option is used as a whole or not at all. */
static void forget_settings(import_t *im, import_option_t *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < im->n_settings; i++)
        if (im->setting[i].from != o)
            im->setting[kept++] = im->setting[i];
    im->n_settings = kept;
    o->set[0] = '\0';
}

bool import_set(import_t *im, import_option_t *o, const char *setting, const char *fmt, ...)
{
    char value[PARAM_VALUE_TEXT], why[256], group[32];
    const char *key = strchr(setting, '.') + 1;
    import_setting_t s = {.from = o};
    va_list args;
    va_start(args, fmt);
    vsnprintf(value, sizeof(value), fmt, args);
    va_end(args);
    snprintf(group, sizeof(group), "%.*s", (int)(key - 1 - setting), setting);
    if (!table_value(group, key, value, s.value, why, sizeof(why))) {
        import_treat(o, IMPORT_LOST, "%s %.100s", setting, why);
        forget_settings(im, o);
        return false;
    }
    snprintf(s.group, sizeof(s.group), "%s", group);
    snprintf(s.key, sizeof(s.key), "%s", key);
    size_t n = strlen(o->set);
    snprintf(o->set + n, sizeof(o->set) - n, "%s%s = %s", n ? ", " : "", setting, s.value);

    for (size_t i = 0; i < im->n_settings; i++)
        if (!strcmp(im->setting[i].group, s.group) && !strcmp(im->setting[i].key, s.key)) {
            im->setting[i] = s;
            return true;
        }
    rb_grow(&im->setting, &im->cap_settings, im->n_settings + 1, sizeof(*im->setting));
    im->setting[im->n_settings++] = s;
    return true;
}

bool import_numbers(const char *text, const char *separators, uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        if (!isdigit((unsigned char)*text))
            return false;
        unsigned long x = strtoul(text, &end, 10);
        if (x > UINT32_MAX)
            return false;
        v[i] = (uint32_t)x;
        if (i + 1 < n && (!*end || !strchr(separators, *end)))
            return false;
        text = end + 1;
    }
    return true;
}

void import_not_understood(import_option_t *o)
{
    import_treat(o, IMPORT_LOST, "this value is not understood");
}

bool import_parse_cache(const char *text, import_cache_t *c)
{
    const char *colon = strchr(text, ':'), *comma = strchr(text, ',');
    uint32_t shape[3];
    *c = (import_cache_t){0};
    if (!colon || !comma ||
        !import_numbers(isdigit((unsigned char)*text) ? text : colon + 1, ":", shape, 3))
        return false; /* the type is missing before 2018 */
    c->sets = shape[0];
    c->line = shape[1];
    c->ways = shape[2];
    const char *letter = comma + 1;
    for (size_t i = 0; i < sizeof(c->policy) - 1 && isalpha((unsigned char)*letter); i++) {
        c->policy[i] = *letter++;
        letter += *letter == ':';
    }
    c->replacement = c->policy[CACHE_REPLACEMENT] == 'F' ? "fifo" : "lru";
    const char *second = strchr(comma + 1, ',');
    const char *count = second ? strchr(second, ':') : NULL;
    if (!count || !import_numbers(count + 1, ":", c->mshr, 2))
        return false;
    const char *third = strchr(second + 1, ',');
    if (third)
        import_numbers(third + 1, ":", &c->queue, 1);
    return true;
}

bool import_cache_policy(import_option_t *o, const import_cache_t *c, unsigned policy,
                         const char *known)
{
    static const char *const names[] = {"replacement", "write policy", "allocation",
                                        "allocation of writes", "set index"};
    const char letter = c->policy[policy];
    if (letter == '\0' || strchr(known, letter) != NULL)
        return true;
    import_treat(o, IMPORT_LOST, "%s '%c'; rubato has only '%s'", names[policy], letter, known);
    return false;
}

void import_map_switch(import_t *im, import_option_t *o, const char *setting)
{
    if (import_set(im, o, setting, import_number(im, o->key, 0) ? "true" : "false"))
        import_exact(o);
}
