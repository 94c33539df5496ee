# find_package(amontons): the targets amontons::io and, below it, amontons::simulation, ::models,
# ::contact, ::dynamics, ::geometry, ::optimization and ::math; linking one links what it depends on.
include(CMakeFindDependencyMacro)
enable_language(C)  # FindHDF5 needs it
find_dependency(Eigen3 3.4)
find_dependency(Threads)
find_dependency(Qhull CONFIG)
find_dependency(yaml-cpp CONFIG)
find_dependency(fmt CONFIG)
find_dependency(nlohmann_json CONFIG)
find_dependency(HDF5 COMPONENTS C)
find_dependency(urdfdom CONFIG)
find_dependency(sdformat12 CONFIG)
find_dependency(assimp CONFIG)
find_dependency(ZLIB)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(PkgConfig)
pkg_check_modules(tinyxml2 REQUIRED IMPORTED_TARGET tinyxml2)
include(${CMAKE_CURRENT_LIST_DIR}/amontonsTargets.cmake)
