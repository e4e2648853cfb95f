/* Writes and reads Accel-Sim traces for tests. */
#ifndef RUBATO_TESTS_ACCELSIM_LAB_H
#define RUBATO_TESTS_ACCELSIM_LAB_H

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/write/accelsim_writer.h"

/* Opens path, which must succeed. */
trace_source_t *accelsim_lab_open(const char *path);

/* Writes a trace to a folder, which must succeed. opts may be NULL. */
void accelsim_lab_write(trace_source_t *s, const char *folder,
                        const accelsim_writer_options_t *opts);

void accelsim_lab_remove(const char *folder);

#endif
