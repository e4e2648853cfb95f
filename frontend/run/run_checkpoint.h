/*
 * Checkpoints: the state of the chip between two launches, and how far the journal had come.
 *
 * A file that is replaced whole: 8 bytes "rbckpt1\n", u64 length and u64 checksum of the rest: the
 * run's identity, the numbers of checkpoint_t, the image of gpu_save().
 */
#ifndef RUBATO_RUN_RUN_CHECKPOINT_H
#define RUBATO_RUN_RUN_CHECKPOINT_H

#include "sim/gpu/gpu.h"

typedef struct {
    uint64_t last_launch;    /* id of the launch that was complete */
    uint64_t journal_length; /* records of the journal that belong to it */
    double host_seconds, host_cpu_seconds;
    uint64_t host_peak_rss;
} checkpoint_t;

/* Writes folder/checkpoint, atomically and durably. RB_IO. */
RB_CHECKED rb_code_t checkpoint_write(const char *folder, const char *identity,
                                      const checkpoint_t *c, const gpu_t *gpu, rb_err_t *err);

/*
 * Reads folder/checkpoint and loads the chip. *found is false if there is none. RB_USAGE if it
 * belongs to another run (trace, configuration, version, selection of launches); RB_IO if damaged.
 */
RB_CHECKED rb_code_t checkpoint_read(const char *folder, const char *identity, checkpoint_t *c,
                                     gpu_t *gpu, bool *found, rb_err_t *err);

/* RB_USAGE with the first line in which two identities differ. */
rb_code_t checkpoint_other_run(const char *folder, const char *mine, const char *theirs,
                               rb_err_t *err);

#endif
