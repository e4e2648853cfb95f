#include "frontend/tool/io/stop_signals.h"

#include <stddef.h>

static const int signals[] = {SIGINT, SIGTERM, SIGUSR2};
enum { N_SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static volatile sig_atomic_t requested;
static struct sigaction before_catch[N_SIGNALS];

static void on_stop(int signal_number)
{
    (void)signal_number;
    requested = 1;
}

/* Signals that the process was started to ignore stay ignored. */
static bool is_ignored(int signal_number)
{
    struct sigaction before;

    return sigaction(signal_number, NULL, &before) != 0 || before.sa_handler == SIG_IGN;
}

void stop_signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (!is_ignored(signals[i]))
            sigaction(signals[i], &action, &before_catch[i]);
}

void stop_signals_release(void)
{
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (!is_ignored(signals[i]))
            sigaction(signals[i], &before_catch[i], NULL);
}

void stop_signals_add(sigset_t *set)
{
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (!is_ignored(signals[i]))
            sigaddset(set, signals[i]);
}

bool stop_requested(void)
{
    return requested != 0;
}

bool stop_requested_of(void *ctx)
{
    (void)ctx;
    return stop_requested();
}
