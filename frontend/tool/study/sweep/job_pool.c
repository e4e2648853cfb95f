#include "frontend/tool/study/sweep/job_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/tool/io/stop_signals.h"
#include "sim/core/alloc.h"
#include "sim/core/host_time.h"

void job_pool_begin(job_pool_t *p, size_t n_slots)
{
    /* If the parent ignores SIGCHLD, children would vanish before they can be waited for. */
    struct sigaction action = {.sa_handler = SIG_DFL};
    *p = (job_pool_t){.slots = rb_calloc(n_slots, sizeof(*p->slots)), .n_slots = n_slots};
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, &p->child_before);
    sigemptyset(&p->awaited);
    sigaddset(&p->awaited, SIGCHLD);
    stop_signals_add(&p->awaited);
    sigprocmask(SIG_BLOCK, &p->awaited, &p->mask_before);
}

void job_pool_end(job_pool_t *p)
{
    RB_INVARIANT(p->running == 0, "%zu children left", p->running);
    sigaction(SIGCHLD, &p->child_before, NULL);
    sigprocmask(SIG_SETMASK, &p->mask_before, NULL);
    free(p->slots);
    *p = (job_pool_t){0};
}

/* Runs in the child: only async-signal-safe calls after fork(). Executes argv, or reports errno
 * through the pipe. */
static _Noreturn void become(const job_pool_t *p, char *const *argv, const char *log, pid_t parent,
                             int report)
{
    int in = open("/dev/null", O_RDWR);
    int err = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &p->mask_before, NULL);
    if (getppid() != parent)
        _exit(1);
    if (in >= 0 && err >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(in, STDOUT_FILENO) >= 0 &&
        dup2(err, STDERR_FILENO) >= 0) {
        if (in > STDERR_FILENO)
            close(in);
        if (err > STDERR_FILENO)
            close(err);
        execv(argv[0], argv);
    }
    int reason = errno;
    (void)!write(report, &reason, sizeof(reason));
    _exit(1);
}

rb_code_t job_pool_start(job_pool_t *p, size_t job, char *const *argv, const char *log,
                         rb_err_t *err)
{
    job_slot_t *slot = p->slots;
    int ends[2], reason = 0;
    while (slot < p->slots + p->n_slots && slot->pid != 0)
        slot++;
    RB_INVARIANT(slot < p->slots + p->n_slots, "no free slot");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return rb_fail(err, RB_IO, "cannot start a job: %s", strerror(errno));
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(p, argv, log, parent, ends[1]);
    int saved = errno;
    close(ends[1]);
    ssize_t got = 0;
    /* exec closes the pipe, so that failures before it are reported exactly, not guessed from a
     * status. */
    while (pid > 0 && (got = read(ends[0], &reason, sizeof(reason))) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    if (pid < 0)
        return rb_fail(err, RB_IO, "cannot start a job: %s", strerror(saved));
    if (got > 0) {
        waitpid(pid, NULL, 0);
        return rb_fail(err, RB_IO, "cannot start %.400s with its log %.400s: %s", argv[0], log,
                       strerror(reason));
    }
    *slot = (job_slot_t){.pid = pid, .job = job, .begun = clock_seconds()};
    p->running++;
    return RB_OK;
}

/* Reaps a child that has ended, if any. */
static bool reap(job_pool_t *p, size_t *job, int *status)
{
    for (size_t i = 0; i < p->n_slots; i++) {
        int s;
        if (p->slots[i].pid == 0 || waitpid(p->slots[i].pid, &s, WNOHANG) != p->slots[i].pid)
            continue;
        *job = p->slots[i].job;
        *status = WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s);
        p->slots[i].pid = 0;
        p->running--;
        return true;
    }
    return false;
}

job_event_t job_pool_wait(job_pool_t *p, double seconds, size_t *job, int *status)
{
    double until = clock_seconds() + seconds;
    for (;;) {
        if (reap(p, job, status))
            return JOB_ENDED;
        double left = until - clock_seconds();
        if (left < 0.0)
            left = 0.0;
        struct timespec wait = {.tv_sec = (time_t)left};
        wait.tv_nsec = (long)((left - (double)wait.tv_sec) * 1e9);
        int got = sigtimedwait(&p->awaited, NULL, &wait);
        if (got > 0 && got != SIGCHLD) {
            p->stops++;
            return JOB_STOP;
        }
        if (got < 0 && errno == EAGAIN)
            return reap(p, job, status) ? JOB_ENDED : JOB_NOTHING;
    }
}

void job_pool_signal(const job_pool_t *p, int signal_number)
{
    for (size_t i = 0; i < p->n_slots; i++) {
        if (p->slots[i].pid != 0)
            kill(p->slots[i].pid, signal_number);
    }
}
