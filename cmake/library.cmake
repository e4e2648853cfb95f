# librubato: the folder frontend/tool/library and what it uses, behind include/rubato.h. No other name is
# visible: the shared library has a version script, and in the static one the others are made local.
file(STRINGS include/rubato.h api_line REGEX "^#define RUBATO_API_VERSION ")
string(REGEX MATCH "[0-9]+$" api_version "${api_line}")
set(library_map ${CMAKE_SOURCE_DIR}/cmake/library.map)

# The interface functions are called only from outside, so all objects of the folder are linked.
get_target_property(library_sources rb_library SOURCES)
add_library(rubato_shared SHARED ${library_sources})
target_link_libraries(rubato_shared PRIVATE rb_library)
target_link_options(rubato_shared PRIVATE -Wl,--version-script=${library_map} -Wl,--exclude-libs,ALL)
if(NOT RUBATO_SANITIZE)
  target_link_options(rubato_shared PRIVATE -Wl,-z,defs)
endif()
set_target_properties(rubato_shared PROPERTIES OUTPUT_NAME rubato VERSION ${api_version}.0.0
                      SOVERSION ${api_version} LINK_DEPENDS ${library_map})

# One object with everything that is needed, linked once, in which only the interface is global. Clang's
# objects for link-time optimisation, and objects with sanitizers, cannot be linked in this way.
if(RUBATO_SANITIZE OR (CMAKE_INTERPROCEDURAL_OPTIMIZATION AND NOT CMAKE_C_COMPILER_ID STREQUAL "GNU"))
  return()
endif()
set(library_modules rb_library rb_inside rb_sampling rb_predict rb_estimate rb_plan rb_plugin rb_math rb_archive rb_accelsim rb_order rb_trace rb_macsim rb_sass rb_io
    rb_gpu rb_sm rb_mem rb_parts rb_isa rb_stats rb_conf rb_core)
set(library_archives ${library_modules})
list(TRANSFORM library_archives REPLACE "(.+)" "$<TARGET_FILE:\\1>")
set(relocatable -r -nostdlib)
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND relocatable -O3 -flto=auto -flinker-output=nolto-rel)
endif()
set(library_static ${CMAKE_BINARY_DIR}/librubato.a)
set(library_object ${CMAKE_BINARY_DIR}/librubato.o)
add_custom_command(OUTPUT ${library_static}
  COMMAND ${CMAKE_C_COMPILER} ${relocatable} -o ${library_object}
          -Wl,--whole-archive $<TARGET_FILE:rb_library> -Wl,--no-whole-archive
          -Wl,--start-group ${library_archives} -Wl,--end-group
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=rubato_* --strip-debug
          ${library_object}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${library_static}
  COMMAND ${CMAKE_AR} rcs ${library_static} ${library_object}
  DEPENDS ${library_modules} VERBATIM COMMENT "Linking C static library librubato.a")
add_custom_target(rubato_static ALL DEPENDS ${library_static})
