/*
 * Writes timelines for ui.perfetto.dev: TrackEvent packets in Perfetto's protobuf format
 * (https://perfetto.dev/docs/reference/trace-packet-proto), streamed. Only the field types needed
 * here are supported: varints, doubles and length-delimited fields.
 *
 * Timestamps are in nanoseconds for the viewer. Tracks are numbers above 0. The caller checks
 * ferror() of the file for write errors.
 */
#ifndef RUBATO_REPORT_PERFETTO_WRITER_H
#define RUBATO_REPORT_PERFETTO_WRITER_H

#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *out;      /* borrowed */
    uint64_t bytes; /* written so far */
    uint64_t tracks;
} perfetto_t;

void perfetto_begin(perfetto_t *p, FILE *out);

/* Adds a group of tracks, shown as a process; groups are shown in the order of creation. */
uint64_t perfetto_group(perfetto_t *p, const char *name);

/* Adds a track of slices, or of a counter, to a group; tracks are sorted by rank. unit: NULL for
 * none. */
uint64_t perfetto_track(perfetto_t *p, uint64_t group, const char *name, uint64_t rank);
uint64_t perfetto_counter(perfetto_t *p, uint64_t group, const char *name, const char *unit,
                          uint64_t rank);

/* Begins and ends a slice; note: shown with it (NULL: none). Names are truncated at 200 bytes. */
void perfetto_slice_begin(perfetto_t *p, uint64_t track, uint64_t time, const char *name,
                          const char *note);
void perfetto_slice_end(perfetto_t *p, uint64_t track, uint64_t time);

/* Sets the value of the counter from time on. */
void perfetto_value(perfetto_t *p, uint64_t counter, uint64_t time, double value);

#endif
