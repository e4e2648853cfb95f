#include "frontend/emulator/ptx/ptx_compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/emulator/ptx/ptx_tools.h"
#include "sim/core/alloc.h"
#include "sim/core/files/sha256.h"

enum { WORDS_MAX = 16, LOG_BYTES = 600 };

uint32_t ptx_target(const char *text)
{
    const char *version = strstr(text, ".version");
    const char *target = version != NULL ? strstr(version, ".target") : NULL;
    unsigned arch = 0;

    return target != NULL && sscanf(target + 7, " sm_%u", &arch) == 1 ? arch : 0;
}

/* --- the cache ------------------------------------------------------------------------------- */

/* The folder of the cache, made if it is missing; false: there is none. */
static bool cache_folder(char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char part[PATH_MAX];
    int n;

    if (cache != NULL && cache[0] == '/')
        n = snprintf(path, PATH_MAX, "%s/rubato/ptx", cache);
    else if (home != NULL && home[0] == '/')
        n = snprintf(path, PATH_MAX, "%s/.cache/rubato/ptx", home);
    else
        return false;
    for (int i = 1; i <= n && n < PATH_MAX - 128; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        snprintf(part, sizeof(part), "%.*s", i, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
    }
    return n < PATH_MAX - 128;
}

/* The name of a result in the cache: everything that it depends on. False: there is no cache. */
static bool cache_name(const char *tool, const char *text, size_t n, const ptx_options_t *o,
                       char path[PATH_MAX])
{
    char folder[PATH_MAX], hash[SHA256_TEXT], facts[256];
    struct stat st;
    sha256_t s;

    if (!cache_folder(folder) || stat(tool, &st) != 0)
        return false;
    int length = snprintf(facts, sizeof(facts), "%u %u %u %d %d %d %lld %lld.%09ld ", o->arch,
                          o->max_regs, o->level, o->line_info, o->debug, o->relocatable,
                          (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    sha256_init(&s);
    sha256_update(&s, facts, (size_t)length);
    sha256_update(&s, tool, strlen(tool) + 1);
    sha256_update(&s, text, n);
    sha256_final_text(&s, hash);
    return snprintf(path, PATH_MAX, "%s/%s.cubin", folder, hash) < PATH_MAX - 32;
}

static bool is_cubin(const uint8_t *data, size_t size)
{
    return data != NULL && size >= 64 && memcmp(data, "\177ELF", 4) == 0;
}

/* Other programs may read and write the same file, so it appears at once. */
static void cache_put(const char *path, const uint8_t *data, size_t size)
{
    char part[PATH_MAX];

    if (snprintf(part, sizeof(part), "%s.%ld", path, (long)getpid()) >= (int)sizeof(part))
        return;
    if (!ptx_write_file(part, data, size) || rename(part, path) != 0)
        unlink(part);
}

/* --- compiling ------------------------------------------------------------------------------- */

typedef struct {
    const char *text;
    size_t n;
    const ptx_options_t *options;
    char log[LOG_BYTES];
    bool other_arch; /* the compiler does not know the architecture */
} work_t;

/* Compiles in a folder; NULL: the compiler failed, with w->log. */
static uint8_t *compile_in(work_t *w, const char *tool, const char *folder, size_t *size)
{
    const ptx_options_t *o = w->options;
    const char *words[WORDS_MAX] = {tool};
    char arch[32], regs[48], level[16], in[PATH_MAX + 16], out[PATH_MAX + 16];
    unsigned n = 1;

    snprintf(in, sizeof(in), "%s/in.ptx", folder);
    snprintf(out, sizeof(out), "%s/out.cubin", folder);
    snprintf(arch, sizeof(arch), "-arch=sm_%u", o->arch);
    snprintf(regs, sizeof(regs), "-maxrregcount=%u", o->max_regs);
    snprintf(level, sizeof(level), "-O%u", o->level - 1);
    words[n++] = arch;
    if (o->max_regs > 0)
        words[n++] = regs;
    if (o->level > 0)
        words[n++] = level;
    if (o->line_info)
        words[n++] = "-lineinfo";
    if (o->debug)
        words[n++] = "-g";
    if (o->relocatable)
        words[n++] = "-c";
    words[n++] = "-o";
    words[n++] = out;
    words[n++] = in;
    if (!ptx_write_file(in, w->text, w->n)) {
        snprintf(w->log, sizeof(w->log), "%.400s: %s", in, strerror(errno));
        return NULL;
    }
    if (!ptx_run(folder, words, w->log, sizeof(w->log)))
        return NULL;
    uint8_t *cubin = ptx_read_file(out, size);
    if (is_cubin(cubin, *size))
        return cubin;
    free(cubin);
    return NULL;
}

static rb_code_t compile_with(work_t *w, const char *tool, uint8_t **cubin, size_t *size,
                              rb_err_t *err)
{
    char folder[PATH_MAX], cached[PATH_MAX];
    const bool caches = cache_name(tool, w->text, w->n, w->options, cached);

    *cubin = caches ? ptx_read_file(cached, size) : NULL;
    if (is_cubin(*cubin, *size))
        return RB_OK;
    free(*cubin);
    RB_TRY(ptx_folder_make(folder, err));
    *cubin = compile_in(w, tool, folder, size);
    ptx_folder_remove(folder);
    if (*cubin != NULL && caches)
        cache_put(cached, *cubin, *size);
    w->other_arch = *cubin == NULL && strstr(w->log, "'gpu-name'") != NULL;
    return RB_OK;
}

static rb_code_t no_tool(const char *name, uint32_t arch, unsigned n, rb_err_t *err)
{
    const char *own = getenv("RUBATO_PTXAS");

    if (own != NULL && own[0] != '\0' && n == 0)
        return rb_fail(err, RB_IO, "RUBATO_PTXAS names %s: there is no %s", own, name);
    if (n == 0)
        return rb_fail(err, RB_IO,
                       "%s is needed to compile PTX, and is not in PATH (Debian: package "
                       "nvidia-cuda-toolkit); set RUBATO_PTXAS to it, or compile with nvcc "
                       "-arch=sm_%u",
                       name, arch);
    return rb_fail(err, RB_IO,
                   "no %s here compiles PTX for sm_%u (that of CUDA 13 knows sm_75 and later); set "
                   "RUBATO_PTXAS to another, or choose another GPU with --gpu",
                   name, arch);
}

rb_code_t ptx_compile(const char *text, size_t n, const ptx_options_t *options, uint8_t **cubin,
                      size_t *size, rb_err_t *err)
{
    char(*tools)[PATH_MAX] = rb_calloc(PTX_TOOLS_MAX, sizeof(*tools));
    const unsigned n_tools = ptx_tools("ptxas", tools);
    work_t w = {.text = text, .n = n, .options = options, .other_arch = true};
    rb_code_t rc = RB_OK;

    *cubin = NULL;
    *size = 0;
    for (unsigned i = 0; i < n_tools && *cubin == NULL && w.other_arch && rc == RB_OK; i++) {
        rc = compile_with(&w, tools[i], cubin, size, err);
        if (rc == RB_OK && *cubin == NULL && !w.other_arch)
            rc = rb_fail(err, RB_TRACE, "%s does not compile the PTX: %s", tools[i], w.log);
    }
    if (rc == RB_OK && *cubin == NULL)
        rc = no_tool("ptxas", options->arch, n_tools, err);
    free(tools);
    return rc;
}

/* --- linking --------------------------------------------------------------------------------- */

/* Links in a folder; NULL: the linker failed. */
static uint8_t *link_in(const ptx_part_t *parts, size_t n, uint32_t arch, const char *tool,
                        const char *folder, char log[LOG_BYTES], size_t *size)
{
    enum { FIRST = 4 };
    const char **words = rb_calloc(FIRST + n + 1, sizeof(*words));
    char option[32], out[PATH_MAX + 16];
    uint8_t *cubin = NULL;
    bool ok = true;

    snprintf(option, sizeof(option), "-arch=sm_%u", arch);
    snprintf(out, sizeof(out), "%s/out.cubin", folder);
    words[0] = tool;
    words[1] = option;
    words[2] = "-o";
    words[3] = out;
    for (size_t i = 0; i < n && ok; i++) {
        char *path = rb_format("%s/part%zu.%s", folder, i, parts[i].suffix);
        words[FIRST + i] = path;
        ok = ptx_write_file(path, parts[i].data, parts[i].size);
        if (!ok)
            snprintf(log, LOG_BYTES, "%.400s: %s", path, strerror(errno));
    }
    if (ok && ptx_run(folder, words, log, LOG_BYTES))
        cubin = ptx_read_file(out, size);
    for (size_t i = 0; i < n; i++)
        free((void *)(uintptr_t)words[FIRST + i]);
    free(words);
    if (is_cubin(cubin, *size))
        return cubin;
    free(cubin);
    return NULL;
}

rb_code_t ptx_link(const ptx_part_t *parts, size_t n, uint32_t arch, uint8_t **cubin, size_t *size,
                   rb_err_t *err)
{
    char(*tools)[PATH_MAX] = rb_calloc(PTX_TOOLS_MAX, sizeof(*tools));
    char folder[PATH_MAX], log[LOG_BYTES] = "";
    const unsigned n_tools = ptx_tools("nvlink", tools);
    rb_code_t rc = RB_OK;

    *cubin = NULL;
    *size = 0;
    for (unsigned i = 0; i < n_tools && *cubin == NULL && rc == RB_OK; i++) {
        rc = ptx_folder_make(folder, err);
        if (rc != RB_OK)
            break;
        *cubin = link_in(parts, n, arch, tools[i], folder, log, size);
        ptx_folder_remove(folder);
        if (*cubin == NULL && strstr(log, "'arch'") == NULL)
            rc = rb_fail(err, RB_TRACE, "%s does not link the parts: %s", tools[i], log);
    }
    if (rc == RB_OK && *cubin == NULL)
        rc = no_tool("nvlink", arch, n_tools, err);
    free(tools);
    return rc;
}
