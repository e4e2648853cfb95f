#include "bench/bench_expect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char header[] = "case\twarp_instructions\tsectors\tcycles\n";

rb_code_t bench_expect_read(const char *path, bench_expect_t *e, rb_err_t *err)
{
    char line[256];
    unsigned number = 1;
    rb_code_t rc = RB_OK;
    FILE *f = fopen(path, "r");

    e->n = 0;
    if (!f)
        return rb_fail(err, RB_IO, "%s: %s (write it with --update)", path, strerror(errno));
    if (!fgets(line, sizeof(line), f) || strcmp(line, header) != 0)
        rc = rb_fail(err, RB_USAGE, "%s:1: not the header of this file", path);
    while (rc == RB_OK && fgets(line, sizeof(line), f)) {
        char name[BENCH_NAME_BYTES];
        bench_counts_t c;

        number++;
        if (sscanf(line, "%63s %" SCNu64 " %" SCNu64 " %" SCNu64, name, &c.insts, &c.sectors,
                   &c.cycles) != 4)
            rc = rb_fail(err, RB_USAGE, "%s:%u: expected a name and three counts", path, number);
        else
            bench_expect_set(e, name, &c);
    }
    fclose(f);
    return rc;
}

rb_code_t bench_expect_write(const char *path, const bench_expect_t *e, rb_err_t *err)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    fputs(header, f);
    for (size_t i = 0; i < e->n; i++)
        fprintf(f, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", e->row[i].name,
                e->row[i].counts.insts, e->row[i].counts.sectors, e->row[i].counts.cycles);
    int bad = ferror(f);
    if (fclose(f) != 0 || bad)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    return RB_OK;
}

void bench_expect_set(bench_expect_t *e, const char *name, const bench_counts_t *counts)
{
    size_t i = 0;

    while (i < e->n && strcmp(e->row[i].name, name) != 0)
        i++;
    RB_INVARIANT(i < BENCH_MAX_CASES, "more than %d benchmark cases", BENCH_MAX_CASES);
    if (i == e->n) {
        e->n++;
        snprintf(e->row[i].name, sizeof(e->row[i].name), "%s", name);
    }
    e->row[i].counts = *counts;
}

const bench_counts_t *bench_expect_find(const bench_expect_t *e, const char *name)
{
    for (size_t i = 0; i < e->n; i++)
        if (strcmp(e->row[i].name, name) == 0)
            return &e->row[i].counts;
    return NULL;
}
