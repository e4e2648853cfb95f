#include "frontend/cli/stop_signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t requested;

static void on_stop(int signal_number)
{
    (void)signal_number;
    requested = 1;
}

void stop_signals_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR2};
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART};

    struct sigaction before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
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
