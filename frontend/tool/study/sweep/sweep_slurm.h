/* A sweep as an array job of Slurm: one task per job, each resumable. */
#ifndef RUBATO_STUDY_SWEEP_SLURM_H
#define RUBATO_STUDY_SWEEP_SLURM_H

#include "frontend/tool/study/sweep/sweep.h"

typedef struct {
    const char *partition; /* NULL: Slurm's default */
    uint64_t max_parallel; /* tasks at a time; 0: as many as Slurm gives */
} slurm_options_t;

/*
 * Writes DIR/slurm.sh and submits the jobs that are neither done nor running with sbatch. RB_IO if
 * sbatch cannot be run or fails; the script is kept.
 */
RB_CHECKED rb_code_t sweep_slurm(sweep_t *s, const slurm_options_t *o, rb_err_t *err);

#endif
