/* The files of page/, as they are, in the program. */
    .section .rodata

    .macro file name, path
    .global \name
    .global \name\()_end
\name:
    .incbin "\path"
\name\()_end:
    .byte 0
    .endm

    file page_style, "report.css"
    file page_library, "echarts.min.js"
    file page_script, "report.js"

    .section .note.GNU-stack, "", %progbits
