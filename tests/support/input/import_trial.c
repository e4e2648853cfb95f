#include "tests/support/input/import_trial.h"

#include <stdio.h>
#include <stdlib.h>

#include "frontend/input/gpgpusim/config_import.h"
#include "sim/gpu/gpu_conf.h"
#include "tests/support/temp_folder.h"

/* Writes both outputs of "config import", one after the other. The caller frees the text. */
static char *write_all(const import_t *im, size_t *n)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n);

    RB_INVARIANT(out != NULL, "no memory stream");
    import_write_config(im, out);
    import_write_report(im, "# ", out);
    fclose(out);
    return text;
}

static void check(const import_t *im)
{
    gpu_spec_t spec;
    rb_err_t err = {0};
    size_t n;
    char *text = write_all(im, &n);
    conf_t *c = conf_create();
    rb_code_t rc = conf_load_text(c, "imported", text, n, &err);

    if (rc == RB_OK)
        rc = gpu_spec_from_conf(&spec, c, &err);
    RB_INVARIANT(rc == RB_OK, "imported configuration: %s", err.text);
    conf_destroy(c);
    free(text);
}

rb_code_t import_trial(const void *data, size_t n)
{
    rb_err_t err = {0};
    import_t *im = import_create();

    temp_write_bytes("gpgpusim.config", data, n);
    rb_code_t rc = import_read(im, temp_path("gpgpusim.config"), &err);
    if (rc == RB_OK)
        rc = import_map(im, &err);
    RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc,
                 err.text);
    if (rc == RB_OK)
        check(im);
    import_destroy(im);
    return rc;
}
