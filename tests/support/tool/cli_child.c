#include "tests/support/tool/cli_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/file_tree.h"
#include "tests/support/test.h"
#include "tests/support/tool/json_check.h"

enum { ARGUMENTS_MAX = 32 };

static char folder[] = "rubato-cli-XXXXXX";

int cli_begin(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

int cli_end(void **state)
{
    (void)state;
    if (chdir("..") != 0)
        return -1;
    return file_tree_remove(folder);
}

/* In the child: never returns. */
static void become(const cli_child_t *child, const char *const *words, const char *out,
                   const char *err)
{
    char *argv[ARGUMENTS_MAX + 2] = {(char *)(uintptr_t)child->binary};
    for (int i = 0; i < ARGUMENTS_MAX && words[i] != NULL; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    int o = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int e = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (o < 0 || e < 0 || dup2(o, STDOUT_FILENO) < 0 || dup2(e, STDERR_FILENO) < 0)
        _exit(99);
    if (child->file_limit > 0) {
        /* A program that counts its lines (gcov) must not cut the files of its counts short. */
        setenv("GCOV_PREFIX", "/dev/null", 1);
        setenv("GCOV_ERROR_FILE", "/dev/null", 1);
        struct rlimit limit = {(rlim_t)child->file_limit, (rlim_t)child->file_limit};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(99);
    }
    if (child->memory_limit > 0) {
        const struct rlimit limit = {(rlim_t)child->memory_limit, (rlim_t)child->memory_limit};
        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(99);
    }
    if (child->hurried) {
        const struct rlimit limit = {20, 20};
        alarm(30);
        if (setrlimit(RLIMIT_CPU, &limit) != 0)
            _exit(99);
    }
    if (child->preload != NULL && setenv("LD_PRELOAD", child->preload, 1) != 0)
        _exit(99);
    if (child->closed && close(STDOUT_FILENO) != 0)
        _exit(99);
    signal(SIGINT, child->background ? SIG_IGN : SIG_DFL); /* whatever signals this test ignores */
    execv(child->binary, argv);
    _exit(99);
}

static pid_t start(const cli_child_t *child, const char *const *words, const char *out,
                   const char *err)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        become(child, words, out, err);
    return pid;
}

pid_t cli_start(const cli_child_t *child, const char *const *words)
{
    return start(child, words, "/dev/null", child->err != NULL ? child->err : "/dev/null");
}

int cli_wait(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

cli_result_t cli_run(const cli_child_t *child, const char *const *words)
{
    const char *out = child->out != NULL ? child->out : ".stdout";
    cli_result_t r = {.status = cli_wait(start(child, words, out, ".stderr"))};
    r.out = child->out == NULL ? cli_read(out) : NULL;
    r.err = cli_read(".stderr");
    return r;
}

void cli_free(cli_result_t *r)
{
    free(r->out);
    free(r->err);
}

char *cli_read(const char *path)
{
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return NULL;
    size_t cap = 1 << 16, n = 0;
    char *text = malloc(cap + 1);
    assert_non_null(text);
    for (size_t got = 1; got > 0; n += got) {
        if (n == cap) {
            cap *= 2;
            text = realloc(text, cap + 1);
            assert_non_null(text);
        }
        got = fread(text + n, 1, cap - n, in);
    }
    fclose(in);
    text[n] = '\0';
    return text;
}

void cli_write(const char *path, const void *data, size_t n)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

bool cli_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *cli_run_as(const cli_child_t *child, int status, const char *message,
                 const char *const *words)
{
    cli_result_t r = cli_run(child, words);
    if (r.status != status || (message != NULL && strstr(r.err, message) == NULL))
        print_error("status %d, wanted %d with '%s'; it said: %s\n", r.status, status,
                    message != NULL ? message : "", r.err);
    assert_int_equal(r.status, status);
    if (message != NULL)
        assert_non_null(strstr(r.err, message));
    free(r.err);
    return r.out;
}

void cli_make_many(const char *trace, int n)
{
    static const char kernel[] = "kernel-1.traceg.xz\n";
    const size_t length = sizeof(kernel) - 1;
    char source[1024], *list = malloc((size_t)n * length);
    assert_non_null(list);
    mkdir("many", 0777);
    snprintf(source, sizeof(source), "%s/kernel-1.traceg.xz", trace);
    if (!cli_exists("many/kernel-1.traceg.xz"))
        assert_int_equal(symlink(source, "many/kernel-1.traceg.xz"), 0);
    for (int i = 0; i < n; i++)
        memcpy(list + (size_t)i * length, kernel, length);
    cli_write("many/kernelslist.g", list, (size_t)n * length);
    free(list);
}

void cli_same_file(const char *a, const char *b, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", a, name);
    char *x = cli_read(path);
    snprintf(path, sizeof(path), "%s/%s", b, name);
    char *y = cli_read(path);
    assert_non_null(x);
    assert_non_null(y);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

void cli_same_results(const char *a, const char *b)
{
    cli_same_file(a, b, "stats.csv");
    cli_same_file(a, b, "launches.csv");
    cli_same_file(a, b, "config.cfg");
}

char *cli_read_json(const char *path)
{
    char *text = cli_read(path);
    assert_non_null(text);
    assert_null(json_check(text));
    return text;
}
