# Summary of a test run, from the LastTest.log and the output of ctest: the names of skipped tests, and
# how many tests passed, failed and were skipped. A test with several cases counts as one. Cases that it
# skips also count as skipped, and it has passed unless it skipped all of them.

function skip(name)
{
    skipped++
    print "skipped: " name
}

function end_test()
{
    if (!cmocka && reason != "") {
        skip(test ": " reason)
        whole++
    } else if (cmocka && n_skipped > 0 && n_passed == 0)
        whole++
}

/^[0-9]+\/[0-9]+ Testing: / {
    test = $3
    reason = ""
    cmocka = listed = n_passed = n_skipped = 0
}
/^\[==========\] Running / { cmocka = 1 }
/^\[  PASSED  \] [0-9]+ test/ { n_passed = $4 }
/^\[  SKIPPED \] [0-9]+ test.*listed below/ { listed = 1; next }
/^\[  SKIPPED \] / && listed { n_skipped++; skip(test ": " $4) }
/^skipped: / { reason = substr($0, 10) }
/^Test Passed\.$/ { end_test() }
/% tests passed, [0-9]+ tests failed out of [0-9]+/ { failed = $4; total = $NF }
END { printf "%d passed, %d failed, %d skipped\n", total - failed - whole, failed, skipped }
