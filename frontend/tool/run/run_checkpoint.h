/*
 * Checkpoints: the state of the chip between two launches, and how far the journal had come.
 *
 * The one before the newest is kept: a damaged one costs the launches since, not the run.
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

/* The newest checkpoint of a folder, and the one before it. */
enum { CHECKPOINTS = 2 };
extern const char *const checkpoint_names[CHECKPOINTS];

/* Writes the newest one, atomically and durably; the newest so far becomes the one before. RB_IO.
 */
RB_CHECKED rb_code_t checkpoint_write(const char *folder, const char *identity,
                                      const checkpoint_t *c, const gpu_t *gpu, rb_err_t *err);

/* A checkpoint in memory. */
typedef struct {
    checkpoint_t at;
    char *body;        /* owned; NULL: there is none */
    const void *image; /* the chip's, for gpu_load(); in body */
    size_t n;
} checkpoint_image_t;

/*
 * Reads a checkpoint of a folder; without one out->body is NULL. RB_USAGE if it belongs to another
 * run (trace, configuration, version, selection of launches); RB_IO if it is damaged or says what
 * cannot be. out is to be freed in any case.
 */
RB_CHECKED rb_code_t checkpoint_read(const char *folder, const char *name, const char *identity,
                                     checkpoint_image_t *out, rb_err_t *err);
void checkpoint_free(checkpoint_image_t *c);

/* RB_USAGE with the first line in which two identities differ. */
rb_code_t checkpoint_other_run(const char *folder, const char *mine, const char *theirs,
                               rb_err_t *err);

#endif
