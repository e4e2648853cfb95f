/* Ports that SMs share: closed forms of what they add to requests. */
#include "sim/parts/cluster_port.h"
#include "tests/support/sim/lab.h"

enum { SMS = 4 }; /* two TPCs */

static cluster_ports_t make(double tpc_data, double gpc_data, double gpc_replies)
{
    cluster_ports_t c;
    const cluster_rates_t rates = {tpc_data, gpc_data, gpc_replies};
    cluster_ports_init(&c, &rates, SMS / SMS_OF_A_TPC);
    return c;
}

/* A write of four flits that leaves its SM two flits a cycle. */
static cycle_t write_at(cluster_ports_t *c, uint32_t sm, cycle_t starts)
{
    return cluster_ports_pass(c, sm / SMS_OF_A_TPC, &(passing_t){starts, starts + 1, 4, 0});
}

static cycle_t read_at(cluster_ports_t *c, uint32_t sm, cycle_t starts, uint32_t replies)
{
    return cluster_ports_pass(c, sm / SMS_OF_A_TPC, &(passing_t){starts, starts, 0, replies});
}

static void ports_without_a_limit_add_nothing(void **state)
{
    cluster_ports_t c = make(0, 0, 0);
    (void)state;
    for (cycle_t t = 0; t < 10; t++) {
        for (uint32_t sm = 0; sm < SMS; sm++) {
            assert_int_equal(write_at(&c, sm, t), 0);
            assert_int_equal(read_at(&c, sm, t, 4), 0);
        }
    }
    cluster_ports_free(&c);
}

static void a_request_alone_is_not_delayed(void **state)
{
    cluster_ports_t c = make(2, 4, 4);
    (void)state;
    for (cycle_t t = 0; t < 100; t += 10) {
        assert_int_equal(write_at(&c, 0, t), 0);
        assert_int_equal(read_at(&c, 1, t + 5, 4), 0);
    }
    cluster_ports_free(&c);
}

/* A port slower than the SM's delays even a request alone: four flits at half a flit a cycle take
 * eight cycles, where the SM took two. */
static void a_slow_port_stretches_a_request(void **state)
{
    cluster_ports_t c = make(0.5, 0, 0);
    (void)state;
    assert_int_equal(write_at(&c, 0, 0), 6);
    assert_int_equal(write_at(&c, 1, 0), 14); /* behind it, in the same TPC */
    assert_int_equal(write_at(&c, 2, 0), 6);  /* another TPC */
    assert_int_equal(cluster_ports_clear(&c), 16);
    cluster_ports_free(&c);
}

static void all_sms_of_a_gpc_share_its_port(void **state)
{
    cluster_ports_t c = make(0, 1, 0);
    (void)state;
    for (uint32_t sm = 0; sm < SMS; sm++)
        assert_int_equal(write_at(&c, sm, 0), 4 * (sm + 1) - 1 - 1);
    cluster_ports_free(&c);
}

/* Each SM is in one GPC, and a GPC has them in ascending order. */
static void gpcs_divide_the_sms(void **state)
{
    (void)state;
    for (uint32_t n_sms = 1; n_sms < 40; n_sms++) {
        for (uint32_t n_gpcs = 1; n_gpcs < 9; n_gpcs++) {
            uint32_t found = 0;
            for (uint32_t g = 0; g < n_gpcs; g++) {
                for (uint32_t k = 0, sm; (sm = sm_of_gpc(g, k, n_gpcs)) < n_sms; k++) {
                    assert_int_equal(gpc_of_sm(sm, n_gpcs), g);
                    assert_true(k / SMS_OF_A_TPC < gpc_tpcs(n_sms, n_gpcs));
                    assert_true(k == 0 || sm > sm_of_gpc(g, k - 1, n_gpcs));
                    found++;
                }
            }
            assert_int_equal(found, n_sms);
        }
    }
}

/* n requests of four flits at `rate` flits a cycle pass in 4 n / rate cycles, whole number or not. */
static void the_rate_holds_to_a_thousandth(void **state)
{
    static const double rates[] = {1, 2.302, 9.028, 17.4, 0.3};
    enum { N = 10000 };
    (void)state;
    for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
        cluster_ports_t c = make(0, rates[r], 0);
        for (unsigned i = 0; i < N; i++)
            write_at(&c, 0, 0);
        lab_assert_near((double)cluster_ports_clear(&c), 4 * N / rates[r], 0.001, "cycles");
        cluster_ports_free(&c);
    }
}

static void a_request_without_data_waits_for_data_before_it(void **state)
{
    cluster_ports_t c = make(0, 1, 0);
    (void)state;
    write_at(&c, 0, 0);
    assert_int_equal(read_at(&c, 1, 0, 4), 4);
    assert_int_equal(read_at(&c, 1, 4, 4), 0);
    assert_int_equal(write_at(&c, 0, 4), 2); /* reads take no slots of it */
    cluster_ports_free(&c);
}

static void what_comes_back_takes_slots_of_its_own(void **state)
{
    cluster_ports_t c = make(0, 0, 2);
    (void)state;
    for (cycle_t k = 0; k < 8; k++)
        assert_int_equal(read_at(&c, 0, 0, 4), 2 * k);
    assert_int_equal(write_at(&c, 0, 0), 0);
    cluster_ports_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_without_a_limit_add_nothing),
        cmocka_unit_test(a_request_alone_is_not_delayed),
        cmocka_unit_test(a_slow_port_stretches_a_request),
        cmocka_unit_test(all_sms_of_a_gpc_share_its_port),
        cmocka_unit_test(gpcs_divide_the_sms),
        cmocka_unit_test(the_rate_holds_to_a_thousandth),
        cmocka_unit_test(a_request_without_data_waits_for_data_before_it),
        cmocka_unit_test(what_comes_back_takes_slots_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
