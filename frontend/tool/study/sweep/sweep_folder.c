/* The folder of a sweep: its lock, its list of jobs, and the states in their files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/run_status.h"
#include "frontend/tool/study/sweep/sweep.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/files/text_lines.h"

const char *const sweep_state_names[SWEEP_STATES] = {"waiting", "running", "stopped", "failed",
                                                     "done"};

const char sweep_part_column[] = "part";

static const char list_name[] = "jobs.tsv";

/* Columns of jobs.tsv before the fields. */
enum { LIST_NUMBER, LIST_ID, LIST_COMMAND, LIST_FIELDS };
static const char *const list_columns[LIST_FIELDS] = {"job", "id", "command"};

enum { LINE_BYTES_MAX = 1 << 20, FIELDS_MAX = 4096 };

static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; text != NULL && i < n; i++)
        free(text[i]);
    free(text);
}

void sweep_free(sweep_t *s)
{
    for (size_t i = 0; i < s->n_jobs; i++) {
        sweep_job_t *job = &s->jobs[i];
        for (size_t k = 0; job->argv != NULL && job->argv[k] != NULL; k++)
            free(job->argv[k]);
        free(job->argv);
        free_texts(job->fields, s->n_columns);
        free(job->folder);
        free(job->command);
        free(job->label);
        free(job->reason);
    }
    free_texts(s->columns, s->n_columns);
    free(s->jobs);
    free(s->folder);
    if (s->lock >= 0)
        close(s->lock);
    *s = (sweep_t){.lock = -1};
}

char *sweep_job_path(const sweep_job_t *job, const char *ending)
{
    size_t n = strlen(job->folder) + strlen(ending) + 1;
    char *path = rb_calloc(n, 1);
    snprintf(path, n, "%s%s", job->folder, ending);
    return path;
}

/*
 * After a sweep was killed, its children keep the lock until they have stopped, which takes a
 * moment: waits a little for it.
 */
static rb_code_t take_lock(sweep_t *s, rb_err_t *err)
{
    enum { TRIES = 20 };
    const struct timespec pause = {.tv_nsec = 100000000};
    char *path = out_path(s->folder, "lock");
    rb_code_t rc = RB_OK;
    /* Not closed on exec: children keep the lock, see above. */
    s->lock = open(path, O_RDWR | O_CREAT, 0666);
    if (s->lock < 0)
        rc = rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    free(path);
    for (int i = 0; rc == RB_OK && flock(s->lock, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            break; /* a file system without locks: the runs' journals still exclude each other */
        if (i == TRIES)
            rc = rb_fail(err, RB_USAGE,
                         "%s: another sweep works in this folder; wait for it, or choose another "
                         "folder with -o",
                         s->folder);
        nanosleep(&pause, NULL);
    }
    return rc;
}

static void write_row(FILE *out, const char *const *first, char *const *fields, size_t n)
{
    for (size_t i = 0; i < LIST_FIELDS; i++)
        fprintf(out, "%s%s", i > 0 ? "\t" : "", first[i]);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "\t%s", fields[i]);
    fputc('\n', out);
}

static rb_code_t write_list(const sweep_t *s, rb_err_t *err)
{
    out_file_t f;
    RB_TRY(out_file_open(&f, s->folder, list_name, err));
    write_row(f.out, list_columns, s->columns, s->n_columns);
    for (size_t i = 0; i < s->n_jobs; i++) {
        const sweep_job_t *job = &s->jobs[i];
        char number[24];
        snprintf(number, sizeof(number), "%zu", i + 1);
        write_row(f.out, (const char *const[]){number, job->id, job->command}, job->fields,
                  s->n_columns);
    }
    return out_file_close(&f, RB_OK, err);
}

typedef struct {
    const char *id;
    size_t job;
} job_key_t;

static int by_id(const void *a, const void *b)
{
    const job_key_t *x = a, *y = b;
    int c = strcmp(x->id, y->id);
    return c != 0 ? c : (x->job > y->job) - (x->job < y->job);
}

/* Finds equal jobs, which are run once. */
static void find_same(sweep_t *s)
{
    job_key_t *keys = rb_calloc(s->n_jobs, sizeof(*keys));
    for (size_t i = 0; i < s->n_jobs; i++)
        keys[i] = (job_key_t){s->jobs[i].id, i};
    qsort(keys, s->n_jobs, sizeof(*keys), by_id);
    for (size_t i = 0; i < s->n_jobs; i++) {
        bool again = i > 0 && strcmp(keys[i - 1].id, keys[i].id) == 0;
        s->jobs[keys[i].job].same = again ? s->jobs[keys[i - 1].job].same : keys[i].job;
    }
    free(keys);
}

rb_code_t sweep_begin(sweep_t *s, rb_err_t *err)
{
    bool made;
    char *jobs = out_path(s->folder, "jobs"), *run = out_path(s->folder, "run.json");
    rb_code_t rc = RB_OK;
    if (access(run, F_OK) == 0)
        rc = rb_fail(err, RB_USAGE,
                     "%s: has the results of a single run; choose another folder with -o",
                     s->folder);
    if (rc == RB_OK)
        rc = out_make_folder(jobs, &made, err);
    free(jobs);
    free(run);
    RB_TRY(rc);
    find_same(s);
    RB_TRY(take_lock(s, err));
    return write_list(s, err);
}

/* Splits a line at its tabs; returns the number of fields, at most FIELDS_MAX. */
static size_t split(char *line, char *field[FIELDS_MAX])
{
    size_t n = 0;
    while (n < FIELDS_MAX && (field[n] = strsep(&line, "\t")) != NULL)
        n++;
    return n;
}

static rb_code_t bad_list(const char *path, size_t line, rb_err_t *err)
{
    return rb_fail(err, RB_USAGE, "%s:%zu: not a line of a sweep's list of jobs", path, line);
}

static char **copy_texts(char *const *text, size_t n)
{
    char **copy = rb_calloc(n + 1, sizeof(*copy));
    for (size_t i = 0; i < n; i++)
        copy[i] = rb_strdup(text[i]);
    return copy;
}

/* "vecadd v100 l2.size=3MiB": the fields as text for people; the caller frees it. */
static char *make_label(const sweep_t *s, const sweep_job_t *job)
{
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    fprintf(out, "%s %s", job->fields[SWEEP_TRACE], job->fields[SWEEP_GPU]);
    for (size_t i = SWEEP_POINT; i < s->n_columns; i++) {
        if (job->fields[i][0] != '\0')
            fprintf(out, " %s=%s", s->columns[i], job->fields[i]);
    }
    return memory_file_close(&text, NULL);
}

static bool is_id(const char *text)
{
    return strlen(text) == SWEEP_ID - 1 && text[strspn(text, "0123456789abcdef")] == '\0';
}

static rb_code_t read_row(sweep_t *s, char *const *field, size_t n, const char *path, size_t line,
                          rb_err_t *err)
{
    if (n < LIST_FIELDS || n - LIST_FIELDS != s->n_columns || !is_id(field[LIST_ID]))
        return bad_list(path, line, err);
    rb_grow(&s->jobs, &s->cap_jobs, s->n_jobs + 1, sizeof(*s->jobs));
    sweep_job_t *job = &s->jobs[s->n_jobs++];
    *job = (sweep_job_t){.same = s->n_jobs - 1, .base = s->n_jobs - 1};
    snprintf(job->id, sizeof(job->id), "%s", field[LIST_ID]);
    job->command = rb_strdup(field[LIST_COMMAND]);
    job->fields = copy_texts(field + LIST_FIELDS, s->n_columns);
    job->label = make_label(s, job);
    char *jobs = out_path(s->folder, "jobs");
    job->folder = out_path(jobs, job->id);
    free(jobs);
    return RB_OK;
}

static rb_code_t read_list(sweep_t *s, FILE *in, const char *path, rb_err_t *err)
{
    char *field[FIELDS_MAX] = {NULL};
    text_lines_t lines = {.path = path, .in = in, .max = LINE_BYTES_MAX};
    bool more = true;
    rb_code_t rc = RB_OK;
    while (rc == RB_OK && (rc = text_lines_next(&lines, &more, err)) == RB_OK && more) {
        const size_t number = lines.number;
        size_t n = split(lines.text, field);
        if (lines.cut)
            rc = bad_list(path, number, err);
        else if (number > 1)
            rc = read_row(s, field, n, path, number, err);
        else if (n < LIST_FIELDS + SWEEP_POINT || strcmp(field[LIST_ID], "id") != 0)
            rc = bad_list(path, number, err);
        else {
            s->n_columns = n - LIST_FIELDS;
            s->columns = copy_texts(field + LIST_FIELDS, s->n_columns);
            s->split = strcmp(s->columns[s->n_columns - 1], sweep_part_column) == 0;
        }
    }
    if (rc == RB_OK && s->n_jobs == 0)
        rc = bad_list(path, lines.number, err);
    text_lines_free(&lines);
    return rc;
}

rb_code_t sweep_open(sweep_t *s, const char *folder, rb_err_t *err)
{
    char *path = out_path(folder, list_name);
    FILE *in = fopen(path, "re");
    *s = (sweep_t){.folder = rb_strdup(folder), .lock = -1};
    rb_code_t rc =
        in == NULL ? rb_fail(err, RB_USAGE, "%s: not the folder of a sweep: %s cannot be read (%s)",
                             folder, list_name, strerror(errno))
                   : read_list(s, in, path, err);
    if (in != NULL)
        fclose(in);
    free(path);
    if (rc == RB_OK)
        find_same(s);
    return rc;
}

/* Whether run.json of a folder belongs to a complete run; also false with an error. */
static bool is_complete(const char *folder, rb_err_t *err)
{
    char head[2048], *path = out_path(folder, "run.json");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? in_file_read(fd, head, sizeof(head) - 1, 0) : -1;
    if (n < 0 && errno != ENOENT && errno != ENOTDIR)
        rb_fail(err, RB_IO, "%s: cannot be read: %s", path, strerror(errno));
    free(path);
    if (fd >= 0)
        close(fd);
    head[n > 0 ? n : 0] = '\0';
    return strstr(head, "\"complete\": true") != NULL;
}

static bool has(const sweep_job_t *job, const char *ending)
{
    char *path = sweep_job_path(job, ending);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

static sweep_state_t state_of(const sweep_job_t *job, rb_err_t *err)
{
    run_status_t status;
    if (is_complete(job->folder, err))
        return SWEEP_DONE;
    if (run_status_read(job->folder, &status) && run_status_alive(job->folder, &status))
        return SWEEP_RUNNING;
    if (has(job, ".failed"))
        return SWEEP_FAILED;
    return has(job, "/journal") ? SWEEP_STOPPED : SWEEP_WAITING;
}

rb_code_t sweep_look(sweep_t *s, rb_err_t *err)
{
    rb_err_t why = {0};
    for (size_t i = 0; i < s->n_jobs; i++)
        s->jobs[i].state = state_of(&s->jobs[i], &why);
    return why.code == RB_OK ? RB_OK : rb_fail(err, why.code, "%s", why.text);
}

void sweep_await(sweep_t *s, size_t job)
{
    const struct timespec pause = {.tv_sec = 1};
    while ((s->jobs[job].state = state_of(&s->jobs[job], NULL)) == SWEEP_RUNNING)
        nanosleep(&pause, NULL);
}

bool sweep_is_whole(const sweep_t *s, size_t job, bool *ready)
{
    *ready = true;
    if (!s->split || sweep_is_part(s, job))
        return false;
    for (size_t i = job; i-- > 0 && sweep_is_part(s, i);)
        *ready = *ready && s->jobs[i].state == SWEEP_DONE;
    return true;
}

void sweep_count(const sweep_t *s, size_t count[SWEEP_STATES])
{
    memset(count, 0, SWEEP_STATES * sizeof(*count));
    for (size_t i = 0; i < s->n_jobs; i++)
        count[s->jobs[i].state]++;
}

/* The last line of a run's log, without "rubato: "; the caller frees it. */
static char *last_line(const sweep_job_t *job)
{
    char tail[2048], *path = sweep_job_path(job, ".log");
    FILE *in = fopen(path, "re");
    free(path);
    if (in == NULL)
        return rb_strdup("it left no message");
    if (fseek(in, -(long)(sizeof(tail) - 1), SEEK_END) != 0)
        rewind(in);
    size_t n = fread(tail, 1, sizeof(tail) - 1, in);
    fclose(in);
    while (n > 0 && (unsigned char)tail[n - 1] <= ' ')
        n--;
    tail[n] = '\0';
    const char *line = memrchr(tail, '\n', n);
    line = line != NULL ? line + 1 : tail;
    line += strncmp(line, "rubato: ", 8) == 0 ? 8 : 0;
    return rb_strdup(line[0] != '\0' ? line : "it left no message");
}

/* Why a run failed that ended with status; the caller frees the text. */
static char *why_failed(const sweep_job_t *job, int status)
{
    enum { SIGNALLED = 128 };
    char *said = last_line(job);
    char *text = status > SIGNALLED ? rb_format("killed by signal %d (%s)", status - SIGNALLED,
                                                strsignal(status - SIGNALLED))
                                    : rb_format("%s (exit status %d)", said, status);
    free(said);
    return text;
}

rb_code_t sweep_mark(sweep_t *s, size_t index, int status, rb_err_t *err)
{
    enum { STOPPED_STATUS = 75 };
    sweep_job_t *job = &s->jobs[index];
    rb_err_t why = {0};
    if (status == 0 && is_complete(job->folder, &why)) {
        job->state = SWEEP_DONE;
        return RB_OK;
    }
    if (why.code != RB_OK)
        return rb_fail(err, why.code, "%s", why.text);
    if (status == STOPPED_STATUS) {
        job->state = has(job, "/journal") ? SWEEP_STOPPED : SWEEP_WAITING;
        return RB_OK;
    }
    job->state = SWEEP_FAILED;
    free(job->reason); /* also kept in memory: the file may fail on a full disk */
    job->reason = why_failed(job, status);
    char name[SWEEP_ID + 8], *jobs = out_path(s->folder, "jobs");
    out_file_t f;
    snprintf(name, sizeof(name), "%s.failed", job->id);
    rb_code_t rc = out_file_open(&f, jobs, name, err);
    if (rc == RB_OK) {
        fprintf(f.out, "%s\n", job->reason);
        rc = out_file_close(&f, RB_OK, err);
    }
    free(jobs);
    return rc;
}

char *sweep_reason(const sweep_t *s, size_t index)
{
    if (s->jobs[index].reason != NULL)
        return rb_strdup(s->jobs[index].reason);
    char text[1024] = "", *path = sweep_job_path(&s->jobs[index], ".failed");
    FILE *in = fopen(path, "re");
    free(path);
    if (in != NULL) {
        if (fgets(text, sizeof(text), in) != NULL)
            text[strcspn(text, "\n")] = '\0';
        fclose(in);
    }
    return rb_strdup(text);
}
