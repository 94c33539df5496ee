# One function per kind of target, so that flags are written once.

# Warnings are errors, and the same input gives the same bits: no contraction, no machine-specific
# instructions beyond the x86-64-v2 baseline.
add_library(amontons_flags INTERFACE)
target_compile_options(amontons_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in plain string concatenation (GCC bug 105651).
  target_compile_options(amontons_flags INTERFACE -Wno-restrict)
endif()
# Eigen would cut dense products into blocks by the caches of the processor, which changes the order
# of sums.
target_compile_definitions(amontons_flags INTERFACE
  EIGEN_NO_CPUID EIGEN_DEFAULT_L1_CACHE_SIZE=32768)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(amontons_flags INTERFACE -march=x86-64-v2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Eigen computes as with SSE: no fused operations, and sums in the same blocks.
  target_include_directories(amontons_flags BEFORE INTERFACE ${CMAKE_CURRENT_LIST_DIR}/aarch64)
  target_compile_definitions(amontons_flags INTERFACE
    EIGEN_DENSEBASE_PLUGIN="${CMAKE_CURRENT_LIST_DIR}/aarch64/eigen_blocks.h")
  target_compile_options(amontons_flags INTERFACE -fsigned-char)
endif()
target_compile_definitions(amontons_flags INTERFACE
  $<$<CONFIG:Debug>:EIGEN_INITIALIZE_MATRICES_BY_NAN>)
if(AMONTONS_SANITIZE)
  # Instrumented code confuses GCC's flow analysis of the standard library (GCC bug 105562).
  target_compile_options(amontons_flags INTERFACE -Wno-maybe-uninitialized)
  target_compile_options(amontons_flags INTERFACE
    -fsanitize=${AMONTONS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(amontons_flags INTERFACE -fsanitize=${AMONTONS_SANITIZE})
  if(AMONTONS_SANITIZE MATCHES thread)
    # The thread sanitizer does not support fences. Simulator has one, for reports that other threads
    # release.
    target_compile_options(amontons_flags INTERFACE -Wno-tsan)
  endif()
endif()
if(AMONTONS_FUZZ)
  # Clang warns of other things than GCC, which the other builds use.
  set(fuzz_flags -fsanitize=fuzzer-no-link,${AMONTONS_FUZZ} -fno-sanitize-recover=all)
  target_compile_options(amontons_flags INTERFACE -Wno-error ${fuzz_flags} -g1)
  target_link_options(amontons_flags INTERFACE ${fuzz_flags})
endif()
if(AMONTONS_COVERAGE)
  target_compile_options(amontons_flags INTERFACE --coverage)
  target_link_options(amontons_flags INTERFACE --coverage)
endif()

# The headers that nearly every source reads, parsed once. No source relies on it: the debug preset
# builds without.
set(AMONTONS_COMMON_HEADERS
  <Eigen/Cholesky> <Eigen/Core> <Eigen/Geometry> <Eigen/LU>
  <algorithm> <array> <cmath> <map> <memory> <optional> <span> <stdexcept> <string> <utility> <vector>)
add_library(amontons_precompiled OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cc)
target_link_libraries(amontons_precompiled PRIVATE amontons_flags Eigen3::Eigen)
target_precompile_headers(amontons_precompiled PRIVATE ${AMONTONS_COMMON_HEADERS})

# Modules whose small functions run many times in a step. A step takes a tenth fewer instructions with
# more of them inlined, at the same bits. Headers are precompiled for these options.
set(AMONTONS_STEP_MODULES math dynamics optimization contact models simulation)
set(AMONTONS_STEP_OPTIONS "$<$<CONFIG:Release>:-O3;-fno-semantic-interposition>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 then sees uses of freed memory where Eigen resizes.
  list(APPEND AMONTONS_STEP_OPTIONS -Wno-use-after-free)
endif()
add_library(amontons_precompiled_step OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cc)
target_compile_options(amontons_precompiled_step PRIVATE ${AMONTONS_STEP_OPTIONS})
target_link_libraries(amontons_precompiled_step PRIVATE amontons_flags Eigen3::Eigen)
target_precompile_headers(amontons_precompiled_step PRIVATE ${AMONTONS_COMMON_HEADERS})

# amontons_module(<name> [<library>...]): the static library of one module and what it may use.
# Headers include each other as "amontons/<module>/<folder>/<file>.h".
function(amontons_module name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  add_library(amontons_${name} STATIC ${sources})
  add_library(amontons::${name} ALIAS amontons_${name})
  target_include_directories(amontons_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  target_compile_features(amontons_${name} PUBLIC cxx_std_20)
  # Users of an installed library do not get the warnings of this project.
  target_link_libraries(amontons_${name} PUBLIC $<BUILD_INTERFACE:amontons_flags> ${ARGN})
  if(name IN_LIST AMONTONS_STEP_MODULES)
    target_compile_options(amontons_${name} PRIVATE ${AMONTONS_STEP_OPTIONS})
    target_precompile_headers(amontons_${name} REUSE_FROM amontons_precompiled_step)
  else()
    target_precompile_headers(amontons_${name} REUSE_FROM amontons_precompiled)
  endif()
endfunction()

# Compiles a file into a target, as amontons::embedded::SYMBOL (EmbedFile.cmake).
function(amontons_embed target file symbol)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.cc)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${source} -DSYMBOL=${symbol}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
