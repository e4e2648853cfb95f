#include "frontend/emulator/exec/emu_probe.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/emulator/exec/emu_state.h"

/* What the child process found. */
typedef struct {
    bool unsupported;
    rb_err_t err;
} verdict_t;

/* RB_TRACE: the code cannot be executed at all. */
static rb_code_t look_at_code(const emu_launch_t *l, bool *suspect, rb_err_t *err)
{
    emu_grid_t g = {.launch = l, .err = err};

    *suspect = false;
    RB_TRY(emu_module_code(l->module, l->kernel, &g.code, err));
    emu_make_bank0(&g);
    rb_code_t rc = emu_translate(&g, err);
    for (uint32_t i = 0; rc == RB_OK && i < g.n_uops; i++)
        *suspect |= g.uops[i].kind == UOP_UNSUPPORTED;
    emu_free_bank0(&g);
    free(g.uops);
    free(g.pool);
    return rc;
}

/* Executes the launch without a trace and without output, and sends the verdict. */
_Noreturn static void try_launch(const emu_launch_t *l, int to)
{
    emu_launch_t trial = *l;
    emu_totals_t totals = {0};
    verdict_t v = {0};
    bool sent = false;

    trial.on_block = NULL;
    trial.out = fopen("/dev/null", "we");
    if (trial.out != NULL) {
        v.unsupported = emu_run(&trial, &totals, &v.err) != RB_OK && totals.unsupported;
        sent = write(to, &v, sizeof(v)) == (ssize_t)sizeof(v);
    }
    _exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool receive(int from, verdict_t *v)
{
    size_t got = 0;
    ssize_t n = 1;

    while (got < sizeof(*v) && n > 0) {
        n = read(from, (char *)v + got, sizeof(*v) - got);
        if (n > 0)
            got += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 1;
    }
    return got == sizeof(*v);
}

static rb_code_t fail_to_try(const emu_launch_t *l, rb_err_t *err)
{
    return rb_fail(err, RB_IO,
                   "kernel %s has instructions that the emulator does not support, and no process "
                   "can be started to see whether they are reached: %s",
                   l->kernel->name, strerror(errno));
}

static rb_code_t try_aside(const emu_launch_t *l, rb_err_t *err)
{
    verdict_t v = {0};
    int ends[2];

    if (pipe(ends) != 0)
        return fail_to_try(l, err);
    const pid_t child = fork();
    if (child == 0)
        try_launch(l, ends[1]);
    close(ends[1]);
    errno = child < 0 ? errno : ECHILD;
    const bool received = child > 0 && receive(ends[0], &v);
    const int why = errno;
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    errno = why;
    if (!received)
        return fail_to_try(l, err);
    return v.unsupported ? rb_fail(err, RB_TRACE, "%s", v.err.text) : RB_OK;
}

rb_code_t emu_probe(const emu_launch_t *l, rb_err_t *err)
{
    bool suspect;

    RB_TRY(look_at_code(l, &suspect, err));
    return suspect ? try_aside(l, err) : RB_OK;
}
