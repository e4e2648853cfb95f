/* cuGetProcAddress() returns the variant of a function that the program's version of CUDA has. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *found);

enum { NEWEST = 13000 };

/* The variant that is found, which must exist. */
static const char *found(const char *name, int version)
{
    void *function = NULL;
    Dl_info where;
    int status = 9;

    if (cuGetProcAddress_v2(name, &function, version, 0, &status) != 0 || status != 0)
        fail_msg("%s is not found", name);
    assert_true(dladdr(function, &where) != 0 && where.dli_sname != NULL);
    return where.dli_sname;
}

/* The names of the functions that refuse, each in parentheses. */
static char *read_refusing(void)
{
    FILE *in = fopen(RUBATO_ROOT "/frontend/emulator/cuda/cuda_unsupported.c", "r");
    char *text = calloc(1 << 20, 1);

    assert_true(in != NULL && text != NULL);
    assert_true(fread(text, 1, (1 << 20) - 1, in) > 0);
    fclose(in);
    return text;
}

static bool refuses(const char *refusing, const char *name)
{
    const size_t n = strlen(name);
    const char *at = refusing;

    while ((at = strstr(at, name)) != NULL && (at[-1] != '(' || at[n] != ')'))
        at++;
    return at != NULL;
}

/* Lists the functions of the driver's library. */
static FILE *list_functions(void)
{
    char command[4200];
    Dl_info where;

    assert_true(dladdr((void *)(uintptr_t)cuGetProcAddress_v2, &where) != 0);
    snprintf(command, sizeof(command), "nm -D --defined-only '%s'", where.dli_fname);
    return popen(command, "r");
}

static void strip_variant(char *name)
{
    char *suffix = strrchr(name, '_');

    if (suffix != NULL && strlen(suffix) == 3 && suffix[1] == 'v')
        *suffix = '\0';
}

static void supported_functions_are_found(void **state)
{
    char *refusing = read_refusing();
    FILE *list = list_functions();
    char line[512], name[256];
    unsigned n = 0;

    (void)state;
    assert_non_null(list);
    while (fgets(line, sizeof(line), list) != NULL) {
        if (sscanf(line, "%*s T %255s", name) != 1 || strncmp(name, "cu", 2) != 0 ||
            strncmp(name, "cuda", 4) == 0 || strstr(name, "_pts") != NULL ||
            strstr(name, "_ptds") != NULL || refuses(refusing, name))
            continue;
        strip_variant(name);
        if (refuses(refusing, found(name, NEWEST)))
            fail_msg("%s: %s refuses", name, found(name, NEWEST));
        n++;
    }
    pclose(list);
    assert_true(n > 100);
    free(refusing);
}

static void the_version_chooses_the_variant(void **state)
{
    (void)state;
    assert_string_equal(found("cuCtxCreate", 11000), "cuCtxCreate_v2");
    assert_string_equal(found("cuCtxCreate", 12000), "cuCtxCreate_v3");
    assert_string_equal(found("cuCtxCreate", 12050), "cuCtxCreate_v4");
    assert_string_equal(found("cuGetProcAddress", 11080), "cuGetProcAddress");
    assert_string_equal(found("cuGetProcAddress", 12000), "cuGetProcAddress_v2");
    assert_string_equal(found("cuStreamGetCtx", 12000), "cuStreamGetCtx");
    assert_string_equal(found("cuStreamGetCtx", 12050), "cuStreamGetCtx_v2");
    assert_string_equal(found("cuMemAlloc", 11000), "cuMemAlloc_v2");
    assert_string_equal(found("cuLinkCreate", 12000), "cuLinkCreate_v2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supported_functions_are_found),
        cmocka_unit_test(the_version_chooses_the_variant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
