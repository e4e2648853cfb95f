#include "frontend/run/run_checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/io/out_file.h"
#include "frontend/run/journal.h"
#include "sim/core/alloc.h"

enum { MAGIC_BYTES = 8 };
static const char checkpoint_magic[MAGIC_BYTES + 1] = "rbckpt1\n";
static const char checkpoint_name[] = "checkpoint";

typedef struct {
    char magic[MAGIC_BYTES];
    uint64_t length, checksum;
} checkpoint_head_t;

rb_code_t checkpoint_other_run(const char *folder, const char *mine, const char *theirs,
                               rb_err_t *err)
{
    while (*mine != '\0' && *theirs != '\0') {
        size_t n = strcspn(mine, "\n"), m = strcspn(theirs, "\n");
        if (n != m || memcmp(mine, theirs, n) != 0)
            break;
        mine += n + (mine[n] == '\n');
        theirs += m + (theirs[m] == '\n');
    }
    return rb_fail(err, RB_USAGE,
                   "%s: cannot resume: it holds a run with '%.*s', this one has '%.*s'; --force "
                   "starts over",
                   folder, (int)strcspn(theirs, "\n"), theirs, (int)strcspn(mine, "\n"), mine);
}

rb_code_t checkpoint_write(const char *folder, const char *identity, const checkpoint_t *c,
                           const gpu_t *gpu, rb_err_t *err)
{
    char *body = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&body, &n);
    if (memory == NULL)
        return rb_fail(err, RB_NOMEM, "checkpoint: %s", strerror(errno));
    fwrite(identity, strlen(identity) + 1, 1, memory);
    fwrite(c, sizeof(*c), 1, memory);
    rb_code_t rc = gpu_save(gpu, memory, err);
    if (fclose(memory) != 0 && rc == RB_OK)
        rc = rb_fail(err, RB_NOMEM, "checkpoint: %s", strerror(errno));

    out_file_t file = {0};
    if (rc == RB_OK)
        rc = out_file_open(&file, folder, checkpoint_name, err);
    if (rc == RB_OK) {
        checkpoint_head_t head = {.length = n, .checksum = journal_checksum(n, body, n)};
        memcpy(head.magic, checkpoint_magic, MAGIC_BYTES);
        fwrite(&head, sizeof(head), 1, file.out);
        fwrite(body, n, 1, file.out);
        rc = out_file_close(&file, RB_OK, err);
    }
    free(body);
    return rc;
}

/* The whole body, owned by the caller; NULL with an error, or without one if there is no file. */
static char *read_body(const char *path, size_t *n, rb_err_t *err)
{
    FILE *in = fopen(path, "re");
    if (in == NULL) {
        if (errno != ENOENT)
            rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    checkpoint_head_t head;
    char *body = NULL;
    long size = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    rewind(in);
    bool good = size > (long)sizeof(head) && fread(&head, sizeof(head), 1, in) == 1 &&
                memcmp(head.magic, checkpoint_magic, MAGIC_BYTES) == 0 &&
                head.length == (uint64_t)size - sizeof(head);
    if (good) {
        body = rb_calloc(head.length + 1, 1);
        good = fread(body, head.length, 1, in) == 1 &&
               journal_checksum(head.length, body, head.length) == head.checksum;
        *n = head.length;
    }
    fclose(in);
    if (!good) {
        rb_fail(err, RB_IO, "%s: damaged, or of another version; --force starts over", path);
        free(body);
        return NULL;
    }
    return body;
}

static rb_code_t load_image(const char *path, char *image, size_t n, gpu_t *gpu, rb_err_t *err)
{
    FILE *memory = n > 0 ? fmemopen(image, n, "r") : NULL;
    if (memory == NULL)
        return rb_fail(err, RB_IO, "%s: holds no state", path);
    rb_code_t rc = gpu_load(gpu, memory, err);
    fclose(memory);
    return rc;
}

rb_code_t checkpoint_read(const char *folder, const char *identity, checkpoint_t *c, gpu_t *gpu,
                          bool *found, rb_err_t *err)
{
    size_t n = 0;
    char *path = out_path(folder, checkpoint_name);
    char *body = read_body(path, &n, err);
    rb_code_t rc = err->code;
    *found = body != NULL;
    if (body != NULL) {
        size_t head = strlen(body) + 1; /* a NUL follows the body in any case */
        if (strcmp(body, identity) != 0) {
            rc = checkpoint_other_run(folder, identity, body, err);
        } else if (n < head + sizeof(*c)) {
            rc = rb_fail(err, RB_IO, "%s: too short", path);
        } else {
            memcpy(c, body + head, sizeof(*c));
            head += sizeof(*c);
            rc = load_image(path, body + head, n - head, gpu, err);
        }
    }
    free(body);
    free(path);
    return rc;
}
