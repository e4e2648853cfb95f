/*
 * Parses blocks of a text on several threads. The text is cut at the ends of blocks, in order; what
 * was cut out is parsed by readers with code of their own. Blocks with very much text are parsed where
 * they are cut.
 */
#ifndef RUBATO_ACCELSIM_CLAIM_H
#define RUBATO_ACCELSIM_CLAIM_H

#include "frontend/input/accelsim/block/accelsim_block.h"
#include "sim/gpu/source/trace_source.h"

typedef struct accelsim_parser accelsim_parser_t;

typedef struct {
    block_reader_t *main;              /* borrowed */
    const accelsim_machine_t *machine; /* borrowed; NULL: none */
    pthread_mutex_t lock;              /* guards what follows */
    accelsim_parser_t *unused;         /* owned list */
    accelsim_parser_t *made;           /* all parsers; owned list */
    size_t cut;                        /* bytes of text in claims */
    size_t kept;                       /* bytes of buffers that unused parsers keep */
} accelsim_claims_t;

/* main must be at the first block. */
void accelsim_claims_init(accelsim_claims_t *c, block_reader_t *main,
                          const accelsim_machine_t *machine);
void accelsim_claims_free(accelsim_claims_t *c);

/* These do the work of the functions of the same names in trace_source_ops_t. */
RB_CHECKED rb_code_t accelsim_claim(accelsim_claims_t *c, uint64_t index, uint64_t max,
                                    claim_status_t *status, trace_claim_t **out, uint64_t *n,
                                    rb_err_t *err);
RB_CHECKED rb_code_t accelsim_decode(accelsim_claims_t *c, trace_claim_t *claim,
                                     trace_block_t **out, uint64_t *n, rb_err_t *err);

/* The text of an instruction that a parser has read (trace_source.h); NULL: it is from no parser. */
const char *accelsim_claims_text(accelsim_claims_t *c, const inst_t *inst, uint32_t *len);

#endif
