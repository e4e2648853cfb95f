#include "frontend/emulator/redirect/static_runtime.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

enum { DYNAMIC_SYMBOLS = 11, SYMBOL_BYTES = 24 };

/* Every file with a runtime has both; few programs that are no CUDA programs have one of them. */
static const char allocates[] = "cudaMalloc", registers[] = "__cudaRegisterFatBinary";

/* Whether a name is formed like those of the runtime's functions. */
static bool is_runtime_name(const char *name)
{
    if (strncmp(name, "__", 2) == 0)
        name += 2;
    return strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z';
}

static int by_name(const void *a, const void *b)
{
    const static_function_t *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order != 0 ? order : x->address < y->address ? -1 : x->address > y->address;
}

const static_function_t *static_runtime_function(const static_runtime_t *r, const char *name)
{
    size_t i;

    FIND_FIRST(i, 0, r->n_functions, strcmp(r->functions[i].name, name) >= 0);
    return i < r->n_functions && strcmp(r->functions[i].name, name) == 0 ? &r->functions[i] : NULL;
}

/* --- what the file exports or imports -------------------------------------------------------- */

static bool is_dynamic(const elf_section_t *names, uint32_t name)
{
    const size_t n = name < names->size ? (size_t)names->size - name : 0;
    const char *text = n > 0 ? (const char *)names->data + name : "";

    return (n >= sizeof(allocates) && memcmp(text, allocates, sizeof(allocates)) == 0) ||
           (n >= sizeof(registers) && memcmp(text, registers, sizeof(registers)) == 0);
}

/* Whether the dynamic linker connects the file with a runtime elsewhere, or others with the one in
 * it: the functions of a static runtime are hidden. */
static bool is_linked_dynamically(const elf_file_t *f)
{
    for (uint32_t i = 0; i < f->n_sections; i++) {
        const elf_section_t *s = &f->sections[i];
        if (s->type != DYNAMIC_SYMBOLS || s->data == NULL || s->link >= f->n_sections ||
            f->sections[s->link].data == NULL)
            continue;
        for (uint64_t at = 0; at + SYMBOL_BYTES <= s->size; at += SYMBOL_BYTES)
            if (is_dynamic(&f->sections[s->link], elf_u32(s->data + at)))
                return true;
    }
    return false;
}

/* --- the functions --------------------------------------------------------------------------- */

static bool is_function(const elf_symbol_t *s)
{
    return s->type == ELF_SYMBOL_FUNC && s->section != 0;
}

static void list_functions(static_runtime_t *r, const elf_file_t *f)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->n_symbols; i++)
        n += is_function(&f->symbols[i]) && is_runtime_name(f->symbols[i].name);
    r->functions = rb_calloc(n + 1u, sizeof(*r->functions));
    for (uint32_t i = 0; i < f->n_symbols; i++)
        if (is_function(&f->symbols[i]) && is_runtime_name(f->symbols[i].name))
            r->functions[r->n_functions++] =
                (static_function_t){.name = f->symbols[i].name, .address = f->symbols[i].value};
    qsort(r->functions, r->n_functions, sizeof(*r->functions), by_name);
}

static bool is_repeated(const static_runtime_t *r, uint32_t i)
{
    const static_function_t *f = r->functions;

    return (i > 0 && strcmp(f[i].name, f[i - 1].name) == 0) ||
           (i + 1 < r->n_functions && strcmp(f[i].name, f[i + 1].name) == 0);
}

/*
 * The program may have local functions with names of the runtime. The runtime is one object file, so
 * its functions are those between the first and the last of the functions that occur once. nvcc puts
 * functions such as __cudaUnregisterBinaryUtil() into the program, so names with "__" do not count.
 */
static void drop_others(static_runtime_t *r)
{
    uint64_t first = UINT64_MAX, last = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n_functions; i++) {
        uint64_t at = r->functions[i].address;
        if (is_repeated(r, i) || r->functions[i].name[0] == '_')
            continue;
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    bool *drop = rb_calloc(r->n_functions + 1u, sizeof(*drop));
    for (uint32_t i = 0; i < r->n_functions; i++)
        drop[i] = is_repeated(r, i) &&
                  (r->functions[i].address < first || r->functions[i].address > last);
    for (uint32_t i = 0; i < r->n_functions; i++)
        if (!drop[i])
            r->functions[n++] = r->functions[i];
    r->n_functions = n;
    free(drop);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Sets the room of each function from the addresses of all functions of the file. */
static void set_room(static_runtime_t *r, const elf_file_t *f)
{
    uint64_t *at = rb_calloc(f->n_symbols + 1u, sizeof(*at));
    size_t n = 0;

    for (uint32_t i = 0; i < f->n_symbols; i++)
        if (is_function(&f->symbols[i]))
            at[n++] = f->symbols[i].value;
    qsort(at, n, sizeof(*at), by_value);
    for (uint32_t i = 0; i < r->n_functions; i++) {
        size_t next;
        FIND_FIRST(next, 0, n, at[next] > r->functions[i].address);
        r->functions[i].room = next < n ? at[next] - r->functions[i].address : 0;
    }
    free(at);
}

/* The version, by functions that versions have added and removed. */
static unsigned version_of(const static_runtime_t *r)
{
    if (static_runtime_function(r, "cudaGetDeviceProperties_v2") != NULL)
        return 12; /* 13 calls it cudaGetDeviceProperties */
    if (static_runtime_function(r, "cudaBindTexture") == NULL)
        return 13;
    return static_runtime_function(r, "cudaGetFuncBySymbol") != NULL ? 11 : 10;
}

void static_runtime_find(static_runtime_t *r, const elf_file_t *f)
{
    *r = (static_runtime_t){.kind = STATIC_RUNTIME_NONE};
    if (is_linked_dynamically(f))
        return;
    list_functions(r, f);
    if (static_runtime_function(r, allocates) != NULL &&
        static_runtime_function(r, registers) != NULL) {
        r->kind = STATIC_RUNTIME_FOUND;
        drop_others(r);
        set_room(r, f);
        r->major = version_of(r);
    } else if (f->n_symbols == 0 && elf_section(f, ".nvFatBinSegment") != NULL) {
        r->kind = STATIC_RUNTIME_STRIPPED;
    }
}

void static_runtime_free(static_runtime_t *r)
{
    free(r->functions);
    *r = (static_runtime_t){0};
}
