#include "tests/support/tool/journal_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/run/results/run_report.h"
#include "frontend/tool/run/run_parts.h"
#include "sim/core/alloc.h"
#include "tests/support/edits.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/spec_load.h"

static const char identity[] = "rubato test\nconfig small\n";
static char path[256]; /* of the journal */

static void must(rb_code_t code, const rb_err_t *err)
{
    RB_INVARIANT(code == RB_OK, "%s", err->text);
}

/* --- writing a good journal and damaging it -------------------------------------------------- */

static void write_good(void)
{
    rb_err_t err = {0};
    journal_t *j;
    char text[sizeof(identity) + RUN_PART_TEXT], part[RUN_PART_TEXT];
    launch_result_t launch = {.info = {.name = "kernel", .file = "kernel-1", .grid = {4, 1, 1}},
                              .occupancy = {.limiter = "warps"},
                              .end = 1000,
                              .warp_insts = 500,
                              .sampling = {.sampler = "photon_bb", .evidence = "stable"}};
    interval_result_t interval = {.end = 500};

    run_parts_identity(part, 1, 1);
    snprintf(text, sizeof(text), "%s%s", identity, part);
    must(journal_create(&j, path, &err), &err);
    must(record_identity(j, text, &err), &err);
    must(record_read(j, "kernel-1", "00", &err), &err);
    for (uint64_t id = 1; id <= 2; id++) {
        launch.info.id = interval.launch_id = id;
        must(record_interval(j, &interval, &err), &err);
        must(record_launch(j, &launch, NULL, 1.0, &err), &err);
    }
    journal_close(j);
}

/* Divides the file into parts: the magic, then each record with its head (journal.h). */
static void read_file(damaged_t *d)
{
    enum { BYTES_MAX = 1 << 16, MAGIC = 8, HEAD = 16 };
    static uint8_t bytes[BYTES_MAX];
    FILE *in = fopen(path, "rb");

    RB_INVARIANT(in != NULL, "%s", path);
    size_t n = fread(bytes, 1, BYTES_MAX, in);
    fclose(in);
    damaged_add(d, bytes, MAGIC);
    for (size_t at = MAGIC; at < n;) {
        uint32_t payload;

        memcpy(&payload, bytes + at + sizeof(payload), sizeof(payload));
        damaged_add(d, bytes + at, HEAD + payload);
        at += HEAD + payload;
    }
}

static void read_records(damaged_t *d)
{
    rb_err_t err = {0};
    journal_t *j;
    const void *data;
    uint32_t kind;
    size_t n;

    must(journal_open(&j, path, &err), &err);
    for (;;) {
        must(journal_next(j, &kind, &data, &n, &err), &err);
        if (kind == 0)
            break;
        uint8_t *bytes = rb_calloc(n + 1, 1);

        bytes[0] = (uint8_t)kind;
        memcpy(bytes + 1, data, n);
        damaged_add(d, bytes, n + 1);
        free(bytes);
    }
    journal_close(j);
}

static void write_records(const damaged_t *d)
{
    rb_err_t err = {0};
    journal_t *j;

    must(journal_create(&j, path, &err), &err);
    for (size_t i = 0; i < d->n_parts && d->part[i] < d->n; i++) {
        const uint8_t *part = d->bytes + d->part[i];
        size_t end = i + 1 < d->n_parts && d->part[i + 1] < d->n ? d->part[i + 1] : d->n;

        must(journal_append(j, part[0] > 0 ? part[0] : 1, part + 1, end - d->part[i] - 1, &err),
             &err);
    }
    journal_close(j);
}

/* --- reading the damaged journal ------------------------------------------------------------- */

static size_t length_of(const char *text)
{
    return text != NULL ? strlen(text) : 0;
}

static rb_code_t read_all(journal_t *j, rb_err_t *err)
{
    run_record_t r;

    journal_rewind(j);
    do {
        RB_TRY(record_next(j, &r, err));
        (void)(length_of(r.identity) + length_of(r.file) + length_of(r.sha256));
    } while (r.kind != RECORD_END);
    return RB_OK;
}

static rb_code_t write_results(journal_t *j, rb_err_t *err)
{
    static gpu_spec_t spec;
    const run_report_t report = {.spec = &spec, .journal = j};
    FILE *out = fopen("/dev/null", "w");

    if (spec.gpu.name[0] == '\0')
        must(spec_load(&spec, "v100", NULL, err), err);
    RB_INVARIANT(out != NULL, "/dev/null");
    rb_code_t rc = report_launches_csv(&report, out, err);
    if (rc == RB_OK)
        rc = report_intervals_csv(&report, out, err);
    fclose(out);
    return rc;
}

static rb_code_t take_read(void *ctx, const char *file, const char *sha256, rb_err_t *err)
{
    (void)ctx, (void)err;
    (void)(length_of(file) + length_of(sha256));
    return RB_OK;
}

static rb_code_t take_launch(void *ctx, const launch_result_t *r, const launch_error_t *error,
                             double seconds, rb_err_t *err)
{
    (void)ctx, (void)err, (void)seconds, (void)error;
    RB_INVARIANT(strlen(r->sampling.sampler) < SAMPLER_NAME_MAX, "a sampler without an end");
    return RB_OK;
}

/* Appends a record, and checks that it is the last one when the journal is opened again. */
static void go_on(journal_t *j)
{
    static const char last[] = "last";
    rb_err_t err = {0};
    const void *data = NULL, *before = NULL;
    uint32_t kind;
    size_t n, n_before = 0;

    must(journal_append(j, RECORD_IDENTITY, last, sizeof(last), &err), &err);
    journal_close(j);
    must(journal_open(&j, path, &err), &err);
    for (;; before = data, n_before = n) {
        must(journal_next(j, &kind, &data, &n, &err), &err);
        if (kind == 0)
            break;
    }
    RB_INVARIANT(before != NULL && n_before == sizeof(last), "what was appended is lost");
    journal_close(j);
}

static rb_code_t try_journal(rb_err_t *err)
{
    const run_parts_taker_t take = {.read = take_read, .launch = take_launch};
    char folder[256];
    const char *const folders[] = {folder};
    rb_err_t unused = {0};
    journal_t *j;

    snprintf(folder, sizeof(folder), "%s", temp_path(""));
    if (run_parts_merge(folders, 1, identity, &take, &unused) != RB_OK)
        RB_INVARIANT(unused.text[0] != '\0', "no message");
    RB_TRY(journal_open(&j, path, err));
    rb_code_t rc = read_all(j, err);
    if (rc == RB_OK)
        rc = write_results(j, err);
    go_on(j);
    return rc;
}

rb_code_t journal_trial(const void *data, size_t n)
{
    static const char file_word[] = "file\n", records_word[] = "records\n";
    damaged_t d = {0};
    rb_err_t err = {0};
    bool file = n >= sizeof(file_word) - 1 && memcmp(data, file_word, sizeof(file_word) - 1) == 0;
    size_t word = file ? sizeof(file_word) - 1 : sizeof(records_word) - 1;

    if (!file && (n < word || memcmp(data, records_word, word) != 0))
        return RB_TRACE;
    snprintf(path, sizeof(path), "%s", temp_path(run_part_journal));
    write_good();
    if (file)
        read_file(&d);
    else
        read_records(&d);
    damaged_edit(&d, (const char *)data + word, n - word);
    if (file)
        temp_write_bytes(run_part_journal, d.bytes, d.n);
    else
        write_records(&d);
    damaged_free(&d);
    rb_code_t rc = try_journal(&err);
    RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc,
                 err.text);
    return rc;
}
