/*
 * Checkpoints: the state of the chip between two launches, and the length of the journal at that
 * time.
 *
 * The previous checkpoint is kept, so that a damaged one only costs the launches since then.
 *
 * The file is always replaced as a whole: 8 bytes "rbckpt1
 * ", u64 length and u64 checksum of the rest: the run's identity, the numbers of checkpoint_t, the
 * image of gpu_save().
 */
#ifndef RUBATO_RUN_RUN_CHECKPOINT_H
#define RUBATO_RUN_RUN_CHECKPOINT_H

#include "sim/gpu/gpu.h"

typedef struct {
    uint64_t last_launch;    /* id of the last complete launch */
    uint64_t journal_length; /* length of the journal including this launch */
    double host_seconds, host_cpu_seconds;
    uint64_t host_peak_rss;
} checkpoint_t;

/* The newest checkpoint of a folder, and the previous one. */
enum { CHECKPOINTS = 2 };
extern const char *const checkpoint_names[CHECKPOINTS];

/* Writes a checkpoint, atomically and durably; the newest one so far becomes the previous one.
 * RB_IO. */
RB_CHECKED rb_code_t checkpoint_write(const char *folder, const char *identity,
                                      const checkpoint_t *c, const gpu_t *gpu, rb_err_t *err);

/* A checkpoint in memory. */
typedef struct {
    checkpoint_t at;
    char *body;        /* owned; NULL: there is no checkpoint */
    const void *image; /* image of the chip for gpu_load(); points into body */
    size_t n;
} checkpoint_image_t;

/*
 * Reads a checkpoint of a folder; if there is none, out->body is NULL. RB_USAGE if it belongs to
 * another run (trace, configuration, version, selection of launches); RB_IO if it is damaged or
 * inconsistent. The caller frees out, also after an error.
 */
RB_CHECKED rb_code_t checkpoint_read(const char *folder, const char *name, const char *identity,
                                     checkpoint_image_t *out, rb_err_t *err);
void checkpoint_free(checkpoint_image_t *c);

/* RB_USAGE with the first differing line of two identities. */
rb_code_t checkpoint_other_run(const char *folder, const char *mine, const char *theirs,
                               rb_err_t *err);

#endif
