/*
 * Runs the rubato binary as a child and keeps what it prints. Works in a folder of its own, made
 * by cli_begin() in the current one.
 */
#ifndef RUBATO_TESTS_CLI_CHILD_H
#define RUBATO_TESTS_CLI_CHILD_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>

typedef struct {
    const char *binary;
    long file_limit;     /* bytes a file may grow to; 0: no limit */
    long memory_limit;   /* bytes of address space; 0: no limit */
    const char *out;     /* where standard output goes; NULL: kept */
    const char *err;     /* of cli_start(): where standard error goes; NULL: dropped */
    bool closed;         /* standard output is closed */
    bool background;     /* started with interrupts ignored, like background jobs of a shell */
    const char *preload; /* a library that is loaded before all others; NULL: none */
    bool hurried;        /* killed after 20 seconds of processor time, or 300 of waiting */
} cli_child_t;

typedef struct {
    int status;      /* exit status; 128 + signal if it was killed */
    char *out, *err; /* owned; out is NULL if it went elsewhere */
} cli_result_t;

/* A new empty folder, entered; cli_end() leaves and removes it. 0 or -1. */
int cli_begin(void **state);
int cli_end(void **state);

/* Runs binary with words, which end with NULL. */
cli_result_t cli_run(const cli_child_t *child, const char *const *words);
void cli_free(cli_result_t *r);

/* Starts it without waiting, output dropped; cli_wait() gives the status. */
pid_t cli_start(const cli_child_t *child, const char *const *words);
int cli_wait(pid_t pid);

/* The file's text, owned by the caller; NULL if there is none. */
char *cli_read(const char *path);
void cli_write(const char *path, const void *data, size_t n);
bool cli_exists(const char *path);

/* The file's text, which must be JSON; owned by the caller. */
char *cli_read_json(const char *path);

/*
 * Runs, and fails the test unless the status is as expected and standard error contains message
 * (NULL: anything). Returns standard output, owned by the caller.
 */
char *cli_run_as(const cli_child_t *child, int status, const char *message,
                 const char *const *words);

/* A trace folder "many" with n launches of the kernel in trace. */
void cli_make_many(const char *trace, int n);

/* Fails the test unless the file is the same in both folders; unless the results are the same. */
void cli_same_file(const char *a, const char *b, const char *name);
void cli_same_results(const char *a, const char *b);

/* For the tests of the binary itself. */
#ifdef RUBATO_BINARY
#define TRACE      RUBATO_ROOT "/traces/vecadd-sm70"
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const cli_child_t rubato = {.binary = RUBATO_BINARY};

static inline void expect(int status, const char *message, const char *const *words)
{
    free(cli_run_as(&rubato, status, message, words));
}
#endif

#endif
