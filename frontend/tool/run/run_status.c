#include "frontend/tool/run/run_status.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"

/* One line of a fixed length, written at once: a reader sees an old one or a new one. */
enum { STATUS_BYTES = 240, FRESH_SECONDS = 60 };
static const char status_name[] = "status";
static const char status_mark[] = "rubato-status-1";

/* Without blanks, which separate the fields. */
static void host_name(char host[RUN_STATUS_HOST])
{
    if (gethostname(host, RUN_STATUS_HOST) != 0 || host[0] == '\0')
        strcpy(host, "-");
    host[RUN_STATUS_HOST - 1] = '\0';
    host[strcspn(host, " \t\n")] = '\0';
}

int run_status_open(const char *folder)
{
    char *path = out_path(folder, status_name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    free(path);
    return fd;
}

void run_status_write(int fd, const run_status_t *s)
{
    char line[STATUS_BYTES + 1], host[RUN_STATUS_HOST];
    host_name(host);
    int n = snprintf(line, sizeof(line),
                     "%s %.6f %" PRIu64 " %" PRIu64 " %.1f %.1f %" PRIu64 " %" PRId64 " %s",
                     status_mark, s->share, s->launch, s->launches, s->rate, s->seconds_left,
                     s->rss_bytes, (int64_t)time(NULL), host);
    if (n < 0 || n >= STATUS_BYTES)
        return;
    memset(line + n, ' ', (size_t)(STATUS_BYTES - n));
    line[STATUS_BYTES - 1] = '\n';
    /* A full disk is noticed where it matters: by the journal. */
    (void)!pwrite(fd, line, STATUS_BYTES, 0);
}

void run_status_remove(const char *folder)
{
    char *path = out_path(folder, status_name);
    unlink(path);
    free(path);
}

void run_status_close(int fd, const char *folder)
{
    if (fd < 0)
        return;
    close(fd);
    run_status_remove(folder);
}

bool run_status_read(const char *folder, run_status_t *s)
{
    char line[STATUS_BYTES + 1], mark[32];
    char *path = out_path(folder, status_name);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    free(path);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, line, STATUS_BYTES);
    close(fd);
    if (n != STATUS_BYTES || line[STATUS_BYTES - 1] != '\n')
        return false;
    line[STATUS_BYTES] = '\0';
    return sscanf(line, "%31s %lf %" SCNu64 " %" SCNu64 " %lf %lf %" SCNu64 " %" SCNd64 " %64s",
                  mark, &s->share, &s->launch, &s->launches, &s->rate, &s->seconds_left,
                  &s->rss_bytes, &s->when, s->host) == 9 &&
           strcmp(mark, status_mark) == 0 && s->share <= 1.0;
}

/* Whether a process holds the journal of a folder. */
static bool journal_held(const char *folder)
{
    char *path = out_path(folder, "journal");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;
    free(path);
    if (fd >= 0)
        close(fd);
    return held;
}

bool run_status_alive(const char *folder, const run_status_t *s)
{
    char host[RUN_STATUS_HOST];
    host_name(host);
    if ((int64_t)time(NULL) - s->when >= FRESH_SECONDS)
        return false;
    return strcmp(host, s->host) != 0 || journal_held(folder);
}
