#include "frontend/cli/run_walls.h"

#include <errno.h>
#include <string.h>

#include "sim/core/json_read.h"

/* Behind the opening brace of a launch. *found: it has its time. False on an error. */
static bool read_launch(json_reader_t *r, double *seconds, bool *found)
{
    json_event_t e;
    *found = false;
    while ((e = json_next(r)) == JSON_READ_KEY) {
        bool wanted = strcmp(r->text, "host_seconds") == 0;
        e = json_next(r);
        if (wanted && e == JSON_READ_NUMBER) {
            *seconds = json_read_f64(r);
            *found = true;
        }
        if (!json_skip(r, e))
            return false;
    }
    return e != JSON_READ_ERROR;
}

static bool read_launches(json_reader_t *r, double *seconds, uint64_t n)
{
    json_event_t e;
    uint64_t i = 0;
    bool found;
    for (; (e = json_next(r)) == JSON_READ_OBJECT; i++) {
        double ignored;
        if (!read_launch(r, i < n ? &seconds[i] : &ignored, &found))
            return false;
        if (!found) {
            json_fail(r, "launch without host_seconds: made by an older version");
            return false;
        }
    }
    if (e == JSON_READ_ARRAY_END && i == n)
        return true;
    if (e != JSON_READ_ERROR)
        json_fail(r, "not the launches of launches.csv");
    return false;
}

static bool read_document(json_reader_t *r, double *seconds, uint64_t n)
{
    json_event_t e = json_next(r);
    if (e == JSON_READ_ERROR)
        return false;
    if (e == JSON_READ_OBJECT) {
        while ((e = json_next(r)) == JSON_READ_KEY) {
            bool launches = strcmp(r->text, "launches") == 0;
            e = json_next(r);
            if (launches && e == JSON_READ_ARRAY)
                return read_launches(r, seconds, n);
            if (!json_skip(r, e))
                return false;
        }
    }
    if (e != JSON_READ_ERROR)
        json_fail(r, "no launches");
    return false;
}

rb_code_t run_walls_read(double *seconds, uint64_t n, const char *path, rb_err_t *err)
{
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    json_reader_t r;
    json_reader_init(&r, path, json_read_file, in);
    bool good = read_document(&r, seconds, n);
    rb_code_t rc = good ? RB_OK : rb_fail(err, r.err.code, "%s", r.err.text);
    json_reader_free(&r);
    fclose(in);
    return rc;
}
