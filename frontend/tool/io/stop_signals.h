/*
 * A stop on request: commands that work for long look now and then whether SIGINT, SIGTERM or
 * SIGUSR2 has come, and end with nothing half-written. A second signal ends the process. A signal
 * that the process was started to ignore (as a shell's background job is an interrupt) is ignored.
 */
#ifndef RUBATO_IO_STOP_SIGNALS_H
#define RUBATO_IO_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

void stop_signals_catch(void);

/* Adds the signals that ask for a stop to a set: for who waits for them. */
void stop_signals_add(sigset_t *set);

bool stop_requested(void);

/* The same for who calls back with a context. */
bool stop_requested_of(void *ctx);

#endif
