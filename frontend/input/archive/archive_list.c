#include "frontend/input/archive/archive_list.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/file/accelsim_folder.h"
#include "frontend/input/archive/tar_reader.h"
#include "sim/core/alloc.h"
#include "sim/core/fnv.h"
#include "sim/core/hash_map.h"

void archive_list_free(archive_list_t *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->traces[i].name);
    free(list->traces);
    *list = (archive_list_t){0};
}

/* A list with its names. */
typedef struct {
    archive_list_t *list;
    hash_map_t names;
} listing_t;

/* The entry of a folder, whose name has n bytes; a new one if needed. */
static archive_trace_t *entry_of(listing_t *l, const char *name, size_t n)
{
    archive_list_t *list = l->list;
    const uint64_t hash = fnv_bytes(FNV_START, name, n);
    for (hash_walk_t w = hash_map_walk(&l->names, hash); hash_walk_next(&w);) {
        const char *other = list->traces[w.number].name;
        if (strlen(other) == n && memcmp(other, name, n) == 0)
            return &list->traces[w.number];
    }
    rb_grow(&list->traces, &list->cap, list->n + 1, sizeof(*list->traces));
    list->traces[list->n] = (archive_trace_t){.name = rb_format("%.*s", (int)n, name)};
    hash_map_add(&l->names, hash, (uint32_t)list->n);
    return &list->traces[list->n++];
}

static bool has_ending(const char *name, const char *ending)
{
    const size_t n = strlen(name), e = strlen(ending);
    return n > e && strcmp(name + n - e, ending) == 0;
}

static void take(listing_t *l, const tar_member_t *m)
{
    const char *base = accelsim_base_name(m->name);
    const size_t folder = base > m->name ? (size_t)(base - m->name) - 1 : 0;
    const size_t ending = accelsim_ending(base);
    const bool kernel = ending < ACCELSIM_ENDINGS;
    archive_trace_t *t;
    if (base[0] == '.' || m->folder)
        return;
    if (has_ending(base, ".rbt")) {
        t = entry_of(l, m->name, strlen(m->name));
        t->format = "rbt";
    } else if (kernel || accelsim_is_list_name(base) || strcmp(base, "kernel_config.txt") == 0) {
        t = entry_of(l, m->name, folder);
        t->format = kernel || accelsim_is_list_name(base) ? "accelsim" : "macsim";
        t->grouped += kernel && ending < ACCELSIM_GROUPED_ENDINGS;
        t->raw += kernel && ending >= ACCELSIM_GROUPED_ENDINGS;
    } else {
        return;
    }
    t->bytes += strcmp(t->format, "macsim") == 0 ? 0 : m->bytes;
}

rb_code_t archive_list_read(archive_list_t *list, const char *path, rb_err_t *err)
{
    tar_member_t m;
    bool more = true;
    rb_code_t rc = RB_OK;
    *list = (archive_list_t){0};
    listing_t l = {.list = list};
    tar_reader_t *tar = tar_open(path, err);
    if (tar == NULL)
        return err->code;
    while (rc == RB_OK && (rc = tar_next(tar, &m, &more, err)) == RB_OK && more)
        take(&l, &m);
    hash_map_free(&l.names);
    tar_close(tar);
    return rc;
}
