#include "frontend/input/silicon/silicon_suite.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/silicon/silicon_folder.h"
#include "sim/core/alloc.h"

enum { MAX_WORDS = 256, MAX_PARAMS_OF_RUN = 24 };

typedef struct {
    suite_t *suite;
    const char *file;
    unsigned line;
    suite_test_t *test;  /* being read, or NULL */
    kernel_text_t *text; /* the kernel or program being read, or NULL */
    rb_err_t *err;
} reader_t;

static rb_code_t wrong(const reader_t *r, const char *what, const char *text)
{
    return rb_fail(r->err, RB_TRACE, "%s:%u: %s: '%s'", r->file, r->line, what, text);
}

/* Makes a copy that lives as long as the suite. */
static char *keep(suite_t *s, const char *text, size_t len)
{
    char *copy = rb_calloc(len + 1, 1);

    memcpy(copy, text, len);
    rb_grow(&s->texts, &s->cap_texts, s->n_texts + 1, sizeof(s->texts[0]));
    s->texts[s->n_texts++] = copy;
    return copy;
}

static char *keep_text(const reader_t *r, const char *text)
{
    return keep(r->suite, text, strlen(text));
}

/* --- words ----------------------------------------------------------------------------------- */

typedef struct {
    char *word[MAX_WORDS];
    bool quoted[MAX_WORDS];
    size_t n;
} words_t;

/* Splits text at blanks, modifying it; "..." is one word. */
static rb_code_t split(const reader_t *r, char *text, words_t *out)
{
    out->n = 0;
    for (char *p = text + strspn(text, " \t"); *p != '\0'; p += strspn(p, " \t")) {
        if (out->n == MAX_WORDS)
            return wrong(r, "too many words", text);
        out->quoted[out->n] = *p == '"';
        char *end = *p == '"' ? strchr(++p, '"') : p + strcspn(p, " \t");

        if (end == NULL)
            return wrong(r, "the closing quote is missing", p);
        out->word[out->n++] = p;
        p = end;
        if (*p != '\0')
            *p++ = '\0';
    }
    return RB_OK;
}

static rb_code_t read_assignment(const reader_t *r, const char *word, kernel_param_t *out)
{
    const char *equal = strchr(word, '=');

    if (equal == NULL || equal == word)
        return wrong(r, "not of the form name=value", word);
    out->name = keep(r->suite, word, (size_t)(equal - word));
    out->value = keep_text(r, equal + 1);
    return RB_OK;
}

/* Reads a number, which may end in '%'; then *relative is true and the value a hundredth. */
static rb_code_t read_number(const reader_t *r, const char *word, double *v, bool *relative)
{
    char *end;

    *v = strtod(word, &end);
    *relative = *end == '%';
    if (*relative)
        *v /= 100;
    if (end == word || end[*relative] != '\0')
        return wrong(r, "not a number", word);
    return RB_OK;
}

/* --- lines of a test ------------------------------------------------------------------------- */

static rb_code_t read_run(reader_t *r, const words_t *w)
{
    suite_test_t *t = r->test;
    suite_run_t run = {0};

    if (w->n < 1 || w->n > MAX_PARAMS_OF_RUN)
        return wrong(r, "a kernel and its parameters are needed", ".run");
    run.kernel = keep_text(r, w->word[0]);
    run.params = rb_calloc(w->n, sizeof(run.params[0]));
    rb_code_t rc = RB_OK;

    for (size_t i = 1; i < w->n && rc == RB_OK; i++)
        rc = read_assignment(r, w->word[i], &run.params[run.n_params++]);
    rb_grow(&t->runs, &t->cap_runs, t->n_runs + 1, sizeof(t->runs[0]));
    t->runs[t->n_runs++] = run;
    return rc;
}

static rb_code_t read_short(reader_t *r, const words_t *w)
{
    suite_test_t *t = r->test;

    for (size_t i = 0; i < w->n; i++) {
        rb_grow(&t->shorts, &t->cap_shorts, t->n_shorts + 1, sizeof(t->shorts[0]));
        RB_TRY(read_assignment(r, w->word[i], &t->shorts[t->n_shorts]));
        t->n_shorts++;
    }
    return RB_OK;
}

static rb_code_t read_set(reader_t *r, const words_t *w)
{
    suite_test_t *t = r->test;

    for (size_t i = 0; i < w->n; i++) {
        rb_grow(&t->sets, &t->cap_sets, t->n_sets + 1, sizeof(t->sets[0]));
        t->sets[t->n_sets++] = keep_text(r, w->word[i]);
    }
    return RB_OK;
}

static rb_code_t read_points(reader_t *r, const words_t *w)
{
    suite_test_t *t = r->test;

    if (w->n < 1)
        return wrong(r, "a parameter is needed", ".points");
    t->points = keep_text(r, w->word[0]);
    for (size_t i = 1; i < w->n; i++) {
        rb_grow(&t->point, &t->cap_points, t->n_points + 1, sizeof(t->point[0]));
        t->point[t->n_points++] = keep_text(r, w->word[i]);
    }
    return RB_OK;
}

/* .value "expression" "unit" */
static rb_code_t read_value(reader_t *r, const words_t *w)
{
    if (w->n != 2 || !w->quoted[0])
        return wrong(r, "a quoted expression and a unit are needed", ".value");
    r->test->value = keep_text(r, w->word[0]);
    r->test->unit = keep_text(r, w->word[1]);
    return RB_OK;
}

/* .pick POINTS POINTS-OF-THE-SHORT-FORM */
static rb_code_t read_pick(reader_t *r, const words_t *w)
{
    double v[2];
    bool relative;

    if (w->n != 2)
        return wrong(r, "two numbers are needed", ".pick");
    for (size_t i = 0; i < 2; i++) {
        RB_TRY(read_number(r, w->word[i], &v[i], &relative));
        if (relative || v[i] < 2 || v[i] > 10000)
            return wrong(r, "not a number from 2 to 10000", w->word[i]);
    }
    r->test->pick = (uint64_t)v[0];
    r->test->pick_short = (uint64_t)v[1];
    return RB_OK;
}

/* Reads "table:FILE:X:Y" into *e; false if the word has another form. */
static bool read_table(const reader_t *r, char *word, suite_expect_t *e)
{
    const char *part[4];

    if (strncmp(word, "table:", 6) != 0)
        return false;
    for (size_t i = 0; i < 4; i++) {
        part[i] = word;
        word = strchr(word, ':');
        if (word == NULL && i < 3)
            return false;
        if (word != NULL)
            *word++ = '\0';
    }
    e->file = keep_text(r, part[1]);
    e->x_column = keep_text(r, part[2]);
    e->y_column = keep_text(r, part[3]);
    return true;
}

/*
 * Reads .expect GPUS VALUE... TOLERANCE "source", .report, or .expect GPUS table:FILE:X:Y TOLERANCE
 * "source". The tolerance is "10%" or "+-1".
 */
static rb_code_t read_expect(reader_t *r, words_t *w, bool gates)
{
    suite_test_t *t = r->test;
    suite_expect_t e = {.gates = gates};
    bool relative;

    if (w->n < 4 || !w->quoted[w->n - 1])
        return wrong(r, "GPUs, values, tolerance and a quoted source are needed", t->id);
    e.gpus = keep_text(r, w->word[0]);
    e.source = keep_text(r, w->word[w->n - 1]);
    const char *tolerance = w->word[w->n - 2];
    bool absolute = strncmp(tolerance, "+-", 2) == 0;

    RB_TRY(read_number(r, tolerance + 2 * absolute, &e.tolerance, &e.relative));
    if (absolute == e.relative || e.tolerance < 0)
        return wrong(r, "a tolerance is '10%' or '+-1'", tolerance);
    if (!(w->n == 4 && read_table(r, w->word[1], &e))) {
        e.values = rb_calloc(w->n - 3, sizeof(e.values[0]));
        for (size_t i = 1; i + 2 < w->n; i++) {
            rb_code_t rc = read_number(r, w->word[i], &e.values[e.n_values++], &relative);

            if (rc != RB_OK) {
                free(e.values);
                return rc;
            }
        }
    }
    rb_grow(&t->expects, &t->cap_expects, t->n_expects + 1, sizeof(t->expects[0]));
    t->expects[t->n_expects++] = e;
    return RB_OK;
}

/* .calibrates GPUS SETTING,... */
static rb_code_t read_calibration(reader_t *r, const words_t *w)
{
    suite_test_t *t = r->test;

    if (w->n != 2)
        return wrong(r, "GPUs and settings (or the word rule) are needed", ".calibrates");
    rb_grow(&t->calibrations, &t->cap_calibrations, t->n_calibrations + 1,
            sizeof(t->calibrations[0]));
    t->calibrations[t->n_calibrations++] =
        (suite_calibration_t){.gpus = keep_text(r, w->word[0]), .what = keep_text(r, w->word[1])};
    return RB_OK;
}

static rb_code_t read_text(const reader_t *r, const words_t *w, const char **out)
{
    if (w->n != 1 || !w->quoted[0])
        return wrong(r, "one quoted text is needed", r->test->id);
    *out = keep_text(r, w->word[0]);
    return RB_OK;
}

static rb_code_t read_test_line(reader_t *r, const char *directive, words_t *w)
{
    suite_test_t *t = r->test;

    if (strcmp(directive, ".run") == 0)
        return read_run(r, w);
    if (strcmp(directive, ".short") == 0)
        return read_short(r, w);
    if (strcmp(directive, ".set") == 0)
        return read_set(r, w);
    if (strcmp(directive, ".points") == 0)
        return read_points(r, w);
    if (strcmp(directive, ".value") == 0)
        return read_value(r, w);
    if (strcmp(directive, ".pick") == 0)
        return read_pick(r, w);
    if (strcmp(directive, ".expect") == 0)
        return read_expect(r, w, true);
    if (strcmp(directive, ".report") == 0)
        return read_expect(r, w, false);
    if (strcmp(directive, ".calibrates") == 0)
        return read_calibration(r, w);
    if (strcmp(directive, ".harness") == 0)
        return read_text(r, w, &t->harness);
    if (strcmp(directive, ".note") == 0)
        return read_text(r, w, &t->note);
    return wrong(r, "unknown line of a test", directive);
}

/* --- files ----------------------------------------------------------------------------------- */

/* Checks that a test is complete and consistent. */
static rb_code_t check_test(const reader_t *r)
{
    const suite_test_t *t = r->test;

    if (t == NULL)
        return RB_OK;
    if (t->n_runs == 0 || t->value == NULL || t->harness == NULL || t->n_expects == 0)
        return wrong(r, "a test needs .harness, .run, .value and .expect or .report", t->id);
    for (size_t i = 0; i < t->n_expects; i++) {
        const suite_expect_t *e = &t->expects[i];
        size_t points = t->points == NULL ? 1 : t->n_points;

        if (e->file != NULL ? t->points == NULL || t->n_points > 0 : e->n_values != points)
            return wrong(r, "as many values as points are needed", t->id);
    }
    for (size_t i = 0; i < t->n_runs; i++)
        if (suite_kernel(r->suite, t->runs[i].kernel) == NULL)
            return wrong(r, "unknown kernel", t->runs[i].kernel);
    return RB_OK;
}

static rb_code_t begin_kernel(reader_t *r, const words_t *w)
{
    suite_t *s = r->suite;

    if (w->n != 1 || suite_kernel(s, w->word[0]) != NULL)
        return wrong(r, "the name must be unique", w->n > 0 ? w->word[0] : ".kernel");
    rb_grow(&s->kernels, &s->cap_kernels, s->n_kernels + 1, sizeof(s->kernels[0]));
    s->kernels[s->n_kernels++] =
        (kernel_text_t){.file = r->file, .name = keep_text(r, w->word[0]), .first_no = r->line + 1};
    r->text = &s->kernels[s->n_kernels - 1];
    return RB_OK;
}

static rb_code_t begin_program(reader_t *r, const words_t *w)
{
    kernel_text_t *p = &r->suite->program;

    if (w->n > 1 || (w->n == 1 && !w->quoted[0]) || p->name != NULL)
        return wrong(r, "one program, with a quoted summary or nothing",
                     w->n > 0 ? w->word[0] : ".program");
    r->suite->summary = w->n > 0 ? keep_text(r, w->word[0]) : NULL;
    *p = (kernel_text_t){.file = r->file, .name = "program", .first_no = r->line + 1};
    r->text = p;
    return RB_OK;
}

static rb_code_t begin_test(reader_t *r, const words_t *w)
{
    suite_t *s = r->suite;

    if (w->n != 2 || !w->quoted[1])
        return wrong(r, "a name and a quoted title are needed", ".test");
    rb_grow(&s->tests, &s->cap_tests, s->n_tests + 1, sizeof(s->tests[0]));
    r->test = &s->tests[s->n_tests++];
    *r->test = (suite_test_t){.id = keep_text(r, w->word[0]),
                              .title = keep_text(r, w->word[1]),
                              .file = r->file,
                              .line = r->line};
    r->text = NULL;
    return RB_OK;
}

static void add_text_line(reader_t *r, const char *line)
{
    kernel_text_t *k = r->text;
    size_t cap = k->n_lines; /* capacities are powers of two, so they follow from the count */

    if ((cap & (cap - 1)) == 0)
        k->line = rb_realloc(k->line, cap == 0 ? 1 : 2 * cap, sizeof(k->line[0]));
    k->line[k->n_lines++] = keep_text(r, line);
}

/* Reads one line without comment and surrounding blanks; modifies text. */
static rb_code_t read_line(reader_t *r, char *text)
{
    bool begins = strncmp(text, ".kernel", 7) == 0 || strncmp(text, ".test", 5) == 0 ||
                  strncmp(text, ".program", 8) == 0;
    words_t w;

    if (r->text != NULL && !begins) {
        add_text_line(r, text);
        return RB_OK;
    }
    if (*text == '\0')
        return RB_OK;
    if (begins) {
        RB_TRY(check_test(r));
        r->test = NULL;
    }
    RB_TRY(split(r, text, &w));
    const char *directive = w.word[0];

    memmove(w.word, w.word + 1, (w.n - 1) * sizeof(w.word[0]));
    memmove(w.quoted, w.quoted + 1, (w.n - 1) * sizeof(w.quoted[0]));
    w.n--;
    if (strcmp(directive, ".kernel") == 0)
        return begin_kernel(r, &w);
    if (strcmp(directive, ".test") == 0)
        return begin_test(r, &w);
    if (strcmp(directive, ".program") == 0)
        return begin_program(r, &w);
    if (r->test == NULL)
        return wrong(r, "is in no kernel, program or test", directive);
    return read_test_line(r, directive, &w);
}

/* Length of the line without its comment: '#' begins one, except within quotes. */
static size_t without_comment(const char *line, size_t len)
{
    bool quoted = false;

    for (size_t i = 0; i < len; i++) {
        quoted ^= line[i] == '"';
        if (line[i] == '#' && !quoted)
            len = i;
    }
    return len;
}

static rb_code_t read_file(void *ctx, const char *path, const char *text, size_t size,
                           rb_err_t *err)
{
    suite_t *s = ctx;
    reader_t r = {.suite = s, .err = err};
    rb_code_t rc = RB_OK;

    r.file = keep(s, path, strlen(path));
    for (const char *p = text, *end = text + size; p < end && rc == RB_OK;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *line_end = newline != NULL ? newline : end;
        size_t len = without_comment(p, (size_t)(line_end - p));

        r.line++;
        while (len > 0 && (*p == ' ' || *p == '\t'))
            p++, len--;
        while (len > 0 && (p[len - 1] == ' ' || p[len - 1] == '\t' || p[len - 1] == '\r'))
            len--;
        if (memchr(p, '\0', len) != NULL)
            return wrong(&r, "not text", path);
        rc = read_line(&r, keep(s, p, len));
        p = line_end + 1;
    }
    return rc == RB_OK ? check_test(&r) : rc;
}

rb_code_t suite_read(suite_t *s, const char *folder, rb_err_t *err)
{
    *s = (suite_t){0};
    rb_code_t rc = silicon_folder_visit(folder, read_file, s, err);

    if (rc != RB_OK)
        suite_free(s);
    return rc;
}

rb_code_t suite_read_file(suite_t *s, const char *path, rb_err_t *err)
{
    *s = (suite_t){0};
    rb_code_t rc = silicon_file_visit(path, read_file, s, err);

    if (rc != RB_OK)
        suite_free(s);
    return rc;
}

static void free_test(suite_test_t *t)
{
    for (size_t i = 0; i < t->n_runs; i++)
        free(t->runs[i].params);
    for (size_t i = 0; i < t->n_expects; i++)
        free(t->expects[i].values);
    free(t->runs);
    free(t->shorts);
    free(t->sets);
    free(t->point);
    free(t->expects);
    free(t->calibrations);
}

void suite_free(suite_t *s)
{
    for (size_t i = 0; i < s->n_tests; i++)
        free_test(&s->tests[i]);
    for (size_t i = 0; i < s->n_kernels; i++)
        free(s->kernels[i].line);
    for (size_t i = 0; i < s->n_texts; i++)
        free(s->texts[i]);
    free(s->program.line);
    free(s->tests);
    free(s->kernels);
    free(s->texts);
    *s = (suite_t){0};
}

const kernel_text_t *suite_kernel(const suite_t *s, const char *name)
{
    for (size_t i = 0; i < s->n_kernels; i++)
        if (strcmp(s->kernels[i].name, name) == 0)
            return &s->kernels[i];
    return NULL;
}

/* Whether a list of GPUs, "v100,titan_v", contains one; "any" contains all. */
static bool names_gpu(const char *gpus, const char *gpu)
{
    const size_t n = strlen(gpu);

    for (const char *p = gpus; *p != '\0';) {
        size_t len = strcspn(p, ",");

        if ((len == n && memcmp(p, gpu, n) == 0) || (len == 3 && memcmp(p, "any", 3) == 0))
            return true;
        p += len + (p[len] == ',');
    }
    return false;
}

const suite_expect_t *suite_expect(const suite_test_t *t, const char *gpu)
{
    for (size_t i = 0; i < t->n_expects; i++)
        if (names_gpu(t->expects[i].gpus, gpu))
            return &t->expects[i];
    return NULL;
}

const char *suite_calibrates(const suite_test_t *t, const char *gpu)
{
    for (size_t i = 0; i < t->n_calibrations; i++)
        if (names_gpu(t->calibrations[i].gpus, gpu))
            return t->calibrations[i].what;
    return NULL;
}
