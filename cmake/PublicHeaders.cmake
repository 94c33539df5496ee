# The public headers: amontons/amontons.h and all that it includes, directly or not (docs/cpp.md). Only
# they are installed; all others are private and may change at any time. A test checks that every name in
# them is documented (tests/docs/cpp_reference_test.py).
set(AMONTONS_PUBLIC_HEADERS amontons/amontons.h)

# Returns in `result` the given headers and all that they include, directly or not.
function(amontons_included_headers result)
  set(seen)
  set(open ${ARGN})
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"amontons/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
      list(APPEND open ${included})
    endforeach()
  endwhile()
  list(SORT seen)
  set(${result} ${seen} PARENT_SCOPE)
endfunction()
