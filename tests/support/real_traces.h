/* Traces of real programs: those that ship with the project, and the reference data where it is. */
#ifndef RUBATO_TESTS_REAL_TRACES_H
#define RUBATO_TESTS_REAL_TRACES_H

/* Calls check with the path of each bundled trace, for Volta and for Turing. */
void bundled_traces_each(void (*check)(const char *path));

/*
 * Calls check with the path of each trace of the reference data: of Accel-Sim, whole and excerpts,
 * and of MacSim, which is unpacked into the folder of temp_folder.h. Skips the running test, and
 * says so, if none is there.
 */
void reference_traces_each(void (*check)(const char *path));

/* Unpacks one of the MacSim traces, of so many elements; its path, NULL: it is not there. */
const char *reference_macsim(unsigned elements);

#endif
