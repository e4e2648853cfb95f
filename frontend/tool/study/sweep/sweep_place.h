/*
 * The folder in which a sweep works: the requested one, or a temporary folder that is removed at
 * the end. If the sweep could be continued, the temporary folder stays and its name is printed.
 */
#ifndef RUBATO_STUDY_SWEEP_PLACE_H
#define RUBATO_STUDY_SWEEP_PLACE_H

#include "frontend/tool/study/sweep/sweep.h"

typedef struct {
    char *folder; /* owned */
    bool temporary, said;
} sweep_place_t;

/* folder: the requested one; NULL: none. A requested folder is not created here. RB_IO. */
RB_CHECKED rb_code_t sweep_place_open(sweep_place_t *p, const char *folder, const char *tmpdir,
                                      rb_err_t *err);

/* Call it when the sweep begins: if the folder is temporary, prints its name once; results: what -o
 * would keep. */
void sweep_place_say(sweep_place_t *p, const char *results);

/*
 * Frees p and removes a temporary folder, unless the sweep is incomplete and some of its jobs are
 * done or stopped; the sweep must have released it. Does nothing for a zeroed p.
 */
void sweep_place_close(sweep_place_t *p, const sweep_t *s, bool complete);

#endif
