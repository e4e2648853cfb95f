/*
 * Runs the rubato binary as a child and keeps what it prints. Works in a folder of its own, made
 * by cli_begin() in the current one.
 */
#ifndef RUBATO_TESTS_CLI_CHILD_H
#define RUBATO_TESTS_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
    const char *binary;
    long file_limit; /* bytes a file may grow to; 0: no limit */
    const char *out; /* where standard output goes; NULL: kept */
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

#endif
