#include "frontend/tool/run/run_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/results/run_detectors.h"
#include "frontend/tool/run/results/run_finished.h"
#include "frontend/tool/run/results/run_instructions.h"
#include "frontend/tool/run/run_parts.h"
#include "frontend/tool/run/run_status.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "frontend/tool/run/sampled/run_inside.h"
#include "frontend/tool/run/walks_file.h"
#include "sampling/plan/plan_json.h"
#include "sim/core/files/new_file.h"
#include "sim/core/log.h"

static const char journal_name[] = "journal";
static const char run_name[] = "run.json";

/* All files that rubato writes into a folder; run.json comes last, because its presence vouches for
 * the others. */
static const char *const result_names[] = {"config.cfg",    "stats.csv",    "launches.csv",
                                           "intervals.csv", PLAN_FILE_NAME, run_name};
enum { RESULTS = sizeof(result_names) / sizeof(result_names[0]) };

/* Whether a run has this result. */
static bool is_wanted(const char *name, const run_report_t *report)
{
    if (strcmp(name, "intervals.csv") == 0)
        return report->stats_interval > 0;
    return strcmp(name, PLAN_FILE_NAME) != 0 || report->of_plan;
}

static void remove_file(const char *folder, const char *name)
{
    char *path = out_path(folder, name);
    unlink(path);
    free(path);
}

static void remove_checkpoints(const char *folder)
{
    for (size_t i = 0; i < CHECKPOINTS; i++)
        remove_file(folder, checkpoint_names[i]);
}

static void remove_state(const char *folder)
{
    remove_checkpoints(folder);
    remove_file(folder, ".checkpoint.tmp");
    remove_file(folder, journal_name);
    run_status_remove(folder);
}

static rb_code_t open_new(run_folder_t *f, rb_err_t *err)
{
    char *path = out_path(f->path, journal_name);
    rb_code_t rc = journal_create(&f->journal, path, err);
    free(path);
    RB_TRY(rc);
    remove_checkpoints(f->path);
    for (size_t i = RESULTS; i > 0; i--)
        remove_file(f->path, result_names[i - 1]);
    remove_file(f->path, RUN_DETECTORS_FILE);
    remove_file(f->path, RUN_INSTRUCTIONS_FILE);
    remove_file(f->path, RUN_WAITS_FILE);
    remove_file(f->path, WALKS_FILE_NAME);
    remove_file(f->path, UNIT_FILE_NAME);
    return record_identity(f->journal, f->identity, err);
}

/* Checks that the journal is intact up to the checkpoint, which directly follows a launch; *end is
 * the end of that launch on its chip. */
static rb_code_t check_journal(const run_folder_t *f, const checkpoint_t *c, cycle_t *end,
                               rb_err_t *err)
{
    uint64_t last = 0;
    run_record_t record = {.kind = RECORD_IDENTITY};
    journal_rewind(f->journal);
    while (journal_position(f->journal) < c->journal_length && record.kind != RECORD_END) {
        RB_TRY(record_next(f->journal, &record, err));
        if (record.kind == RECORD_LAUNCH) {
            last = record.launch.info.id;
            *end = f->isolated ? launch_result_cycles(&record.launch) : record.launch.end;
        }
    }
    if (journal_position(f->journal) != c->journal_length || record.kind != RECORD_LAUNCH ||
        last != c->last_launch)
        return rb_fail(err, RB_IO, "it does not match the journal beside it");
    return RB_OK;
}

/* Continues from a checkpoint; f->resumed stays false if there is none. */
static rb_code_t continue_from(run_folder_t *f, const char *name, rb_err_t *err)
{
    checkpoint_image_t c;
    cycle_t end = 0;
    rb_err_t why = {0};
    rb_code_t rc = checkpoint_read(f->path, name, f->identity, &c, err);
    if (rc == RB_OK && c.body != NULL) {
        rc = check_journal(f, &c.at, &end, &why);
        if (rc == RB_OK)
            rc = f->load(f->ctx, c.image, c.n, end, &why);
        if (rc != RB_OK)
            rc = rb_fail(err, RB_IO, "%s/%s: damaged: %s", f->path, name, why.text);
        f->from = c.at;
        f->resumed = rc == RB_OK;
    }
    checkpoint_free(&c);
    return rc;
}

/* Continues from the newest intact checkpoint. */
static rb_code_t continue_run(run_folder_t *f, rb_err_t *err)
{
    rb_err_t first = {0};
    for (size_t i = 0; i < CHECKPOINTS && !f->resumed; i++) {
        rb_err_t why = {0};
        if (continue_from(f, checkpoint_names[i], &why) == RB_USAGE)
            return rb_fail(err, why.code, "%s", why.text);
        if (why.code != RB_OK && first.code == RB_OK)
            first = why;
    }
    if (first.code == RB_OK)
        return RB_OK;
    if (!f->resumed)
        return rb_fail(err, first.code, "%s; --force starts over", first.text);
    rb_warn("%s: the previous checkpoint is used", first.text);
    remove_file(f->path, checkpoint_names[0]); /* otherwise it would become the previous one */
    return RB_OK;
}

/* Checks that the files read by the earlier part of the run are unchanged. */
static rb_code_t recall_reads(run_folder_t *f, rb_err_t *err)
{
    record_walk_t walk = record_walk(f->journal, RECORD_READ, err);
    while (record_walk_next(&walk))
        RB_TRY(trace_identity_recall(f->trace, walk.record.file, walk.record.sha256, err));
    return walk.code;
}

/* Begins anew: the run was killed, or lost power, before its first record or checkpoint was
 * complete. */
static rb_code_t open_anew(run_folder_t *f, rb_err_t *err)
{
    journal_close(f->journal);
    f->journal = NULL;
    return open_new(f, err);
}

static rb_code_t open_old(run_folder_t *f, rb_err_t *err)
{
    run_record_t record;
    char *path = out_path(f->path, journal_name);
    rb_code_t rc = journal_open(&f->journal, path, err);
    free(path);
    RB_TRY(rc);
    RB_TRY(record_next(f->journal, &record, err));
    if (record.kind != RECORD_IDENTITY) {
        rb_info("%s: nothing of the run was kept: it starts over", f->path);
        return open_anew(f, err);
    }
    if (strcmp(record.identity, f->identity) != 0)
        return checkpoint_other_run(f->path, f->identity, record.identity, err);
    RB_TRY(continue_run(f, err));
    if (f->resumed) {
        RB_TRY(journal_cut(f->journal, f->from.journal_length, err));
        return recall_reads(f, err);
    }
    rb_info("%s: no checkpoint was kept: the run starts over", f->path);
    return open_anew(f, err);
}

/* Whether run.json is the complete result of exactly this run. */
static rb_code_t check_finished(run_folder_t *f, rb_err_t *err)
{
    char *path = out_path(f->path, run_name);
    rb_code_t rc = run_finished_check(path, f->identity, f->trace, &f->already_complete, err);
    free(path);
    RB_TRY(rc);
    if (!f->already_complete)
        return rb_fail(err, RB_USAGE,
                       "%s: the journal of its unfinished run is missing; --force starts over",
                       f->path);
    return RB_OK;
}

/* Assumed seconds per checkpoint until one was written: runs of less than half a second write
 * none. */
static const double usual_cost = 0.005;

rb_code_t run_folder_begin(run_folder_t *f, const char *tmpdir, rb_err_t *err)
{
    f->last_checkpoint = clock_seconds();
    f->checkpoint_cost = usual_cost;
    if (f->path == NULL)
        return journal_create_unnamed(&f->journal, tmpdir, err);
    RB_TRY(out_make_folder(f->path, &f->made, err));
    bool journal = out_has(f->path, journal_name), results = out_has(f->path, run_name);
    rb_code_t rc;
    if (f->mode == FOLDER_NEW && (journal || results))
        rc = rb_fail(err, RB_USAGE, "%s: has %s; --force overwrites it, --resume continues",
                     f->path, results && !journal ? "results" : "an unfinished run");
    else if (f->mode == FOLDER_RESUME && journal)
        rc = open_old(f, err);
    else if (f->mode == FOLDER_RESUME && results)
        rc = check_finished(f, err);
    else
        rc = open_new(f, err);
    if (rc != RB_OK) {
        journal_close(f->journal);
        f->journal = NULL;
        if (f->made) {
            remove_state(f->path);
            rmdir(f->path);
        }
    }
    return rc;
}

rb_code_t run_folder_checkpoint(run_folder_t *f, const checkpoint_t *c, const gpu_t *gpu,
                                rb_err_t *err)
{
    enum { COST_DIVISOR = 100 };
    double now = clock_seconds(), since = now - f->last_checkpoint;
    if (f->path == NULL ||
        (since < f->checkpoint_interval && since < COST_DIVISOR * f->checkpoint_cost))
        return RB_OK;
    checkpoint_t full = *c;
    full.journal_length = journal_length(f->journal);
    /* The records must be on disk before the checkpoint that refers to them. */
    RB_TRY(journal_sync(f->journal, err));
    RB_TRY(checkpoint_write(f->path, f->identity, &full, gpu, err));
    f->last_checkpoint = clock_seconds();
    f->checkpoint_cost = f->last_checkpoint - now;
    return RB_OK;
}

static rb_code_t write_result(const char *name, FILE *out, const run_report_t *report, conf_t *conf,
                              rb_err_t *err)
{
    if (strcmp(name, "config.cfg") == 0)
        conf_write_resolved(conf, NULL, out);
    else if (strcmp(name, "stats.csv") == 0)
        report_stats_csv(report, out);
    else if (strcmp(name, "launches.csv") == 0)
        return report_launches_csv(report, out, err);
    else if (strcmp(name, "intervals.csv") == 0)
        return report_intervals_csv(report, out, err);
    else if (strcmp(name, PLAN_FILE_NAME) == 0)
        return plan_file_write(&report->sampling->plan, PLAN_FORMAT_JSON, out, err);
    else
        return report_json(report, out, err);
    return RB_OK;
}

/* Keeps the journal of a part for the process that merges the parts. */
static rb_code_t keep_part(const char *folder, rb_err_t *err)
{
    char *from = out_path(folder, journal_name), *to = out_path(folder, run_part_journal);
    rb_code_t rc =
        rename(from, to) == 0 ? RB_OK : rb_fail(err, RB_IO, "%s: %s", to, strerror(errno));
    free(from);
    free(to);
    return rc;
}

rb_code_t run_folder_finish(run_folder_t *f, const run_report_t *report, conf_t *conf,
                            rb_err_t *err)
{
    out_file_t files[RESULTS] = {0};
    rb_code_t rc = RB_OK;
    if (f->path == NULL)
        return RB_OK;
    for (size_t i = 0; i < RESULTS && rc == RB_OK; i++) {
        if (!is_wanted(result_names[i], report))
            continue;
        rc = out_file_open(&files[i], f->path, result_names[i], err);
        if (rc == RB_OK)
            rc = write_result(result_names[i], files[i].out, report, conf, err);
        if (rc == RB_OK)
            rc = out_file_finish(&files[i], err);
    }
    /* Done first, since others may rely on it once they see complete results. */
    if (rc == RB_OK && report->complete && f->keep_journal)
        rc = keep_part(f->path, err);
    for (size_t i = 0; i < RESULTS && rc == RB_OK; i++) {
        if (files[i].path != NULL)
            rc = out_file_commit(&files[i], err);
    }
    for (size_t i = 0; i < RESULTS; i++)
        out_file_abandon(&files[i]);
    RB_TRY(rc);
    new_file_sync_folder(f->path);
    if (report->complete)
        remove_state(f->path);
    return RB_OK;
}

void run_folder_abandon(run_folder_t *f, bool keep)
{
    if (f->path != NULL && f->journal != NULL && !keep) {
        remove_state(f->path);
        if (f->made)
            rmdir(f->path);
    }
    journal_close(f->journal);
    f->journal = NULL;
}
