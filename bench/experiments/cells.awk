# Prints column `want` of the rows that agree with `where`: COLUMN=VALUE, each with a tab behind it.
NR == 1 {
    read_header($0)
    conditions = split(where, condition, "\t") - 1
    next
}
{
    read_row($0)
    for (i = 1; i <= conditions; i++) {
        equals = index(condition[i], "=")
        if (field(substr(condition[i], 1, equals - 1)) != substr(condition[i], equals + 1))
            next
    }
    print field(want)
}
