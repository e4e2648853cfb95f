#include "frontend/tool/run/program/program_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/tool/run/program/program_folders.h"
#include "sampling/plan/plan_json.h"
#include "sim/core/alloc.h"
#include "sim/core/files/temporary.h"
#include "sim/core/log.h"

/* Files in the temporary folder. */
#define SEEN_FILE     "seen"
#define LAUNCHED_FILE "launched"
#define PIPE_FILE     "launches"
#define PLAN_FILE     "plan"
#define SPOOL_FILE    "trace.rbt"

enum { POLL_MS = 50 };

/* --- the temporary folder -------------------------------------------------------------------- */

static void path_of(const program_child_t *p, const char *file, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 32, p->folder, file);
}

void program_spool(const program_child_t *p, char path[PATH_MAX])
{
    path_of(p, SPOOL_FILE, path);
}

/* Writes a plan for the runtime: one line per launch with its weight, an empty line, the plan as
 * JSON. */
static rb_code_t write_plan(const program_child_t *p, rb_err_t *err)
{
    const plan_t *plan = p->options->plan;
    uint64_t *ids = rb_calloc(plan->n_samples + 1, sizeof(*ids));
    double *weights = rb_calloc(plan->n_samples + 1, sizeof(*weights));
    uint64_t n = plan_weights(plan, ids, weights);
    char path[PATH_MAX];

    path_of(p, PLAN_FILE, path);
    FILE *out = fopen(path, "we");
    for (uint64_t i = 0; i < n && out != NULL; i++)
        fprintf(out, "%llu %a\n", (unsigned long long)ids[i], weights[i]);
    free(ids);
    free(weights);
    if (out == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    fputc('\n', out);
    plan_write_json(plan, out);
    bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? rb_fail(err, RB_IO, "%s: cannot be written", path) : RB_OK;
}

static rb_code_t make_folder(program_child_t *p, rb_err_t *err)
{
    char path[PATH_MAX];

    snprintf(p->folder, sizeof(p->folder), "%.*s/rubato-XXXXXX", PATH_MAX - 64, p->options->tmpdir);
    if (mkdtemp(p->folder) == NULL) {
        p->folder[0] = '\0';
        return rb_fail(err, RB_IO, "%s: no temporary folder: %s", p->options->tmpdir,
                       strerror(errno));
    }
    temporary_add(p->folder);
    path_of(p, PIPE_FILE, path);
    if (p->options->piped && mkfifo(path, 0600) != 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    return p->options->plan != NULL ? write_plan(p, err) : RB_OK;
}

/* Removes the incomplete trace of a killed program; its file name is in SEEN_FILE. */
static void remove_leftover(const program_child_t *p)
{
    char path[PATH_MAX], name[PATH_MAX] = "";

    path_of(p, SEEN_FILE, path);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    const size_t n = fread(name, 1, sizeof(name) - 1, file);
    fclose(file);
    if (n > 0)
        unlink(name);
}

static void remove_folder(program_child_t *p)
{
    static const char *const files[] = {SEEN_FILE, LAUNCHED_FILE, PIPE_FILE, PLAN_FILE, SPOOL_FILE};
    char path[PATH_MAX];

    if (p->folder[0] == '\0')
        return;
    remove_leftover(p);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        path_of(p, files[i], path);
        unlink(path);
    }
    rmdir(p->folder);
    temporary_drop(p->folder);
    p->folder[0] = '\0';
}

/* --- the child ------------------------------------------------------------------------------- */

static void set_or_unset(const char *name, const char *value)
{
    if (value == NULL)
        unsetenv(name);
    else if (setenv(name, value, 1) != 0)
        rb_out_of_memory(strlen(value), 1);
}

/* The same for a path, which must stay valid when the program changes its folder. */
static void set_path(const char *name, const char *path)
{
    char folder[PATH_MAX], full[2 * PATH_MAX];

    if (path != NULL && path[0] != '/' && getcwd(folder, sizeof(folder)) != NULL) {
        snprintf(full, sizeof(full), "%s/%s", folder, path);
        path = full;
    }
    set_or_unset(name, path);
}

/* Sets the limits per launch and the number of threads, if given. */
static void set_limits(const program_options_t *o)
{
    char text[32];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)o->max_insts);
    set_or_unset("RUBATO_MAX_INSTS", o->max_insts > 0 ? text : NULL);
    snprintf(text, sizeof(text), "%.17g", o->timeout);
    set_path("RUBATO_TMPDIR", o->tmpdir);
    set_or_unset("RUBATO_SKIP_UNSUPPORTED", o->skip_unsupported ? "1" : NULL);
    set_or_unset("RUBATO_TIMEOUT", o->timeout > 0 ? text : NULL);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)o->threads);
    set_or_unset("RUBATO_THREADS", o->threads > 0 ? text : NULL);
}

static void set_device(const program_device_t *d)
{
    char arch[16];

    snprintf(arch, sizeof(arch), "%u", d->arch);
    set_or_unset("RUBATO_ARCH", d->arch != 0 ? arch : NULL);
    set_or_unset("RUBATO_DEVICE_70", d->text[0]);
    set_or_unset("RUBATO_DEVICE_75", d->text[1]);
    set_or_unset("RUBATO_DEVICE_80", d->text[2]);
    set_or_unset("RUBATO_DEVICE_86", d->text[3]);
}

static void set_file(const program_child_t *p, const char *name, bool wanted, const char *file)
{
    char path[PATH_MAX];

    path_of(p, file, path);
    set_path(name, wanted ? path : NULL);
}

/* The runtime and the libraries come before those of the toolkit. */
static void set_libraries(const program_options_t *o, const char *runtime)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char folder[PATH_MAX] = "";
    rb_err_t none = {0};

    if (o->libs != NULL ? realpath(o->libs, folder) == NULL
                        : program_libs_folder(folder, &none) != RB_OK)
        folder[0] = '\0';
    char *path =
        rb_format("%s%s%s%s%s", runtime, folder[0] != '\0' ? ":" : "", folder,
                  before != NULL && before[0] != '\0' ? ":" : "", before != NULL ? before : "");
    set_or_unset("LD_LIBRARY_PATH", path);
    free(path);
}

/* The library that replaces static runtimes comes before all others. It is found by its name alone if
 * its folder cannot be part of a list. */
static void set_preload(const char *runtime)
{
    static const char name[] = "librubato_redirect.so";
    const char *before = getenv("LD_PRELOAD"), *checks = getenv("ASAN_OPTIONS");
    const bool listed = strpbrk(runtime, " :") == NULL;

    char *list =
        rb_format("%s%s%s%s%s", listed ? runtime : "", listed ? "/" : "", name,
                  before != NULL && before[0] != '\0' ? ":" : "", before != NULL ? before : "");
    set_or_unset("LD_PRELOAD", list);
    free(list);
    /* AddressSanitizer otherwise wants to be the first library. */
    char *options = rb_format("%s%sverify_asan_link_order=0", checks != NULL ? checks : "",
                              checks != NULL && checks[0] != '\0' ? ":" : "");
    set_or_unset("ASAN_OPTIONS", options);
    free(options);
}

static void set_environment(const program_child_t *p, const char *runtime)
{
    const program_options_t *o = p->options;

    set_libraries(o, runtime);
    set_preload(runtime);
    set_device(&p->device);
    set_limits(o);
    set_or_unset("RUBATO_RECORD_LAUNCHES", o->launches);
    set_or_unset("RUBATO_RECORD_FORCE", o->replace ? "1" : NULL);
    set_path("RUBATO_RECORD_PROFILE", o->profile);
    set_path("RUBATO_RECORD_TRACE", o->trace);
    if (o->spool)
        set_file(p, "RUBATO_RECORD_TRACE", true, SPOOL_FILE);
    set_file(p, "RUBATO_RECORD_PIPE", o->piped, PIPE_FILE);
    set_file(p, "RUBATO_RECORD_PLAN", o->plan != NULL, PLAN_FILE);
    set_file(p, "RUBATO_RECORD_SEEN", true, SEEN_FILE);
    set_file(p, "RUBATO_RECORD_LAUNCHED", true, LAUNCHED_FILE);
}

rb_code_t program_start(program_child_t *p, const program_options_t *options, rb_err_t *err)
{
    char runtime[PATH_MAX];

    *p = (program_child_t){.options = options};
    RB_TRY(program_runtime(runtime, err));
    if (options->libs != NULL && access(options->libs, R_OK | X_OK) != 0)
        return rb_fail(err, RB_IO, "--libs %s: %s", options->libs, strerror(errno));
    RB_TRY(program_device(options->setup, options->arch, &p->device, err));
    RB_TRY(make_folder(p, err));
    fflush(NULL);
    p->pid = fork();
    if (p->pid < 0) {
        p->pid = 0;
        return rb_fail(err, RB_IO, "%s: %s", options->words[0], strerror(errno));
    }
    if (p->pid > 0)
        return RB_OK;
    set_environment(p, runtime);
    if (options->output_aside)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(options->words[0], options->words);
    fprintf(stderr, "rubato: %s: %s\n", options->words[0], strerror(errno));
    _exit(PROGRAM_FAILED);
}

static bool was_seen(const program_child_t *p)
{
    char path[PATH_MAX];

    path_of(p, SEEN_FILE, path);
    return access(path, F_OK) == 0;
}

/* Describes for messages how the program ended. */
static void tell_end(const program_child_t *p, char *text, size_t size)
{
    const int signal_number = p->status - 128;

    if (p->status == 0)
        snprintf(text, size, "ended");
    else if (signal_number < 1 || signal_number > SIGRTMAX)
        snprintf(text, size, "ended with status %d", p->status);
    else
        snprintf(text, size, "was ended by signal %d (%s)", signal_number,
                 strsignal(signal_number));
}

static rb_code_t fail_unseen(const program_child_t *p, rb_err_t *err)
{
    enum { NOT_LOADED = 127 }; /* the status of the dynamic loader and of shells */
    char end[80];

    tell_end(p, end, sizeof(end));
    if (p->status == NOT_LOADED)
        return rb_fail(err, RB_TRACE,
                       "%s %s, as programs do that cannot be loaded; if it lacks a library of the "
                       "CUDA toolkit, such as cuBLAS, rubato libs builds it, and --libs names "
                       "another folder than the usual one",
                       p->options->words[0], end);
    return rb_fail(err, RB_TRACE,
                   "%s %s and did not call the CUDA runtime of rubato; compile it with nvcc "
                   "-arch=sm_%u, and without -static",
                   p->options->words[0], end, p->device.arch == 75 ? 75 : 70);
}

/* Reads LAUNCHED_FILE: the architecture of the first launch in the output, or 0, whether there was
 * any launch, and the name of an error. */
static unsigned read_launched(const program_child_t *p, bool *any, char error[64])
{
    char path[PATH_MAX];
    unsigned arch = 0, launched = 0;

    error[0] = '\0';
    *any = false;
    path_of(p, LAUNCHED_FILE, path);
    FILE *file = fopen(path, "re");
    if (file == NULL && errno == ENOENT)
        return 0;
    int n = file != NULL ? fscanf(file, "%u %u %63s", &arch, &launched, error) : 0;
    if (file == NULL || ferror(file))
        rb_warn("%s: cannot be read: %s", path, strerror(errno));
    if (file != NULL)
        fclose(file);
    *any = n > 1 && launched != 0;
    return n > 0 ? arch : 0;
}

bool program_launched(const program_child_t *p, unsigned *arch)
{
    char error[64];
    bool any;

    *arch = read_launched(p, &any, error);
    return *arch != 0;
}

/* Which launches are in the output. */
static const char *which_launch(const program_options_t *o)
{
    if (o->plan != NULL)
        return " of the plan";
    return o->launches != NULL ? " of --launches" : " that can be emulated";
}

rb_code_t program_fail_unlaunched(const program_child_t *p, rb_err_t *err)
{
    const char *program = p->options->words[0];
    char end[80], error[64];

    bool any;

    tell_end(p, end, sizeof(end));
    read_launched(p, &any, error);
    if (p->status == PROGRAM_FAILED)
        return rb_fail(err, RB_TRACE, "%s made no launch%s; see the reason above", program,
                       any ? which_launch(p->options) : "");
    if (any)
        return rb_fail(err, RB_TRACE, "%s %s without a kernel launch%s; it made others", program,
                       end, which_launch(p->options));
    if (p->status == 0)
        return rb_fail(err, RB_TRACE, "%s ended without a kernel launch", program);
    return rb_fail(
        err, RB_TRACE,
        "%s %s before it launched a kernel%s%s; what it printed may say why (NVIDIA's shared "
        "libraries such as libcublas.so do not work without a GPU; 'rubato libs' builds ones that "
        "do, which --libs names if they are not in the default folder)",
        program, end, error[0] != '\0' ? ", after the CUDA runtime gave it " : "", error);
}

/* Whether the program has ended; waits for it if wait is set. */
static bool has_ended(program_child_t *p, bool wait)
{
    int status;
    pid_t got;

    if (p->pid == 0)
        return true;
    do
        got = waitpid(p->pid, &status, wait ? 0 : WNOHANG);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return false;
    p->pid = 0;
    p->status = got < 0             ? PROGRAM_FAILED
                : WIFEXITED(status) ? WEXITSTATUS(status)
                                    : 128 + WTERMSIG(status);
    return true;
}

rb_code_t program_pipe(program_child_t *p, int *fd, rb_err_t *err)
{
    char path[PATH_MAX];
    bool ended = false;

    path_of(p, PIPE_FILE, path);
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    for (;;) {
        struct pollfd poll_fd = {.fd = *fd, .events = POLLIN};
        if (poll(&poll_fd, 1, POLL_MS) > 0)
            break;
        if (ended)
            break;
        ended = has_ended(p, false); /* polls once more for its last output */
    }
    fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) & ~O_NONBLOCK);
    if (!ended || was_seen(p))
        return RB_OK;
    close(*fd);
    *fd = -1;
    return p->status == PROGRAM_FAILED
               ? rb_fail(err, RB_TRACE, "%s was not simulated", p->options->words[0])
               : fail_unseen(p, err);
}

rb_code_t program_wait(program_child_t *p, rb_err_t *err)
{
    has_ended(p, true);
    if (!was_seen(p) && p->status != PROGRAM_FAILED)
        return fail_unseen(p, err);
    return RB_OK;
}

static volatile sig_atomic_t own_child;

static void pass_on(int signal_number)
{
    if (own_child > 0)
        kill((pid_t)own_child, signal_number);
}

void program_own_signals(const program_child_t *p)
{
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};

    own_child = (sig_atomic_t)p->pid;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGINT, SIG_IGN); /* the terminal also sends these to the program */
    signal(SIGQUIT, SIG_IGN);
}

void program_end(program_child_t *p)
{
    if (p->pid != 0) {
        kill(p->pid, SIGTERM);
        has_ended(p, true);
    }
    remove_folder(p);
}
