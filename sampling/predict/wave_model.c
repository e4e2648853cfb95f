#include "sampling/predict/wave_model.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

/* A slot of an SM: when it is free. */
typedef struct {
    uint64_t free;
    uint64_t sm;
} slot_t;

static void sift(slot_t *heap, uint64_t n)
{
    for (uint64_t i = 0, next; (next = 2 * i + 1) < n; i = next) {
        if (next + 1 < n && heap[next + 1].free < heap[next].free)
            next++;
        if (heap[i].free <= heap[next].free)
            return;
        const slot_t s = heap[i];
        heap[i] = heap[next];
        heap[next] = s;
    }
}

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

wave_t wave_model(const uint64_t *length, uint64_t blocks, uint64_t sms, uint64_t slots)
{
    if (length == NULL)
        return (wave_t){(double)quotient_up(blocks, sms * slots), 1,
                        (double)quotient_up(blocks, sms)};
    const uint64_t n = sms * slots;
    slot_t *heap = rb_calloc(n, sizeof(*heap));
    uint64_t *of_sm = rb_calloc(sms, sizeof(*of_sm)), longest = 0, busiest = 0, most = 0;
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) /* equal keys: a heap */
        heap[i] = (slot_t){0, i % sms};
    for (uint64_t i = 0; i < blocks; i++) {
        heap[0].free += length[i];
        of_sm[heap[0].sm] += length[i];
        longest = heap[0].free > longest ? heap[0].free : longest;
        busiest = of_sm[heap[0].sm] > busiest ? of_sm[heap[0].sm] : busiest;
        most = length[i] > most ? length[i] : most;
        sum += (double)length[i];
        sift(heap, n);
    }
    free(heap);
    free(of_sm);
    const double mean = sum > 0 ? sum / (double)blocks : 1;
    return (wave_t){(double)longest / mean, (double)most / mean, (double)busiest / mean};
}
