#include "frontend/tool/io/option_value.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

rb_code_t option_count(const char *option, const char *text, uint64_t min, uint64_t max,
                       uint64_t *out, rb_err_t *err)
{
    uint64_t v = 0;
    const char *s = text;
    const bool good = *s >= '0' && *s <= '9';
    bool huge = false;
    for (; *s >= '0' && *s <= '9'; s++)
        huge = huge || __builtin_mul_overflow(v, 10u, &v) ||
               __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v);
    uint64_t scale = 1;
    if (*s == 'k' || *s == 'K')
        scale = 1000;
    else if (*s == 'M')
        scale = 1000000;
    else if (*s == 'G')
        scale = 1000000000;
    if (scale > 1)
        s++;
    huge = huge || __builtin_mul_overflow(v, scale, &v);
    if (!good || *s != '\0')
        return rb_fail(err, RB_USAGE, "--%s: '%s' is not a whole number", option, text);
    if (huge || v < min || v > max)
        return rb_fail(err, RB_USAGE, "--%s: %s is outside %llu..%llu", option, text,
                       (unsigned long long)min, (unsigned long long)max);
    *out = v;
    return RB_OK;
}

rb_code_t option_seconds(const char *option, const char *text, double *out, rb_err_t *err)
{
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(v >= 0.0 && v <= 1e9))
        return rb_fail(err, RB_USAGE, "--%s: '%s' is not a number of seconds", option, text);
    *out = v;
    return RB_OK;
}

rb_code_t option_share(const char *option, const char *text, double *out, rb_err_t *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        v /= 100;
        end++;
    }
    if (end == text || *end != '\0' || !(v >= 0 && v < 1))
        return rb_fail(err, RB_USAGE, "--%s: '%s' is not a share such as 1%% or 0.01", option,
                       text);
    *out = v;
    return RB_OK;
}

rb_code_t option_word(const char *option, const char *text, const char *const *words, unsigned *out,
                      rb_err_t *err)
{
    char list[256] = "";
    for (unsigned i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return RB_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return rb_fail(err, RB_USAGE, "--%s: '%s' is not one of %s", option, text, list);
}

/* Parses one id and advances *s; false if there is none or it overflows. */
static bool id_read(const char **s, uint64_t *v)
{
    if (**s < '0' || **s > '9')
        return false;
    for (*v = 0; **s >= '0' && **s <= '9'; ++*s) {
        if (__builtin_mul_overflow(*v, 10u, v) ||
            __builtin_add_overflow(*v, (uint64_t)(**s - '0'), v))
            return false;
    }
    return true;
}

rb_code_t option_id_list(const char *option, const char *text, uint64_t n, uint64_t **ids,
                         size_t *n_ids, rb_err_t *err)
{
    size_t cap = 0, used = 0;
    uint64_t last = 0;
    rb_code_t rc = RB_OK;
    *ids = NULL;
    for (const char *s = text; rc == RB_OK;) {
        uint64_t from = 0, to;
        bool good = id_read(&s, &from);
        to = from;
        if (good && *s == '-') {
            s++;
            if (*s == '\0' || *s == ',')
                to = n;
            else
                good = id_read(&s, &to);
        }
        good = good && (*s == ',' || *s == '\0');
        if (!good)
            rc = rb_fail(err, RB_USAGE, "--%s: '%s' is not a list such as 3-7,12", option, text);
        else if (from == 0 || from > n || to > n)
            rc = rb_fail(err, RB_USAGE, "--%s: launch %llu: the trace has launches 1..%llu", option,
                         (unsigned long long)(from == 0 || from > n ? from : to),
                         (unsigned long long)n);
        else if (from <= last || to < from)
            rc = rb_fail(err, RB_USAGE, "--%s: '%s' is not in ascending order", option, text);
        if (rc != RB_OK)
            break;
        rb_grow(ids, &cap, used + (size_t)(to - from) + 1, sizeof(**ids));
        for (last = from; last <= to; last++)
            (*ids)[used++] = last;
        last = to;
        if (*s == '\0')
            break;
        s++;
    }
    if (rc != RB_OK) {
        free(*ids);
        *ids = NULL;
        return rc;
    }
    *n_ids = used;
    return RB_OK;
}
