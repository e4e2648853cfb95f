#include "tests/support/input/accelsim_trial.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/input/accelsim/accelsim.h"
#include "tests/support/source_check.h"

rb_code_t accelsim_trial(const void *data, size_t n)
{
    enum { SORT_BYTES = 1024 }; /* so that sorting a raw file needs several runs */
    const accelsim_options_t opts = {.sort_bytes = SORT_BYTES};
    char path[64];
    rb_err_t err = {0};
    int fd = memfd_create("trial", 0);

    RB_INVARIANT(fd >= 0 && write(fd, data, n) == (ssize_t)n, "memfd");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)accelsim_detect(path);
    trace_source_t *s = accelsim_open(path, &opts, &err);
    rb_code_t code = s != NULL ? source_check_launch(s, 1, &err) : err.code;

    RB_INVARIANT(code == err.code && (code == RB_OK) == (err.text[0] == '\0'), "error %d '%s'",
                 (int)code, err.text);
    RB_INVARIANT(code == RB_OK || strncmp(err.text, path, strlen(path)) == 0,
                 "'%s' does not begin with the file's name", err.text);
    if (s != NULL)
        s->ops->destroy(s);
    close(fd);
    return code;
}
