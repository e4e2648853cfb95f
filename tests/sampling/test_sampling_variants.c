/*
 * Every option of every variant of the published methods. docs/papers.md says what each follows: a
 * baseline that is cited must not change without notice.
 */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/launch_sampler.h"
#include "sim/conf/param_value.h"

/* A sampler, and all its options as the program writes them after the name. */
static const struct {
    const char *item, *options;
} variants[] = {
    {"photon_bb:variant=steady",
     "variant=steady,waves=0.0,least=0,window=2048,delta=0.03,delta_mean=0.03,longer=false,halved="
     "false,latched=false,drop=0,index=true,sample=0.01,most=0,fill=true,skip=true,light=0.65,hold="
     "block,residents=cut,tail=true,alone=true,check=true,alike=0.1,few=10.0,loops=500.0,part=0.1,"
     "cover=0.95,rare=observed,seen=256"},
    {"photon_bb:variant=paper",
     "variant=paper,waves=0.0,least=0,window=2048,delta=0.03,delta_mean=0.03,longer=false,halved="
     "false,latched=false,drop=0,index=false,sample=0.01,most=0,fill=true,skip=true,light=0.65,"
     "hold=warp,residents=drain,tail=false,alone=true,check=false,alike=0.1,few=10.0,loops=500.0,"
     "part=0.1,cover=0.95,rare=interval,seen=1"},
    {"photon_bb:variant=code",
     "variant=code,waves=0.0,least=0,window=2048,delta=0.01,delta_mean=0.03,longer=true,halved="
     "true,latched=true,drop=1023,index=false,sample=0.01,most=2,fill=true,skip=true,light=0.65,"
     "hold=warp,residents=cut,tail=true,alone=false,check=false,alike=0.1,few=10.0,loops=500.0,"
     "part=0.1,cover=0.95,rare=interval,seen=1025"},
    {"photon_warp:variant=steady",
     "variant=steady,waves=0.0,least=0,window=1024,delta=0.03,delta_mean=0.03,longer=false,halved="
     "false,latched=false,drop=0,index=true,sample=0.01,most=0,fill=true,skip=true,light=0.65,hold="
     "block,residents=cut,tail=true,alone=true,check=true,alike=0.1,dominant=0.95"},
    {"photon_warp:variant=paper",
     "variant=paper,waves=0.0,least=0,window=1024,delta=0.03,delta_mean=0.03,longer=false,halved="
     "false,latched=false,drop=0,index=false,sample=0.01,most=0,fill=true,skip=true,light=0.65,"
     "hold=warp,residents=drain,tail=false,alone=true,check=false,alike=0.1,dominant=0.95"},
    {"photon_warp:variant=code",
     "variant=code,waves=0.0,least=0,window=1024,delta=0.03,delta_mean=0.03,longer=true,halved="
     "true,latched=true,drop=1023,index=false,sample=0.01,most=2,fill=true,skip=true,light=0.65,"
     "hold=warp,residents=cut,tail=true,alone=false,check=false,alike=0.1,dominant=0.0"},
    {"photon_kernel:variant=derived",
     "variant=derived,threshold=0.05,few_warps=0,warps=32,differ=16,max_seconds=600.0,max_gib=4.0"},
    {"photon_kernel:variant=paper",
     "variant=paper,threshold=0.05,few_warps=0,warps=32,differ=16,max_seconds=600.0,max_gib=4.0"},
    {"photon_kernel:variant=code",
     "variant=code,threshold=0.05,few_warps=0,warps=32,differ=16,max_seconds=600.0,max_gib=4.0"},
    {"photon_kernel:variant=artifact", "variant=artifact,threshold=0.05,few_warps=0,warps=32,"
                                       "differ=16,max_seconds=600.0,max_gib=4.0"},
    {"tbpoint_region:variant=slope",
     "variant=slope,threshold=0.2,normalise=true,variation=0.3,tolerance=0.1,error=0.005,share=0."
     "03,doubt=0.05,usual=0.03,most=0.055,units=3,fill=true,light=0.65,dram=true,dram_error=0.03,"
     "hold=true,stall=400.0,check=true,alike=0.1"},
    {"tbpoint_region:variant=paper",
     "variant=paper,threshold=0.2,normalise=false,variation=0.3,tolerance=0.1,error=0.005,share=0."
     "03,doubt=0.05,usual=0.03,most=0.055,units=3,fill=true,light=0.65,dram=true,dram_error=0.03,"
     "hold=true,stall=400.0,check=false,alike=0.1"},
    {"tbpoint", "threshold=0.1,features=published,linkage=complete,scope=name,representative="
                "centre,max_seconds=600.0,max_gib=4.0"},
    {"pka:variant=paper", "k=20,error=0.05,variance=0.9995,starts=10,representative=first,variant="
                          "paper,max_seconds=600.0,max_gib=4.0"},
    {"pka:variant=artifact", "k=19,error=0.05,variance=0.9995,starts=10,representative=first,"
                             "variant=artifact,max_seconds=600.0,max_gib=4.0"},
    {"pka:variant=stem", "k=20,error=0.05,variance=0.9995,starts=10,representative=random,variant="
                         "stem,max_seconds=600.0,max_gib=4.0"},
    {"pka_stop:variant=paper", "variant=paper,series=window,step=1000,window=3000,limit=0.25,unit="
                               "ipc,rule=wave,sample=1.0,check=false,alike=0.1"},
    {"pka_stop:variant=artifact", "variant=artifact,series=cumulative,step=500,window=3000,limit=0."
                                  "25,unit=percent,rule=third,sample=1.0,check=false,alike=0.1"},
    {"pka_stop:variant=photon", "variant=photon,series=window,step=1000,window=3000,limit=0.25,"
                                "unit=relative,rule=none,sample=1.0,check=false,alike=0.1"},
    {"sieve:variant=original",
     "theta=0.4,density=true,part_spread=0.5,bandwidth=1.0,points=50,features=published,similar=0."
     "1,representative=first,variant=original"},
    {"sieve:variant=artifact",
     "theta=0.4,density=true,part_spread=0.5,bandwidth=1.0,points=50,features=published,similar=0."
     "1,representative=first,variant=artifact"},
    {"allegro:variant=derived",
     "epsilon=0.05,confidence=0.95,m_th=50,floor=30,key=shape,variant=derived"},
    {"allegro:variant=paper",
     "epsilon=0.05,confidence=0.95,m_th=50,floor=30,key=shape,variant=paper"},
    {"allegro:variant=artifact",
     "epsilon=0.05,confidence=0.95,m_th=50,floor=30,key=shape,variant=artifact"},
    {"stem:variant=derived",
     "epsilon=0.05,confidence=0.95,root=true,merge=true,key=name,variant=derived"},
    {"stem:variant=paper",
     "epsilon=0.05,confidence=0.95,root=true,merge=true,key=name,variant=paper"},
    {"stem:variant=artifact",
     "epsilon=0.05,confidence=0.95,root=true,merge=true,key=name,variant=artifact"},
};
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

/* The sampler with all options, as the program writes it. */
static char *text_of(const char *item)
{
    rb_err_t err = {0};
    char *text;
    if (inside_method_is(item)) {
        inside_list_t list = {0};
        if (inside_list_add(&list, item, 1, &err) != RB_OK)
            fail_msg("%s: %s", item, err.text);
        text = strdup(list.texts[0]);
        inside_list_free(&list);
        return text;
    }
    launch_choice_t choice;
    if (launch_choice_parse(&choice, item, &err) != RB_OK)
        fail_msg("%s: %s", item, err.text);
    text = launch_choice_text(&choice);
    launch_choice_free(&choice);
    return text;
}

static void all_defaults_are_as_stored(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        char *text = text_of(variants[i].item);
        const char *options = text + strcspn(text, ":") + 1;
        if (strcmp(options, variants[i].options) != 0)
            fail_msg("%s\n  is     %s\n  stored %s", variants[i].item, options,
                     variants[i].options);
        free(text);
    }
}

static char page[1 << 17]; /* docs/papers.md */

/* Whether the table has each variant of a method, and the page what it sets. */
static void check_method(const char *name, const param_group_t *group)
{
    const param_t *variant = param_find(group, "variant");
    char item[128];
    for (size_t c = 0; variant != NULL && variant->choices[c].name != NULL; c++) {
        size_t found = 0;
        snprintf(item, sizeof(item), "%s:variant=%s", name, variant->choices[c].name);
        for (size_t i = 0; i < VARIANTS; i++)
            found += strcmp(variants[i].item, item) == 0;
        if (found != 1)
            fail_msg("%s is not in the table of this test", item);
    }
    for (const param_preset_t *r = group->presets; r != NULL && r->choice != NULL; r++) {
        char row[512];
        snprintf(row, sizeof(row), "\n| `%s:variant=%s` | `%s=%s` | %s |\n", name, r->choice,
                 r->name, r->value, r->source);
        assert_non_null(param_find(group, r->name));
        if (strstr(page, row) == NULL)
            fail_msg("docs/papers.md does not have%s", row);
    }
}

static void all_variants_are_stored(void **state)
{
    (void)state;
    FILE *in = fopen(RUBATO_ROOT "/docs/papers.md", "r");
    assert_non_null(in);
    page[fread(page, 1, sizeof(page) - 1, in)] = '\0';
    fclose(in);
    for (size_t i = 0; i < n_inside_methods; i++)
        check_method(inside_methods[i]->ops->name, inside_methods[i]->options);
    for (size_t i = 0; i < n_launch_methods; i++)
        check_method(launch_methods[i]->name, launch_methods[i]->options);
}

/* What is given has priority over the variant, wherever it stands. */
static void options_override_the_variant(void **state)
{
    (void)state;
    static const char *const items[] = {"photon_bb:hold=block,variant=paper",
                                        "photon_bb:variant=paper,hold=block"};
    for (size_t i = 0; i < 2; i++) {
        char *text = text_of(items[i]);
        assert_non_null(strstr(text, "hold=block"));
        assert_non_null(strstr(text, "rare=interval"));
        char *again = text_of(text);
        assert_string_equal(again, text);
        free(text);
        free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_defaults_are_as_stored),
        cmocka_unit_test(all_variants_are_stored),
        cmocka_unit_test(options_override_the_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
