/*
 * Replay of a graph of launches and copies (stream_graph.h) with given times of its launches.
 *
 * The block scheduler of launches that overlap (overlap.h) places the blocks of every launch, but no
 * block is simulated: all blocks of a launch last equally long, except the last one, which lasts until
 * the time that the launch takes alone is over. Queue, priorities, resident limit, SM resources,
 * partitions, gaps and copy engines are so those of a simulation.
 *
 * Beside others a launch is slower: its blocks make 1 / (1 + sum of slow(i, j) load(j)) cycles of
 * progress in a cycle. load(j): blocks of launch j on the chip, as a share of those that it has there
 * when it is alone. slow(i, j) belongs to the kinds of the launches.
 */
#ifndef RUBATO_GRAPH_REPLAY_H
#define RUBATO_GRAPH_REPLAY_H

#include "sim/gpu/gpu.h"

/* What a replay knows about a launch. */
typedef struct {
    uint64_t n_blocks;
    occupancy_t occupancy;
    uint32_t kind;
    double share; /* of the launch's time, for which its blocks keep their places on average */
} replay_launch_t;

typedef struct {
    const gpu_spec_t *spec; /* borrowed, as all pointers */
    const stream_graph_t *graph;
    const sm_share_t *shares;
    size_t n_shares;
    const uint64_t *position;      /* per operation: of the launch in the source; 0: not in it */
    const replay_launch_t *launch; /* per operation */
    uint32_t n_kinds;
    const double *slow; /* slow(i, j) at i * n_kinds + j; NULL: none */
} graph_replay_t;

/* When an operation ran, and the first block of a launch. */
typedef struct {
    stream_op_time_t at;
    cycle_t first_block;
} replay_time_t;

/* cycles: per operation, the time of a launch alone, from its first block on. times: room for all
 * operations. */
void graph_replay(const graph_replay_t *r, const double *cycles, replay_time_t *times);

/* Cycles in which at least one launch was running, as a run counts them. */
uint64_t graph_replay_busy(const stream_graph_t *graph, const replay_time_t *times);

#endif
