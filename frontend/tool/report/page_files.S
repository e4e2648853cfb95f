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

    .global page_script
    .global page_script_end
page_script:
    .incbin "report.js"
    .incbin "report_run.js"
    .incbin "report_streams.js"
    .incbin "report_instructions.js"
    .incbin "report_detectors.js"
    .incbin "report_sweep.js"
    .incbin "report_evaluation.js"
    .incbin "report_measured.js"
    .incbin "report_all.js"
page_script_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
