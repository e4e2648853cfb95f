#include "sim/conf/gpu_family.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Product names of each generation, from NVIDIA's product pages: lower case, letters and digits
 * only; '#' stands for any digit. (Quadro RTX 3000 to 8000 are Turing.) */
static const struct {
    const char *family, *names;
} families[] = {
    {"Kepler", "kepler k#0 k##0 gk### gtx6## gtx7#0 sm3#"},
    {"Maxwell", "maxwell m4 m40 m60 gm### gtx750 gtx9## gtxtitanx sm5#"},
    {"Pascal", "pascal p4 p6 p40 p100 gp### gtx10## titanxp titanx sm6#"},
    {"Ampere", "ampere a2 a10 a16 a30 a40 a100 a800 ga10# rtx305# rtx306# rtx307# rtx308# rtx309# "
               "rtxa#### a##00 orin sm8#"},
    {"Ada", "ada adalovelace l4 l20 l40 ad10# rtx405# rtx406# rtx407# rtx408# rtx409# "
            "rtx4000ada rtx5000ada rtx6000ada sm89"},
    {"Hopper", "hopper h20 h100 h200 h800 gh100 gh200 sm90"},
    {"Blackwell",
     "blackwell b100 b200 b300 gb10 gb200 gb300 gb20# rtx505# rtx506# rtx507# rtx508# rtx509# "
     "rtxpro#### sm1##"},
};

/* Brand names, which people write or leave out. */
static const char *const makes[] = {"nvidia", "geforce", "tesla", "quadro", "jetson"};

static void plain_name(const char *name, char *plain, size_t size)
{
    size_t n = 0;

    for (; *name != '\0' && n + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            plain[n++] = (char)tolower((unsigned char)*name);
    plain[n] = '\0';
}

static const char *without_makes(const char *plain)
{
    for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++)
        if (strncmp(plain, makes[i], strlen(makes[i])) == 0)
            plain += strlen(makes[i]);
    return plain;
}

/* Whether plain matches the pattern of n characters, possibly followed by letters if the pattern
 * ends in a digit: "a100pcie". */
static bool matches(const char *plain, const char *pattern, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pattern[i] == '#' ? !isdigit((unsigned char)plain[i]) : plain[i] != pattern[i])
            return false;
    const char last = pattern[n - 1];
    return plain[n] == '\0' ||
           ((last == '#' || isdigit((unsigned char)last)) && !isdigit((unsigned char)plain[n]));
}

static bool any_matches(const char *plain, const char *names)
{
    while (*names != '\0') {
        size_t n = strcspn(names, " ");
        if (matches(plain, names, n))
            return true;
        names += n + (names[n] == ' ');
    }
    return false;
}

const char *gpu_family_not_modelled(const char *name)
{
    char buffer[64];
    const char *found = NULL;

    plain_name(name, buffer, sizeof(buffer));
    const char *plain = without_makes(buffer);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (any_matches(plain, families[i].names))
            found = families[i].family; /* the last match wins: sm_89 is Ada, not Ampere */
    return found;
}
