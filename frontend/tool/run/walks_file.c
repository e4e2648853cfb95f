#include "frontend/tool/run/walks_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/version.h"
#include "frontend/tool/run/journal.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/log.h"

/* A piece: its bytes and their checksum, then the bytes. The first one is the identity. */
typedef struct {
    uint64_t n, checksum;
} piece_t;

enum { IDENTITY_TEXT = 256 };

static void identity_of(char text[IDENTITY_TEXT], const char *trace)
{
    snprintf(text, IDENTITY_TEXT, "walks of rubato %s %s, trace %s", RUBATO_VERSION, rubato_commit,
             trace);
}

/* Errors are those of the stream. */
static void write_piece(void *out, const void *bytes, size_t n)
{
    const piece_t p = {n, journal_checksum(n, bytes, n)};
    (void)fwrite(&p, sizeof(p), 1, out);
    (void)fwrite(bytes, 1, n, out);
}

rb_code_t walks_file_write(const char *folder, const char *trace, const rubato_sim *sim,
                           rb_err_t *err)
{
    char identity[IDENTITY_TEXT];
    out_file_t file;
    RB_TRY(out_file_open(&file, folder, WALKS_FILE_NAME, err));
    identity_of(identity, trace);
    write_piece(file.out, identity, strlen(identity));
    gpu_visit_walks(library_sim_chip(sim), write_piece, file.out);
    return out_file_close(&file, RB_OK, err);
}

/* A piece may have at most as many bytes; *bytes is owned by the caller. False: there is none, or it is damaged. */
static bool read_piece(FILE *in, char **bytes, size_t *n)
{
    piece_t p;
    *bytes = NULL;
    if (fread(&p, sizeof(p), 1, in) != 1 || p.n > WALKS_FILE_PIECE)
        return false;
    *bytes = rb_calloc(p.n + 1, 1);
    *n = p.n;
    return fread(*bytes, 1, p.n, in) == p.n && journal_checksum(p.n, *bytes, p.n) == p.checksum;
}

/* Returns what is wrong with the file; NULL: nothing. */
static const char *read_all(FILE *in, const char *identity, rubato_sim *sim)
{
    char *bytes;
    size_t n;
    bool ok = read_piece(in, &bytes, &n);
    const bool mine = ok && n == strlen(identity) && memcmp(bytes, identity, n) == 0;
    free(bytes);
    if (!mine)
        return ok ? "it is of another trace or version" : "it is damaged";
    for (int c = getc(in); c != EOF && ok; c = getc(in)) {
        ungetc(c, in);
        ok = read_piece(in, &bytes, &n) && library_sim_take_walk(sim, bytes, n);
        free(bytes);
    }
    return ok ? NULL : "it is damaged";
}

void walks_file_read(const char *folder, const char *trace, rubato_sim *sim)
{
    char identity[IDENTITY_TEXT];
    rb_err_t err = {0};
    if (!out_has(folder, WALKS_FILE_NAME))
        return;
    char *path = out_path(folder, WALKS_FILE_NAME);
    FILE *in = in_file_open(path, &err);
    identity_of(identity, trace);
    const char *wrong = in == NULL ? err.text : read_all(in, identity, sim);
    if (wrong != NULL)
        rb_warn("%s: is not used, so launches are walked again: %.400s", path, wrong);
    if (in != NULL)
        fclose(in);
    free(path);
}
