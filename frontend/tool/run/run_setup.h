/*
 * The common first steps of commands that use a trace on a GPU: the trace, the resolved
 * configuration, and the identity of both.
 */
#ifndef RUBATO_RUN_RUN_SETUP_H
#define RUBATO_RUN_RUN_SETUP_H

#include <stdbool.h>

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/library/library_client.h"

typedef struct {
    const char *trace;    /* path */
    rubato_trace *opened; /* a source to use instead of opening the trace; ownership passes; NULL:
                           * none */
    const char *gpu;      /* NULL: chosen by the architecture */
    unsigned arch;        /* architecture that decides the GPU; 0: that of the trace's first
                           * launch */
    const char *tmpdir;   /* NULL: $TMPDIR or /tmp */
    text_list_t sets;     /* -s settings in order */
} setup_options_t;

typedef struct {
    rubato_trace *trace;    /* owned */
    rubato_config *config;  /* owned */
    trace_source_t *source; /* of trace */
    conf_t *conf;           /* of config */
    const gpu_spec_t *spec; /* of config */
    const char *gpu;        /* the name that was used */
    bool gpu_is_default;
    char config_sha256[SHA256_TEXT];
    launch_info_t first; /* launch 1 */
    uint64_t n_launches; /* UINT64_MAX: not yet known */
} setup_t;

/* Opens the trace and resolves the configuration. */
RB_CHECKED rb_code_t setup_open(setup_t *s, const setup_options_t *o, rb_err_t *err);

/* Resolves only the configuration of s->gpu, with the settings of o. */
RB_CHECKED rb_code_t setup_resolve(setup_t *s, const setup_options_t *o, rb_err_t *err);

/* Does nothing for a zeroed setup. */
void setup_close(setup_t *s);

/* Number of cores that this process may use, 1 to SETUP_THREADS_MAX, respecting cpusets and
 * affinity. */
enum { SETUP_THREADS_MAX = LIBRARY_THREADS_MAX };
uint64_t setup_usable_cores(void);

#endif
