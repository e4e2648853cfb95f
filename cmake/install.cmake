# The contents of "cmake --install" and of the packages. Everything is found relative to the program
# (sim/core/files/data_folder.h), so the installed tree can be moved.
include(GNUInstallDirs)

# "./do run" builds only the program: nothing is installed before everything is built.
set(installed $<TARGET_FILE:rubato> $<TARGET_FILE:rubato_shared> ${CMAKE_BINARY_DIR}/completions/rubato.bash
    ${CMAKE_BINARY_DIR}/completions/rubato.fish ${CMAKE_BINARY_DIR}/completions/rubato.zsh)
foreach(version ${RUBATO_CUDART_VERSIONS})
  list(APPEND installed $<TARGET_FILE:cudart_${version}>)
endforeach()
install(CODE "
  foreach(file ${installed})
    if(NOT EXISTS \"\${file}\")
      message(FATAL_ERROR \"\${file} is not built yet, so nothing was installed. Build everything first: ./do build\")
    endif()
  endforeach()")

install(TARGETS rubato RUNTIME DESTINATION bin)
install(DIRECTORY configs/ DESTINATION share/rubato/configs FILES_MATCHING PATTERN "*.cfg")
install(DIRECTORY bench/silicon/ DESTINATION share/rubato/silicon
        FILES_MATCHING PATTERN "*.sil" PATTERN "*.tsv")
install(DIRECTORY workloads/ DESTINATION share/rubato/workloads FILES_MATCHING PATTERN "*.sil")
install(FILES docs/rubato.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/rbt.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES README.md NEWS.md LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
# A small real trace for the first run. Its cubin is a link in the source tree.
file(GLOB first_trace traces/matmul-sm70/kernel*)
file(REAL_PATH traces/matmul-sm70/matmul.sm70.cubin first_cubin)
install(FILES ${first_trace} ${first_cubin} DESTINATION share/rubato/traces/matmul-sm70)

# The CUDA runtimes for "rubato record", in a folder that the dynamic linker does not search.
if(TARGET cuda_1)
  install(TARGETS cuda_1 redirect LIBRARY DESTINATION lib/rubato/cudart NAMELINK_SKIP)
endif()
foreach(version ${RUBATO_CUDART_VERSIONS})
  install(TARGETS cudart_${version} LIBRARY DESTINATION lib/rubato/cudart NAMELINK_SKIP)
endforeach()

# librubato. rubato.pc finds the rest relative to its own folder.
string(REGEX REPLACE "[^/]+" ".." RUBATO_PC_PREFIX ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_file(cmake/rubato.pc.in ${CMAKE_BINARY_DIR}/rubato.pc @ONLY)
install(TARGETS rubato_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(library_static)
  install(FILES ${library_static} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES ${CMAKE_BINARY_DIR}/rubato.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES include/rubato.h include/rubato_sampler.h DESTINATION include)
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The program generates the completion scripts from its tables of options.
set(completions ${CMAKE_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${completions})
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${completions}/rubato.${shell}
                     COMMAND rubato completion ${shell} > ${completions}/rubato.${shell}
                     DEPENDS rubato VERBATIM)
endforeach()
add_custom_target(completions ALL DEPENDS ${completions}/rubato.bash ${completions}/rubato.zsh
                  ${completions}/rubato.fish)
install(FILES ${completions}/rubato.bash DESTINATION share/bash-completion/completions RENAME rubato)
install(FILES ${completions}/rubato.fish DESTINATION share/fish/vendor_completions.d)
# Debian's zsh does not search /usr/share/zsh/site-functions.
install(CODE [[
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES "/usr$" AND EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)
  endif()]])
install(FILES ${completions}/rubato.zsh DESTINATION share/zsh/\${zsh_folder} RENAME _rubato)

# The package: "cpack -G DEB" in the build folder. Of the sources: tests/release/tarball.sh.
set(CPACK_PACKAGE_NAME rubato)
set(CPACK_PACKAGE_VENDOR "The rubato authors")
set(CPACK_PACKAGE_CONTACT "The rubato authors <rubato@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level, trace-driven simulator of NVIDIA GPUs")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS gnuplot-nox)
include(CPack)
