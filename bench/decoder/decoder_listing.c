#include "bench/decoder/decoder_listing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

enum { INST_BYTES = 16, LINE_BYTES = 1024 };

static const word_t nop = {0x7918, 0x000fc00000000000};

/* Written in the byte order of the host, which is that of the code. */
static rb_code_t write_code(const char *path, const word_t *insts, size_t n, rb_err_t *err)
{
    FILE *out = fopen(path, "wb");

    if (out == NULL)
        return rb_fail(err, RB_IO, "%s: %s", path, strerror(errno));
    const bool whole = fwrite(insts, sizeof(*insts), n, out) == n;
    if (fclose(out) != 0 || !whole)
        return rb_fail(err, RB_IO, "%s: cannot be written", path);
    return RB_OK;
}

/* "        / *0010* /    TEXT ;    / * 0x... * /": its text, without blanks before commas. */
static void read_line(const char *line, size_t n, char (*text)[LISTING_TEXT])
{
    const char *from = strstr(line, "*/"), *to = from != NULL ? strstr(from, "/* 0x") : NULL;
    unsigned offset;
    size_t at = 0;

    if (to == NULL || sscanf(line, " /*%x*/", &offset) != 1 || offset / INST_BYTES >= n)
        return;
    char *const out = text[offset / INST_BYTES];
    const char *end = memchr(from, ';', (size_t)(to - from));
    for (from += strspn(from + 2, " ") + 2; from < (end != NULL ? end : to); from++)
        if (at + 1 < LISTING_TEXT && !(*from == ' ' && strchr(" ,;", from[1]) != NULL))
            out[at++] = *from;
    while (at > 0 && out[at - 1] == ' ')
        at--;
    out[at] = '\0';
}

/* One run of nvdisasm. Instructions that it does not know become NOPs; their number is
 * *n_unknown. */
static rb_code_t run(const char *scratch, uint32_t arch, word_t *insts, bool *unknown, size_t n,
                     char (*text)[LISTING_TEXT], size_t *n_unknown, rb_err_t *err)
{
    char command[512], line[LINE_BYTES];
    size_t n_lines = 0;

    *n_unknown = 0;
    RB_TRY(write_code(scratch, insts, n, err));
    snprintf(command, sizeof(command), "nvdisasm -ndf -b SM%u -hex '%s' 2>&1", arch, scratch);
    FILE *in = popen(command, "re");
    if (in == NULL)
        return rb_fail(err, RB_IO, "nvdisasm: %s", strerror(errno));
    while (fgets(line, sizeof(line), in) != NULL) {
        const char *at = strstr(line, " at address 0x");
        const size_t i = at != NULL ? strtoull(at + 12, NULL, 16) / INST_BYTES : n;
        n_lines++;
        if (i < n && !unknown[i]) {
            unknown[i] = true;
            insts[i] = nop;
            (*n_unknown)++;
        }
        read_line(line, n, text);
    }
    pclose(in);
    return n_lines > 1 ? RB_OK : rb_fail(err, RB_IO, "nvdisasm: says '%s'", line);
}

rb_code_t listing_read(const char *scratch, uint32_t arch, const word_t *insts, size_t n,
                       char (*text)[LISTING_TEXT], rb_err_t *err)
{
    word_t *copy = rb_calloc(n, sizeof(*copy));
    bool *unknown = rb_calloc(n, sizeof(*unknown));
    size_t n_unknown;
    rb_code_t code;

    memcpy(copy, insts, n * sizeof(*copy));
    memset(text, 0, n * sizeof(*text));
    do
        code = run(scratch, arch, copy, unknown, n, text, &n_unknown, err);
    while (code == RB_OK && n_unknown > 0);
    for (size_t i = 0; i < n; i++)
        if (unknown[i])
            text[i][0] = '\0';
    free(copy);
    free(unknown);
    return code;
}
