/*
 * Stop on request: long-running commands check regularly whether SIGINT, SIGTERM or SIGUSR2 has
 * arrived, and end with nothing half-written. A second signal ends the process. A signal that the
 * process was started to ignore stays ignored (for example the interrupt in a shell's background
 * job).
 */
#ifndef RUBATO_IO_STOP_SIGNALS_H
#define RUBATO_IO_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

void stop_signals_catch(void);

/* Signals have the same effect again as before stop_signals_catch(), for commands that can stop in
 * one of their steps only. */
void stop_signals_release(void);

/* Adds the signals that request a stop to a set, for a caller that waits for them. */
void stop_signals_add(sigset_t *set);

bool stop_requested(void);

/* The same as a callback with a context. */
bool stop_requested_of(void *ctx);

#endif
