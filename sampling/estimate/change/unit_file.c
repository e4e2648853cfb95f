#include "sampling/estimate/change/unit_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/files/text_lines.h"

static const char first_words[] = "rubato-units 1 ";

/* A line has fewer bytes; a launch has fewer units. */
enum { LINE_MOST = 1 << 20, UNITS_MOST = 1 << 20 };

/* --- writing --------------------------------------------------------------------------------- */

static void put_estimate(FILE *out, const launch_estimate_t *e)
{
    fprintf(out, " %a", e->cycles);
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        fprintf(out, " %a", e->counter[i]);
    fputc('\n', out);
}

static void put_launch(FILE *out, const launch_units_t *l)
{
    fprintf(out, "launch %" PRIu64 " %" PRIx64 " %" PRIu64 " %" PRIx64 " %" PRIu64 " %a %zu\n",
            l->launch, l->code, l->blocks, l->choice, l->chosen, l->l2_bytes, l->n);
    fprintf(out, "counted");
    put_estimate(out, &l->counted);
    for (const measured_unit_t *u = l->unit; u < l->unit + l->n; u++) {
        fprintf(out, "unit %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %a %a %a %a",
                u->of, u->last, u->resume, u->walked, u->stratum_end, u->begin, u->end, u->weight,
                u->insts);
        put_estimate(out, &u->measured);
    }
}

void unit_file_write(FILE *out, const unit_file_t *f)
{
    fprintf(out, "%s%" PRIu64 "\n", first_words, f->launches);
    for (size_t i = 0; i < f->n; i++)
        put_launch(out, &f->list[i]);
}

/* --- reading --------------------------------------------------------------------------------- */

/* Reads the next line. RB_TRACE: there is none. */
static rb_code_t next(text_lines_t *text, rb_err_t *err)
{
    bool more;
    RB_TRY(text_lines_next(text, &more, err));
    return more ? RB_OK
                : rb_fail(err, RB_TRACE,
                          "%s:%" PRIu64 ": the file ends here, but more was announced", text->path,
                          text->number);
}

static rb_code_t bad_line(const text_lines_t *text, const char *wanted, rb_err_t *err)
{
    return rb_fail(err, RB_TRACE, "%s:%" PRIu64 ": expected %s", text->path, text->number, wanted);
}

static bool get_number(const char **at, double *out)
{
    char *end;
    *out = strtod(*at, &end);
    const bool good = end != *at && isfinite(*out) && *out >= 0;
    *at = end;
    return good;
}

static bool get_estimate(const char *at, launch_estimate_t *out)
{
    bool good = get_number(&at, &out->cycles);
    for (size_t i = 0; good && i < GPU_COUNTERS; i++)
        good = get_number(&at, &out->counter[i]);
    return good && *at == '\0';
}

static bool is_sound(const launch_units_t *l, const measured_unit_t *u)
{
    return u->of <= u->last && u->last < l->chosen && u->resume <= l->blocks &&
           u->walked <= l->blocks && u->stratum_end <= l->blocks && u->begin >= 0 &&
           u->end >= u->begin && u->end <= (double)l->blocks && u->weight >= 0 && u->insts > 0 &&
           isfinite(u->weight) && isfinite(u->insts);
}

static rb_code_t get_unit(text_lines_t *text, launch_units_t *l, rb_err_t *err)
{
    measured_unit_t u = {0};
    int at = 0;
    RB_TRY(next(text, err));
    if (sscanf(text->text,
               "unit %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %la %la %la %la%n",
               &u.of, &u.last, &u.resume, &u.walked, &u.stratum_end, &u.begin, &u.end, &u.weight,
               &u.insts, &at) != 9 ||
        !is_sound(l, &u) || !get_estimate(text->text + at, &u.measured) ||
        (l->n > 0 && u.of <= l->unit[l->n - 1].last))
        return bad_line(text, "a unit", err);
    l->unit[l->n++] = u;
    return RB_OK;
}

static rb_code_t get_launch(text_lines_t *text, launch_units_t *l, rb_err_t *err)
{
    static const char counted[] = "counted";
    size_t n;
    if (sscanf(text->text,
               "launch %" SCNu64 " %" SCNx64 " %" SCNu64 " %" SCNx64 " %" SCNu64 " %la %zu",
               &l->launch, &l->code, &l->blocks, &l->choice, &l->chosen, &l->l2_bytes, &n) != 7 ||
        n > UNITS_MOST || n > l->chosen || !(l->l2_bytes > 0))
        return bad_line(text, "a launch", err);
    RB_TRY(next(text, err));
    if (strncmp(text->text, counted, sizeof(counted) - 1) != 0 ||
        !get_estimate(text->text + sizeof(counted) - 1, &l->counted))
        return bad_line(text, "what was counted", err);
    l->unit = rb_calloc(n + 1, sizeof(*l->unit));
    while (l->n < n)
        RB_TRY(get_unit(text, l, err));
    return RB_OK;
}

static rb_code_t get_launches(unit_file_t *out, text_lines_t *text, rb_err_t *err)
{
    bool more;
    RB_TRY(text_lines_next(text, &more, err));
    if (!more || sscanf(text->text, "rubato-units 1 %" SCNu64, &out->launches) != 1)
        return rb_fail(err, RB_TRACE, "%s: no file of units ('%sLAUNCHES')", text->path,
                       first_words);
    for (;;) {
        RB_TRY(text_lines_next(text, &more, err));
        if (!more)
            return RB_OK;
        rb_grow(&out->list, &out->cap, out->n + 1, sizeof(*out->list));
        out->list[out->n] = (launch_units_t){0};
        RB_TRY(get_launch(text, &out->list[out->n++], err));
    }
}

rb_code_t unit_file_read(unit_file_t *out, const char *path, rb_err_t *err)
{
    *out = (unit_file_t){0};
    text_lines_t text = {.path = path, .in = in_file_open(path, err), .max = LINE_MOST};
    if (text.in == NULL)
        return err->code;
    const rb_code_t rc = get_launches(out, &text, err);
    text_lines_free(&text);
    fclose(text.in);
    return rc;
}

void unit_file_free(unit_file_t *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->list[i].unit);
    free(f->list);
    *f = (unit_file_t){0};
}

const launch_units_t *unit_file_find(const unit_file_t *f, uint64_t launch)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->list[i].launch == launch)
            return &f->list[i];
    return NULL;
}
