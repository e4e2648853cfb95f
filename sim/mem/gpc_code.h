/*
 * The caches of code that the SMs of a GPC share (NVIDIA's GCC, an L1.5 for instructions and
 * constants), as far as one slice of the L2 is concerned: which of its lines each of them has.
 *
 * A GPC asks the L2 for a line once. The other SMs' requests for it are answered by the cache: they
 * take no slot of the slice's ports and no sector of its data. How long such an answer takes is not
 * published; here it takes as long as one of the L2 and does not overtake the one it rests on.
 *
 * TPC t is in GPC t mod GPCs, of which there are as many as it takes to hold all SMs (guess: they
 * are filled alike).
 */
#ifndef RUBATO_MEM_GPC_CODE_H
#define RUBATO_MEM_GPC_CODE_H

#include "sim/core/msg.h"
#include "sim/mem/mem_params.h"
#include "sim/parts/cache.h"

typedef struct {
    uint32_t n;      /* GPCs; 0: SMs share nothing */
    cache_t **cache; /* owned; of each GPC, the lines of this slice */
} gpc_code_t;

void gpc_code_init(gpc_code_t *g, const mem_config_t *config, uint32_t n_sms);
void gpc_code_free(gpc_code_t *g);

/* Has the GPC of the SM all sectors that the request asks for? Only code is kept there. */
bool gpc_code_has(gpc_code_t *g, const mem_msg_t *m);

/* Sectors of a line of code go to the SM: from now on its GPC has them. Returns whether it had. */
bool gpc_code_keep(gpc_code_t *g, uint64_t line, uint32_t sm, uint8_t sectors);

/* For checkpoints. 0, or -1 with errno. */
int gpc_code_save(const gpc_code_t *g, FILE *out);
int gpc_code_load(gpc_code_t *g, FILE *in);

#endif
