/* Reads the folder of a sweep, for tests of the binary. */
#ifndef RUBATO_TESTS_SWEEP_FILES_H
#define RUBATO_TESTS_SWEEP_FILES_H

void sweep_write(const char *path, const char *text);

/* The field of a job in jobs.tsv, both from 0 (job 0: the names); to be freed. */
char *sweep_job_field(const char *folder, int job, int field);

/* "FOLDER/jobs/ID" of a job, from 1; valid until the next call. */
const char *sweep_job_folder(const char *folder, int job);

/* Waits until the first job has written at least one launch into its journal. */
void sweep_await_journal(const char *folder);

#endif
