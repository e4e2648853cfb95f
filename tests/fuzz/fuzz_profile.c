/* libFuzzer target of the profile readers: build with -DRUBATO_FUZZ=ON and clang. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/input/profile/profile.h"
#include "sim/core/log.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int file = -1;
static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    rb_log_quiet(true);
    file = memfd_create("profile", MFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    return 0;
}

/* The profile must be consistent: names that exist, durations above 0, ascending ids. */
static void check(const profile_t *p)
{
    for (uint64_t i = 0; i < p->n; i++) {
        RB_INVARIANT(p->name[i] < p->n_names, "row %llu has no name", (unsigned long long)i);
        RB_INVARIANT(p->time == NULL || p->time[i] > 0.0, "row %llu has no duration",
                     (unsigned long long)i);
        RB_INVARIANT(p->id == NULL || i == 0 || p->id[i] > p->id[i - 1], "ids do not ascend");
    }
    RB_INVARIANT(p->n > 0, "a profile without launches");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    profile_t *p;
    rb_err_t err = {0};
    if (ftruncate(file, 0) != 0 || pwrite(file, data, n, 0) != (ssize_t)n)
        rb_panic("the file in memory cannot be written");
    if (profile_read(&p, path, &err) == RB_OK) {
        check(p);
        profile_free(p);
    } else {
        RB_INVARIANT(err.text[0] != '\0', "an error without a message");
    }
    return 0;
}
