#include "frontend/input/rbt/write/rbt_pack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "sim/core/files/new_file.h"
#include "sim/core/files/temporary.h"

enum { THREADS_MAX = 64, JOBS_PER_THREAD = 3, LEVEL_DEFAULT = 6 };
enum { CUT_BYTES = 8 }; /* bytes that a cut may add to zstd's bound */

typedef struct {
    rbt_buf_t plain, packed;
    rbt_cuts_t cuts;
    uint64_t checksum;
    size_t failed; /* zstd's error code; 0: success */
    bool done;
} job_t;

/* Jobs [written, added) are queued or in progress; those below taken have a thread. */
struct rbt_pack {
    char *path, *temporary; /* owned */
    bool overwrite;
    int fd, level;
    uint64_t offset;
    rbt_placed_fn placed;
    void *ctx;
    ZSTD_CCtx *packer; /* of the caller's thread */
    rbt_buf_t now;
    unsigned n_threads;
    pthread_t threads[THREADS_MAX];
    job_t *jobs; /* owned ring */
    size_t n_jobs;
    uint64_t added, taken, written;
    bool stop;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
};

/* --- packing --------------------------------------------------------------------------------- */

static ZSTD_CCtx *create_packer(int level)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();

    if (c != NULL) {
        ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    }
    return c;
}

/*
 * Returns 0 or zstd's error. A flush ends zstd's block: the following bytes get their own literal
 * statistics.
 */
static size_t pack_bytes(ZSTD_CCtx *packer, const rbt_buf_t *plain, const rbt_cuts_t *cuts,
                         rbt_buf_t *packed)
{
    packed->n = 0;
    size_t bound = ZSTD_compressBound(plain->n) + RBT_CUTS_MAX * (size_t)CUT_BYTES;
    ZSTD_outBuffer out = {.dst = rbt_buf_room(packed, bound), .size = bound};
    ZSTD_inBuffer in = {.src = plain->p};
    size_t left = ZSTD_CCtx_reset(packer, ZSTD_reset_session_only);

    if (!ZSTD_isError(left))
        left = ZSTD_CCtx_setPledgedSrcSize(packer, plain->n);
    for (unsigned i = 0; i <= cuts->n && !ZSTD_isError(left); i++) {
        in.size = i < cuts->n ? cuts->at[i] : plain->n;
        left = ZSTD_compressStream2(packer, &out, &in, i < cuts->n ? ZSTD_e_flush : ZSTD_e_end);
    }
    RB_INVARIANT(ZSTD_isError(left) || left == 0, "a packed frame has no room");
    packed->n = out.pos;
    return left;
}

static void pack_job(ZSTD_CCtx *packer, job_t *job)
{
    job->failed = pack_bytes(packer, &job->plain, &job->cuts, &job->packed);
    job->checksum = rbt_checksum(job->packed.p, job->packed.n);
}

static void *work(void *arg)
{
    rbt_pack_t *p = arg;
    ZSTD_CCtx *packer = create_packer(p->level);

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->stop && p->taken == p->added)
            pthread_cond_wait(&p->work, &p->lock);
        if (p->stop)
            break;
        job_t *job = &p->jobs[p->taken++ % p->n_jobs];

        pthread_mutex_unlock(&p->lock);
        if (packer != NULL)
            pack_job(packer, job);
        pthread_mutex_lock(&p->lock);
        if (packer == NULL)
            job->failed = (size_t)-1;
        job->done = true;
        pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    ZSTD_freeCCtx(packer);
    return NULL;
}

static void stop_threads(rbt_pack_t *p)
{
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->n_threads; i++)
        pthread_join(p->threads[i], NULL);
    p->n_threads = 0;
}

/* --- the file -------------------------------------------------------------------------------- */

static rb_code_t fail_system(const rbt_pack_t *p, rb_err_t *err)
{
    return rb_fail(err, RB_IO, "%s: %s", p->temporary, strerror(errno));
}

rb_code_t rbt_pack_raw(rbt_pack_t *p, const void *data, size_t n, rb_err_t *err)
{
    const char *from = data;

    for (size_t at = 0; at < n;) {
        ssize_t done = write(p->fd, from + at, n - at);

        if (done < 0 && errno != EINTR)
            return fail_system(p, err);
        at += done > 0 ? (size_t)done : 0;
    }
    p->offset += n;
    return RB_OK;
}

static rb_code_t append(rbt_pack_t *p, const rbt_buf_t *packed, size_t unpacked, uint64_t checksum,
                        rbt_place_t *place, rb_err_t *err)
{
    *place = (rbt_place_t){
        .offset = p->offset, .packed = packed->n, .unpacked = unpacked, .checksum = checksum};
    return rbt_pack_raw(p, packed->p, packed->n, err);
}

rb_code_t rbt_pack_now(rbt_pack_t *p, const rbt_buf_t *bytes, rbt_place_t *place, rb_err_t *err)
{
    size_t failed = pack_bytes(p->packer, bytes, &(rbt_cuts_t){0}, &p->now);

    if (failed != 0)
        return rb_fail(err, RB_NOMEM, "zstd: %s", ZSTD_getErrorName(failed));
    return append(p, &p->now, bytes->n, rbt_checksum(p->now.p, p->now.n), place, err);
}

/* Waits for the oldest job and writes its result. */
static rb_code_t write_oldest(rbt_pack_t *p, rb_err_t *err)
{
    job_t *job = &p->jobs[p->written % p->n_jobs];
    rbt_place_t place;

    if (p->n_threads == 0 && p->taken == p->written) {
        pack_job(p->packer, job);
        p->taken++;
        job->done = true;
    }
    pthread_mutex_lock(&p->lock);
    while (!job->done)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
    p->written++;
    if (job->failed != 0)
        return rb_fail(err, RB_NOMEM, "zstd: %s", ZSTD_getErrorName(job->failed));
    RB_TRY(append(p, &job->packed, job->plain.n, job->checksum, &place, err));
    return p->placed(p->ctx, &place, err);
}

rb_code_t rbt_pack_add(rbt_pack_t *p, rbt_buf_t *bytes, const rbt_cuts_t *cuts, rb_err_t *err)
{
    if (p->added - p->written == p->n_jobs)
        RB_TRY(write_oldest(p, err));
    job_t *job = &p->jobs[p->added % p->n_jobs];
    rbt_buf_t empty = job->plain;

    job->plain = *bytes;
    empty.n = 0;
    *bytes = empty;
    job->cuts = *cuts;
    job->done = false;
    pthread_mutex_lock(&p->lock);
    p->added++;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
    return p->n_threads == 0 ? write_oldest(p, err) : RB_OK;
}

rb_code_t rbt_pack_drain(rbt_pack_t *p, rb_err_t *err)
{
    while (p->written < p->added)
        RB_TRY(write_oldest(p, err));
    return RB_OK;
}

static void start_threads(rbt_pack_t *p, unsigned threads)
{
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    if (threads > 1)
        while (p->n_threads < threads &&
               pthread_create(&p->threads[p->n_threads], NULL, work, p) == 0)
            p->n_threads++;
}

/* Creates a file with an unused name beside path. */
static int create_temporary(rbt_pack_t *p)
{
    static const char suffix[] = ".XXXXXX";
    size_t n = strlen(p->path);

    p->temporary = rb_calloc(n + sizeof(suffix), 1);
    memcpy(p->temporary, p->path, n);
    memcpy(p->temporary + n, suffix, sizeof(suffix));
    const int fd = mkostemp(p->temporary, O_CLOEXEC);
    if (fd >= 0)
        temporary_add(p->temporary);
    return fd;
}

static void destroy(rbt_pack_t *p)
{
    if (p->n_threads > 0)
        stop_threads(p);
    for (size_t i = 0; i < p->n_jobs; i++) {
        free(p->jobs[i].plain.p);
        free(p->jobs[i].packed.p);
    }
    if (p->fd >= 0)
        close(p->fd);
    ZSTD_freeCCtx(p->packer);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->done);
    free(p->now.p);
    free(p->jobs);
    temporary_drop(p->temporary);
    free(p->temporary);
    free(p->path);
    free(p);
}

rbt_pack_t *rbt_pack_create(const char *path, const rbt_writer_options_t *o, rbt_placed_fn placed,
                            void *ctx, rb_err_t *err)
{
    char *name = new_file_name(path, o->overwrite, err);

    if (name == NULL)
        return NULL;
    rbt_pack_t *p = rb_calloc(1, sizeof(*p));

    p->path = name;
    p->overwrite = o->overwrite;
    p->level = o->level != 0 ? o->level : LEVEL_DEFAULT;
    p->placed = placed;
    p->ctx = ctx;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    p->packer = create_packer(p->level);
    p->fd = create_temporary(p);
    if (p->fd < 0 || p->packer == NULL) {
        if (p->fd < 0)
            rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
        else
            rb_fail(err, RB_NOMEM, "no memory for zstd");
        rbt_pack_discard(p);
        return NULL;
    }
    p->n_jobs = o->threads > 1 ? (size_t)JOBS_PER_THREAD * o->threads : 1;
    p->jobs = rb_calloc(p->n_jobs, sizeof(*p->jobs));
    start_threads(p, o->threads);
    return p;
}

/* Gives the file the permissions of an ordinary new file. */
static void set_rights(int fd)
{
    mode_t mask = umask(0);

    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
}

rb_code_t rbt_pack_commit(rbt_pack_t *p, rb_err_t *err)
{
    rb_code_t code = RB_OK;

    set_rights(p->fd);
    if (fsync(p->fd) != 0)
        code = fail_system(p, err);
    if (code == RB_OK && p->overwrite && rename(p->temporary, p->path) != 0)
        code = fail_system(p, err);
    if (code == RB_OK && !p->overwrite && link(p->temporary, p->path) != 0) {
        code = new_file_check(p->path, false, err); /* may have appeared in the meantime */
        if (code == RB_OK)
            code = rb_fail(err, RB_IO, "%s: %s", p->path, strerror(errno));
    }
    if (code != RB_OK || !p->overwrite)
        unlink(p->temporary);
    if (code == RB_OK)
        new_file_sync_folder_of(p->path);
    destroy(p);
    return code;
}

const char *rbt_pack_temporary(const rbt_pack_t *p)
{
    return p->temporary;
}

void rbt_pack_discard(rbt_pack_t *p)
{
    if (p == NULL)
        return;
    if (p->fd >= 0)
        unlink(p->temporary);
    destroy(p);
}
