/*
 * Traces in the repository: real ones, hand-written ones, one for each feature of a tracer version,
 * and one as MacSim's tracer writes it.
 */
#ifndef RUBATO_TESTS_REAL_TRACES_H
#define RUBATO_TESTS_REAL_TRACES_H

/* Calls check with the path of each bundled trace of text, for Volta and for Turing. */
void bundled_traces_each(void (*check)(const char *path));

/*
 * Calls check with the path of each of the others: programs of several launches as text; hand-
 * written ones of all tracer versions; MacSim's. They are in the folder of temp_folder.h or in the
 * corpora of the fuzz targets.
 */
void other_traces_each(void (*check)(const char *path));

/* Writes a bundled native trace as Accel-Sim's text to a folder inside that of temp_folder.h.
 * Returns its path, which is valid until the next call. */
const char *native_trace_as_text(const char *name);

#endif
