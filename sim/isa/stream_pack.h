/*
 * Packs the stream of a warp into pieces of bounded size, and unpacks them one after the other.
 *
 * Packer and unpacker keep the same history of the warp, and only what the history does not predict
 * is stored: a run is predicted to be the one that followed last time, an address record to have the
 * stride or the distances between lanes of the instruction's last record and to be as far from it as
 * that was from the one before. Loops take less than a byte per instruction.
 *
 * A piece consists of
 *   pack_head_t
 *   runs: number of runs as predicted, a run, number of runs as predicted, a run, ...
 *   records: number of records as predicted, a record, ...
 * A run that does not fit a piece goes on in the next one. Pieces are read only by the process that
 * made them: they hold pointers, and their bytes are not checked.
 */
#ifndef RUBATO_ISA_STREAM_PACK_H
#define RUBATO_ISA_STREAM_PACK_H

#include "sim/isa/stream.h"

enum {
    PACK_RUNS = 128,       /* most runs of a piece */
    PACK_WORDS = 512,      /* most words of address records of a piece */
    PACK_SLACK = 16,       /* words that unpacking may write behind the records */
    PACK_BYTES = 16 << 10, /* a piece is shorter */
    PACK_BODY = 16,        /* words of the distances between the lanes of a warp */
};

typedef struct {
    uint16_t bytes; /* of the piece, with this head */
    uint16_t n_runs;
    uint16_t n_words;
    uint16_t tail; /* instructions of the last run that belong to this piece */
} pack_head_t;

/* The last record of an instruction. */
typedef struct {
    const inst_t *inst;
    uint64_t header, base;
    uint64_t step; /* from the base of the record before */
    uint32_t body; /* number of its distances in the dictionary, from 1; 0: not there */
} pack_slot_t;

/* What followed a run. */
typedef struct {
    const inst_t *after; /* the beginning of that run */
    trace_run_t run;
} pack_turn_t;

enum { PACK_SLOTS = 128, PACK_TURNS = 32 };

/* The history of a warp. Zeroed at its beginning. */
typedef struct {
    pack_slot_t slot[PACK_SLOTS];
    pack_turn_t turn[PACK_TURNS];
    trace_run_t last; /* the last run, whole */
    uint32_t left;    /* instructions of it that are in later pieces */
    uint64_t base;    /* of the last record */
} pack_state_t;

/* Distances between lanes that recur in a block, of PACK_BODY words each. */
typedef struct {
    uint64_t (*body)[PACK_BODY]; /* owned */
    size_t n, cap;
} pack_dictionary_t;

/* What only the packer needs. Zeroed at first; any number of warps may use it in turn. */
typedef struct {
    uint32_t place[1 << 10]; /* hash table of the dictionary: number of a body, from 1 */
    uint32_t seen[1 << 12];  /* hashes of bodies that occurred; a body that recurs is added */
    uint8_t records[PACK_BYTES];
    uint8_t out[PACK_BYTES]; /* the piece */
} packer_t;

/* What is left to pack. */
typedef struct {
    const trace_run_t *run;
    uint32_t n_runs;
    const uint64_t *addrs;
} pack_input_t;

/* Call for another dictionary. */
void pack_begin(packer_t *p);

/* Packs the next piece into p->out, and takes it from `in`. Returns its bytes. There must be a run
 * left, in `in` or in the state. */
size_t pack_piece(packer_t *p, pack_state_t *s, pack_dictionary_t *d, pack_input_t *in);

/* Unpacks a piece into runs (room for PACK_RUNS) and words (room for PACK_WORDS + PACK_SLACK).
 * Returns the number of runs. */
uint32_t unpack_piece(pack_state_t *s, const pack_dictionary_t *d, const uint8_t *piece,
                      trace_run_t *runs, uint64_t *words);

#endif
