/* Reads the root of the index (layout: rbt_root_put.h). */
#include <stdlib.h>

#include "frontend/input/rbt/rbt_graph.h"
#include "frontend/input/rbt/read/rbt_file.h"

/* Minimum bytes of a page, frame or code. */
enum { FRAME_BYTES_MIN = 12, COPY_BYTES_MIN = 3 };

static char *get_text(rbt_in_t *in, size_t max)
{
    size_t n = rbt_get_count(in, max);
    const uint8_t *p = rbt_get_bytes(in, n);

    if (p == NULL || memchr(p, '\0', n) != NULL) {
        in->bad = true;
        return NULL;
    }
    char *text = rb_calloc(n + 1, 1);

    memcpy(text, p, n);
    return text;
}

static bool text_is(rbt_in_t *in, const char *text)
{
    size_t n = rbt_get_count(in, RBT_NAME_BYTES);
    const uint8_t *p = rbt_get_bytes(in, n);

    return p != NULL && n == strlen(text) && memcmp(p, text, n) == 0;
}

static void get_classes(rbt_file_t *f, rbt_in_t *in)
{
    f->n_classes = rbt_get_count(in, sizeof(f->classes));
    for (size_t i = 0; i < f->n_classes && !in->bad; i++) {
        size_t n = rbt_get_count(in, RBT_NAME_BYTES);
        const char *name = (const char *)rbt_get_bytes(in, n);

        f->classes[i] = OP_UNKNOWN;
        for (unsigned c = 0; name != NULL && c < OP_CLASS_COUNT; c++) {
            const char *ours = isa_class_name((op_class_t)c);

            if (strlen(ours) == n && memcmp(ours, name, n) == 0)
                f->classes[i] = (uint8_t)c;
        }
    }
}

/* The address spaces that we know must come first; newer ones after them are ignored. */
static const char *get_spaces(rbt_file_t *f, rbt_in_t *in)
{
    enum { SPACES_MAX = 64 };

    f->n_spaces = rbt_get_count(in, SPACES_MAX);
    if (f->n_spaces < RBT_SPACE_COUNT)
        return "address spaces are missing";
    for (size_t i = 0; i < f->n_spaces && !in->bad; i++)
        if (i < RBT_SPACE_COUNT ? !text_is(in, rbt_space_names[i]) : (text_is(in, ""), false))
            return "the address spaces are unknown";
    return NULL;
}

static rbt_place_t get_place(rbt_in_t *in)
{
    rbt_place_t p;

    p.offset = rbt_get_varint(in);
    p.packed = rbt_get_varint(in);
    p.unpacked = rbt_get_varint(in);
    p.checksum = rbt_get_u32(in);
    return p;
}

static uint64_t max_frames(const rbt_file_t *f)
{
    return f->bytes / FRAME_BYTES_MIN;
}

static const char *get_kernels(rbt_file_t *f, rbt_in_t *in)
{
    size_t n = rbt_get_count(in, max_frames(f));

    f->kernels = rb_calloc(n + 1, sizeof(*f->kernels));
    for (size_t i = 0; i < n && !in->bad; i++) {
        rbt_kernel_t *k = &f->kernels[f->n_kernels++];

        k->name = get_text(in, RBT_NAME_BYTES);
        k->arch = (uint32_t)rbt_get_count(in, UINT32_MAX);
        k->code_id = rbt_get_u64(in);
        k->place = get_place(in);
        if (!in->bad && isa_arch_name(k->arch) == NULL)
            return "a kernel is of an unknown architecture";
    }
    return in->bad ? "its list of kernels is inconsistent" : NULL;
}

static const char *get_block_pages(rbt_file_t *f, rbt_in_t *in)
{
    size_t n = rbt_get_count(in, max_frames(f));

    f->block_pages = rb_calloc(n + 1, sizeof(*f->block_pages));
    for (size_t i = 0; i < n && !in->bad; i++) {
        rbt_block_page_ref_t *p = &f->block_pages[f->n_block_pages++];

        p->place = get_place(in);
        p->first_frame = rbt_get_varint(in);
        p->n_blocks = rbt_get_count(in, RBT_PAGE_ROWS);
        p->n_frames = rbt_get_count(in, max_frames(f));
        p->first_block = f->n_blocks;
        f->n_blocks += p->n_blocks;
        if (p->n_blocks == 0 || p->n_frames == 0)
            in->bad = true;
    }
    return in->bad ? "its list of pages is inconsistent" : NULL;
}

static const char *get_launch_pages(rbt_file_t *f, rbt_in_t *in)
{
    size_t n = rbt_get_count(in, max_frames(f));
    uint64_t blocks = 0;

    f->n_launches = 0;
    f->launch_pages = rb_calloc(n + 1, sizeof(*f->launch_pages));
    for (size_t i = 0; i < n && !in->bad; i++) {
        rbt_launch_page_ref_t *p = &f->launch_pages[f->n_launch_pages++];

        p->place = get_place(in);
        p->n_launches = rbt_get_count(in, RBT_PAGE_ROWS);
        p->n_blocks = rbt_get_varint(in);
        p->first_launch = f->n_launches;
        p->first_block = blocks;
        f->n_launches += p->n_launches;
        if (p->n_launches == 0 || p->n_blocks > f->n_blocks - blocks)
            in->bad = true;
        else
            blocks += p->n_blocks;
    }
    if (in->bad)
        return "its list of launch pages is inconsistent";
    return blocks == f->n_blocks ? NULL : "launches and pages have different numbers of blocks";
}

static const char *get_copies(rbt_file_t *f, rbt_in_t *in)
{
    size_t n = rbt_get_count(in, rbt_in_left(in) / COPY_BYTES_MIN);
    uint64_t launch = 0, addr = 0;

    f->copies = rb_calloc(n + 1, sizeof(*f->copies));
    f->copy_launch = rb_calloc(n + 1, sizeof(*f->copy_launch));
    for (size_t i = 0; i < n && !in->bad; i++) {
        launch += rbt_get_count(in, f->n_launches - launch);
        addr += rbt_get_signed(in);
        f->copy_launch[i] = launch;
        f->copies[i] = (memcpy_op_t){.addr = addr, .bytes = rbt_get_varint(in)};
    }
    f->n_copies = n;
    return in->bad ? "its list of memory copies is inconsistent" : NULL;
}

static bool is_named(const uint8_t *name, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(name, text, length) == 0;
}

/* Sections that this version does not know are skipped. */
static const char *get_sections(rbt_file_t *f, rbt_in_t *in)
{
    size_t n = rbt_get_count(in, RBT_SECTIONS_MAX);

    for (size_t i = 0; i < n && !in->bad; i++) {
        size_t length = rbt_get_count(in, RBT_NAME_BYTES);
        const uint8_t *name = rbt_get_bytes(in, length);
        uint64_t bytes = rbt_get_varint(in);
        const uint8_t *at = bytes <= rbt_in_left(in) ? rbt_get_bytes(in, (size_t)bytes) : NULL;

        if (name == NULL || at == NULL)
            return "its list of sections is inconsistent";
        rbt_in_t section = {.at = at, .end = at + bytes};

        if (is_named(name, length, RBT_GRAPH_SECTION)) {
            if (f->has_graph || !rbt_graph_get(&section, &f->graph))
                return "its list of operations is inconsistent";
            f->has_graph = true;
        } else if (is_named(name, length, RBT_WAITS_SECTION)) {
            if (f->has_waits || !rbt_waits_get(&section, &f->waits))
                return "its list of waits is inconsistent";
            f->has_waits = true;
        }
    }
    return in->bad ? "its list of sections is inconsistent" : NULL;
}

const char *rbt_root_get(rbt_file_t *f, const rbt_buf_t *bytes)
{
    rbt_in_t in = {.at = bytes->p, .end = bytes->p + bytes->n};
    const char *wrong;

    f->producer = get_text(&in, RBT_NAME_BYTES);
    get_classes(f, &in);
    if (in.bad)
        return "its first lists are inconsistent";
    if ((wrong = get_spaces(f, &in)) != NULL || (wrong = get_kernels(f, &in)) != NULL ||
        (wrong = get_block_pages(f, &in)) != NULL || (wrong = get_launch_pages(f, &in)) != NULL ||
        (wrong = get_copies(f, &in)) != NULL)
        return wrong;
    f->plan = get_text(&in, RBT_ROOT_BYTES);
    if (f->version == RBT_VERSION_SECTIONS && in.at != in.end &&
        (wrong = get_sections(f, &in)) != NULL)
        return wrong;
    return in.bad || in.at != in.end ? "its end is inconsistent" : NULL;
}
