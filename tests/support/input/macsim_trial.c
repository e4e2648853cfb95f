#include "tests/support/input/macsim_trial.h"

#include <stdio.h>
#include <string.h>

#include "frontend/input/macsim/macsim.h"
#include "frontend/tool/library/open_trace.h"
#include "tests/support/source_check.h"
#include "tests/support/temp_folder.h"

static const char *const part_names[] = {
    "kernel_config.txt",   "kernel_names.txt",        "x_sampled_kernels_info.txt",
    "Kernel0/trace.txt",   "Kernel0/trace_info.txt",  "Kernel0/trace_0.raw",
    "Kernel0/trace_1.raw", "Kernel0/trace_65536.raw", "Kernel0/trace_65537.raw",
};

enum { PARTS = sizeof(part_names) / sizeof(part_names[0]), OPTIONAL_PARTS = 3 };

static void write_parts(const char *data, size_t n)
{
    static const char mark[] = "\n====\n";
    const size_t mark_len = sizeof(mark) - 1;

    for (unsigned i = 0; i < PARTS; i++) {
        const char *end = i + 1 < PARTS ? memmem(data, n, mark, mark_len) : NULL;
        size_t len = end != NULL ? (size_t)(end - data) : n;

        if (len == 0 && (i > 0 && i < OPTIONAL_PARTS))
            remove(temp_path(part_names[i]));
        else
            temp_write_bytes(part_names[i], data, len);
        size_t used = end != NULL ? len + mark_len : n;

        data += used;
        n -= used;
    }
}

rb_code_t macsim_trial(const void *data, size_t n)
{
    rb_err_t err = {0};
    rb_code_t code;

    write_parts(data, n);
    trace_source_t *s = macsim_detect(temp_path("")) ? open_trace(temp_path(""), NULL, &err)
                                                     : macsim_open(temp_path(""), NULL, &err);

    code = s != NULL ? RB_OK : err.code;
    for (uint64_t id = 1; s != NULL && code == RB_OK && id <= s->ops->n_launches(s); id++) {
        code = source_check_launch(s, id, &err);
        RB_INVARIANT(s->ops->weight(s, id) > 0, "weight");
    }
    RB_INVARIANT(code == err.code && (code == RB_OK) == (err.text[0] == '\0'), "error %d '%s'",
                 (int)code, err.text);
    RB_INVARIANT(code == RB_OK ||
                     strncmp(err.text, TEMP_FOLDER_NAME, strlen(TEMP_FOLDER_NAME)) == 0,
                 "'%s' does not begin with a file's name", err.text);
    if (s != NULL)
        s->ops->destroy(s);
    return code;
}
