#include "tests/support/tool/sweep_files.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/support/tool/cli_child.h"

void sweep_write(const char *path, const char *text)
{
    cli_write(path, text, strlen(text));
}

char *sweep_job_field(const char *folder, int job, int field)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/jobs.tsv", folder);
    char *text = cli_read(path), *at = text;
    assert_non_null(text);
    for (int i = 0; i < job; i++)
        at = strchr(at, '\n') + 1;
    for (int i = 0; i < field; i++)
        at = strchr(at, '\t') + 1;
    char *copy = strndup(at, strcspn(at, "\t\n"));
    free(text);
    return copy;
}

const char *sweep_job_folder(const char *folder, int job)
{
    static char path[128];
    char *id = sweep_job_field(folder, job, 1);
    snprintf(path, sizeof(path), "%s/jobs/%s", folder, id);
    free(id);
    return path;
}

void sweep_await_journal(const char *folder)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    char path[160];
    struct stat st;
    snprintf(path, sizeof(path), "%s/jobs.tsv", folder);
    while (!cli_exists(path))
        nanosleep(&pause, NULL);
    snprintf(path, sizeof(path), "%s/journal", sweep_job_folder(folder, 1));
    while (stat(path, &st) != 0 || st.st_size < 1000)
        nanosleep(&pause, NULL);
}
