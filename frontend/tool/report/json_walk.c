#include "frontend/tool/report/json_walk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/files/in_file.h"

typedef struct {
    json_reader_t *r;
    const json_walk_t *w;
    char path[JSON_WALK_PATH];
} walking_t;

static bool walk_value(walking_t *k, size_t n, json_event_t e);

/* The end of the path after appending to it. */
static size_t path_end(size_t n, int more)
{
    return more > 0 && n + (size_t)more < JSON_WALK_PATH ? n + (size_t)more : JSON_WALK_PATH - 1;
}

static bool walk_object(walking_t *k, size_t n)
{
    for (json_event_t e; (e = json_next(k->r)) != JSON_READ_OBJECT_END;) {
        if (e != JSON_READ_KEY)
            return false;
        int more = snprintf(k->path + n, JSON_WALK_PATH - n, "%s%s", n > 0 ? "." : "", k->r->text);
        if (!walk_value(k, path_end(n, more), json_next(k->r)))
            return false;
        k->path[n] = '\0';
    }
    return true;
}

static bool walk_array(walking_t *k, size_t n)
{
    unsigned i = 0;
    for (json_event_t e; (e = json_next(k->r)) != JSON_READ_ARRAY_END; i++) {
        int more = snprintf(k->path + n, JSON_WALK_PATH - n, "[%u]", i);
        if (!walk_value(k, path_end(n, more), e))
            return false;
        k->path[n] = '\0';
    }
    return true;
}

static bool walk_value(walking_t *k, size_t n, json_event_t e)
{
    const json_walk_t *w = k->w;
    if (e == JSON_READ_ERROR || e == JSON_READ_END)
        return false;
    if (e == JSON_READ_OBJECT)
        return walk_object(k, n);
    if (e == JSON_READ_ARRAY && w->array != NULL && strcmp(k->path, w->array) == 0)
        return w->read_array(w->ctx, k->r);
    if (e == JSON_READ_ARRAY)
        return walk_array(k, n);
    w->leaf(w->ctx, k->path, e, k->r);
    return true;
}

bool json_walk_object(json_reader_t *r, const json_walk_t *w)
{
    walking_t k = {.r = r, .w = w};
    return walk_object(&k, 0);
}

rb_code_t json_walk_file(const char *path, const json_walk_t *w, rb_err_t *err)
{
    json_reader_t r;
    rb_code_t rc = RB_OK;
    rb_err_t why = {0};
    FILE *in = in_file_open(path, &why);
    if (in == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    json_reader_init(&r, path, json_read_file, in);
    bool whole = json_next(&r) == JSON_READ_OBJECT && json_walk_object(&r, w) &&
                 json_next(&r) == JSON_READ_END;
    if (!whole && r.err.code != RB_OK)
        rc = rb_fail(err, r.err.code, "%s", r.err.text);
    else if (!whole)
        rc = rb_fail(err, RB_TRACE, "%s:%llu: unexpected value", path, (unsigned long long)r.line);
    json_reader_free(&r);
    fclose(in);
    return rc;
}
