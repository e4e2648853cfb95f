#include "frontend/input/rbt/rbt_format.h"

const char rbt_header_magic[RBT_MAGIC_BYTES] = "rubato trace\r\n\x1a";
const char rbt_footer_magic[RBT_MAGIC_BYTES] = "rubato end\r\n\x1a";

#define RBT_SPACE_TEXT_(id, text) text,
const char *const rbt_space_names[RBT_SPACE_COUNT] = {RBT_SPACE_MAP(RBT_SPACE_TEXT_)};
