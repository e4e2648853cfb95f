/*
 * Runs a command many times, each time with another failing call (tests/faults), and checks its
 * messages and the files that it leaves. The command must write only into the folder "work".
 */
#ifndef RUBATO_TESTS_FAULT_LAB_H
#define RUBATO_TESTS_FAULT_LAB_H

#include "tests/faults/fault_plan.h"
#include "tests/support/tool/cli_child.h"

typedef struct {
    const char *binary, *preload; /* paths of rubato and of libfaults.so */
    const char *const *words;     /* arguments of the command */
    const char *const *again;     /* arguments of the command that completes an unfinished one */
    int refused, refused_too;     /* exit statuses allowed after a failure */
    /* Patterns of fnmatch(), NULL at the end: */
    const char *const *state;    /* files that only an unfinished command leaves */
    const char *const *progress; /* files that change until the command ends */
    const char *const *loose;    /* files whose content may differ from one run to the next */
    const char *const *foreign;  /* programs, files, messages: their failures are not rubato's */
    /* The command starts processes whose allocations and reads another case covers. To save time,
     * every third of those of the first process fails, and every 61st of all processes. */
    bool starts_others;
} fault_case_t;

/* Runs the command without failures. Its files are the reference for all later runs. */
void fault_lab_begin(const fault_case_t *c);
void fault_lab_end(void);

/*
 * fault_lab_allocations() makes allocations fail one at a time: of each chain of callers the 1st,
 * 2nd, 4th, 8th and so on. fault_lab_files() does the same with reads, and makes every other call on
 * a file fail once, with the errors of its kind, and every write together with all later ones (disk
 * full). After each run
 *   the exit status is `refused`, with a message that names the file, or 0 with a complete result;
 *   every file is complete or absent, and no temporary file is left;
 *   `again` returns 0 and completes to the reference files.
 * `again` is skipped if an earlier run left files of the same names and sizes. Both functions print
 * every problem, and fail the test if there is one.
 */
void fault_lab_allocations(const fault_case_t *c);
void fault_lab_files(const fault_case_t *c);

/* The main function of a test program with one case: runs both functions above. setup() makes the
 * files that the command reads; it may be NULL. */
int fault_lab_main(const fault_case_t *c, void (*setup)(void));

/* Runs a command without failures and logs its changes of files (tests/faults/fault_log.h). Then
 * renames "work" to "whole". */
void fault_lab_record(const char *binary, const char *preload, const char *const *words,
                      const char *log);

#endif
