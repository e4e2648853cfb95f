#include "bench/bench_instructions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_BYTES = 8192, LINE_BYTES_MAX = 512 };

static const char *const stage_names[] = {
    [BENCH_STAGE_SOURCE] = "source", [BENCH_STAGE_OPEN] = "open", [BENCH_STAGE_RUN] = "run"};

bool bench_stage_find(const char *name, bench_stage_t *stage)
{
    for (unsigned i = 0; i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
        if (strcmp(name, stage_names[i]) == 0) {
            *stage = (bench_stage_t)i;
            return true;
        }
    }
    return false;
}

rb_code_t bench_stage(const gpu_spec_t *spec, bench_stage_t stage, bench_open_fn open,
                      const void *ctx, rb_err_t *err)
{
    bench_result_t r = {0};
    if (stage == BENCH_STAGE_RUN) {
        RB_TRY(bench_run(spec, 1, 1, open, ctx, &r, err));
    } else {
        trace_source_t *source = open(ctx, err);
        if (source == NULL)
            return err->code;
        if (stage == BENCH_STAGE_OPEN)
            gpu_destroy(gpu_create(spec, 1, 0));
        source->ops->destroy(source);
    }
    printf("counts %" PRIu64 " %" PRIu64 "\n", r.counts.insts, r.counts.sectors);
    return RB_OK;
}

typedef struct {
    uint64_t host; /* instructions */
    uint64_t insts, sectors;
} counted_t;

/* Reads the output of a counted process, line by line. false: it was incomplete. */
static bool read_counts(FILE *in, counted_t *out)
{
    char line[LINE_BYTES_MAX];
    bool host = false, counts = false;
    while (fgets(line, sizeof(line), in) != NULL) {
        const char *collected = strstr(line, "Collected : ");
        if (collected != NULL)
            host = sscanf(collected, "Collected : %" SCNu64, &out->host) == 1;
        else if (strncmp(line, "counts ", 7) == 0)
            counts = sscanf(line, "counts %" SCNu64 " %" SCNu64, &out->insts, &out->sectors) == 2;
    }
    return host && counts;
}

static rb_code_t count(const char *gpu, const char *name, bench_stage_t stage, counted_t *out,
                       rb_err_t *err)
{
    char self[COMMAND_BYTES / 2] = "", command[COMMAND_BYTES];
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || strchr(self, '\'') != NULL)
        return rb_fail(err, RB_IO,
                       "the path of this program cannot be found, or has a quote in it");
    snprintf(command, sizeof(command),
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' --gpu '%s' --case '%s' "
             "--stage %s 2>&1",
             self, gpu, name, stage_names[stage]);
    FILE *in = popen(command, "r");
    if (in == NULL)
        return rb_fail(err, RB_IO, "cannot start valgrind: %s", strerror(errno));
    bool read = read_counts(in, out);
    return pclose(in) == 0 && read
               ? RB_OK
               : rb_fail(err, RB_IO, "valgrind did not count %s: is it installed?", name);
}

void bench_instructions_header(void)
{
    printf("%-18s %12s %12s %16s %10s %10s\n", "case", "warp instr.", "sectors", "host instr.",
           "per instr.", "per sector");
}

rb_code_t bench_instructions(const char *gpu, const char *name, bench_stage_t without,
                             rb_err_t *err)
{
    counted_t open, run;
    RB_TRY(count(gpu, name, without, &open, err));
    RB_TRY(count(gpu, name, BENCH_STAGE_RUN, &run, err));
    const uint64_t host = run.host - open.host;
    printf("%-18s %12" PRIu64 " %12" PRIu64 " %16" PRIu64 " %10.1f", name, run.insts, run.sectors,
           host, run.insts > 0 ? (double)host / (double)run.insts : 0);
    if (run.sectors > 0)
        printf(" %10.1f\n", (double)host / (double)run.sectors);
    else
        printf(" %10s\n", "-");
    fflush(stdout);
    return RB_OK;
}
