#include "frontend/emulator/record/launch_listing.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

/* --- the program's end ----------------------------------------------------------------------- */

typedef struct {
    pipe_listed_t *insts; /* owned */
    char *bytes;          /* owned */
    size_t n_bytes, cap_bytes;
    size_t file, file_len; /* the path put last, in bytes */
} making_t;

static void put_bytes(making_t *m, const char *p, size_t n)
{
    rb_grow(&m->bytes, &m->cap_bytes, m->n_bytes + n + 1, 1);
    if (n > 0)
        memcpy(m->bytes + m->n_bytes, p, n);
    m->n_bytes += n;
}

static void put_line(making_t *m, pipe_listed_t *to, const source_line_t *line)
{
    size_t n = strlen(line->file);

    if (n > PIPE_TEXT_MAX)
        return;
    to->line = line->line;
    to->file_len = PIPE_SAME_FILE;
    if (m->file_len == n + 1 && memcmp(m->bytes + m->file, line->file, n) == 0)
        return;
    m->file = m->n_bytes;
    m->file_len = n + 1;
    to->file_len = (uint32_t)n;
    put_bytes(m, line->file, n);
}

static void put_inst(making_t *m, const pipe_about_t *about, const inst_t *inst, pipe_listed_t *to)
{
    const char *text = about->text != NULL ? about->text(about->ctx, inst, &to->text_len) : NULL;
    source_line_t line;

    if (text != NULL && to->text_len > 0 && to->text_len <= PIPE_TEXT_MAX)
        put_bytes(m, text, to->text_len);
    else
        to->text_len = PIPE_NO_TEXT;
    if (about->line != NULL && about->line(about->ctx, inst, &line))
        put_line(m, to, &line);
}

void *launch_listing_make(const pipe_about_t *about, const inst_t *code, uint32_t n, size_t *bytes)
{
    making_t m = {.insts = rb_calloc(n + 1u, sizeof(*m.insts))};
    size_t head = n * sizeof(*m.insts);

    for (uint32_t i = 0; i < n; i++)
        put_inst(&m, about, &code[i], &m.insts[i]);
    char *all = rb_realloc(m.insts, head + m.n_bytes + 1, 1);
    if (m.n_bytes > 0)
        memcpy(all + head, m.bytes, m.n_bytes);
    free(m.bytes);
    *bytes = head + m.n_bytes;
    return all;
}

/* --- the simulator's end --------------------------------------------------------------------- */

/* Whether bytes can be shown: one line. */
static bool is_line(const char *p, size_t n)
{
    return n == 0 || (memchr(p, '\n', n) == NULL && memchr(p, '\0', n) == NULL);
}

/* Places the texts and paths of the instructions; false: lengths are wrong. */
static bool place(launch_listing_t *l, const pipe_listed_t *from, const char *bytes,
                  uint64_t n_bytes, uint32_t n)
{
    uint64_t at = 0;
    size_t to = 0, file = SIZE_MAX;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t text = from[i].text_len != PIPE_NO_TEXT ? from[i].text_len : 0;
        bool has_file = from[i].line != 0 && from[i].file_len != PIPE_SAME_FILE;
        uint32_t path = has_file ? from[i].file_len : 0;
        if (from[i].text_len == 0 || text > PIPE_TEXT_MAX || path > PIPE_TEXT_MAX ||
            text + path > n_bytes - at || !is_line(bytes + at, text + path))
            return false;
        l->insts[i] =
            (launch_listed_t){.text = to, .text_len = from[i].text_len, .line = from[i].line};
        memcpy(l->bytes + to, bytes + at, text);
        to += text;
        if (has_file) {
            file = to;
            memcpy(l->bytes + to, bytes + at + text, path);
            to += path + 1u;
        }
        if (from[i].line != 0 && file == SIZE_MAX)
            return false;
        l->insts[i].file = file;
        at += text + path;
    }
    return at == n_bytes;
}

rb_code_t launch_listing_take(pipe_reader_t *in, launch_listing_t *l, uint32_t n, rb_err_t *err)
{
    uint64_t head = (uint64_t)n * sizeof(pipe_listed_t), n_bytes = in->next.bytes - head;
    pipe_listed_t *from = NULL;
    char *bytes = NULL;

    *l = (launch_listing_t){0};
    if (in->next.bytes < head || n_bytes > (uint64_t)n * 2 * PIPE_TEXT_MAX)
        return pipe_garbled(in, err);
    in->has_next = false;
    rb_code_t rc = pipe_get_list(in, &from, n, sizeof(*from), err);
    if (rc == RB_OK)
        rc = pipe_get_list(in, &bytes, (size_t)n_bytes, 1, err);
    if (rc == RB_OK) {
        l->insts = rb_calloc(n + 1u, sizeof(*l->insts));
        l->bytes = rb_calloc((size_t)n_bytes + n + 1u, 1);
        if (!place(l, from, bytes, n_bytes, n))
            rc = pipe_garbled(in, err);
    }
    free(from);
    free(bytes);
    return rc;
}

void launch_listing_free(launch_listing_t *l)
{
    free(l->insts);
    free(l->bytes);
    *l = (launch_listing_t){0};
}

const char *launch_listing_text(const launch_listing_t *l, size_t i, uint32_t *len)
{
    if (l->insts == NULL || l->insts[i].text_len == PIPE_NO_TEXT)
        return NULL;
    *len = l->insts[i].text_len;
    return l->bytes + l->insts[i].text;
}

bool launch_listing_line(const launch_listing_t *l, size_t i, source_line_t *out)
{
    if (l->insts == NULL || l->insts[i].line == 0)
        return false;
    *out = (source_line_t){.file = l->bytes + l->insts[i].file, .line = l->insts[i].line};
    return true;
}
