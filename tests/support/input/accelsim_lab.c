#include "tests/support/input/accelsim_lab.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/test.h"

trace_source_t *accelsim_lab_open(const char *path)
{
    rb_err_t err = {0};
    trace_source_t *s = accelsim_open(path, NULL, &err);

    if (s == NULL)
        fail_msg("%s", err.text);
    return s;
}

void accelsim_lab_write(trace_source_t *s, const char *folder,
                        const accelsim_writer_options_t *opts)
{
    rb_err_t err = {0};

    if (accelsim_write(s, folder, opts, &err) != RB_OK)
        fail_msg("%s", err.text);
}

void accelsim_lab_remove(const char *folder)
{
    char command[512];

    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}
