/* What an SM notes of the requests that leave it: their order, where they are, and what carries data. */
#include "sim/parts/departures.h"
#include "tests/support/test.h"

enum { RECEIVERS = 4, LATENCY = 10 };

static departure_log_t departures;

/* The first flit leaves at cycle `starts`, the last one `count` cycles later. */
typedef struct {
    cycle_t starts;
    uint16_t dest;
    uint8_t count;
    bool store;
} request_t;

static const request_t requests[] = {{0, 3, 0, false}, {0, 1, 1, true},  {0, 2, 0, false},
                                     {1, 1, 0, false}, {2, 1, 0, false}, {2, 1, 0, true}};
enum { N = sizeof(requests) / sizeof(requests[0]) };

static cycle_t send_all(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    (void)self;
    (void)to;
    departures_open(&departures, out, from);
    for (size_t i = 0; i < N; i++) {
        const request_t *r = &requests[i];
        msg_t m = {.kind = MSG_MEM_REQUEST, .arrival = r->starts + LATENCY, .count = r->count};
        m.mem.op = r->store ? MEM_WRITE : MEM_READ;
        engine_send(out, r->dest, &m);
        departures_add(&departures, out, r->dest, &m, r->starts);
    }
    return CYCLE_NEVER;
}

static void deliver(void *self, const msg_t *m, size_t n)
{
    (void)self;
    (void)m;
    (void)n;
}

static cycle_t rest(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    (void)self;
    (void)out;
    (void)from;
    (void)to;
    return CYCLE_NEVER;
}

/* By start, last flit and receiver; otherwise as they were sent. */
static void departures_are_in_the_order_of_passing(void **state)
{
    static const struct {
        uint32_t starts, index;
        uint16_t dest;
    } want[N] = {{0, 0, 2}, {0, 0, 3}, {0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {2, 3, 1}};
    static const shard_ops_t sender = {.kind = "sender", .deliver = deliver, .run = send_all},
                             receiver = {.kind = "receiver", .deliver = deliver, .run = rest};
    (void)state;
    engine_t *e = engine_create(1, LATENCY);
    engine_add_shard(e, &sender, NULL);
    for (unsigned r = 1; r < RECEIVERS; r++)
        engine_add_shard(e, &receiver, NULL);
    engine_wake(e, 0, 0);
    departures_init(&departures);
    assert_false(engine_run(e, 1));
    const departures_t *d = departures.open;
    assert_int_equal(departures_count(d), N);
    assert_true(d->data && engine_marked(e));
    for (size_t i = 0; i < N; i++) {
        const departure_t *x = &d->list[i + 1];
        assert_int_equal(x->starts, want[i].starts);
        assert_int_equal(x->dest, want[i].dest);
        assert_int_equal(x->index, want[i].index);
    }
    engine_destroy(e);
    departures_free(&departures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(departures_are_in_the_order_of_passing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
