/* Prints what bounds a kernel and what changes would bring. */
#include <math.h>
#include <string.h>

#include "frontend/tool/io/text_format.h"
#include "frontend/tool/study/table/advice.h"

static const char *const titles[ADVICE_COUNT] = {
#define ADVICE_TITLE_(name, key, value, title) title,
    ADVICE_CHANGES(ADVICE_TITLE_)};

/* "-61.1 %": how a change changes the cycles. */
static const char *change_text(char text[FORMAT_MAX], const advice_kernel_t *k, size_t change)
{
    const double share = k->changed[change] / k->cycles - 1.0;
    if (!isfinite(share))
        return strcpy(text, "unknown");
    snprintf(text, FORMAT_MAX, "%+.1f %%", 100.0 * share);
    return text;
}

static void print_changes(const advice_kernel_t *k, size_t from, size_t end, FILE *out)
{
    char text[FORMAT_MAX];
    for (size_t i = from; i < end; i++)
        fprintf(out, "%s%s %s", i > from ? ", " : "", titles[i], change_text(text, k, i));
    putc('\n', out);
}

/* The largest states in which warps wait, with their shares of all states. */
static void print_states(const advice_kernel_t *k, FILE *out)
{
    enum { SHOWN = 3 };
    const double least = 0.01;
    bool shown[ADVICE_STATES_MAX] = {false};
    double sum = 0.0;
    for (size_t i = 0; i < ADVICE_STATES_MAX; i++)
        sum += k->states[i];
    fputs("  warps wait:", out);
    for (int n = 0; n < SHOWN; n++) {
        size_t most = ADVICE_STATES_MAX;
        char share[FORMAT_MAX];
        for (size_t i = 0; advice_state(i) != NULL && i < ADVICE_STATES_MAX; i++) {
            if (!shown[i] && strcmp(advice_state(i), "selected") != 0 &&
                (most == ADVICE_STATES_MAX || k->states[i] > k->states[most]))
                most = i;
        }
        if (most == ADVICE_STATES_MAX || !(k->states[most] >= least * sum))
            break;
        shown[most] = true;
        fprintf(out, "%s %s %s", n > 0 ? "," : "", advice_state(most),
                format_share(share, k->states[most] / sum));
    }
    fputs(" of their cycles\n", out);
}

void advice_print(const advice_t *a, const advice_kernel_t *k, FILE *out)
{
    char name[80], cycles[FORMAT_MAX], share[FORMAT_MAX];
    const size_t bound = advice_bound(k);
    fprintf(out, "%s: %s cycles in %.0f launch%s, %s of the time; bound by %s\n",
            format_kernel(name, sizeof(name), k->name),
            format_grouped(cycles, (uint64_t)llround(k->cycles)), k->launches,
            k->launches > 1.0 ? "es" : "", format_share(share, k->cycles / a->cycles),
            bound < ADVICE_COUNT ? titles[bound] : "what its warps do in the SM");
    print_states(k, out);
    fputs("  if perfect: ", out);
    print_changes(k, ADVICE_DRAM, ADVICE_IDEAL, out);
    fputs("  limit:      ", out);
    print_changes(k, ADVICE_IDEAL, ADVICE_CACHES, out);
    fputs("  changes:    ", out);
    print_changes(k, ADVICE_CACHES, ADVICE_COUNT, out);
}
