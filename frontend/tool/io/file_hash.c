#include "frontend/tool/io/file_hash.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"

rb_code_t file_hash(const char *path, char text[SHA256_TEXT], rb_err_t *err)
{
    enum { CHUNK = 1 << 16 };
    rb_err_t why = {0};
    FILE *in = in_file_open(path, &why);
    if (in == NULL)
        return rb_fail(err, why.code, "%s", why.text);
    sha256_t h;
    char *buffer = rb_calloc(CHUNK, 1);
    sha256_init(&h);
    for (size_t n; (n = fread(buffer, 1, CHUNK, in)) > 0;)
        sha256_update(&h, buffer, n);
    rb_code_t rc = ferror(in) ? rb_fail(err, RB_IO, "%s: %s", path, strerror(errno)) : RB_OK;
    sha256_final_text(&h, text);
    free(buffer);
    fclose(in);
    return rc;
}

/* The build id that a linker notes in the program: a hash of all that it linked. n == 0: none. */
typedef struct {
    const unsigned char *bytes;
    size_t n;
} build_id_t;

static void find_note(const unsigned char *at, size_t left, build_id_t *id)
{
    ElfW(Nhdr) note;
    while (left >= sizeof(note)) {
        memcpy(&note, at, sizeof(note));
        const size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        const size_t desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > left - sizeof(note) || desc > left - sizeof(note) - name)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
            memcmp(at + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0)
            *id = (build_id_t){at + sizeof(note) + name, note.n_descsz};
        at += sizeof(note) + name + desc;
        left -= sizeof(note) + name + desc;
    }
}

/* Of the first object, which is the program. */
static int find_build_id(struct dl_phdr_info *info, size_t size, void *ctx)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_NOTE)
            continue;
        const uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        find_note((const unsigned char *)at, info->dlpi_phdr[i].p_memsz, ctx);
    }
    return 1;
}

rb_code_t file_hash_program(char text[SHA256_TEXT], rb_err_t *err)
{
    static const char path[] = "/proc/self/exe";
    build_id_t id = {0};
    struct stat st;
    sha256_t h;

    /* Hashing the whole file takes longer than a small launch. */
    dl_iterate_phdr(find_build_id, &id);
    if (id.n == 0 || stat(path, &st) != 0)
        return file_hash(path, text, err);
    const uint64_t size = (uint64_t)st.st_size;
    sha256_init(&h);
    sha256_update(&h, id.bytes, id.n);
    sha256_update(&h, &size, sizeof(size));
    sha256_final_text(&h, text);
    return RB_OK;
}
