#include "sim/conf/param_value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

void value_free(value_t *v)
{
    for (size_t i = 0; i < v->n; i++)
        value_free(&v->item[i]);
    free(v->item);
    free(v->s);
    *v = (value_t){0};
}

const param_t *param_find(const param_group_t *group, const char *name)
{
    for (size_t i = 0; i < group->n_params; i++)
        if (!strcmp(group->params[i].name, name))
            return &group->params[i];
    return NULL;
}

/* Writes the reason to why and returns false, so that a check can return refuse(...). */
RB_PRINTF(3, 4) static bool refuse(char *why, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, size, fmt, args);
    va_end(args);
    return false;
}

/* Describes v for messages; user text is shortened and made printable. */
static void value_describe(const value_t *v, char text[80])
{
    switch (v->kind) {
    case VALUE_INT:
        snprintf(text, 80, "%lld", (long long)v->i);
        break;
    case VALUE_FLOAT:
        snprintf(text, 80, "%g", v->f);
        break;
    case VALUE_BOOL:
        snprintf(text, 80, "%s", v->b ? "true" : "false");
        break;
    case VALUE_STRING:
    case VALUE_WORD:
        snprintf(text, 80, v->kind == VALUE_STRING ? "\"%.60s%s\"" : "%.60s%s", v->s,
                 strlen(v->s) > 60 ? "..." : "");
        for (char *c = text; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                *c = '?';
        break;
    case VALUE_LIST:
        snprintf(text, 80, "a list");
        break;
    }
}

void size_format(uint64_t n, char text[32])
{
    static const char *const unit[] = {"", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    while (u < 4 && n && n % 1024 == 0) {
        n /= 1024;
        u++;
    }
    snprintf(text, 32, "%llu%s", (unsigned long long)n, unit[u]);
}

/* Exponent of 1024 for a unit, -1 if unknown. K, M, G and T are binary, as everywhere in rubato. */
static int unit_power(const char *unit)
{
    static const char letters[] = "KMGT";
    if (!*unit || !strcmp(unit, "B"))
        return 0;
    const char *at = strchr(letters, toupper((unsigned char)unit[0]));
    if (!at || !(unit[1] == '\0' || !strcmp(unit + 1, "iB")))
        return -1;
    return (int)(at - letters) + 1;
}

const char *size_parse(const char *text, uint64_t *n)
{
    static const char form[] = "needs a size such as 4096, \"96KiB\" or \"1.5MiB\"";
    const char *c = text;
    uint64_t whole = 0, fraction = 0, scale = 1;

    while (isspace((unsigned char)*c))
        c++;
    if (!isdigit((unsigned char)*c))
        return form;
    for (; isdigit((unsigned char)*c); c++) {
        if (whole > (UINT64_MAX - 9) / 10)
            return "is too large";
        whole = whole * 10 + (uint64_t)(*c - '0');
    }
    if (*c == '.') {
        for (c++; isdigit((unsigned char)*c); c++) {
            if (scale >= 1000000)
                return "has more than six decimals";
            fraction = fraction * 10 + (uint64_t)(*c - '0');
            scale *= 10;
        }
        if (scale == 1)
            return form;
    }
    while (isspace((unsigned char)*c))
        c++;

    char unit[4] = "";
    size_t length = strlen(c);
    while (length && isspace((unsigned char)c[length - 1]))
        length--;
    if (length >= sizeof(unit))
        return form;
    memcpy(unit, c, length);
    int power = unit_power(unit);
    if (power < 0)
        return unit[0] && (unit[1] == 'B' || unit[1] == 'b')
                   ? "mixes decimal and binary units: write KiB, MiB or GiB (powers of 1024)"
                   : form;

    uint64_t bytes = 1ull << (10 * power);
    if (whole > (UINT64_MAX >> 1) / bytes)
        return "is too large";
    // fraction < 10^6 and bytes <= 2^40: the product fits.
    if (fraction * bytes % scale)
        return "is not a whole number of bytes";
    *n = whole * bytes + fraction * bytes / scale;
    return NULL;
}

/* Reads an integer. A word of a command line may be decimal or 0x... */
static bool value_integer(const value_t *v, int64_t *n)
{
    if (v->kind == VALUE_INT) {
        *n = v->i;
        return true;
    }
    if (v->kind != VALUE_WORD)
        return false;
    char *end;
    bool hex = v->s[0] == '0' && (v->s[1] == 'x' || v->s[1] == 'X');
    errno = 0;
    long long x = strtoll(v->s, &end, hex ? 16 : 10);
    if (end == v->s || *end)
        return false;
    // On overflow strtoll() returns a limit of long long, which no parameter's range includes.
    *n = x;
    return true;
}

static bool value_real(const value_t *v, double *x)
{
    if (v->kind == VALUE_FLOAT || v->kind == VALUE_INT) {
        *x = v->kind == VALUE_FLOAT ? v->f : (double)v->i;
        return true;
    }
    if (v->kind != VALUE_WORD || v->s[strspn(v->s, "+-.0123456789eE")])
        return false;
    char *end;
    *x = strtod(v->s, &end);
    return end != v->s && !*end;
}

static bool value_bool(const value_t *v, bool *b)
{
    if (v->kind == VALUE_BOOL) {
        *b = v->b;
        return true;
    }
    if (v->kind != VALUE_WORD)
        return false;
    *b = !strcmp(v->s, "true");
    return *b || !strcmp(v->s, "false");
}

static bool out_of_range(const param_t *p, const char *what, char *why, size_t size)
{
    char range[PARAM_VALUE_TEXT];
    param_range(p, range);
    return refuse(why, size, "must be %s, not %s", range, what);
}

static bool assign_integer(const param_t *p, const value_t *v, void *at, char *why, size_t size)
{
    char what[80];
    int64_t n;
    value_describe(v, what);
    if (!value_integer(v, &n))
        return refuse(why, size, "needs a whole number, not %s", what);
    if ((double)n < p->min || (double)n > p->max)
        return out_of_range(p, what, why, size);
    if (p->type == PARAM_TYPE_U64)
        *(uint64_t *)at = (uint64_t)n;
    else
        *(uint32_t *)at = (uint32_t)n;
    return true;
}

static bool read_size(const param_t *p, const value_t *v, uint64_t *out, char *why, size_t size)
{
    char what[80];
    const char *wrong = NULL;
    value_describe(v, what);
    if (v->kind == VALUE_INT && v->i >= 0)
        *out = (uint64_t)v->i;
    else if (v->kind == VALUE_INT)
        return out_of_range(p, what, why, size);
    else if (v->kind == VALUE_STRING || v->kind == VALUE_WORD)
        wrong = size_parse(v->s, out);
    else
        wrong = "needs a size such as 4096, \"96KiB\" or \"1.5MiB\"";
    if (wrong)
        return refuse(why, size, "%s %s", what, wrong);
    if ((double)*out < p->min || (double)*out > p->max)
        return out_of_range(p, what, why, size);
    return true;
}

/* "0,8KiB,16KiB" as a list. */
static bool split_sizes(const param_t *p, const char *text, param_sizes_t *out, char *why,
                        size_t size)
{
    for (const char *c = text;; c++) {
        char word[64];
        size_t n = strcspn(c, ",");
        if (n >= sizeof(word) || out->n == PARAM_SIZES_MAX)
            return refuse(why, size, "needs at most %d sizes", PARAM_SIZES_MAX);
        memcpy(word, c, n);
        word[n] = '\0';
        value_t v = {.kind = VALUE_WORD, .s = word};
        if (!read_size(p, &v, &out->v[out->n], why, size))
            return false;
        out->n++;
        c += n;
        if (!*c)
            return true;
    }
}

static bool assign_sizes(const param_t *p, const value_t *v, void *at, char *why, size_t size)
{
    param_sizes_t sizes = {0};
    if (v->kind == VALUE_STRING || v->kind == VALUE_WORD) {
        if (!split_sizes(p, v->s, &sizes, why, size))
            return false;
    } else if (v->kind == VALUE_LIST) {
        if (v->n < 1 || v->n > PARAM_SIZES_MAX)
            return refuse(why, size, "needs 1 to %d sizes", PARAM_SIZES_MAX);
        for (; sizes.n < v->n; sizes.n++)
            if (!read_size(p, &v->item[sizes.n], &sizes.v[sizes.n], why, size))
                return false;
    } else {
        if (!read_size(p, v, &sizes.v[0], why, size))
            return false;
        sizes.n = 1;
    }
    *(param_sizes_t *)at = sizes;
    return true;
}

static bool assign_enum(const param_t *p, const value_t *v, void *at, char *why, size_t size)
{
    char what[80], names[PARAM_VALUE_TEXT];
    value_describe(v, what);
    param_range(p, names);
    if (v->kind != VALUE_STRING && v->kind != VALUE_WORD)
        return refuse(why, size, "must be %s (in quotes), not %s", names, what);
    suggest_t near;
    suggest_begin(&near, v->s);
    for (uint32_t i = 0; p->choices[i].name; i++) {
        if (!strcmp(p->choices[i].name, v->s)) {
            *(uint32_t *)at = i;
            return true;
        }
        suggest_offer(&near, p->choices[i].name);
    }
    return near.best
               ? refuse(why, size, "must be %s, not %s; did you mean '%s'?", names, what, near.best)
               : refuse(why, size, "must be %s, not %s", names, what);
}

/* Bytes that the parameter can hold, including the NUL. */
static size_t text_room(const param_t *p)
{
    return p->type == PARAM_TYPE_PATH ? PARAM_PATH_MAX : PARAM_TEXT_MAX;
}

static bool assign_text(const param_t *p, const value_t *v, void *at, char *why, size_t size)
{
    char what[80];
    value_describe(v, what);
    if (v->kind != VALUE_STRING && v->kind != VALUE_WORD)
        return refuse(why, size, "needs text in quotes, not %s", what);
    size_t n = strlen(v->s);
    if (n >= text_room(p))
        return refuse(why, size, "is longer than %zu characters", text_room(p) - 1);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)v->s[i] < ' ' || v->s[i] == 127)
            return refuse(why, size, "holds control characters");
    memset(at, 0, text_room(p));
    memcpy(at, v->s, n);
    return true;
}

bool param_assign(const param_t *p, const value_t *v, void *spec, char *why, size_t size)
{
    void *at = (char *)spec + p->offset;
    char what[80];
    value_describe(v, what);
    switch (p->type) {
    case PARAM_TYPE_U32:
    case PARAM_TYPE_U64:
        return assign_integer(p, v, at, why, size);
    case PARAM_TYPE_SIZE: {
        uint64_t bytes;
        if (!read_size(p, v, &bytes, why, size))
            return false;
        *(uint64_t *)at = bytes;
        return true;
    }
    case PARAM_TYPE_SIZES:
        return assign_sizes(p, v, at, why, size);
    case PARAM_TYPE_F64: {
        double x;
        if (!value_real(v, &x))
            return refuse(why, size, "needs a number, not %s", what);
        if (!(x >= p->min && x <= p->max))
            return out_of_range(p, what, why, size);
        *(double *)at = x;
        return true;
    }
    case PARAM_TYPE_BOOL: {
        bool b;
        if (!value_bool(v, &b))
            return refuse(why, size, "must be true or false, not %s", what);
        *(bool *)at = b;
        return true;
    }
    case PARAM_TYPE_ENUM:
        return assign_enum(p, v, at, why, size);
    case PARAM_TYPE_TEXT:
    case PARAM_TYPE_PATH:
        return assign_text(p, v, at, why, size);
    }
    rb_panic("parameter %s has no type", p->name);
}

static void set_default(const param_group_t *group, const param_t *p, const char *value, void *spec)
{
    char why[256], *def = rb_strdup(value);
    value_t v = {.kind = VALUE_WORD, .s = def};
    RB_INVARIANT(param_assign(p, &v, spec, why, sizeof(why)), "default of %s.%s: %s", group->name,
                 p->name, why);
    free(def);
}

void param_group_defaults(const param_group_t *group, void *spec)
{
    memset(spec, 0, group->spec_size);
    for (size_t i = 0; i < group->n_params; i++)
        set_default(group, &group->params[i], group->params[i].def, spec);
}

void param_group_preset(const param_group_t *group, void *spec, const bool *given)
{
    const param_t *variant = group->presets == NULL ? NULL : param_find(group, "variant");
    if (variant == NULL)
        return;
    const char *choice =
        variant->choices[*(const uint32_t *)(const void *)((const char *)spec + variant->offset)]
            .name;
    for (const param_preset_t *r = group->presets; r->choice != NULL; r++) {
        const param_t *p = param_find(group, r->name);
        RB_INVARIANT(p != NULL, "%s has no %s to preset", group->name, r->name);
        if (given == NULL || !given[p - group->params])
            set_default(group, p, p->def, spec);
    }
    for (const param_preset_t *r = group->presets; r->choice != NULL; r++) {
        const param_t *p = param_find(group, r->name);
        if (strcmp(r->choice, choice) == 0 && (given == NULL || !given[p - group->params]))
            set_default(group, p, r->value, spec);
    }
}

/* The shortest text that reads back as the same double; always contains a '.' or an 'e'. */
static void real_format(double x, char text[40])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
}

static void text_format(const char *s, char text[PARAM_VALUE_TEXT])
{
    size_t n = 0;
    text[n++] = '"';
    for (; *s && n + 4 < PARAM_VALUE_TEXT; s++) {
        if (*s == '"' || *s == '\\')
            text[n++] = '\\';
        text[n++] = *s;
    }
    text[n++] = '"';
    text[n] = '\0';
}

void param_format(const param_t *p, const void *spec, char text[PARAM_VALUE_TEXT])
{
    const void *at = (const char *)spec + p->offset;
    char word[40];
    switch (p->type) {
    case PARAM_TYPE_U32:
    case PARAM_TYPE_U64: {
        uint64_t n = p->type == PARAM_TYPE_U32 ? *(const uint32_t *)at : *(const uint64_t *)at;
        // libconfig 1.5 wraps a plain integer above 2^31 - 1; L makes it 64 bits wide.
        snprintf(text, PARAM_VALUE_TEXT, n > INT32_MAX ? "%lluL" : "%llu", (unsigned long long)n);
        break;
    }
    case PARAM_TYPE_SIZE:
        size_format(*(const uint64_t *)at, word);
        snprintf(text, PARAM_VALUE_TEXT, "\"%s\"", word);
        break;
    case PARAM_TYPE_SIZES: {
        const param_sizes_t *sizes = at;
        size_t n = 0;
        for (uint32_t i = 0; i < sizes->n; i++) {
            size_format(sizes->v[i], word);
            n += (size_t)snprintf(text + n, PARAM_VALUE_TEXT - n, "%s\"%s\"", i ? ", " : "[", word);
        }
        snprintf(text + n, PARAM_VALUE_TEXT - n, "]");
        break;
    }
    case PARAM_TYPE_F64:
        real_format(*(const double *)at, word);
        snprintf(text, PARAM_VALUE_TEXT, "%s", word);
        break;
    case PARAM_TYPE_BOOL:
        snprintf(text, PARAM_VALUE_TEXT, "%s", *(const bool *)at ? "true" : "false");
        break;
    case PARAM_TYPE_ENUM:
        snprintf(text, PARAM_VALUE_TEXT, "\"%s\"", p->choices[*(const uint32_t *)at].name);
        break;
    case PARAM_TYPE_TEXT:
    case PARAM_TYPE_PATH:
        text_format(at, text);
        break;
    }
}

void param_range(const param_t *p, char text[PARAM_VALUE_TEXT])
{
    const char *blank = *p->unit ? " " : "";
    switch (p->type) {
    case PARAM_TYPE_U32:
    case PARAM_TYPE_U64:
        snprintf(text, PARAM_VALUE_TEXT, "%.0f to %.0f%s%s", p->min, p->max, blank, p->unit);
        break;
    case PARAM_TYPE_F64:
        snprintf(text, PARAM_VALUE_TEXT, "%g to %g%s%s", p->min, p->max, blank, p->unit);
        break;
    case PARAM_TYPE_SIZE:
    case PARAM_TYPE_SIZES: {
        char low[32], high[32];
        size_format((uint64_t)p->min, low);
        size_format((uint64_t)p->max, high);
        snprintf(text, PARAM_VALUE_TEXT, "%s to %s%s", low, high,
                 p->type == PARAM_TYPE_SIZES ? " (each of a list)" : "");
        break;
    }
    case PARAM_TYPE_BOOL:
        snprintf(text, PARAM_VALUE_TEXT, "true | false");
        break;
    case PARAM_TYPE_ENUM: {
        size_t n = 0;
        text[0] = '\0';
        for (size_t i = 0; p->choices[i].name && n < PARAM_VALUE_TEXT; i++)
            n += (size_t)snprintf(text + n, PARAM_VALUE_TEXT - n, "%s%s", i ? " | " : "",
                                  p->choices[i].name);
        break;
    }
    case PARAM_TYPE_TEXT:
    case PARAM_TYPE_PATH:
        snprintf(text, PARAM_VALUE_TEXT, "text of at most %zu characters", text_room(p) - 1);
        break;
    }
}
