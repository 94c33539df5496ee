# Gives the files of a Debian package the names and forms of Debian policy, before cpack packs them:
# copyright and changelog under their names (policy 12.5, 12.7), texts compressed (policy 12.1), the
# Python module without symbols and paths of its build (policy 10.1, 10.2).
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(documents ${share}/doc/${CPACK_PACKAGE_NAME})
set(debian ${CPACK_AMONTONS_SOURCE_DIR}/packaging/debian)
file(COPY_FILE ${debian}/copyright ${documents}/copyright)
file(COPY_FILE ${debian}/changelog ${documents}/changelog.Debian)
file(REMOVE ${documents}/LICENSE)  # policy 12.5: copyright refers to it
file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
# Without names and times the same texts make the same bytes.
execute_process(COMMAND gzip -9n ${documents}/changelog ${documents}/changelog.Debian
  ${share}/man/man1/amontons.1 COMMAND_ERROR_IS_FATAL ANY)
find_program(AMONTONS_STRIP strip REQUIRED)
file(GLOB_RECURSE modules ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/_core*.so)
foreach(module IN LISTS modules)
  file(RPATH_REMOVE FILE ${module})
  execute_process(COMMAND ${AMONTONS_STRIP} --strip-unneeded ${module} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
