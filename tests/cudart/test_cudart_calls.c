/*
 * All calls of the runtime and the driver, by the table cuda_calls.tsv: the libraries export what it
 * lists, and with zeros for all arguments each call returns what it says there, or ends the program
 * with a message. None crashes.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/emulator/sass/elf64.h"
#include "tests/support/emulator/shown_gpu.h"
#include "tests/support/test.h"

enum { MOST_CALLS = 2048, NAME = 80, GIVEN_UP = 125, NOT_SUPPORTED = 801, SECONDS = 20 };

int cudaFree(void *p);
int cudaGetDevice(int *device);
int cudaGetLastError(void);

typedef struct {
    char name[NAME];
    char does[16];
    char zeros[16];        /* error code, "stop", "void", "pointer", or "-": not tried */
    bool found, versioned; /* in a library; in each libcudart.so, since it differs */
} call_t;

typedef struct {
    int returned, last; /* the error that cudaGetLastError() then gives */
    bool came_back;
} result_t;

static call_t calls[MOST_CALLS];
static size_t n_calls;

/* --- the table ------------------------------------------------------------------------------- */

static void read_table(void)
{
    char line[256];
    FILE *file = fopen(RUBATO_ROOT "/tests/cudart/cuda_calls.tsv", "re");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        call_t *c = &calls[n_calls];
        if (line[0] == '#')
            continue;
        assert_true(n_calls < MOST_CALLS);
        if (sscanf(line, "%79[^\t]\t%15[^\t]\t%15[^\n]", c->name, c->does, c->zeros) != 3)
            fail_msg("cuda_calls.tsv: %s", line);
        if (n_calls > 0 && strcmp(calls[n_calls - 1].name, c->name) >= 0)
            fail_msg("cuda_calls.tsv: %s is not in order", c->name);
        n_calls++;
    }
    fclose(file);
}

static int compare_name(const void *name, const void *call)
{
    return strcmp(name, ((const call_t *)call)->name);
}

static call_t *call_of(const char *name)
{
    return bsearch(name, calls, n_calls, sizeof(calls[0]), compare_name);
}

/* --- the libraries --------------------------------------------------------------------------- */

typedef void (*export_fn)(void *ctx, const char *name);

/* Calls fn for each function that a library exports. */
static void each_export(const char *path, export_fn fn, void *ctx)
{
    enum { ENTRY = 24, INFO_AT = 4, SECTION_AT = 6, TYPE_BITS = 15 };
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    elf_file_t elf;
    rb_err_t err = {0};

    assert_true(fd >= 0 && fstat(fd, &about) == 0);
    const size_t n = (size_t)about.st_size;
    uint8_t *file = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(file != MAP_FAILED);
    close(fd);
    if (elf_open(&elf, path, file, n, &err) != RB_OK)
        fail_msg("%s", err.text);
    const elf_section_t *symbols = elf_section(&elf, ".dynsym");
    const elf_section_t *names = elf_section(&elf, ".dynstr");
    assert_true(symbols != NULL && names != NULL);
    for (uint64_t at = 0; at + ENTRY <= symbols->size; at += ENTRY) {
        const uint8_t *symbol = symbols->data + at;
        const bool function = (symbol[INFO_AT] & TYPE_BITS) == ELF_SYMBOL_FUNC;
        if (function && elf_u16(symbol + SECTION_AT) != 0)
            fn(ctx, (const char *)names->data + elf_u32(symbol));
    }
    elf_close(&elf);
    munmap(file, n);
}

/* The folder of the libraries that this test is linked with. */
static void folder_of(char folder[1024])
{
    Dl_info info;

    assert_true(dladdr(__extension__(void *) cudaGetDevice, &info) != 0);
    snprintf(folder, 1024, "%s", info.dli_fname);
    *strrchr(folder, '/') = '\0';
}

static const char *const libraries[] = {"libcuda.so.1",      "libcudart.so.10.1",
                                        "libcudart.so.10.2", "libcudart.so.11.0",
                                        "libcudart.so.12",   "libcudart.so.13"};
enum { LIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };

static void path_of(const char *library, char path[1100])
{
    char folder[1024];

    folder_of(folder);
    snprintf(path, 1100, "%s/%s", folder, library);
}

static void expect_listed(void *ctx, const char *name)
{
    const bool *versioned = ctx;
    call_t *c = call_of(name);

    if (strncmp(name, "cudart_", 7) == 0) /* of these libraries among themselves */
        return;
    if (c == NULL)
        fail_msg("%s() is exported, but not in cuda_calls.tsv", name);
    c->found = true;
    c->versioned = c->versioned || *versioned;
}

static void the_table_has_all_calls_and_no_other(void **state)
{
    char path[1100];

    (void)state;
    for (size_t i = 0; i < LIBRARIES; i++) {
        bool versioned = i > 0;
        path_of(libraries[i], path);
        each_export(path, expect_listed, &versioned);
    }
    for (size_t i = 0; i < n_calls; i++)
        if (!calls[i].found)
            fail_msg("%s() is in cuda_calls.tsv, but no library exports it", calls[i].name);
}

/* --- calls ----------------------------------------------------------------------------------- */

typedef long (*any_fn)(long, long, long, long, long, long, long, long, long, long, long, long);

/* The call in one of the libraries. */
static any_fn function_of(const call_t *c, const char *library)
{
    char path[1100];
    any_fn function;

    path_of(library, path);
    void *symbol = dlsym(dlopen(path, RTLD_NOW), c->name);
    if (symbol == NULL)
        _exit(1);
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

/* In a process of its own: many calls end the program. */
static void call_with_zeros(const call_t *c, const char *library, result_t *r)
{
    const any_fn function = function_of(c, library);

    if (freopen("/dev/null", "w", stderr) == NULL)
        _exit(1);
    signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
    signal(SIGBUS, SIG_DFL);
    alarm(SECONDS);
    r->returned = (int)function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    r->last = cudaGetLastError();
    r->came_back = true;
    _exit(0);
}

static int run_call(const call_t *c, const char *library, result_t *r)
{
    int status = 0;

    *r = (result_t){0};
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        call_with_zeros(c, library, r);
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

/* What happened, in the words of the table. */
static void outcome(const call_t *c, int status, const result_t *r, char text[64])
{
    if (WIFSIGNALED(status))
        snprintf(text, 64, "signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) == GIVEN_UP)
        snprintf(text, 64, "stop");
    else if (!r->came_back)
        snprintf(text, 64, "status %d", WEXITSTATUS(status));
    else if (strcmp(c->zeros, "void") == 0 || strcmp(c->zeros, "pointer") == 0)
        snprintf(text, 64, "%s", c->zeros);
    else
        snprintf(text, 64, "%d", r->returned);
}

/* Whether the call did what the table says; prints what else it did. */
static bool answers(const call_t *c, const char *library, result_t *r)
{
    char text[64];

    outcome(c, run_call(c, library, r), r, text);
    if (strcmp(text, c->zeros) != 0) {
        print_error("%s, %s(): %s, not %s\n", library, c->name, text, c->zeros);
        return false;
    }
    /* The runtime also keeps its errors. */
    if (strncmp(c->name, "cuda", 4) == 0 && atoi(c->zeros) != r->last) {
        print_error("%s, %s(): the last error is %d\n", library, c->name, r->last);
        return false;
    }
    return true;
}

static void each_call_with_zeros_is_answered(void **state)
{
    unsigned wrong = 0;
    /* Shared with the processes that call. */
    result_t *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(r != MAP_FAILED);
    assert_int_equal(cudaFree(NULL), 0);
    for (size_t i = 0; i < n_calls; i++) {
        const call_t *c = &calls[i];
        if (strcmp(c->zeros, "-") == 0)
            continue;
        for (size_t k = c->versioned; k < (c->versioned ? LIBRARIES : 1); k++)
            wrong += !answers(c, libraries[k], r);
    }
    munmap(r, sizeof(*r));
    assert_int_equal(wrong, 0);
}

static void the_table_says_one_thing(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_calls; i++) {
        const call_t *c = &calls[i];
        assert_int_equal(strcmp(c->does, "stops") == 0, strcmp(c->zeros, "stop") == 0);
        assert_int_equal(strcmp(c->does, "refused") == 0, atoi(c->zeros) == NOT_SUPPORTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_all_calls_and_no_other),
        cmocka_unit_test(the_table_says_one_thing),
        cmocka_unit_test(each_call_with_zeros_is_answered),
    };

    show_gpu("v100");
    read_table();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
