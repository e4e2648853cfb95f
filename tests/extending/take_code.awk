# Takes the code out of docs/extending.md: writes the blocks between ``` to FOLDER/1, 2, ... and
# prints a line for each: number, section, what to do, file, text. The paragraph before a block
# says what to do:
#   New file `FILE`:                      new: the block is the file
#   In `FILE`, before `TEXT`:             before: it goes before the line that begins with TEXT
#   In `FILE`: and a block of ```diff     diff: lines with + are new, those with - go
# usage: awk -v folder=FOLDER -f take_code.awk extending.md

# What stands between backquotes at the last place that matches before and a name.
function last_name(before, name,    rest, found)
{
    for (rest = paragraph; match(rest, before "`" name "`"); rest = substr(rest, RSTART + 1)) {
        found = substr(rest, RSTART, RLENGTH - 1)
        sub(/^[^`]*`/, "", found)
    }
    return found
}

function begin_block(kind,    what, file, text)
{
    what = kind == "diff" ? "diff" : "before"
    file = last_name("New file ", "[^`]+")
    if (file != "")
        what = "new"
    else
        file = last_name("[Ii]n ", "[A-Za-z0-9_/]+[.][a-z]+")
    if (what == "before")
        text = last_name("before ", "[^`]+")
    if (file == "" || what == "before" && text == "") {
        print FILENAME ":" FNR ": nobody says where this block goes" >"/dev/stderr"
        failed = 1
    }
    out = folder "/" ++n
    printf "" >out
    print n "\t" section "\t" what "\t" file "\t" text
}

/^```/ {
    if (inside)
        close(out)
    else
        begin_block(substr($0, 4))
    inside = !inside
    next
}
inside {
    print >out
    next
}
/^## / { section = substr($0, 4) }
/^$/ { ended = 1 }
/./ {
    paragraph = ended ? $0 : paragraph " " $0
    ended = 0
}
END { exit failed }
