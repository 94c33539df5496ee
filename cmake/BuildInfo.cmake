# Writes the source behind amontons/io/common/build_info.h: run at each build as
#   cmake -DOUTPUT=<file.cc> -DSOURCE_DIR=<dir> -DVERSION=<v> -DBUILD=<text> -P BuildInfo.cmake
# The file changes only if its content does, so that nothing is compiled without need.
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} describe --always --abbrev=12 --dirty=-modified
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
set(text "#include \"amontons/io/common/build_info.h\"

namespace amontons::io {

std::string version() { return \"${VERSION}\"; }

std::string build_description() { return \"${commit}, ${BUILD}\"; }

std::string version_and_build() { return version() + \" \" + build_description(); }

}  // namespace amontons::io
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
