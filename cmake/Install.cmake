# Places of `cmake --install`, and the Debian package made of the same (cpack -G DEB).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library: its public headers under their own names, one static library per module, find_package(amontons).
set(modules math optimization geometry dynamics contact models simulation io)
foreach(module ${modules})
  set_target_properties(amontons_${module} PROPERTIES EXPORT_NAME ${module})
  install(TARGETS amontons_${module} EXPORT amontonsTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/PublicHeaders.cmake)
amontons_included_headers(public_headers ${AMONTONS_PUBLIC_HEADERS})
foreach(header IN LISTS public_headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/amontons)
install(EXPORT amontonsTargets NAMESPACE amontons:: DESTINATION ${config_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/amontonsConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/amontonsConfig.cmake
  ${CMAKE_BINARY_DIR}/amontonsConfigVersion.cmake DESTINATION ${config_folder})

# The program, its manual page and completion, and the files that it reads.
install(TARGETS amontons_program DESTINATION ${CMAKE_INSTALL_BINDIR})
set(texts ${CMAKE_BINARY_DIR}/texts)
install(CODE "
  file(MAKE_DIRECTORY \"${texts}\")
  foreach(text IN ITEMS \"manual amontons.1\" \"completion bash amontons\"
          \"completion zsh _amontons\" \"completion fish amontons.fish\")
    separate_arguments(words UNIX_COMMAND \"\${text}\")
    list(POP_BACK words file)
    execute_process(COMMAND \"$<TARGET_FILE:amontons_program>\" \${words}
      OUTPUT_FILE \"${texts}/\${file}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(FILES ${texts}/amontons.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${texts}/amontons DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${texts}/_amontons DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${texts}/amontons.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/experiments ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${CMAKE_INSTALL_DATADIR}/amontons
  PATTERN "*.cc" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
  ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The Python package, where the distribution's interpreter finds it.
set(AMONTONS_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "Where the Python package is installed")
if(AMONTONS_PYTHON)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/python/amontons DESTINATION ${AMONTONS_PYTHON_FOLDER}
    PATTERN "__pycache__" EXCLUDE)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME amontons)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Amontons developers <amontons@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "Rigid bodies with contact and friction, each step with its certificate")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Amontons simulates rigid multibody systems with contact and friction.
It reads scenes, URDF, SDF and MJCF, checks every step against the
contact law that its solution claims, and records a certificate of it.
The package holds the program, its replay page, the Python package and
the C++ library.")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/DebianFiles.cmake)
set(CPACK_AMONTONS_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The module is compiled for one version of Python; h5py, matplotlib and SciPy are for
# runs, plots, fits and the samplers of campaigns, PyYAML for their plans.
if(AMONTONS_PYTHON)
  execute_process(COMMAND ${PYTHON_EXECUTABLE} -c
    "import sys; v = sys.version_info; print(f'python3 (>= {v[0]}.{v[1]}), python3 (<< {v[0]}.{v[1] + 1})', end='')"
    OUTPUT_VARIABLE python_versions COMMAND_ERROR_IS_FATAL ANY)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${python_versions}, python3-numpy")
endif()
# Installed targets alone are built: otherwise a package would build the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib, python3-scipy, python3-yaml")
# Packages for campaigns on clusters, for pictures of a replay, and to build against the library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "python3-distributed, slurm-client, python3-cloudpickle, chromium, ffmpeg, libeigen3-dev, libhdf5-dev, libyaml-cpp-dev, libfmt-dev, nlohmann-json3-dev, liburdfdom-dev, libsdformat-dev, libtinyxml2-dev, libsleef-dev, libassimp-dev, libqhull-dev, zlib1g-dev, libpng-dev, libssl-dev, pkg-config")
include(CPack)
