/* The sections of a page that show the observations of detectors. They follow other sections. */
#ifndef RUBATO_STUDY_REPORT_DETECTORS_H
#define RUBATO_STUDY_REPORT_DETECTORS_H

#include <stdio.h>

#include "sim/core/err.h"

/* Writes the section of a run if its folder has a detectors.json; title: of the run. RB_TRACE,
 * RB_IO. */
RB_CHECKED rb_code_t report_detectors_run(FILE *out, const char *folder, const char *title,
                                          rb_err_t *err);

/* Writes a section for each job with a detectors.json in the folder of a sweep or an evaluation. */
RB_CHECKED rb_code_t report_detectors_jobs(FILE *out, const char *folder, rb_err_t *err);

#endif
