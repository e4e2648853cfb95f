#include "frontend/tool/study/sweep/sweep_slurm.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/shell_quote.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/log.h"

/* Slurm's MaxArraySize is 1001 unless a site raises it, so indices go up to 1000. */
enum { ARRAY_MAX = 1000 };

/*
 * The task passes Slurm's signals on, and requeues itself if the run stopped at the time limit.
 * After a preemption or the loss of a node, Slurm requeues it. A cancelled task is not requeued.
 */
static const char script_text[] =
    "#SBATCH --requeue\n"
    "#SBATCH --open-mode=append\n"
    "#SBATCH --signal=B:USR2@120\n"
    "#SBATCH --ntasks=1 --cpus-per-task=1\n"
    "limit=\n"
    "\"$rubato\" sweep job \"$folder\" "
    "\"$((SLURM_ARRAY_TASK_ID + ${RUBATO_SWEEP_OFFSET:-0}))\" &\n"
    "pid=$!\n"
    "trap 'limit=1; kill -USR2 $pid' USR2\n"
    "trap 'kill -TERM $pid' TERM INT\n"
    "while :; do\n"
    "    wait $pid\n"
    "    status=$?\n"
    "    kill -0 $pid 2>/dev/null || break\n"
    "done\n"
    "# Stopped, or still waiting for a job that ran elsewhere (128 + USR2).\n"
    "if [ -n \"$limit\" ] && { [ $status -eq 75 ] || [ $status -eq 140 ]; }; then\n"
    "    scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
    "fi\n"
    "exit $status\n";

/* Writes name='text' for a shell. */
static void write_variable(FILE *out, const char *name, char *text)
{
    char *quoted = shell_quote("", 1, &text);
    fprintf(out, "%s=%s\n", name, quoted + 1);
    free(quoted);
}

static rb_code_t write_script(const sweep_t *s, char *folder, rb_err_t *err)
{
    char binary[PATH_MAX];
    out_file_t f;
    ssize_t n = readlink("/proc/self/exe", binary, sizeof(binary) - 1);
    if (n <= 0)
        return rb_fail(err, RB_IO, "/proc/self/exe: %s", strerror(errno));
    binary[n] = '\0';
    RB_TRY(out_file_open(&f, s->folder, "slurm.sh", err));
    fputs("#!/bin/bash\n", f.out);
    /* sbatch reads #SBATCH lines only up to the first command. */
    const char *command = strstr(script_text, "limit=");
    fprintf(f.out, "%.*s", (int)(command - script_text), script_text);
    write_variable(f.out, "rubato", binary);
    write_variable(f.out, "folder", folder);
    fputs(command, f.out);
    (void)fchmod(fileno(f.out), 0755);
    return out_file_close(&f, RB_OK, err);
}

static bool to_submit(const sweep_t *s, size_t i)
{
    sweep_state_t state = s->jobs[i].state;
    bool ready;
    return s->jobs[i].same == i && !sweep_is_whole(s, i, &ready) && state != SWEEP_DONE &&
           state != SWEEP_RUNNING;
}

/* "1-3,7%16": array indices of the jobs from offset + 1 on; "" for none. The caller frees it. */
static char *array_list(const sweep_t *s, size_t offset, uint64_t max_parallel)
{
    memory_file_t text;
    const size_t end = offset + ARRAY_MAX < s->n_jobs ? offset + ARRAY_MAX : s->n_jobs;
    FILE *out = memory_file_open(&text);
    for (size_t i = offset; i < end; i++) {
        size_t last = i;
        if (!to_submit(s, i))
            continue;
        while (last + 1 < end && to_submit(s, last + 1))
            last++;
        fprintf(out, "%s%zu", ftell(out) > 0 ? "," : "", i - offset + 1);
        if (last > i)
            fprintf(out, "-%zu", last - offset + 1);
        i = last;
    }
    if (ftell(out) > 0 && max_parallel > 0)
        fprintf(out, "%%%llu", (unsigned long long)max_parallel);
    return memory_file_close(&text, NULL);
}

/* Runs sbatch and prints its output. */
static rb_code_t submit(char *const *argv, int n, rb_err_t *err)
{
    char *command = shell_quote("sbatch", n, (char **)argv), line[512];
    FILE *in = popen(command, "re");
    rb_code_t rc = RB_OK;
    if (in == NULL)
        rc = rb_fail(err, RB_IO, "sbatch: %s", strerror(errno));
    while (in != NULL && fgets(line, sizeof(line), in) != NULL)
        fputs(line, stdout);
    int status = in != NULL ? pclose(in) : 0;
    if (rc == RB_OK && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        rc = rb_fail(err, RB_IO,
                     "sbatch was not found: --slurm needs a machine with Slurm; use jobs.tsv "
                     "with other schedulers");
    else if (rc == RB_OK && status != 0)
        rc = rb_fail(err, RB_IO, "sbatch failed; the command was: %.600s", command);
    free(command);
    return rc;
}

static rb_code_t submit_part(const slurm_options_t *o, char *list, size_t offset,
                             const char *folder, rb_err_t *err)
{
    enum { ARGUMENTS = 12 };
    char *argv[ARGUMENTS], export[64], job_name[] = "--job-name=rubato", array[] = "--array";
    char partition[] = "--partition", output[] = "--output", export_word[] = "--export";
    char *logs = out_path(folder, "slurm-%A_%a.out"), *script = out_path(folder, "slurm.sh");
    char *partition_name = rb_strdup(o->partition);
    int n = 0;
    snprintf(export, sizeof(export), "ALL,RUBATO_SWEEP_OFFSET=%zu", offset);
    argv[n++] = job_name;
    argv[n++] = array;
    argv[n++] = list;
    argv[n++] = output;
    argv[n++] = logs;
    argv[n++] = export_word;
    argv[n++] = export;
    if (partition_name != NULL) {
        argv[n++] = partition;
        argv[n++] = partition_name;
    }
    argv[n++] = script;
    rb_code_t rc = submit(argv, n, err);
    free(partition_name);
    free(logs);
    free(script);
    return rc;
}

rb_code_t sweep_slurm(sweep_t *s, const slurm_options_t *o, rb_err_t *err)
{
    char *folder = realpath(s->folder, NULL);
    if (folder == NULL)
        return rb_fail(err, RB_IO, "%s: %s", s->folder, strerror(errno));
    rb_code_t rc = sweep_look(s, err);
    if (rc == RB_OK)
        rc = write_script(s, folder, err);
    bool any = false;
    for (size_t offset = 0; rc == RB_OK && offset < s->n_jobs; offset += ARRAY_MAX) {
        char *list = array_list(s, offset, o->max_parallel);
        if (list[0] != '\0')
            rc = submit_part(o, list, offset, folder, err);
        any = any || list[0] != '\0';
        free(list);
    }
    if (rc == RB_OK && !any)
        rb_info("%s: nothing is left to run", s->folder);
    free(folder);
    return rc;
}
