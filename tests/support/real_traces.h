/*
 * Traces that ship with the project: real ones, those that were written by hand, one for each thing
 * that a version of a tracer has, and one as MacSim's tracer writes it.
 */
#ifndef RUBATO_TESTS_REAL_TRACES_H
#define RUBATO_TESTS_REAL_TRACES_H

/* Calls check with the path of each bundled trace of text, for Volta and for Turing. */
void bundled_traces_each(void (*check)(const char *path));

/*
 * Calls check with the path of each of the others: programs of several launches, as text; hand
 * written ones of all versions of the tracer; MacSim's. They lie in the folder of temp_folder.h or
 * in the corpora of the fuzz targets.
 */
void other_traces_each(void (*check)(const char *path));

/* A bundled native trace, written as Accel-Sim's text to a folder in that of temp_folder.h: its
 * path, until the next call. */
const char *native_trace_as_text(const char *name);

#endif
