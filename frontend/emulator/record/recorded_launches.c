#include "frontend/emulator/record/recorded_launches.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/find_first.h"

/* Parses a range at *text and moves past it and its comma. False: not a range. */
static bool next_range(const char **text, uint64_t *first, uint64_t *last)
{
    char *end;

    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    *first = *last = strtoull(*text, &end, 10);
    if (*end == '-') {
        *text = end + 1;
        *last = UINT64_MAX;
        if (**text >= '0' && **text <= '9')
            *last = strtoull(*text, &end, 10);
        else
            end++;
    }
    *text = end + (*end == ',');
    bool comma_at_end = *end == ',' && end[1] == '\0';
    return errno == 0 && *first >= 1 && *last >= *first && !comma_at_end &&
           (*end == ',' || *end == '\0');
}

bool recorded_launches_valid(const char *text)
{
    uint64_t first, last, before = 0;

    do {
        if (before == UINT64_MAX || !next_range(&text, &first, &last) || first <= before)
            return false;
        before = last;
    } while (*text != '\0');
    return true;
}

/* --- plans ----------------------------------------------------------------------------------- */

/* Reads the lines up to the empty one. */
static rb_code_t read_lines(recorded_launches_t *r, FILE *in, const char *path, rb_err_t *err)
{
    char line[128];
    size_t cap_ids = 0, cap_weights = 0;

    while (fgets(line, sizeof(line), in) != NULL && line[0] != '\n') {
        uint64_t id;
        double weight;
        if (sscanf(line, "%" SCNu64 " %la", &id, &weight) != 2 || id == 0 ||
            (r->n > 0 && id <= r->ids[r->n - 1]))
            return rb_fail(err, RB_TRACE, "%s: line %zu is not a launch and its weight", path,
                           r->n + 1);
        rb_grow(&r->ids, &cap_ids, r->n + 1, sizeof(*r->ids));
        rb_grow(&r->weights, &cap_weights, r->n + 1, sizeof(*r->weights));
        r->ids[r->n] = id;
        r->weights[r->n++] = weight;
    }
    return r->n > 0 ? RB_OK : rb_fail(err, RB_TRACE, "%s: the plan has no launches", path);
}

static rb_code_t read_json(recorded_launches_t *r, FILE *in, const char *path, rb_err_t *err)
{
    size_t n = 0, cap = 0, got;

    do {
        rb_grow(&r->json, &cap, n + 4097, 1);
        got = fread(r->json + n, 1, 4096, in);
        n += got;
    } while (got > 0);
    r->json[n] = '\0';
    return ferror(in) ? rb_fail(err, RB_IO, "%s: %s", path, strerror(errno)) : RB_OK;
}

rb_code_t recorded_launches_read(recorded_launches_t *r, const char *path, rb_err_t *err)
{
    FILE *in = in_file_open(path, err);

    *r = (recorded_launches_t){0};
    if (in == NULL)
        return RB_IO;
    rb_code_t rc = read_lines(r, in, path, err);
    if (rc == RB_OK)
        rc = read_json(r, in, path, err);
    fclose(in);
    if (rc != RB_OK)
        recorded_launches_free(r);
    return rc;
}

void recorded_launches_free(recorded_launches_t *r)
{
    free(r->ids);
    free(r->weights);
    free(r->json);
    *r = (recorded_launches_t){0};
}

/* --- asking ---------------------------------------------------------------------------------- */

static bool list_has(const char *text, uint64_t id)
{
    uint64_t first, last;

    while (*text != '\0' && next_range(&text, &first, &last))
        if (id >= first && id <= last)
            return true;
    return false;
}

bool recorded_launches_has(const recorded_launches_t *r, uint64_t id, double *weight)
{
    size_t i;

    *weight = 1.0;
    if (r->ids == NULL)
        return r->list == NULL || list_has(r->list, id);
    FIND_FIRST(i, 0, r->n, r->ids[i] >= id);
    if (i == r->n || r->ids[i] != id)
        return false;
    *weight = r->weights[i];
    return true;
}
