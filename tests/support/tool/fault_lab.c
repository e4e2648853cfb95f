#include "tests/support/tool/fault_lab.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "tests/support/file_tree.h"
#include "tests/support/test.h"

typedef struct {
    fault_kind_t kind;
    int error;
    bool onwards;
} fault_t;

static const char work[] = "work", whole[] = "whole";

static fault_plan_t *plan;
static unsigned problems, completions, crashes;
static struct {
    char **text; /* owned */
    size_t n, cap;
} seen;

static const char *const kind_names[FAULT_KINDS] = {
    "none", "allocation", "open", "read",   "write", "close",
    "sync", "rename",     "map",  "unlink", "mkdir", "truncate",
};

static void map_plan(void)
{
    char path[PATH_MAX];
    int fd = open("plan", O_RDWR | O_CREAT | O_TRUNC, 0666);

    assert_true(fd >= 0 && ftruncate(fd, sizeof(*plan)) == 0);
    plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(plan != MAP_FAILED && realpath("plan", path) != NULL);
    close(fd);
    setenv(FAULT_PLAN_VARIABLE, path, 1);
}

static cli_result_t run_in_new_folder(const fault_case_t *c)
{
    const cli_child_t child = {.binary = c->binary, .preload = c->preload, .hurried = true};

    (void)file_tree_remove(work);
    mkdir(work, 0777);
    return cli_run(&child, c->words);
}

/* Runs the command without failures. Its files become the reference, in the folder "whole". */
static void run_undisturbed(const fault_case_t *c)
{
    cli_result_t r = run_in_new_folder(c);
    if (r.status != 0)
        print_error("%s", r.err);
    assert_int_equal(r.status, 0);
    cli_free(&r);
    (void)file_tree_remove(whole);
    assert_int_equal(rename(work, whole), 0);
    problems = 0;
}

void fault_lab_begin(const fault_case_t *c)
{
    map_plan();
    run_undisturbed(c);
}

static void forget_seen(void)
{
    for (size_t i = 0; i < seen.n; i++)
        free(seen.text[i]);
    free(seen.text);
    memset(&seen, 0, sizeof(seen));
}

void fault_lab_end(void)
{
    munmap(plan, sizeof(*plan));
    forget_seen();
}

/* Whether the text was not seen before. Takes ownership of the text. */
static bool is_new(char *text)
{
    for (size_t i = 0; i < seen.n; i++) {
        if (strcmp(seen.text[i], text) == 0) {
            free(text);
            return false;
        }
    }
    rb_grow(&seen.text, &seen.cap, seen.n + 1, sizeof(*seen.text));
    seen.text[seen.n++] = text;
    return true;
}

/* One run of the command. */
typedef struct {
    const fault_case_t *c;
    fault_t f;
    uint64_t n;
    cli_result_t r;
} trial_t;

static void problem(const trial_t *t, const char *what, const char *about)
{
    print_error("%s %llu%s (%s) of '%s' from %s: %s%s; status %d, it said: %s\n",
                kind_names[t->f.kind], (unsigned long long)t->n, t->f.onwards ? " and later" : "",
                t->f.error > 0 ? strerror(t->f.error) : "a part", plan->path, plan->library, what,
                about, t->r.status, t->r.err);
    problems++;
}

/* The name that a message must contain for a file: that of the final file if path is temporary. */
static void name_of(const char *path, char name[FAULT_TEXT])
{
    static const char unnamed[] = " (deleted)", random[] = "XXXXXX";
    char *slash, *end;

    snprintf(name, FAULT_TEXT, "%s", path);
    if ((end = strstr(name, unnamed)) != NULL)
        *end = '\0';
    slash = strrchr(name, '/');
    if ((end = strstr(name, random)) != NULL) {
        if (end[-1] == '.')
            end[-1] = '\0'; /* FILE.XXXXXX */
        else if (slash != NULL)
            *slash = '\0'; /* FOLDER/rubato-XXXXXX */
        slash = strrchr(name, '/');
    }
    if (slash != NULL)
        memmove(name, slash + 1, strlen(slash + 1) + 1);
    end = name + strlen(name) - 4;
    if (name[0] == '.' && end > name && strcmp(end, ".tmp") == 0) {
        *end = '\0';
        memmove(name, name + 1, strlen(name));
    }
    if (strcmp(name, ".stdout") == 0)
        strcpy(name, "standard output");
}

static bool names(const trial_t *t, const char *path)
{
    char name[FAULT_TEXT];

    name_of(path, name);
    /* Pipes (pipe:[123]) and /dev/null need no message: the user did not name them. */
    return strchr(name, ':') != NULL || strcmp(path, "/dev/null") == 0 ||
           strstr(t->r.err, name) != NULL;
}

static bool has_message(const trial_t *t)
{
    if (strstr(t->r.err, "rubato: ") == NULL)
        return false;
    if (t->f.kind == FAULT_ALLOC)
        return strstr(t->r.err, "memory") != NULL;
    if (t->f.onwards) /* the command may report a later failure, of another file */
        return strstr(t->r.err, strerror(t->f.error)) != NULL;
    return names(t, plan->path) || (plan->second[0] != '\0' && names(t, plan->second));
}

/*
 * Whether rubato must handle the failure. libconfig before version 1.7 does not check its
 * allocations, so the process may crash there; the files that it leaves are still checked.
 */
static bool is_ours(const trial_t *t)
{
    if (t->f.kind == FAULT_ALLOC && strstr(plan->library, "libconfig") != NULL) {
        crashes++;
        return false;
    }
    return !file_tree_matches(plan->library, t->c->foreign) &&
           !file_tree_matches(plan->path, t->c->foreign) &&
           !file_tree_matches(t->r.err, t->c->foreign);
}

static void check_message(const trial_t *t)
{
    if (t->r.status == 0)
        return;
    if (t->r.status != t->c->refused && t->r.status != t->c->refused_too)
        problem(t, "wrong exit status", "");
    else if (!has_message(t))
        problem(t, "no message with the file", "");
}

static bool is_in_whole(const char *name)
{
    char path[FAULT_TEXT];

    snprintf(path, sizeof(path), "%s/%s", whole, name);
    return cli_exists(path);
}

/* Reports files that differ from the reference, and files that a failure may not leave. */
static void check_left(const trial_t *t)
{
    file_tree_t left = file_tree_list(work);

    for (size_t i = 0; i < left.n; i++) {
        const char *name = left.path[i];
        if (file_tree_matches(name, t->c->loose) || file_tree_matches(name, t->c->progress) ||
            file_tree_matches(name, t->c->state))
            continue;
        if (is_in_whole(name) && !file_tree_same_file(whole, work, name))
            problem(t, "half written: ", name);
        if (!is_in_whole(name) && t->f.kind != FAULT_UNLINK)
            problem(t, "left behind: ", name);
    }
    file_tree_free(&left);
}

/* The first file of the reference that is missing or different; NULL if there is none. The caller
 * frees it. */
static char *first_missing(const fault_case_t *c)
{
    file_tree_t t = file_tree_list(whole);
    char *found = NULL;

    for (size_t i = 0; i < t.n && found == NULL; i++) {
        if (!file_tree_matches(t.path[i], c->loose) && !file_tree_same_file(whole, work, t.path[i]))
            found = rb_strdup(t.path[i]);
    }
    file_tree_free(&t);
    return found;
}

static void check_whole(const trial_t *t)
{
    char *missing = first_missing(t->c);

    if (missing != NULL)
        problem(t, "missing or different: ", missing);
    free(missing);
}

/* Reports files that the reference does not have. */
static void check_clean(const trial_t *t)
{
    file_tree_t left = file_tree_list(work);

    for (size_t i = 0; i < left.n; i++) {
        if (!is_in_whole(left.path[i]) && !file_tree_matches(left.path[i], t->c->loose))
            problem(t, "too much: ", left.path[i]);
    }
    file_tree_free(&left);
}

/* Completes what the failed command left, and compares the result with the reference. */
static void complete(const trial_t *failed)
{
    const cli_child_t child = {.binary = failed->c->binary, .hurried = true};
    trial_t t = *failed;

    t.r = cli_run(&child, t.c->again);
    completions++;
    if (t.r.status != 0)
        problem(&t, "cannot be completed", "");
    check_whole(&t);
    if (t.f.kind != FAULT_UNLINK)
        check_clean(&t);
    cli_free(&t.r);
}

/* Makes the n-th call fail. Returns false if there is no such call. */
static bool try_one(const fault_case_t *c, fault_t f, uint64_t n, bool first_only)
{
    *plan = (fault_plan_t){
        .kind = f.kind, .nth = n, .onwards = f.onwards, .error = f.error, .first_only = first_only};
    trial_t t = {.c = c, .f = f, .n = n, .r = run_in_new_folder(c)};
    const bool failed = plan->failed > 0;

    if (!failed && t.r.status != 0)
        problem(&t, "fails where no call fails", "");
    if (failed && is_ours(&t))
        check_message(&t);
    check_left(&t);
    if (t.r.status == 0)
        check_whole(&t);
    char *missing = first_missing(c);
    if (missing != NULL && is_new(file_tree_sizes(work, c->loose)))
        complete(&t);
    free(missing);
    cli_free(&t.r);
    return failed;
}

/* Makes every step-th call fail, each in a run of its own. */
static void every(const fault_case_t *c, fault_t f, uint64_t step, bool first_only)
{
    uint64_t n = 1, tried = 0;

    completions = crashes = 0;
    for (; try_one(c, f, n, first_only); n += step)
        tried++;
    print_message("%s%s, %s%s: %llu of %llu calls, %u states completed\n", kind_names[f.kind],
                  f.onwards ? " and all later" : "", f.error > 0 ? strerror(f.error) : "a part",
                  first_only ? ", first process" : "", (unsigned long long)tried,
                  (unsigned long long)(n - 1), completions);
    if (crashes > 0)
        print_message("%u of them were of libconfig, and may crash\n", crashes);
}

static void fail_of_problems(void)
{
    if (problems > 0)
        fail_msg("%u problems", problems);
}

/* For allocations and reads: leaves out some if there are too many. */
static void every_of_many(const fault_case_t *c, fault_t f)
{
    enum { STEP_FIRST = 1, STEP_ALL = 11 };

    every(c, f, c->starts_others ? STEP_FIRST : 1, c->starts_others);
    if (c->starts_others)
        every(c, f, STEP_ALL, false);
}

void fault_lab_allocations(const fault_case_t *c)
{
    every_of_many(c, (fault_t){FAULT_ALLOC, ENOMEM, false});
    fail_of_problems();
}

void fault_lab_files(const fault_case_t *c)
{
    static const fault_t faults[] = {
        {FAULT_OPEN, EMFILE, false},       {FAULT_WRITE, EIO, false},
        {FAULT_WRITE, FAULT_SHORT, false}, {FAULT_WRITE, ENOSPC, true},
        {FAULT_CLOSE, EIO, false},         {FAULT_SYNC, EIO, false},
        {FAULT_RENAME, EIO, false},        {FAULT_MAP, ENOMEM, false},
        {FAULT_UNLINK, EACCES, false},     {FAULT_MKDIR, EACCES, false},
        {FAULT_TRUNCATE, EIO, false},
    };

    every_of_many(c, (fault_t){FAULT_READ, EIO, false});
    every_of_many(c, (fault_t){FAULT_READ, FAULT_SHORT, false});
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        every(c, faults[i], 1, false);
    fail_of_problems();
}

void fault_lab_record(const char *binary, const char *preload, const char *const *words,
                      const char *log)
{
    const fault_case_t c = {.binary = binary, .preload = preload, .words = words};

    map_plan();
    snprintf(plan->log, sizeof(plan->log), "%s", log);
    run_undisturbed(&c);
    munmap(plan, sizeof(*plan));
}

/* --- a program with one case ------------------------------------------------------------------ */

static const fault_case_t *tried;
static void (*make_files)(void);

static int begin(void **state)
{
    if (cli_begin(state) != 0)
        return -1;
    if (make_files != NULL)
        make_files();
    fault_lab_begin(tried);
    return 0;
}

static int end(void **state)
{
    fault_lab_end();
    return cli_end(state);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    fault_lab_allocations(tried);
}

static void every_call_on_a_file_fails_once(void **state)
{
    (void)state;
    fault_lab_files(tried);
}

int fault_lab_main(const fault_case_t *c, void (*setup)(void))
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(every_call_on_a_file_fails_once),
    };
    tried = c;
    make_files = setup;
    return cmocka_run_group_tests(tests, begin, end);
}
