/*
 * Where a sweep works: the folder that it was asked for, or else one under the folder of temporary
 * files, which goes at the end. What is worth continuing stays, and its name is said.
 */
#ifndef RUBATO_STUDY_SWEEP_PLACE_H
#define RUBATO_STUDY_SWEEP_PLACE_H

#include "frontend/tool/study/sweep.h"

typedef struct {
    char *folder; /* owned */
    bool temporary, said;
} sweep_place_t;

/* folder: asked for; NULL: none. A folder that was asked for is not made here. RB_IO. */
RB_CHECKED rb_code_t sweep_place_open(sweep_place_t *p, const char *folder, const char *tmpdir,
                                      rb_err_t *err);

/* The sweep begins: says once where it works if that is temporary; results: what -o keeps. */
void sweep_place_say(sweep_place_t *p, const char *results);

/*
 * Frees p and removes a temporary folder, unless the sweep, which has let go of it, is not complete
 * and jobs of it are done or stopped. Harmless on a zeroed p.
 */
void sweep_place_close(sweep_place_t *p, const sweep_t *s, bool complete);

#endif
