/*
 * Timelines for ui.perfetto.dev: TrackEvent packets in Perfetto's protobuf format
 * (https://perfetto.dev/docs/reference/trace-packet-proto), written as they come. Only what is used
 * here is written: varints, doubles and length-delimited fields.
 *
 * A timestamp is a number of nanoseconds to the viewer. Tracks are numbers above 0. Whether all of
 * it reached the file is the file's to tell: check ferror().
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

/* A group of tracks, shown as a process; groups are shown in the order of their making. */
uint64_t perfetto_group(perfetto_t *p, const char *name);

/* A track of slices, or of a counter, in a group; shown by rank. unit: NULL for none. */
uint64_t perfetto_track(perfetto_t *p, uint64_t group, const char *name, uint64_t rank);
uint64_t perfetto_counter(perfetto_t *p, uint64_t group, const char *name, const char *unit,
                          uint64_t rank);

/* A slice begins, with a note about it (NULL: none), and ends. Names are cut at 200 bytes. */
void perfetto_slice_begin(perfetto_t *p, uint64_t track, uint64_t time, const char *name,
                          const char *note);
void perfetto_slice_end(perfetto_t *p, uint64_t track, uint64_t time);

/* From time on the counter has this value. */
void perfetto_value(perfetto_t *p, uint64_t counter, uint64_t time, double value);

#endif
