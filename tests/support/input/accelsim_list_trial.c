#include "tests/support/input/accelsim_list_trial.h"

#include <string.h>
#include <sys/stat.h>

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/file/accelsim_list.h"
#include "tests/support/temp_folder.h"

static void check_list(const accelsim_list_t *list)
{
    uint64_t bytes = 0;
    size_t copies = 0;
    struct stat st;

    RB_INVARIANT(list->n_kernels > 0, "an empty list");
    for (size_t i = 0; i <= list->n_kernels; i++) {
        const accelsim_kernel_t *k = &list->kernels[i];

        RB_INVARIANT(k->bytes_before == bytes, "bytes before kernel %zu", i);
        RB_INVARIANT(k->first_copy >= copies && k->first_copy <= list->n_copies, "copies");
        copies = k->first_copy;
        if (i == list->n_kernels)
            break;
        RB_INVARIANT(stat(k->path, &st) == 0 && (uint64_t)st.st_size == k->bytes, "%s", k->path);
        bytes += k->bytes;
    }
    for (size_t i = 0; i < list->n_copies; i++)
        RB_INVARIANT(list->copies[i].bytes <= UINT64_MAX - list->copies[i].addr, "a copy");
}

/* Also reads through the source: copies of each launch, headers that may be refused. */
static void check_source(trace_source_t *s, const accelsim_list_t *list)
{
    const memcpy_op_t *ops;
    size_t copies = 0;

    RB_INVARIANT(s->ops->n_launches(s) == list->n_kernels, "launches");
    for (uint64_t id = 1; id <= list->n_kernels + 1; id++)
        copies += s->ops->copies(s, id, &ops);
    RB_INVARIANT(copies == list->n_copies, "copies of the launches");
    s->ops->destroy(s);
}

rb_code_t accelsim_list_trial(const void *data, size_t n)
{
    static const char *const files[] = {"kernel-1.traceg", "kernel-2.traceg.xz",
                                        "kernel-3-ctx_0x1.trace"};
    accelsim_list_t list;
    rb_err_t err = {0};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        temp_write(files[i], files[i]);
    temp_write_bytes("kernelslist.g", data, n);
    RB_INVARIANT(accelsim_detect(temp_path("")), "not seen to be a trace");
    rb_code_t code = accelsim_list_open(temp_path(""), &list, &err);

    RB_INVARIANT(code == err.code && (code == RB_OK) == (err.text[0] == '\0'), "error %d '%s'",
                 (int)code, err.text);
    if (code == RB_OK) {
        check_list(&list);
        check_source(accelsim_open(temp_path("kernelslist.g"), NULL, &err), &list);
    }
    RB_INVARIANT(code == RB_OK ||
                     strncmp(err.text, TEMP_FOLDER_NAME, strlen(TEMP_FOLDER_NAME)) == 0,
                 "'%s' does not begin with the list's name", err.text);
    accelsim_list_free(&list);
    return code;
}
