/*
 * Whole programs whose cycles were measured on a card: a fixed list of workloads, their traces in a
 * folder of the user, and the published table with the results of the card and of other
 * simulators.
 */
#ifndef RUBATO_HARDWARE_APPLICATION_SET_H
#define RUBATO_HARDWARE_APPLICATION_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/err.h"

typedef enum { APPLICATION_SET, APPLICATION_HOLD_OUT, APPLICATION_LEFT_OUT } application_use_t;

/* Accesses of a program, in sectors of 32 bytes. */
#define APPLICATION_COUNTERS(C)                                                                    \
    C(l1_loads, sm.global_load_sectors + r->sm.local_load_sectors)                                 \
    C(l1_hits, sm.global_load_hits + r->sm.local_load_hits)                                        \
    C(l1_stores, sm.global_store_sectors + r->sm.local_store_sectors)                              \
    C(l2_reads, l2.read_sectors)                                                                   \
    C(l2_read_hits, l2.read_hits)                                                                  \
    C(l2_writes, l2.write_sectors)                                                                 \
    C(dram_reads, dram.read_sectors)                                                               \
    C(dram_writes, dram.write_sectors)

typedef struct {
#define APPLICATION_COUNTER_(name, value) uint64_t name;
    APPLICATION_COUNTERS(APPLICATION_COUNTER_)
#undef APPLICATION_COUNTER_
} application_counters_t;

typedef struct {
    char *row, *trace, *reason; /* owned; name in the table, trace in the folder, why it is left
                                 * out */
    application_use_t use;
    bool found;                /* there is a trace */
    double measured, accelsim; /* cycles, from the table */
    double simulated, launch;  /* cycles; the launch latency among them */
    uint64_t launches;
    application_counters_t accesses;
} application_t;

typedef struct {
    const char *gpu;       /* configuration */
    const char *folder;    /* of the traces: NAME.rbt, or a folder NAME */
    const char *published; /* folder of qv100-applications.csv */
    const char **sets;     /* settings, "key=value" */
    size_t n_sets;
    int threads;
} application_options_t;

typedef struct {
    application_t *list; /* owned, in the order of applications.tsv */
    size_t n, cap;
} application_set_t;

/* Reads the list, runs the existing traces, and reads the measured cycles from the table. */
RB_CHECKED rb_code_t application_set_run(application_set_t *s, const application_options_t *o,
                                         rb_err_t *err);
void application_set_free(application_set_t *s);

/* Prints tables for people; writes the rows as CSV. */
void application_set_print(const application_set_t *s, const char *gpu, FILE *out);
void application_set_csv(const application_set_t *s, FILE *out);

#endif
