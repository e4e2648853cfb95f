/*
 * What a command that looks at a trace on a GPU needs first: the trace, the resolved configuration,
 * and the identity of both.
 */
#ifndef RUBATO_RUN_RUN_SETUP_H
#define RUBATO_RUN_RUN_SETUP_H

#include <stdbool.h>

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/library/library_client.h"

typedef struct {
    const char *trace;    /* path */
    rubato_trace *opened; /* taken over, instead of opening the trace; NULL: there is none */
    const char *gpu;      /* NULL: by the architecture */
    unsigned arch;        /* the one that decides the GPU; 0: that of the trace's first launch */
    const char *tmpdir;   /* NULL: $TMPDIR or /tmp */
    text_list_t sets;     /* -s settings in order */
} setup_options_t;

typedef struct {
    rubato_trace *trace;    /* owned */
    rubato_config *config;  /* owned */
    trace_source_t *source; /* of trace */
    conf_t *conf;           /* of config */
    const gpu_spec_t *spec; /* of config */
    const char *gpu;        /* name that was used */
    bool gpu_is_default;
    char config_sha256[SHA256_TEXT];
    launch_info_t first; /* launch 1 */
    uint64_t n_launches; /* UINT64_MAX: not known yet */
} setup_t;

/* Opens the trace and resolves the configuration. */
RB_CHECKED rb_code_t setup_open(setup_t *s, const setup_options_t *o, rb_err_t *err);

/* The configuration alone: of s->gpu, with the settings of o. */
RB_CHECKED rb_code_t setup_resolve(setup_t *s, const setup_options_t *o, rb_err_t *err);

/* Harmless on a zeroed setup. */
void setup_close(setup_t *s);

/* Cores that this process may use, 1 to SETUP_THREADS_MAX: cpusets and affinity respected. */
enum { SETUP_THREADS_MAX = LIBRARY_THREADS_MAX };
uint64_t setup_usable_cores(void);

#endif
