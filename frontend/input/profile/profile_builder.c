#include "frontend/input/profile/profile_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { FIRST_ROWS = 1024, FIRST_SLOTS = 1024 };

static const double MICROSECOND = 1000.0;

static void resize_rows(profile_builder_t *b, size_t cap, const profile_has_t *has)
{
    profile_t *p = b->p;
    p->name = rb_realloc(p->name, cap, sizeof(*p->name));
    if (has->time)
        p->time = rb_realloc(p->time, cap, sizeof(*p->time));
    if (has->id)
        p->id = rb_realloc(p->id, cap, sizeof(*p->id));
    if (has->grid)
        p->grid = rb_realloc(p->grid, cap, sizeof(*p->grid));
    if (has->block)
        p->block = rb_realloc(p->block, cap, sizeof(*p->block));
    for (int i = 0; i < PROFILE_COUNTERS; i++) {
        if (has->counter[i])
            p->counter[i] = rb_realloc(p->counter[i], cap, sizeof(*p->counter[i]));
    }
    b->cap = cap;
}

void profile_builder_init(profile_builder_t *b, const char *path, const char *format,
                          const profile_has_t *has, bool time_is_cycles, double scale)
{
    *b = (profile_builder_t){.path = path, .whole = true, .scale = scale};
    b->p = rb_calloc(1, sizeof(*b->p));
    b->p->format = format;
    b->p->time_is_cycles = time_is_cycles;
    resize_rows(b, FIRST_ROWS, has);
}

void profile_builder_free(profile_builder_t *b)
{
    profile_free(b->p);
    hash_map_free(&b->names);
    free(b->name_length);
    *b = (profile_builder_t){0};
}

/* Text for messages that tells where a row is. */
static const char *place(const profile_builder_t *b, uint64_t line, char text[64])
{
    if (line > 0)
        snprintf(text, 64, ":%llu", (unsigned long long)line);
    else
        snprintf(text, 64, ": launch %llu", (unsigned long long)b->p->n + 1);
    return text;
}

/* 64-bit multiply-and-fold hash over eight bytes at a time. */
static uint64_t hash_name(const char *s, size_t len)
{
    uint64_t h = 0x9e3779b97f4a7c15u ^ len, v;
    for (; len >= sizeof(v); s += sizeof(v), len -= sizeof(v)) {
        memcpy(&v, s, sizeof(v));
        h = (h ^ v) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    v = 0;
    memcpy(&v, s, len);
    h = (h ^ v) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

static rb_code_t check_name(const profile_builder_t *b, const char *name, size_t len, uint64_t line,
                            rb_err_t *err)
{
    char at[64];
    if (len == 0)
        return rb_fail(err, RB_TRACE, "%s%s: the kernel name is empty", b->path,
                       place(b, line, at));
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)name[i] < ' ' && name[i] != '\n' && name[i] != '\t')
            return rb_fail(err, RB_TRACE,
                           "%s%s: the kernel name contains the byte 0x%02x, which is not text",
                           b->path, place(b, line, at), (unsigned char)name[i]);
    }
    return RB_OK;
}

/* Index of a name in p->names. */
static rb_code_t intern(profile_builder_t *b, const char *name, size_t len, uint64_t line,
                        uint32_t *index, rb_err_t *err)
{
    profile_t *p = b->p;
    uint64_t h = hash_name(name, len);
    char where[64];
    for (hash_walk_t w = hash_map_walk(&b->names, h); hash_walk_next(&w);)
        if (b->name_length[w.number] == len && memcmp(p->names[w.number], name, len) == 0) {
            *index = w.number;
            return RB_OK;
        }
    RB_TRY(check_name(b, name, len, line, err));
    if (p->n_names == PROFILE_NAMES_MAX)
        return rb_fail(
            err, RB_TRACE,
            "%s%s: more than %d different kernel names: does this column hold kernel names?",
            b->path, place(b, line, where), PROFILE_NAMES_MAX);
    rb_grow(&p->names, &b->cap_names, (size_t)p->n_names + 1, sizeof(*p->names));
    rb_grow(&b->name_length, &b->cap_lengths, (size_t)p->n_names + 1, sizeof(*b->name_length));
    b->name_length[p->n_names] = (uint32_t)len;
    char *copy = rb_calloc(len + 1, 1);
    memcpy(copy, name, len);
    p->names[p->n_names++] = copy;
    *index = p->n_names - 1;
    hash_map_add(&b->names, h, *index);
    return RB_OK;
}

static profile_has_t columns_of(const profile_t *p)
{
    profile_has_t has = {.time = p->time != NULL,
                         .id = p->id != NULL,
                         .grid = p->grid != NULL,
                         .block = p->block != NULL};
    for (int i = 0; i < PROFILE_COUNTERS; i++)
        has.counter[i] = p->counter[i] != NULL;
    return has;
}

rb_code_t profile_builder_add(profile_builder_t *b, const char *name, size_t len, double duration,
                              uint64_t line, rb_err_t *err)
{
    profile_t *p = b->p;
    char at[64];
    uint32_t index = 0;
    bool timed = p->time != NULL;
    if (timed && (!(duration >= 0.0) || isinf(duration)))
        return rb_fail(err, RB_TRACE, "%s%s: the duration is %g: it must be a number above 0",
                       b->path, place(b, line, at), duration);
    RB_TRY(intern(b, name, len, line, &index, err));
    if (p->n == b->cap) {
        profile_has_t has = columns_of(p);
        resize_rows(b, 2 * b->cap, &has);
    }
    if (timed) {
        if (duration == 0.0 && b->zero_row == 0) {
            b->zero_row = p->n + 1;
            b->zero_line = line;
        }
        p->below_resolution += duration == 0.0;
        b->whole = b->whole && duration == floor(duration);
        p->time[p->n] = duration * b->scale;
    }
    p->name[p->n++] = index;
    return RB_OK;
}

/*
 * PyTorch's older profiler and others truncate durations to whole microseconds, so shorter launches
 * get 0. Such a 0 is replaced by half a microsecond; any other 0 is an error.
 */
static rb_code_t settle_zeros(profile_builder_t *b, rb_err_t *err)
{
    profile_t *p = b->p;
    if (b->zero_row == 0)
        return RB_OK;
    bool cut = !p->time_is_cycles && b->scale == MICROSECOND && b->whole;
    if (!cut || p->below_resolution > p->n / 2) {
        char at[64];
        p->n = b->zero_row - 1;
        return rb_fail(err, RB_TRACE, "%s%s: the duration is 0: it must be a number above 0",
                       b->path, place(b, b->zero_line, at));
    }
    for (uint64_t i = 0; i < p->n; i++) {
        if (p->time[i] == 0.0)
            p->time[i] = MICROSECOND / 2;
    }
    return RB_OK;
}

rb_code_t profile_builder_finish(profile_builder_t *b, profile_t **out, rb_err_t *err)
{
    profile_t *p = b->p;
    if (p->n == 0)
        return rb_fail(err, RB_TRACE, "%s: %s without a kernel launch%s", b->path, p->format,
                       p->skipped > 0 ? ": copies and memory sets only" : "");
    RB_TRY(settle_zeros(b, err));
    if (p->time != NULL && !isfinite(profile_total_time(p)))
        return rb_fail(err, RB_TRACE, "%s: the sum of the durations is not finite", b->path);
    RB_TRY(profile_order(p, b->path, err));
    *out = p;
    b->p = NULL;
    profile_builder_free(b);
    return RB_OK;
}
