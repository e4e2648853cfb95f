/*
 * This library is loaded into each program before all others. It sends the calls of programs and
 * libraries that hold a static CUDA runtime to the libcudart.so of that version in its own folder:
 * it writes a jump over the beginning of each function of the static runtime.
 *
 * That must happen before the constructors of the file run, since they register its kernels. The
 * first of them is _init(), which calls __gmon_start__() if there is such a function: this one. So
 * libraries are found, too, that the program loads later.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/emulator/redirect/jump.h"
#include "frontend/emulator/redirect/static_runtime.h"
#include "sim/core/alloc.h"

enum { EXIT_FAILED = 125 };

/* A file that is mapped as a program or library. */
typedef struct {
    char *path; /* owned */
    uint64_t base;
    const ElfW(Phdr) * segments;
    unsigned n_segments;
    bool is_program;
} object_t;

typedef struct {
    object_t *objects; /* owned */
    size_t n, cap;
    unsigned long long added, removed; /* since the process began */
} objects_t;

/* The dynamic linker runs constructors one after another, with its lock held, so no other is needed. */
static objects_t known; /* what has been looked at */
static bool inside;     /* loading a runtime runs constructors, too */

static _Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void give_up(const char *format, ...)
{
    va_list ap;

    fprintf(stderr, "rubato: ");
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fprintf(stderr, "\n");
    _exit(EXIT_FAILED);
}

/* --- writing the jumps ----------------------------------------------------------------------- */

/* The executable segment that holds n bytes at an address of the file, or NULL. */
static const ElfW(Phdr) * text_at(const object_t *o, uint64_t address, uint64_t n)
{
    for (unsigned i = 0; i < o->n_segments; i++) {
        const ElfW(Phdr) *s = &o->segments[i];
        if (s->p_type == PT_LOAD && (s->p_flags & PF_X) != 0 && address >= s->p_vaddr &&
            n <= s->p_filesz && address - s->p_vaddr <= s->p_filesz - n)
            return s;
    }
    return NULL;
}

static void protect(const object_t *o, const ElfW(Phdr) * s, int protection)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t from = (o->base + s->p_vaddr) / page * page;
    const uint64_t to = o->base + s->p_vaddr + s->p_memsz;

    if (mprotect((void *)(uintptr_t)from, to - from, protection) != 0)
        give_up("%s: its static CUDA runtime cannot be replaced: %s; link it with nvcc -cudart "
                "shared",
                o->path, strerror(errno));
}

/* Makes the code of a file writable, or executable again. Never both: some hosts forbid it. */
static void unlock_code(const object_t *o, bool unlock)
{
    for (unsigned i = 0; i < o->n_segments; i++) {
        const ElfW(Phdr) *s = &o->segments[i];
        const int before = (s->p_flags & PF_W) != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
        if (s->p_type == PT_LOAD && (s->p_flags & PF_X) != 0)
            protect(o, s, unlock ? PROT_READ | PROT_WRITE : before | PROT_EXEC);
    }
}

/* The bytes of the file at an address, or NULL. */
static const uint8_t *file_bytes(const elf_file_t *f, const ElfW(Phdr) * s, uint64_t address,
                                 uint64_t n)
{
    const uint64_t at = s->p_offset + (address - s->p_vaddr);

    return at <= f->size && n <= f->size - at ? f->data + at : NULL;
}

/* Whether a function is in memory as in the file. */
static bool is_intact(const object_t *o, const elf_file_t *f, const static_function_t *function)
{
    enum { COMPARED = 8 };
    const ElfW(Phdr) *s = text_at(o, function->address, COMPARED);
    const uint8_t *bytes = s != NULL ? file_bytes(f, s, function->address, COMPARED) : NULL;

    return bytes != NULL &&
           memcmp((const void *)(uintptr_t)(o->base + function->address), bytes, COMPARED) == 0;
}

static void redirect_function(const object_t *o, unsigned machine, const static_function_t *f,
                              const void *target)
{
    uint8_t jump[JUMP_MAX_BYTES];
    const uint64_t room = f->room != 0 && f->room < sizeof(jump) ? f->room : sizeof(jump);
    const ElfW(Phdr) *s = text_at(o, f->address, room);
    uint8_t *code = (uint8_t *)(uintptr_t)(o->base + f->address);
    size_t n = s != NULL ? jump_encode(jump, machine, code, room, (uint64_t)(uintptr_t)target) : 0;

    if (n == 0)
        give_up("%s: %s() of its static CUDA runtime cannot be replaced; link it with nvcc -cudart "
                "shared",
                o->path, f->name);
    memcpy(code, jump, n);
    __builtin___clear_cache((char *)code, (char *)code + n);
}

/* Loads the libcudart.so beside this library. */
static void *load_runtime(const object_t *o, unsigned major)
{
    static const char *const versions[] = {[10] = "10.2", [11] = "11.0", [12] = "12", [13] = "13"};
    Dl_info self;

    if (dladdr(&known, &self) == 0)
        give_up("the CUDA runtime of rubato was not found");
    const char *slash = strrchr(self.dli_fname, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - self.dli_fname) + 1 : 0;
    char *path = rb_format("%.*slibcudart.so.%s", (int)folder, self.dli_fname, versions[major]);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        give_up("%s: its CUDA runtime cannot be replaced: %s", o->path, dlerror());
    free(path);
    return library;
}

/* Functions that rubato's runtime does not have stay: they end in the driver, which refuses. */
static void redirect_runtime(const object_t *o, const elf_file_t *f, const static_runtime_t *r)
{
    if (!is_intact(o, f, static_runtime_function(r, "__cudaRegisterFatBinary")))
        return; /* done before, or this is not the file that is mapped */
    void *library = load_runtime(o, r->major);
    unlock_code(o, true);
    for (uint32_t i = 0; i < r->n_functions; i++) {
        const void *target = dlsym(library, r->functions[i].name);
        if (target != NULL)
            redirect_function(o, f->machine, &r->functions[i], target);
    }
    unlock_code(o, false);
}

/* --- looking at files ------------------------------------------------------------------------ */

static void look_at_image(const object_t *o, const uint8_t *data, size_t size)
{
    static_runtime_t runtime;
    elf_file_t file;
    rb_err_t err = {0};

    if (elf_open(&file, o->path, data, size, &err) != RB_OK)
        return;
    static_runtime_find(&runtime, &file);
    if (runtime.kind == STATIC_RUNTIME_FOUND)
        redirect_runtime(o, &file, &runtime);
    if (runtime.kind == STATIC_RUNTIME_STRIPPED && o->is_program)
        give_up("%s: its CUDA runtime is linked statically, and the symbols by which it could be "
                "replaced are stripped; link the program without stripping it, or with nvcc "
                "-cudart shared",
                o->path);
    static_runtime_free(&runtime);
    elf_close(&file);
}

static void look_at(const object_t *o)
{
    struct stat st;
    int fd = open(o->path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return; /* such as the code that the kernel maps into each process */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        const size_t size = (size_t)st.st_size;
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            look_at_image(o, data, size);
            munmap(data, size);
        }
    }
    close(fd);
}

/* The path of the program itself. Free with free(). */
static char *program_path(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

    path[n > 0 ? n : 0] = '\0';
    return rb_strdup(path);
}

static int list_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
    objects_t *list = ctx;
    const bool is_program = list->n == 0;

    (void)size;
    rb_grow(&list->objects, &list->cap, list->n + 1, sizeof(*list->objects));
    list->objects[list->n++] =
        (object_t){.path = is_program ? program_path() : rb_strdup(info->dlpi_name),
                   .base = info->dlpi_addr,
                   .segments = info->dlpi_phdr,
                   .n_segments = info->dlpi_phnum,
                   .is_program = is_program};
    list->added = info->dlpi_adds;
    list->removed = info->dlpi_subs;
    return 0;
}

static int count_objects(struct dl_phdr_info *info, size_t size, void *ctx)
{
    objects_t *counted = ctx;

    (void)size;
    counted->added = info->dlpi_adds;
    counted->removed = info->dlpi_subs;
    return 1;
}

static void free_list(objects_t *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->objects[i].path);
    free(list->objects);
    *list = (objects_t){0};
}

static bool is_known(const object_t *o)
{
    for (size_t i = 0; i < known.n; i++)
        if (known.objects[i].base == o->base && known.objects[i].segments == o->segments &&
            strcmp(known.objects[i].path, o->path) == 0)
            return true;
    return false;
}

/* Looks at the files that have been loaded since the last time. After some have been unloaded, it
 * looks at all: one may have come back to the same place. */
static void look_at_new(void)
{
    objects_t now = {0}, list = {0};

    for (;;) {
        dl_iterate_phdr(count_objects, &now);
        if (known.n > 0 && now.added == known.added && now.removed == known.removed)
            return;
        list = (objects_t){0};
        dl_iterate_phdr(list_object, &list);
        if (list.removed != known.removed)
            free_list(&known);
        for (size_t i = 0; i < list.n; i++)
            if (!is_known(&list.objects[i]))
                look_at(&list.objects[i]);
        free_list(&known);
        known = list;
    }
}

__attribute__((visibility("default"))) void __gmon_start__(void);

void __gmon_start__(void)
{
    const int error = errno;

    if (inside)
        return;
    inside = true;
    look_at_new();
    inside = false;
    errno = error;
}

__attribute__((constructor)) static void start(void)
{
    __gmon_start__();
}
