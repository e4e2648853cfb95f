#include "tests/support/trace/trace_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/accelsim.h"
#include "sim/isa/isa.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

static char folder[64];

int trace_folder_create(void **state)
{
    (void)state;
    strcpy(folder, "trace-files-XXXXXX"); /* in the folder where the tests run */
    return mkdtemp(folder) != NULL ? 0 : -1;
}

int trace_folder_remove(void **state)
{
    DIR *dir = opendir(folder);

    (void)state;
    for (struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;)
        remove(trace_path(d->d_name));
    closedir(dir);
    return rmdir(folder);
}

const char *trace_folder(void)
{
    return folder;
}

const char *trace_path(const char *name)
{
    static char paths[2][512];
    static unsigned n;
    char *path = paths[n++ % 2];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

void trace_write_bytes(const char *name, const void *data, size_t n)
{
    FILE *f = fopen(trace_path(name), "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

void trace_write(const char *name, const char *text)
{
    trace_write_bytes(name, text, strlen(text));
}

const char *trace_header(unsigned version, const char *more)
{
    static char text[4096];

    snprintf(text, sizeof(text),
             "-kernel name = _Z4testPf\n-kernel id = 7\n-grid dim = (2,1,1)\n"
             "-block dim = (64,1,1)\n-shmem = 256\n-nregs = 16\n-binary version = 70\n"
             "-cuda stream id = 5\n-shmem base_addr = 0x00007f5a2e000000\n"
             "-local mem base_addr = 0x00007f5a2c000000\n-nvbit version = 1.7\n"
             "-accelsim tracer version = %u\n%s\n#traces format = ...\n\n",
             version, more);
    return text;
}

trace_source_t *trace_open(const char *name)
{
    rb_err_t err = {0};
    trace_source_t *s = accelsim_open(trace_path(name), NULL, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

trace_reading_t trace_start(const char *name)
{
    rb_err_t err = {0};
    trace_reading_t r = {.source = trace_open(name)};

    if (r.source->ops->launch_info(r.source, 1, &r.info, &err) != RB_OK ||
        r.source->ops->open(r.source, 1, &r.launch, &err) != RB_OK)
        fail_msg("%s", err.text);
    return r;
}

trace_block_t *trace_next(trace_reading_t *r, uint64_t index)
{
    rb_err_t err = {0};
    trace_block_t *b = NULL;

    if (r->source->ops->get_block(r->launch, index, &b, &err) != RB_OK)
        fail_msg("%s", err.text);
    return b;
}

void trace_stop(trace_reading_t *r)
{
    r->source->ops->close(r->launch);
    r->source->ops->destroy(r->source);
}

/* --- as text --------------------------------------------------------------------------------- */

static void print_addresses(FILE *out, const uint64_t *rec)
{
    unsigned lanes = addr_lanes(rec);
    const char *offsets = (const char *)(rec + 2);

    for (unsigned k = 0; k < lanes; k++) {
        uint64_t addr = rec[1];

        if (addr_form(rec) == ADDR_AFFINE) {
            addr += (uint64_t)(int64_t)addr_stride(rec) * k;
        } else if (addr_form(rec) == ADDR_LIST) {
            addr = rec[1 + k];
        } else if (addr_form(rec) == ADDR_ROWS) {
            addr += (uint64_t)(addr_row_distance(rec) * (int64_t)(k / addr_row(rec)) +
                               addr_stride(rec) * (int64_t)(k % addr_row(rec)));
        } else {
            int32_t offset;

            memcpy(&offset, offsets + k * sizeof(offset), sizeof(offset));
            addr += (uint64_t)(int64_t)offset;
        }
        fprintf(out, " %" PRIx64, addr);
    }
}

static void print_inst(FILE *out, const inst_t *in, uint32_t mask, const uint64_t **addrs)
{
    fprintf(out, "%04x %08x %s w%u:", in->pc, mask, isa_class_name((op_class_t)in->cls), in->width);
    for (unsigned i = 0; i < in->n_wait; i++)
        fprintf(out, "%s%u", i == in->n_wait - (unsigned)in->n_set ? " >" : " ", in->dep[i]);
    if (in->space != MEM_NONE && in->width != 0 && mask != 0) {
        fputs(" @", out);
        print_addresses(out, *addrs);
        *addrs += addr_words(*addrs);
    }
    fputc('\n', out);
}

static void print_block(FILE *out, const trace_block_t *b)
{
    uint64_t block_insts = 0;

    fprintf(out, "block %" PRIu64 ": %u,%u,%u\n", b->index, b->id[0], b->id[1], b->id[2]);
    for (unsigned w = 0; w < b->n_warps; w++) {
        const warp_stream_t *warp = &b->warps[w];
        const uint64_t *addrs = warp->addrs;
        uint64_t insts = 0;

        if (warp->n_runs == 0)
            continue;
        fprintf(out, "warp %u\n", w);
        for (uint32_t i = 0; i < warp->n_runs; i++) {
            assert_true(warp->runs[i].count > 0);
            for (unsigned k = 0; k < warp->runs[i].count; k++)
                print_inst(out, warp->runs[i].first + k, warp->runs[i].mask, &addrs);
            insts += warp->runs[i].count;
        }
        assert_int_equal(insts, warp->n_insts);
        assert_int_equal(addrs - warp->addrs, warp->n_addr_words);
        block_insts += insts;
    }
    assert_int_equal(block_insts, b->n_insts);
}

static rb_code_t print_launch(FILE *out, trace_source_t *s, uint64_t id, rb_err_t *err)
{
    launch_info_t info;
    trace_launch_t *l;
    trace_block_t *b;
    rb_code_t code = s->ops->launch_info(s, id, &info, err);

    if (code != RB_OK || (code = s->ops->open(s, id, &l, err)) != RB_OK)
        return code;
    fprintf(out, "launch %" PRIu64 ": %s\n", id, info.name);
    for (uint64_t k = 0; (code = s->ops->get_block(l, k, &b, err)) == RB_OK && b != NULL; k++) {
        print_block(out, b);
        s->ops->free_block(l, b);
    }
    s->ops->close(l);
    return code;
}

char *trace_source_text(trace_source_t *s, rb_err_t *err)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (s != NULL) {
        for (uint64_t id = 1; id <= s->ops->n_launches(s) && err->code == RB_OK; id++)
            (void)!print_launch(out, s, id, err);
        s->ops->destroy(s);
    }
    if (err->code != RB_OK)
        fprintf(out, "error %d: %s\n", (int)err->code, err->text);
    fclose(out);
    return text;
}

char *trace_text(const char *path, size_t sort_bytes)
{
    rb_err_t err = {0};
    accelsim_options_t opts = {.tmpdir = folder, .sort_bytes = sort_bytes};

    return trace_source_text(accelsim_open(path, &opts, &err), &err);
}

/* --- stderr ---------------------------------------------------------------------------------- */

static int saved_stderr;
static FILE *captured;

void trace_capture_stderr(void)
{
    fflush(stderr);
    captured = tmpfile();
    assert_non_null(captured);
    saved_stderr = dup(STDERR_FILENO);
    dup2(fileno(captured), STDERR_FILENO);
}

char *trace_captured(void)
{
    fflush(stderr);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    long n = (fseek(captured, 0, SEEK_END), ftell(captured));
    char *text = calloc((size_t)n + 1, 1);

    rewind(captured);
    assert_int_equal(fread(text, 1, (size_t)n, captured), n);
    fclose(captured);
    return text;
}

int quiet_folder_create(void **state)
{
    (void)state;
    temp_folder_create();
    trace_capture_stderr();
    return 0;
}

int quiet_folder_remove(void **state)
{
    (void)state;
    free(trace_captured());
    temp_folder_remove();
    return 0;
}
