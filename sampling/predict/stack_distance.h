/*
 * Hits of a cache of every size at once: the stack distance of an access is the number of different
 * lines since the last access to its line, and LRU caches of more lines hit (Mattson et al., IBM Systems
 * J. 9, 1970). Lines are sampled by their hash, and the share is halved when too many would be kept
 * (SHARDS; Waldspurger et al., FAST 2015).
 *
 * Caches are sectored: a sector of a line is there if its line has stayed since the sector was fetched,
 * which is so in caches of more lines than the largest distance of the line since.
 */
#ifndef RUBATO_STACK_DISTANCE_H
#define RUBATO_STACK_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A histogram of distances, in lines: exact below 16, then in sixteenths of powers of two. */
enum { DISTANCE_EXACT = 16, DISTANCE_BINS = DISTANCE_EXACT + 16 * 36 };
typedef struct {
    double bin[DISTANCE_BINS];
    double never; /* first accesses */
    double far;   /* the last one was in an earlier part */
    size_t used;  /* bins; the others are 0 */
    double all;
} distances_t;

/* Those that a cache of that many lines does not hit. */
double distances_missed(const distances_t *d, double lines);

/* What happened to sectors, by the distance at which it happens. */
typedef struct {
    distances_t read;  /* sectors of reads, and of atomics: missed, if the cache is smaller */
    distances_t write; /* sectors of writes */
    distances_t fill;  /* sectors that a cache fetches, with the others of their group */
    distances_t dirty; /* sectors that become modified, so that they are written back once */
    double late;       /* sectors of reads that hit, of lines that are on their way */
    double partial;    /* sectors of which only a part has been written, and nothing was read */
} stack_counts_t;

typedef struct line_stack line_stack_t;

/* most: lines that are kept. exact: those that were not accessed for longest are forgotten, instead of
 * sampling fewer lines; then distances are right up to half of `most` lines. */
line_stack_t *stack_create(size_t most, bool exact);
void stack_destroy(line_stack_t *s); /* NULL is allowed */

/* An exact one samples fewer lines nevertheless, so many times half of them, before it forgets any. */
void stack_may_halve(line_stack_t *s, unsigned times);

/* Forgets all lines. */
void stack_clear(line_stack_t *s);

/* A line is on its way for that many accesses after the one that fetches it into a cache of `room` lines: a pending hit
 * (Chen and Aamodt, MICRO 2008). 0: there are none. */
void stack_flight(line_stack_t *s, double flight, double room);

/* An access to sectors (bits 0 to 3) of a line. */
typedef struct {
    uint8_t sectors, full; /* full: those of which all bytes are written */
    uint8_t group;         /* sectors that a miss fetches together: 1, 2 or 4 */
    bool read, write;
    bool copy;             /* all of the line is put there, and nothing is counted */
    uint32_t user;         /* who uses it, not 0, with again */
    stack_counts_t *again; /* counts of lines that the same user used last; NULL: no others */
} stack_use_t;

/* line: its number. */
void stack_access(line_stack_t *s, uint64_t line, const stack_use_t *use, stack_counts_t *counts);

/* From now on accesses are of another part of the launch, or, if `first`, of another launch. Distances from one part of
 * a launch to another are not known, because something was left out between them. */
void stack_part(line_stack_t *s, bool first);

/* Lines so far that were new, and that were not accessed before in their part. */
double stack_fresh(const line_stack_t *s);
double stack_novel(const line_stack_t *s);

/* Adds n accesses of that distance. */
void distances_add(distances_t *d, double distance, double n);

/* That many other lines are accessed, which are not named: they push the others down. Not of an exact stack. */
void stack_skip(line_stack_t *s, double lines);

void stack_counts_clear(stack_counts_t *c);

/* sum += factor * part */
void stack_counts_add(stack_counts_t *sum, const stack_counts_t *part, double factor);

/* The share of lines that are sampled: 1, 1/2, 1/4 ... */
double stack_rate(const line_stack_t *s);

#endif
