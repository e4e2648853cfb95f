#include "sampling/plugin/plugin_object.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum { SEGMENTS_MAX = 64 };

static rb_code_t refuse(const char *path, const char *what, rb_err_t *err)
{
    return rb_fail(err, RB_USAGE, "--sample plugin:%s: %s", path, what);
}

static const char not_shared[] =
    "is not a shared object; compile the sampler with: cc -shared -fPIC -I PREFIX/include";

/* The ELF header of this program. */
static bool own_header(Elf64_Ehdr *h)
{
    FILE *in = fopen("/proc/self/exe", "rb");
    bool read = in != NULL && fread(h, sizeof(*h), 1, in) == 1;
    if (in != NULL)
        fclose(in);
    return read;
}

/* Checks class, byte order and machine; Elf32_Ehdr has them at the same offsets. */
static bool for_this_machine(const Elf64_Ehdr *h)
{
    Elf64_Ehdr own;
    if (!own_header(&own))
        return true; /* the loader decides */
    return h->e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
           h->e_ident[EI_DATA] == own.e_ident[EI_DATA] && h->e_machine == own.e_machine;
}

/* Whether the file contains everything that must be loaded. */
static bool is_whole(FILE *in, const Elf64_Ehdr *h)
{
    struct stat st;
    if (h->e_ident[EI_CLASS] != ELFCLASS64)
        return true;
    if (fstat(fileno(in), &st) != 0 || h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum == 0 ||
        h->e_phnum > SEGMENTS_MAX || h->e_phoff > (uint64_t)st.st_size ||
        fseek(in, (long)h->e_phoff, SEEK_SET) != 0)
        return false;
    for (unsigned i = 0; i < h->e_phnum; i++) {
        Elf64_Phdr p;
        if (fread(&p, sizeof(p), 1, in) != 1)
            return false;
        if (p.p_type == PT_LOAD &&
            (p.p_offset > (uint64_t)st.st_size || p.p_filesz > (uint64_t)st.st_size - p.p_offset))
            return false;
    }
    return true;
}

static rb_code_t check(const char *path, FILE *in, rb_err_t *err)
{
    Elf64_Ehdr h;
    if (fread(&h, sizeof(h), 1, in) != 1 || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
        return refuse(path, not_shared, err);
    if (!for_this_machine(&h))
        return refuse(path, "was built for another architecture; compile it on this machine", err);
    if (h.e_type != ET_DYN)
        return refuse(path, not_shared, err);
    if (!is_whole(in, &h))
        return refuse(path, "is truncated: parts of the shared object are missing", err);
    return RB_OK;
}

rb_code_t plugin_object_check(const char *path, rb_err_t *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return refuse(path, strerror(errno), err);
    if (!S_ISREG(st.st_mode))
        return refuse(path, not_shared, err);
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return refuse(path, strerror(errno), err);
    rb_code_t rc = check(path, in, err);
    fclose(in);
    return rc;
}
