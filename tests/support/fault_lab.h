/*
 * Runs a command again and again, each time with another call failing (tests/faults), and checks
 * what is said and what is left. All that the command writes is in the folder "work".
 */
#ifndef RUBATO_TESTS_FAULT_LAB_H
#define RUBATO_TESTS_FAULT_LAB_H

#include "tests/faults/fault_plan.h"
#include "tests/support/cli_child.h"

typedef struct {
    const char *binary, *preload; /* paths of rubato and of libfaults.so */
    const char *const *words;     /* of the command */
    const char *const *again;     /* of the one that completes what it has left */
    int refused, refused_too;     /* exit statuses that tell of a trouble with the environment */
    /* Patterns of fnmatch(), NULL at the end: */
    const char *const *state;    /* files that only an unfinished command leaves */
    const char *const *progress; /* files that tell how far it came: they differ until the end */
    const char *const *loose;    /* files whose content may differ from one run to the next */
    const char *const *foreign; /* programs, their files and what they say: not rubato's failures */
    /* Starts processes whose allocations and reads are those of another case: of all together one
     * in 61 fails, and of those of the first process one in three. */
    bool starts_others;
} fault_case_t;

/* Runs the command as it is; what it leaves is what all others are compared with. */
void fault_lab_begin(const fault_case_t *c);
void fault_lab_end(void);

/*
 * Every allocation of the command fails once; every call on a file does, each kind with its errors,
 * and every write and all later ones (the disk is full). Each time
 *   the exit status is `refused`, with a message that names the file; or 0 if the failure does not
 *     matter, and then everything is there;
 *   every file is whole or absent, and there is no temporary file;
 *   `again` gives status 0 and the same files.
 * What was left with the same names and sizes before is not completed again. Prints every problem;
 * fails the test if there is one.
 */
void fault_lab_allocations(const fault_case_t *c);
void fault_lab_files(const fault_case_t *c);

/* The main function of a test program of one case: both of the above. setup() makes the files that
 * the command reads; NULL: it needs none. */
int fault_lab_main(const fault_case_t *c, void (*setup)(void));

/* Runs a command with nothing failing; the changes of files go to a log (tests/faults/fault_log.h).
 * What it leaves in "work" moves to "whole". */
void fault_lab_record(const char *binary, const char *preload, const char *const *words,
                      const char *log);

#endif
