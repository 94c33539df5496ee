# Cross-compiles for aarch64 with the compiler of Debian's g++-aarch64-linux-gnu, against packages that
# are unpacked below AMONTONS_SYSROOT (scripts/compare-aarch64).
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES AMONTONS_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${AMONTONS_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${AMONTONS_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(libraries ${AMONTONS_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${AMONTONS_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${AMONTONS_SYSROOT}/usr/share/pkgconfig)
# FindHDF5 asks the wrapper of this machine's compiler, which names folders of this machine.
set(HDF5_C_LIBRARY_hdf5 ${libraries}/hdf5/serial/libhdf5.so CACHE FILEPATH "")
