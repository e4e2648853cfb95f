#!/usr/bin/env bash
# The last lines of ./do test: skipped tests are named and counted, and do not count as passed.
#   summary.sh REPOSITORY
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# test NUMBER NAME OUTPUT: the log of ctest for a successful test.
test_log()
{
    printf '%s/4 Testing: %s\n%s/4 Test: %s\nOutput:\n%s\n<end of output>\nTest Passed.\n\n' \
        "$1" "$2" "$1" "$2" "$3"
}

{
    test_log 1 test_whole $'[==========] Running 2 test(s).\n[  PASSED  ] 2 test(s).'
    test_log 2 test_partly $'[==========] Running 2 test(s).\nskipped: it said why
[  SKIPPED ] a_case
[  PASSED  ] 1 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] a_case\n\n 1 SKIPPED TEST(S)'
    test_log 3 test_not_at_all $'[==========] Running 1 test(s).\n[  SKIPPED ] other_case
[  PASSED  ] 0 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] other_case'
    test_log 4 script 'skipped: no browser on this machine'
} >"$work/log"
echo '80% tests passed, 1 tests failed out of 5' >"$work/said"
cat >"$work/wanted" <<'TEXT'
skipped: test_partly: a_case
skipped: test_not_at_all: other_case
skipped: script: no browser on this machine
2 passed, 1 failed, 3 skipped
TEXT
awk -f "$1/tests/summary.awk" "$work/log" "$work/said" | diff "$work/wanted" -
