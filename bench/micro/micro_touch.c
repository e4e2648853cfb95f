/* Surveys of launches without time, from native traces: decoding, walking, the tags of as many L2
 * slices as for large launches. */
#include "bench/micro/micro.h"
#include "bench/micro/micro_stored.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/warming/shadow.h"
#include "tests/support/trace/spec_load.h"

enum { BINS = 64 };

static gpu_t *make_chip(void)
{
    rb_err_t err = {0};
    gpu_spec_t spec;

    if (spec_load(&spec, "v100", NULL, &err) != RB_OK)
        rb_panic("%s", err.text);
    return gpu_create(&spec, 1, 0);
}

static micro_result_t survey(const char *name)
{
    static gpu_t *chip; /* reused, because a survey leaves it as it is */
    micro_result_t r = {0};
    rb_err_t err = {0};
    launch_info_t info;
    shadow_t shadow;
    trace_source_t *source = micro_open(name, &r.bytes);

    if (chip == NULL)
        chip = make_chip();
    if (source->ops->launch_info(source, 1, &info, &err) != RB_OK ||
        shadow_survey_slices(&shadow, chip, source, 1, info.n_blocks / BINS + 1, SHADOW_SLICES,
                             &err) != RB_OK)
        rb_panic("%s", err.text);
    r.operations = shadow.all.warp_insts;
    r.check = shadow.all.fills ^ shadow.all.read_hits ^ shadow.all.written_back;
    shadow_free(&shadow);
    source->ops->destroy(source);
    return r;
}

micro_result_t micro_touch_streaming(void)
{
    return survey("streaming");
}

micro_result_t micro_touch_gather(void)
{
    return survey("gather");
}

micro_result_t micro_touch_compute(void)
{
    return survey("alu");
}
