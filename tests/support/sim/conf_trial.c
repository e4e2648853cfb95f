#include "tests/support/sim/conf_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gpu/gpu_conf.h"

static rb_code_t read_spec(conf_t *c, const char *text, size_t n, gpu_spec_t *spec, rb_err_t *err)
{
    RB_TRY(conf_load_text(c, "input", text, n, err));
    return gpu_spec_from_conf(spec, c, err);
}

static void check_round_trip(conf_t *c)
{
    gpu_spec_t again;
    rb_err_t err = {0};
    char hash[2][SHA256_TEXT], *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    RB_INVARIANT(out, "no memory stream");
    conf_write_resolved(c, NULL, out);
    fclose(out);
    conf_t *copy = conf_create();
    RB_INVARIANT(read_spec(copy, text, n, &again, &err) == RB_OK, "resolved file: %s", err.text);
    conf_hash(c, hash[0]);
    conf_hash(copy, hash[1]);
    RB_INVARIANT(!strcmp(hash[0], hash[1]), "resolved file reads back as other values");
    conf_destroy(copy);
    free(text);
}

rb_code_t conf_trial(const void *text, size_t n)
{
    gpu_spec_t spec;
    rb_err_t err = {0};
    conf_t *c = conf_create();
    rb_code_t code = read_spec(c, text, n, &spec, &err);
    if (code == RB_OK)
        check_round_trip(c);
    else
        RB_INVARIANT(err.code == code && err.text[0], "refused without a message");
    conf_destroy(c);
    return code;
}
