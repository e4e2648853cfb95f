#!/usr/bin/env bash
# Every number in the column "rubato" of the tables of docs/papers.md is a number of the experiment that the row
# names, in bench/experiments/stored.csv; where the row names none ("-"), it is not checked. In tables whose first
# column names an experiment, "program (B2)", all columns are compared but those that begin with "the paper". The page
# says how many figures and tables of the papers it has.
# usage: papers_page.sh SOURCES
set -euo pipefail
sources=$1
check()
{
    awk -v changed="${3:-0}" '
        # tokens(TEXT, OUT): its numbers with their signs, without those in names (resnet-18) and in code.
        function tokens(text, out,    n, before, start) {
            n = 0
            gsub(/`[^`]*`/, "", text)
            while (match(text, /[0-9]+(\.[0-9]+)?/)) {
                start = RSTART
                before = start > 1 ? substr(text, start - 1, 1) : " "
                if (before !~ /[A-Za-z_\/-]/ || before == "-" && (start == 2 || substr(text, start - 2, 1) ~ /[ ("]/))
                    out[++n] = (before == "-" ? "-" : "") substr(text, start, RLENGTH)
                text = substr(text, start + RLENGTH)
                sub(/^[A-Za-z0-9-]*/, "", text)
            }
            return n
        }
        # The number with another last digit.
        function other(number,    last) {
            last = substr(number, length(number)) + changed
            return substr(number, 1, length(number) - 1) last % 10
        }
        function report(text) {
            print "docs/papers.md:" FNR ": " text
            wrong = 1
        }
        FILENAME ~ /stored.csv$/ {
            name = $0
            sub(/,.*/, "", name)
            known[name] = 1
            n = tokens(substr($0, length(name) + 2), number)
            for (i = 1; i <= n; i++)
                has[name, number[i]] = 1
            next
        }
        # compare(NAMES, TEXT): whether each number of the text is one of these experiments.
        function compare(names, text,    k, n, i, m, found, longest, name_of, number) {
            m = split(names, name_of, /, /)
            for (k = 1; k <= m; k++)
                if (!(name_of[k] in known))
                    report("no experiment " name_of[k] " in stored.csv")
            n = tokens(text, number)
            if (n == 0)
                report("a row of " names " without a number")
            longest = 1
            for (i = 1; i <= n; i++)
                if (length(number[i]) > length(number[longest]))
                    longest = i
            if (changed)
                number[longest] = other(number[longest])
            for (i = 1; i <= n; i++) {
                found = 0
                for (k = 1; k <= m; k++)
                    found += (name_of[k], number[i]) in has
                if (!found && !changed)
                    report(number[i] " is no number of " names " in bench/experiments/stored.csv")
                if (changed && i == longest)
                    missed += !found
            }
            rows++
        }
        /^#/ { section = $0 }
        !/^\|/ { kind_of = "" }
        /^\| figure \| the paper \| rubato \| experiment \| why they differ \|$/ { kind_of = "figures"; next }
        /^\| [a-zA-Z ]+ \([A-Za-z0-9]+\) \|/ {
            kind_of = $0
            sub(/\) \|.*/, "", kind_of)
            sub(/.*\(/, "", kind_of)
            columns = split($0, heading, / \| /)
            next
        }
        match($0, /counterpart to [0-9]+ figures and tables/) { said = substr($0, RSTART + 15) + 0 }
        kind_of == "" || !/^\| / || /^\| ---/ { next }
        {
            cells = split($0, cell, / \| /)
            if (cells != (kind_of == "figures" ? 5 : columns))
                report("a row of " cells " cells")
        }
        kind_of != "figures" {
            text = ""
            for (i = 2; i <= columns; i++)
                if (heading[i] !~ /^the paper/)
                    text = text " " cell[i]
            compare(kind_of, text)
            next
        }
        {
            label = cell[1]
            sub(/^\| /, "", label)
            if (cell[4] == "-")
                next
            compare(cell[4], cell[3])
            # "Fig. 7, 8 and table 3": a figure or table counts once in its section.
            sub(/:.*/, "", label)
            while (match(label, /(Fig\.|Table) [0-9IV]+((, | and | to )[0-9]+)*/)) {
                part = substr(label, RSTART, RLENGTH)
                label = substr(label, RSTART + RLENGTH)
                kind = part ~ /^Fig/ ? "figure " : "table "
                sub(/^[A-Za-z.]+ /, "", part)
                m = split(part, which, /, | and | to /)
                for (i = 1; i <= m; i++)
                    if (!((section, kind which[i]) in counted)) {
                        counted[section, kind which[i]] = 1
                        figures++
                    }
            }
        }
        END {
            if (changed) {
                printf "%d of %d rows with a changed number are found\n", missed, rows
                exit missed < rows * 0.9
            }
            if (said != figures)
                report("says " said + 0 " figures and tables, has " figures)
            if (rows < 20)
                report("only " rows + 0 " rows are checked")
            exit wrong
        }' "$1" "$2"
}

check "$sources/bench/experiments/stored.csv" "$sources/docs/papers.md"
# A changed number must be found.
for by in 1 4 7; do
    check "$sources/bench/experiments/stored.csv" "$sources/docs/papers.md" $by || {
        echo "papers_page.sh: a change of a digit by $by is not found"
        exit 1
    }
done
