/*
 * rubato record: runs a CUDA program without a GPU. The program is started with a CUDA runtime of
 * ours in front of NVIDIA's; that runtime executes the kernels and writes the trace.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/cli/commands.h"
#include "frontend/sass/launch_list.h"
#include "sim/core/alloc.h"

/* The program's exit status is returned; this one is our own failure. */
enum { RECORD_FAILED = 125 };

typedef struct {
    const char *output, *launches, *profile;
    const char *arch; /* "70", "75", or NULL */
    char max_insts[24];
    bool force, no_trace;
    char **program; /* NULL-terminated */
} record_options_t;

static rb_code_t parse_arch(const char *text, const char **arch, rb_err_t *err)
{
    static const char *const words[] = {"sm_70", "sm_75", NULL};
    static const char *const numbers[] = {"70", "75"};
    unsigned index;

    RB_TRY(cli_parse_word("--arch", text, words, &index, err));
    *arch = numbers[index];
    return RB_OK;
}

static rb_code_t read_option(void *ctx, cli_option_id_t id, const char *value, rb_err_t *err)
{
    record_options_t *o = ctx;
    uint64_t n;

    switch (id) {
    case CLI_OUTPUT:
        o->output = value;
        break;
    case CLI_ARCH:
        return parse_arch(value, &o->arch, err);
    case CLI_LAUNCHES:
        if (!launch_list_valid(value))
            return rb_fail(err, RB_USAGE,
                           "--launches: '%s' is not a list of launches such as 3-7,12,20-", value);
        o->launches = value;
        break;
    case CLI_PROFILE:
        o->profile = value;
        break;
    case CLI_FORCE:
        o->force = true;
        break;
    case CLI_NO_TRACE:
        o->no_trace = true;
        break;
    case CLI_MAX_INSTS:
        RB_TRY(cli_parse_count("--max-insts", value, 1, UINT64_MAX / 2, &n, err));
        snprintf(o->max_insts, sizeof(o->max_insts), "%llu", (unsigned long long)n);
        break;
    default:
        break;
    }
    return RB_OK;
}

static rb_code_t read_options(record_options_t *o, int argc, char **argv, bool *help, rb_err_t *err)
{
    cli_parser_t p;

    *o = (record_options_t){0};
    cli_parser_init(&p, cli_find_command("record"), argc, argv);
    RB_TRY(cli_parser_read(&p, read_option, o, help, err));
    if (*help)
        return RB_OK;
    RB_TRY(cli_check_operands(&p, 1, INT_MAX, err));
    if ((o->output == NULL) != o->no_trace)
        return rb_fail(err, RB_USAGE, "say where the trace goes (-o FILE), or --no-trace");
    o->program = p.operands;
    return RB_OK;
}

/* --- the runtime's folder -------------------------------------------------------------------- */

/* The folder of the runtime: beside the binary where it was built, in lib where installed. */
static rb_code_t find_runtime(char *folder, size_t room, rb_err_t *err)
{
    static const char *const places[] = {"cudart", "../lib/rubato/cudart"};
    char self[PATH_MAX], tried[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n < 0)
        return rb_fail(err, RB_IO, "/proc/self/exe: %s", strerror(errno));
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(tried, sizeof(tried), "%s/%s/libcudart.so.13", self, places[i]);
        if (access(tried, R_OK) != 0)
            continue;
        snprintf(folder, room, "%s/%s", self, places[i]);
        return RB_OK;
    }
    return rb_fail(err, RB_IO,
                   "the CUDA runtime of rubato is not in %s/%s; build it with 'cmake "
                   "--build'",
                   self, places[0]);
}

/* --- the program ----------------------------------------------------------------------------- */

static void set_or_unset(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* A path that holds after the program changes its folder; to be freed. */
static char *absolute(const char *path)
{
    char folder[PATH_MAX];
    char *full = NULL;

    if (path == NULL || path[0] == '/' || getcwd(folder, sizeof(folder)) == NULL)
        return rb_strdup(path);
    size_t n = strlen(folder) + strlen(path) + 2;
    full = rb_calloc(n, 1);
    snprintf(full, n, "%s/%s", folder, path);
    return full;
}

static void set_environment(const record_options_t *o, const char *runtime, const char *seen)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    size_t n = strlen(runtime) + (before != NULL ? strlen(before) : 0) + 2;
    char *path = rb_calloc(n, 1), *trace = absolute(o->output), *profile = absolute(o->profile);

    snprintf(path, n, "%s%s%s", runtime, before != NULL && before[0] != '\0' ? ":" : "",
             before != NULL ? before : "");
    set_or_unset("LD_LIBRARY_PATH", path);
    set_or_unset("RUBATO_ARCH", o->arch);
    set_or_unset("RUBATO_MAX_INSTS", o->max_insts[0] != '\0' ? o->max_insts : NULL);
    set_or_unset("RUBATO_RECORD_TRACE", trace);
    set_or_unset("RUBATO_RECORD_PROFILE", profile);
    set_or_unset("RUBATO_RECORD_LAUNCHES", o->launches);
    set_or_unset("RUBATO_RECORD_FORCE", o->force ? "1" : NULL);
    set_or_unset("RUBATO_RECORD_SEEN", seen);
    free(path);
    free(trace);
    free(profile);
}

/* Signals from the terminal are for the program; we wait for what it makes of them. */
static int wait_for(pid_t pid)
{
    int status;

    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return RECORD_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static rb_code_t run_program(const record_options_t *o, const char *runtime, const char *seen,
                             int *status, rb_err_t *err)
{
    fflush(NULL);
    pid_t pid = fork();

    if (pid < 0)
        return rb_fail(err, RB_IO, "%s: %s", o->program[0], strerror(errno));
    if (pid == 0) {
        set_environment(o, runtime, seen);
        execvp(o->program[0], o->program);
        fprintf(stderr, "rubato: %s: %s\n", o->program[0], strerror(errno));
        _exit(RECORD_FAILED);
    }
    *status = wait_for(pid);
    return RB_OK;
}

static rb_code_t record(const record_options_t *o, int *status, rb_err_t *err)
{
    char runtime[PATH_MAX + 32], seen[] = "/tmp/rubato-record-XXXXXX";

    RB_TRY(find_runtime(runtime, sizeof(runtime), err));
    int fd = mkstemp(seen);
    if (fd < 0)
        return rb_fail(err, RB_IO, "%s: %s", seen, strerror(errno));
    close(fd);
    unlink(seen);
    rb_code_t rc = run_program(o, runtime, seen, status, err);
    bool called = unlink(seen) == 0;
    if (rc == RB_OK && !called && *status != RECORD_FAILED)
        return rb_fail(err, RB_TRACE,
                       "%s did not call the CUDA runtime of rubato; compile it with nvcc -cudart "
                       "shared -arch=sm_70",
                       o->program[0]);
    return rc;
}

int cmd_record(int argc, char **argv)
{
    rb_err_t err = {0};
    record_options_t options;
    bool help;
    int status = 0;
    rb_code_t rc = read_options(&options, argc, argv, &help, &err);

    if (rc == RB_OK && help) {
        cli_print_help(cli_find_command("record"), stdout);
        rc = cli_flush_stdout(&err);
    } else if (rc == RB_OK) {
        rc = record(&options, &status, &err);
    }
    if (rc == RB_OK)
        return status;
    cli_report(&err);
    return RECORD_FAILED;
}
