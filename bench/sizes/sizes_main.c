/*
 * rubato_sizes: sizes of native traces. For each trace on the command line: bytes as Accel-Sim's
 * text, of that text in xz, and in the native file: frames of blocks, static code, index.
 */
#include <ftw.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/write/accelsim_writer.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/input/rbt/write/rbt_store.h"
#include "frontend/tool/library/open_trace.h"

enum { XZ_LEVEL = 6, CHUNK = 1 << 20, PATH_BYTES = 4096 };

typedef struct {
    uint64_t text, xz, payload, code, index, blocks, warp_insts;
} sizes_t;

/* The texts of a folder are packed as one stream, as tar and xz would do. */
static uint64_t *text_total;
static lzma_stream packer = LZMA_STREAM_INIT;

static void pack(const uint8_t *data, size_t n, lzma_action action)
{
    static uint8_t out[CHUNK];
    lzma_ret ret = LZMA_OK;

    packer.next_in = data;
    packer.avail_in = n;
    do {
        packer.next_out = out;
        packer.avail_out = sizeof(out);
        ret = lzma_code(&packer, action);
    } while (ret == LZMA_OK &&
             (packer.avail_in > 0 || packer.avail_out == 0 || action == LZMA_FINISH));
}

static int pack_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
    static uint8_t data[CHUNK];
    FILE *in;

    (void)where;
    if (type != FTW_F || (in = fopen(path, "rb")) == NULL)
        return type == FTW_F ? -1 : 0;
    *text_total += (uint64_t)st->st_size;
    for (size_t n; (n = fread(data, 1, sizeof(data), in)) > 0;)
        pack(data, n, LZMA_RUN);
    fclose(in);
    return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static rb_code_t measure_text(trace_source_t *source, const char *folder, sizes_t *n, rb_err_t *err)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s/text", folder);
    RB_TRY(accelsim_write(source, path, NULL, err));
    text_total = &n->text;
    if (lzma_easy_encoder(&packer, XZ_LEVEL, LZMA_CHECK_CRC64) != LZMA_OK ||
        nftw(path, pack_file, 8, FTW_PHYS) != 0)
        return rb_fail(err, RB_IO, "%s: cannot be packed", path);
    pack(NULL, 0, LZMA_FINISH);
    n->xz = packer.total_out;
    return RB_OK;
}

static rb_code_t measure_native(trace_source_t *source, const char *folder, sizes_t *n,
                                rb_err_t *err)
{
    char path[PATH_BYTES];
    rbt_stored_t stored;
    const rbt_store_options_t o = {.path = path};

    snprintf(path, sizeof(path), "%s/x.rbt", folder);
    RB_TRY(rbt_store(source, &o, &stored, err));
    trace_source_t *t = rbt_open(path, err);

    if (t == NULL)
        return err->code;
    const rbt_file_t *f = rbt_source_file(t);

    for (size_t i = 0; i < f->n_block_pages; i++)
        n->payload += f->block_pages[i].place.offset - f->block_pages[i].first_frame;
    for (size_t i = 0; i < f->n_kernels; i++)
        n->code += f->kernels[i].place.packed;
    n->index = f->bytes - n->payload - n->code;
    n->blocks = f->n_blocks;
    n->warp_insts = stored.warp_insts;
    t->ops->destroy(t);
    return RB_OK;
}

static rb_code_t measure(const char *trace, const char *folder, sizes_t *n, rb_err_t *err)
{
    trace_source_t *source = open_trace(trace, folder, err);

    if (source == NULL)
        return err->code;
    rb_code_t code = measure_text(source, folder, n, err);

    if (code == RB_OK)
        code = measure_native(source, folder, n, err);
    source->ops->destroy(source);
    return code;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

static void print_row(const char *trace, const sizes_t *n)
{
    char name[PATH_BYTES];

    snprintf(name, sizeof(name), "%s", trace);
    for (size_t i = strlen(name); i > 1 && name[i - 1] == '/'; i--)
        name[i - 1] = '\0';
    const char *base = strrchr(name, '/');

    printf("%-24s %8.2f %12" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %8" PRIu64
           " %8.1f %8.2f %6.1f\n",
           base != NULL ? base + 1 : name, (double)n->warp_insts * 1e-6, n->text, n->xz, n->payload,
           n->code, n->index, ratio(n->text, n->payload),
           ratio(n->xz, n->payload + n->code + n->index), ratio(n->index, n->blocks));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    printf("%-24s %8s %12s %10s %10s %8s %8s %8s %8s %6s\n", "", "warp", "text", "xz -6", "payload",
           "code", "index", "text/", "xz/", "index");
    printf("%-24s %8s %12s %10s %10s %8s %8s %8s %8s %6s\n", "trace", "Minst", "bytes", "bytes",
           "bytes", "bytes", "bytes", "payload", "all", "/block");
    for (int i = 1; i < argc; i++) {
        char folder[] = "/tmp/rubato-sizes-XXXXXX";
        sizes_t n = {0};
        rb_err_t err = {0};

        if (mkdtemp(folder) == NULL) {
            perror(folder);
            return rb_exit_code(RB_IO);
        }
        rb_code_t code = measure(argv[i], folder, &n, &err);

        nftw(folder, remove_entry, 8, FTW_PHYS | FTW_DEPTH);
        if (code != RB_OK) {
            fprintf(stderr, "rubato_sizes: %s\n", err.text);
            return rb_exit_code(code);
        }
        print_row(argv[i], &n);
    }
    lzma_end(&packer);
    return 0;
}
