#include "frontend/tool/run/run_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "sim/core/alloc.h"

const char run_part_journal[] = "part.journal";

/* A part being read, with its next launch. */
typedef struct {
    journal_t *journal; /* owned */
    record_walk_t walk; /* iterates over its launches */
    double before;      /* host seconds at the start of the launch */
} part_t;

uint64_t *run_parts_pick(const uint64_t *ids, size_t *n, uint64_t part, uint64_t parts)
{
    uint64_t *picked = rb_calloc(*n + 1, sizeof(*picked));
    size_t count = 0;
    for (uint64_t i = part - 1; i < *n; i += parts)
        picked[count++] = ids[i];
    *n = count;
    return picked;
}

void run_parts_identity(char text[RUN_PART_TEXT], uint64_t part, uint64_t parts)
{
    snprintf(text, RUN_PART_TEXT, "part %llu/%llu\n", (unsigned long long)part,
             (unsigned long long)parts);
}

/* Moves to the part's next launch. */
static rb_code_t advance(part_t *p)
{
    if (p->walk.record.kind == RECORD_LAUNCH)
        p->before = p->walk.record.host_seconds;
    record_walk_next(&p->walk);
    return p->walk.code;
}

static rb_code_t open_part(part_t *p, const char *folder, size_t part, size_t parts,
                           const char *identity, rb_err_t *err)
{
    char line[RUN_PART_TEXT];
    run_record_t first;
    char *path = out_path(folder, run_part_journal);
    run_parts_identity(line, part, parts);
    rb_code_t rc = RB_OK;
    if (access(path, F_OK) != 0)
        rc = rb_fail(err, RB_USAGE, "%s: has no complete part %zu/%zu of a run", folder, part,
                     parts);
    if (rc == RB_OK)
        rc = journal_open(&p->journal, path, err);
    free(path);
    RB_TRY(rc);
    journal_rewind(p->journal);
    RB_TRY(record_next(p->journal, &first, err));
    size_t n = strlen(identity);
    if (first.kind != RECORD_IDENTITY || strncmp(first.identity, identity, n) != 0 ||
        strcmp(first.identity + n, line) != 0)
        return rb_fail(err, RB_USAGE,
                       "%s: is not part %zu/%zu of this run: trace, configuration, version or "
                       "selection differ",
                       folder, part, parts);
    return RB_OK;
}

/* Reports the files that a part has read, then moves to its first launch. */
static rb_code_t begin_part(part_t *p, const run_parts_taker_t *take, rb_err_t *err)
{
    record_walk_t walk = record_walk(p->journal, RECORD_READ, err);
    while (record_walk_next(&walk))
        RB_TRY(take->read(take->ctx, walk.record.file, walk.record.sha256, err));
    RB_TRY(walk.code);
    p->walk = record_walk(p->journal, RECORD_LAUNCH, err);
    return advance(p);
}

/* The part whose next launch has the lowest id; n: none is left. */
static size_t lowest(const part_t *parts, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        const run_record_t *r = &parts[i].walk.record;
        if (r->kind == RECORD_LAUNCH &&
            (best == n || r->launch.info.id < parts[best].walk.record.launch.info.id))
            best = i;
    }
    return best;
}

/* Reads the parts, whose journals are open, side by side. */
static rb_code_t join(part_t *parts, size_t n, const run_parts_taker_t *take, rb_err_t *err)
{
    rb_code_t rc = RB_OK;
    for (size_t i = 0; rc == RB_OK && i < n; i++)
        rc = begin_part(&parts[i], take, err);
    for (size_t i; rc == RB_OK && (i = lowest(parts, n)) < n;) {
        const run_record_t *r = &parts[i].walk.record;
        rc = take->launch(take->ctx, &r->launch, &r->error, r->host_seconds - parts[i].before, err);
        if (rc == RB_OK)
            rc = advance(&parts[i]);
    }
    return rc;
}

rb_code_t run_parts_merge(const char *const *folders, size_t n, const char *identity,
                          const run_parts_taker_t *take, rb_err_t *err)
{
    part_t *parts = rb_calloc(n, sizeof(*parts));
    rb_code_t rc = RB_OK;
    for (size_t i = 0; rc == RB_OK && i < n; i++)
        rc = open_part(&parts[i], folders[i], i + 1, n, identity, err);
    if (rc == RB_OK)
        rc = join(parts, n, take, err);
    for (size_t i = 0; i < n; i++)
        journal_close(parts[i].journal);
    free(parts);
    return rc;
}

rb_code_t run_parts_join(journal_t *const *journals, size_t n, const run_parts_taker_t *take,
                         rb_err_t *err)
{
    part_t *parts = rb_calloc(n, sizeof(*parts));
    for (size_t i = 0; i < n; i++)
        parts[i].journal = journals[i];
    const rb_code_t rc = join(parts, n, take, err);
    free(parts);
    return rc;
}
