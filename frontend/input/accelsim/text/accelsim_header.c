#include "frontend/input/accelsim/text/accelsim_header.h"

#include <stdlib.h>

#include "frontend/input/accelsim/text/accelsim_text.h"
#include "sim/core/alloc.h"
#include "sim/core/fnv.h"
#include "sim/isa/isa.h"

enum {
    THREADS_MAX = 1024,   /* per block, on every architecture */
    REGISTERS_MAX = 255,  /* per thread */
    SHARED_MAX = 1 << 20, /* bytes per block; no SM has more */
    BLOCKS_MAX_LOG2 = 40, /* per grid */
    NAME_BYTES_MAX = 64 << 10,
    HEADER_LINES_MAX = 10000,
    VERSION_GROUPED = 3, /* from this version on, lines of a grouped file carry no ids */
    VERSION_MAX = 6,
};

/* Which keys have been read. */
enum { HAS_NAME = 1, HAS_GRID = 2, HAS_BLOCK = 4, HAS_BINARY = 8 };

typedef struct {
    accelsim_lines_t *lines;
    accelsim_header_t *h;
    unsigned has;
    rb_err_t *err;
} reading_t;

/* Reports what is wrong with the value of key; value is the rest of the line. */
static rb_code_t fail_value(const reading_t *r, const char *key, const char *value, const char *why)
{
    int len = 0;

    while (len < 40 && value[len] != '\n' && value[len] != '\r')
        len++;
    return accelsim_lines_fail(r->lines, r->err, "-%s = %.*s: %s", key, len, value, why);
}

static rb_code_t read_number(const reading_t *r, const char *key, const char *value, uint64_t max,
                             const char *why, uint64_t *out)
{
    const char *p = value;

    if (!text_u64(&p, out) || !text_ends(p))
        return fail_value(r, key, value, "a whole number is expected");
    return *out <= max ? RB_OK : fail_value(r, key, value, why);
}

static rb_code_t read_address(const reading_t *r, const char *key, const char *value, uint64_t *out)
{
    const char *p = value;

    if (!text_address(&p, out) || !text_ends(p))
        return fail_value(r, key, value, "an address such as 0x7f0000000000 is expected");
    return RB_OK;
}

static rb_code_t read_dim(const reading_t *r, const char *key, const char *value, uint32_t dim[3])
{
    const char *p = value;

    for (unsigned i = 0; i < 3; i++) {
        uint64_t n;

        if (*p++ != (i == 0 ? '(' : ',') || !text_u64(&p, &n))
            return fail_value(r, key, value, "three numbers as in (1,1,1) are expected");
        if (n == 0 || n > INT32_MAX)
            return fail_value(r, key, value, "each dimension must lie between 1 and 2147483647");
        dim[i] = (uint32_t)n;
    }
    if (*p++ != ')' || !text_ends(p))
        return fail_value(r, key, value, "three numbers as in (1,1,1) are expected");
    return RB_OK;
}

static rb_code_t read_grid(reading_t *r, const char *key, const char *value)
{
    launch_info_t *info = &r->h->info;
    const uint64_t max = 1ull << BLOCKS_MAX_LOG2;
    uint64_t plane;

    RB_TRY(read_dim(r, key, value, info->grid));
    plane = (uint64_t)info->grid[0] * info->grid[1];
    if (plane > max / info->grid[2])
        return fail_value(r, key, value, "no GPU supports this many blocks");
    info->n_blocks = plane * info->grid[2];
    r->has |= HAS_GRID;
    return RB_OK;
}

static rb_code_t read_block(reading_t *r, const char *key, const char *value)
{
    uint32_t *block = r->h->info.block;

    RB_TRY(read_dim(r, key, value, block));
    if (block[0] > THREADS_MAX || block[1] > THREADS_MAX || block[2] > THREADS_MAX ||
        block[0] * block[1] * block[2] > THREADS_MAX)
        return fail_value(r, key, value, "a block has at most 1024 threads");
    r->has |= HAS_BLOCK;
    return RB_OK;
}

static rb_code_t read_name(reading_t *r, const char *key, const char *value)
{
    size_t len = (size_t)(text_skip_line(value) - value) - 1;

    while (len > 0 && text_is_blank(value[len - 1]))
        len--;
    if (len > NAME_BYTES_MAX)
        return fail_value(r, key, value, "the name is longer than 64 KiB");
    free(r->h->name);
    r->h->name = rb_calloc(len + 1, 1);
    memcpy(r->h->name, value, len);
    r->has |= HAS_NAME;
    return RB_OK;
}

static rb_code_t read_binary(reading_t *r, const char *key, const char *value)
{
    uint64_t n;

    RB_TRY(read_number(r, key, value, UINT32_MAX, "there is no such architecture", &n));
    if (isa_arch_name((unsigned)n) == NULL)
        return fail_value(r, key, value,
                          "unsupported architecture (70 Volta, 75 Turing, 80 to 87 Ampere, 89 Ada "
                          "and 90 Hopper are supported)");
    r->h->info.arch = (uint32_t)n;
    r->has |= HAS_BINARY;
    return RB_OK;
}

/* "1.2" means version 1. */
static rb_code_t read_version(reading_t *r, const char *key, const char *value)
{
    const char *p = value;
    uint64_t n;

    if (!text_u64(&p, &n) || (*p != '.' && !text_ends(p)))
        return fail_value(r, key, value, "a version number is expected");
    if (n > VERSION_MAX)
        return fail_value(r, key, value, "versions 1 to 6 are supported");
    r->h->version = (unsigned)n;
    return RB_OK;
}

/* -1 where the tracer does not know the stream; Accel-Sim reads it as the largest number. */
static rb_code_t read_stream(reading_t *r, const char *key, const char *value)
{
    uint64_t *stream = &r->h->info.stream;

    if (value[0] == '-' && value[1] == '1' && text_ends(value + 2)) {
        *stream = UINT64_MAX;
        return RB_OK;
    }
    return read_number(r, key, value, UINT64_MAX, "", stream);
}

static rb_code_t read_value(reading_t *r, const char *key, const char *value)
{
    launch_info_t *info = &r->h->info;
    uint64_t n;

    if (strcmp(key, "kernel name") == 0)
        return read_name(r, key, value);
    if (strcmp(key, "kernel id") == 0)
        return read_number(r, key, value, UINT64_MAX, "", &info->trace_id);
    if (strcmp(key, "grid dim") == 0)
        return read_grid(r, key, value);
    if (strcmp(key, "block dim") == 0)
        return read_block(r, key, value);
    if (strcmp(key, "shmem") == 0) {
        RB_TRY(read_number(r, key, value, SHARED_MAX, "no SM has that much shared memory", &n));
        info->shared_bytes = (uint32_t)n;
    } else if (strcmp(key, "nregs") == 0) {
        RB_TRY(read_number(r, key, value, REGISTERS_MAX, "a thread has at most 255 registers", &n));
        info->regs = (uint32_t)n;
    } else if (strcmp(key, "binary version") == 0) {
        return read_binary(r, key, value);
    } else if (strcmp(key, "cuda stream id") == 0) {
        return read_stream(r, key, value);
    } else if (strcmp(key, "shmem base_addr") == 0) {
        return read_address(r, key, value, &info->shared_base);
    } else if (strcmp(key, "local mem base_addr") == 0) {
        return read_address(r, key, value, &info->local_base);
    } else if (strcmp(key, "accelsim tracer version") == 0) {
        return read_version(r, key, value);
    } else if (strcmp(key, "enable lineinfo") == 0) {
        RB_TRY(read_number(r, key, value, 1, "0 or 1 is expected", &n));
        r->h->line_info = n == 1;
    }
    return RB_OK; /* other keys do not describe the launch */
}

/* "-key = value" */
static rb_code_t read_line(reading_t *r)
{
    enum { KEY_MAX = 64 };
    const char *line = r->lines->at + 1, *end = text_skip_line(line) - 1;
    const char *equals = memchr(line, '=', (size_t)(end - line)), *key_end = equals;
    char key[KEY_MAX];

    if (equals == NULL)
        return accelsim_lines_fail(r->lines, r->err, "'-key = value' is expected in the header");
    while (key_end > line && text_is_blank(key_end[-1]))
        key_end--;
    if (key_end - line >= KEY_MAX)
        return RB_OK;
    memcpy(key, line, (size_t)(key_end - line));
    key[key_end - line] = '\0';
    return read_value(r, key, text_skip_blanks(equals + 1));
}

static rb_code_t check_complete(const reading_t *r)
{
    const char *nothing = r->has == 0 ? "this is not a kernel file of an Accel-Sim trace: " : "";

    static const struct {
        unsigned bit;
        const char *key;
    } needed[] = {{HAS_NAME, "kernel name"},
                  {HAS_GRID, "grid dim"},
                  {HAS_BLOCK, "block dim"},
                  {HAS_BINARY, "binary version"}};

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!(r->has & needed[i].bit))
            return accelsim_lines_fail(r->lines, r->err,
                                       "%sthe header ends here without a line '-%s = ...'", nothing,
                                       needed[i].key);
    return RB_OK;
}

/* Equal for launches of the same kernel. */
static uint64_t hash_code(const char *name, uint32_t arch)
{
    return fnv_text(FNV_START ^ arch, name);
}

/* Raw bodies begin with an instruction instead of #BEGIN_TB. */
static rb_code_t find_body(reading_t *r)
{
    for (;;) {
        RB_TRY(accelsim_lines_need(r->lines, r->err));
        if (accelsim_lines_end(r->lines) || text_starts(r->lines->at, "#BEGIN_TB") ||
            text_starts(r->lines->at, "#END_TB"))
            return RB_OK;
        if (*r->lines->at != '#' && !text_ends(r->lines->at)) {
            r->h->raw = (unsigned)(*r->lines->at - '0') <= 9;
            return RB_OK;
        }
        accelsim_lines_skip(r->lines);
    }
}

rb_code_t accelsim_header_read(accelsim_lines_t *lines, accelsim_header_t *h, rb_err_t *err)
{
    reading_t r = {.lines = lines, .h = h, .err = err};

    *h = (accelsim_header_t){.version = 1};
    for (unsigned n = 0;; n++) {
        RB_TRY(accelsim_lines_need(lines, err));
        if (accelsim_lines_end(lines))
            return n == 0 ? rb_fail(err, RB_TRACE, "%s: the file is empty", lines->path)
                          : accelsim_lines_fail(lines, err,
                                                "the file is truncated: it ends inside the header");
        if (*lines->at == '-')
            RB_TRY(read_line(&r));
        else if (!text_ends(lines->at))
            break;
        if (n == HEADER_LINES_MAX)
            return accelsim_lines_fail(lines, err, "the header does not end");
        accelsim_lines_skip(lines);
    }
    RB_TRY(check_complete(&r));
    h->info.name = h->name;
    h->info.file = lines->path;
    h->info.code_id = hash_code(h->name, h->info.arch);
    return find_body(&r);
}

void accelsim_header_free(accelsim_header_t *h)
{
    free(h->name);
    *h = (accelsim_header_t){0};
}
