#include "frontend/tool/run/run_checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/run/journal.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/files/new_file.h"

enum { MAGIC_BYTES = 8 };
static const char checkpoint_magic[MAGIC_BYTES + 1] = "rbckpt1\n";
const char *const checkpoint_names[CHECKPOINTS] = {"checkpoint", "checkpoint.previous"};

typedef struct {
    char magic[MAGIC_BYTES];
    uint64_t length, checksum;
} checkpoint_head_t;

/* What a difference in a line of the identity means. */
static const char *meaning(const char *line)
{
    static const char *const words[][2] = {
        {"rubato ", "another version of rubato"},
        {"program ", "another build of rubato"},
        {"config ", "another configuration"},
        {"trace ", "another trace (its list, the names of its files, or the machine code with it)"},
        {"launches ", "other launches"},
        {"interval ", "another --stats-interval"},
        {"limit ", "another --cycles or --max-insts"},
        {"plan ", "another plan or sampler of launches"},
        {"inside ", "other samplers inside launches"},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(line, words[i][0], strlen(words[i][0])) == 0)
            return words[i][1];
    return "another run";
}

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
                   "%s: cannot resume: it has a run with %s ('%.*s', this one has '%.*s'); --force "
                   "starts over",
                   folder, meaning(theirs), (int)strcspn(theirs, "\n"), theirs,
                   (int)strcspn(mine, "\n"), mine);
}

/* Renames the newest checkpoint to the previous one. */
static rb_code_t keep_previous(const char *folder, rb_err_t *err)
{
    char *newest = out_path(folder, checkpoint_names[0]);
    char *previous = out_path(folder, checkpoint_names[1]);
    rb_code_t rc = RB_OK;
    if (rename(newest, previous) != 0 && errno != ENOENT)
        rc = rb_fail(err, RB_IO, "%s: cannot rename: %s", newest, strerror(errno));
    free(newest);
    free(previous);
    return rc;
}

rb_code_t checkpoint_write(const char *folder, const char *identity, const checkpoint_t *c,
                           const gpu_t *gpu, rb_err_t *err)
{
    memory_file_t memory;
    size_t n;
    FILE *image = memory_file_open(&memory);
    fwrite(identity, strlen(identity) + 1, 1, image);
    fwrite(c, sizeof(*c), 1, image);
    rb_code_t rc = gpu_save(gpu, image, err);
    char *body = memory_file_close(&memory, &n);

    out_file_t file = {0};
    if (rc == RB_OK)
        rc = out_file_open(&file, folder, checkpoint_names[0], err);
    if (rc == RB_OK) {
        checkpoint_head_t head = {.length = n, .checksum = journal_checksum(n, body, n)};
        memcpy(head.magic, checkpoint_magic, MAGIC_BYTES);
        fwrite(&head, sizeof(head), 1, file.out);
        fwrite(body, n, 1, file.out);
        rc = out_file_finish(&file, err);
    }
    if (rc == RB_OK)
        rc = keep_previous(folder, err);
    if (rc == RB_OK)
        rc = out_file_commit(&file, err);
    out_file_abandon(&file);
    new_file_sync_folder(folder);
    free(body);
    return rc;
}

/* Reads the whole body, owned by the caller; NULL with an error, or NULL without an error if there
 * is no file. */
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
        rb_fail(err, RB_IO, "%s: damaged, or from another version", path);
        free(body);
        return NULL;
    }
    return body;
}

static bool is_duration(double seconds)
{
    return isfinite(seconds) && seconds >= 0.0;
}

/* Reads what follows the identity. */
static rb_code_t read_rest(checkpoint_image_t *out, size_t n, const char *path, rb_err_t *err)
{
    const size_t head = strlen(out->body) + 1; /* a NUL always follows the body */
    if (n <= head + sizeof(out->at))
        return rb_fail(err, RB_IO, "%s: damaged: it ends too early", path);
    memcpy(&out->at, out->body + head, sizeof(out->at));
    out->image = out->body + head + sizeof(out->at);
    out->n = n - head - sizeof(out->at);
    if (!is_duration(out->at.host_seconds) || !is_duration(out->at.host_cpu_seconds))
        return rb_fail(err, RB_IO, "%s: damaged: it has an impossible time", path);
    return RB_OK;
}

rb_code_t checkpoint_read(const char *folder, const char *name, const char *identity,
                          checkpoint_image_t *out, rb_err_t *err)
{
    size_t n = 0;
    char *path = out_path(folder, name);
    rb_err_t why = {0};
    *out = (checkpoint_image_t){.body = read_body(path, &n, &why)};
    rb_code_t rc = why.code == RB_OK ? RB_OK : rb_fail(err, why.code, "%s", why.text);
    if (out->body != NULL)
        rc = strcmp(out->body, identity) != 0
                 ? checkpoint_other_run(folder, identity, out->body, err)
                 : read_rest(out, n, path, err);
    free(path);
    return rc;
}

void checkpoint_free(checkpoint_image_t *c)
{
    free(c->body);
    *c = (checkpoint_image_t){0};
}
