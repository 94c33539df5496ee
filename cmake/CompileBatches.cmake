# Compiles several sources of a target as one. Most of the time of a small file goes to the headers and
# templates that it shares with its neighbours, so that a batch takes a third to a half of their time.
option(AMONTONS_BATCHES "Compile several sources as one" ON)
set(AMONTONS_BATCH_SIZE 8)

# amontons_batches(<target>): divides the sources below the current folder (unity_batches.py). Sources
# with compile options of their own stay alone.
function(amontons_batches target)
  if(NOT AMONTONS_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/.*[.]cc$")
  execute_process(
    COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/cmake/unity_batches.py
            ${PROJECT_SOURCE_DIR} ${AMONTONS_BATCH_SIZE} ${sources}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A local type in a class of the same source looks like one in a header then.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
