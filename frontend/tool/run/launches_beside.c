#include "frontend/tool/run/launches_beside.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/core/alloc.h"

/* What all processes see. */
typedef struct {
    atomic_size_t next; /* launch that nobody has taken */
    rb_err_t err[];     /* of each child; code RB_OK: none */
} shared_t;

typedef struct {
    const launches_beside_t *of;
    const uint64_t *positions;
    size_t n, processes, running;
    shared_t *shared; /* mapped */
    size_t shared_bytes;
    journal_t **journal; /* owned; of each child */
    pid_t *pid;          /* owned; 0: has ended */
    bool failed;         /* one of them, or it was asked to stop */
} beside_t;

/* Simulates launches in a child until none is left. */
static void simulate(const beside_t *b, size_t child)
{
    rb_err_t *err = &b->shared->err[child];
    rb_code_t rc = RB_OK;
    for (size_t i; rc == RB_OK && (i = atomic_fetch_add(&b->shared->next, 1)) < b->n;)
        rc = b->of->simulate(b->of->ctx, b->positions[i], b->journal[child], err);
    err->code = rc;
}

static rb_code_t start(beside_t *b, size_t child, rb_err_t *err)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return rb_fail(err, RB_IO, "cannot start a process: %s", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        simulate(b, child);
        _exit(0); /* what this process has in buffers belongs to the other one */
    }
    b->pid[child] = pid;
    b->running++;
    return RB_OK;
}

static void stop_all(const beside_t *b)
{
    for (size_t i = 0; i < b->processes; i++)
        if (b->pid[i] > 0)
            kill(b->pid[i], SIGTERM);
}

/* A child has ended with a status. Returns whether its launches are complete. */
static bool is_good(const beside_t *b, size_t child, int status, rb_err_t *err)
{
    const rb_err_t *why = &b->shared->err[child];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && why->code == RB_OK)
        return true;
    if (err->code != RB_OK && err->code != RB_STOPPED)
        return false; /* the first error counts */
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        *err = *why;
    else
        (void)!rb_fail(err, RB_IO, "a process that simulated launches %s %d",
                       WIFSIGNALED(status) ? "was ended by signal" : "ended with status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return false;
}

/* Waits until all children have ended. */
static void wait_for_all(beside_t *b, double *cpu_seconds, rb_err_t *err)
{
    static const struct timespec pause = {.tv_nsec = 2000000};
    bool told = false;
    while (b->running > 0) {
        if (!told && (b->failed || b->of->stop())) {
            stop_all(b);
            told = true;
        }
        for (size_t i = 0; i < b->processes; i++) {
            struct rusage used;
            int status;
            if (b->pid[i] <= 0 || wait4(b->pid[i], &status, WNOHANG, &used) != b->pid[i])
                continue;
            b->pid[i] = 0;
            b->running--;
            *cpu_seconds += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                            1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
            b->failed |= !is_good(b, i, status, err);
        }
        if (b->running > 0)
            nanosleep(&pause, NULL);
    }
}

static rb_code_t prepare(beside_t *b, const char *tmpdir, rb_err_t *err)
{
    b->pid = rb_calloc(b->processes, sizeof(*b->pid));
    b->journal = rb_calloc(b->processes, sizeof(journal_t *));
    b->shared_bytes = sizeof(*b->shared) + b->processes * sizeof(rb_err_t);
    b->shared =
        mmap(NULL, b->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b->shared == MAP_FAILED) {
        b->shared = NULL;
        return rb_fail(err, RB_NOMEM, "no memory for launches side by side");
    }
    for (size_t i = 0; i < b->processes; i++)
        RB_TRY(journal_create_unnamed(&b->journal[i], tmpdir, err));
    return RB_OK;
}

rb_code_t launches_beside(const launches_beside_t *of, const uint64_t *positions, size_t n,
                          size_t processes, const char *tmpdir, double *cpu_seconds, rb_err_t *err)
{
    beside_t b = {
        .of = of, .positions = positions, .n = n, .processes = processes < n ? processes : n};
    rb_code_t rc = prepare(&b, tmpdir, err);
    for (size_t i = 0; rc == RB_OK && i < b.processes; i++)
        rc = start(&b, i, err);
    b.failed = rc != RB_OK;
    wait_for_all(&b, cpu_seconds, err);
    if (rc == RB_OK && b.failed)
        rc = err->code;
    for (size_t i = 0; rc == RB_OK && i < b.processes; i++)
        rc = journal_measure(b.journal[i], err);
    if (rc == RB_OK)
        rc = run_parts_join(b.journal, b.processes, of->take, err);
    for (size_t i = 0; i < b.processes; i++)
        journal_close(b.journal[i]);
    if (b.shared != NULL)
        munmap(b.shared, b.shared_bytes);
    free(b.journal);
    free(b.pid);
    return rc;
}
