/*
 * Code caches that the SMs of a GPC share (NVIDIA's GCC, an L1.5 for instructions and constants),
 * from the view of one L2 slice: which of the slice's lines each of them has.
 *
 * A GPC requests a line from the L2 once. Requests of its other SMs for the line are answered by
 * the cache: they take no slot of the slice's ports and no sector of its data port. The latency of
 * such an answer is not published; here it is that of an L2 hit, and it does not overtake the reply
 * that brings the line. gpc.h says which SMs form a GPC.
 */
#ifndef RUBATO_MEM_GPC_CODE_H
#define RUBATO_MEM_GPC_CODE_H

#include "sim/core/engine/msg.h"
#include "sim/mem/mem_params.h"
#include "sim/parts/cache/cache.h"

typedef struct {
    uint32_t n;      /* GPCs; 0: no sharing */
    cache_t **cache; /* owned; per GPC: its lines of this slice */
} gpc_code_t;

void gpc_code_init(gpc_code_t *g, const mem_config_t *config, uint32_t n_sms);
void gpc_code_free(gpc_code_t *g);

/* Whether the GPC of the requesting SM has all requested sectors. Only code is cached there. */
bool gpc_code_has(gpc_code_t *g, const mem_msg_t *m);

/* Sectors of a code line go to an SM, so its GPC now has them. Returns whether it already had
 * them. */
bool gpc_code_keep(gpc_code_t *g, uint64_t line, uint32_t sm, uint8_t sectors);

/* Drops all lines. */
void gpc_code_forget(gpc_code_t *g);

/* For checkpoints. 0, or -1 with errno. */
int gpc_code_save(const gpc_code_t *g, FILE *out);
int gpc_code_load(gpc_code_t *g, FILE *in);

#endif
