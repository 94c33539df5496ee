# One block per peer: if it is found, its entrant is built.

pkg_check_modules(ODE_PEER IMPORTED_TARGET ode)
if(ODE_PEER_FOUND)
  import_peer(PkgConfig::ODE_PEER)
  peer_entrant(ode LIBRARIES PkgConfig::ODE_PEER)
  target_compile_definitions(entrant_ode PRIVATE AMONTONS_PEER_VERSION="${ODE_PEER_VERSION}")
else()
  message(WARNING "PEER MISSING: ODE is not installed")
endif()

pkg_check_modules(BULLET_DOUBLE IMPORTED_TARGET bullet-float64)
if(BULLET_DOUBLE_FOUND)
  import_peer(PkgConfig::BULLET_DOUBLE)
  peer_entrant(bullet engines/bullet_common.cc engines/bullet_multibody.cc
    LIBRARIES PkgConfig::BULLET_DOUBLE)
else()
  message(WARNING "PEER MISSING: Bullet (double precision) is not installed")
endif()

# BOX3D_DIR names an installation of Box3D, or its source, which is then built here.
set(BOX3D_DIR "" CACHE PATH "Installation or source of Box3D, a peer")
if(BOX3D_DIR AND EXISTS "${BOX3D_DIR}/CMakeLists.txt")
  add_subdirectory("${BOX3D_DIR}" "${CMAKE_BINARY_DIR}/box3d" EXCLUDE_FROM_ALL)
else()
  find_package(box3d QUIET CONFIG HINTS "${BOX3D_DIR}")
endif()
if(TARGET box3d::box3d)
  peer_entrant(box3d LIBRARIES box3d::box3d)
else()
  message(WARNING "PEER MISSING: Box3D is not in BOX3D_DIR, nor installed")
endif()

find_package(DART 6.12 QUIET CONFIG COMPONENTS collision-ode)
if(DART_FOUND)
  peer_entrant(dart engines/dart_world.cc LIBRARIES dart dart-collision-ode)
  set_source_files_properties(engines/dart_engine.cc engines/dart_world.cc
    dynamics/dart_dynamics.cc PROPERTIES COMPILE_OPTIONS
    "-Wno-deprecated-declarations")
else()
  message(WARNING "PEER MISSING: DART is not installed")
endif()

find_package(mujoco QUIET CONFIG)
if(mujoco_FOUND)
  peer_entrant(mujoco engines/mujoco_handles.cc engines/mujoco_model.cc LIBRARIES mujoco::mujoco fmt::fmt)
else()
  message(WARNING "PEER MISSING: MuJoCo is not installed")
endif()

find_path(SICONOS_INCLUDE_DIR SiconosConfig.h PATH_SUFFIXES siconos)
find_library(SICONOS_MECHANICS siconos_mechanics)
find_library(SICONOS_KERNEL siconos_kernel)
find_library(SICONOS_NUMERICS siconos_numerics)
if(SICONOS_INCLUDE_DIR AND SICONOS_MECHANICS AND SICONOS_KERNEL AND SICONOS_NUMERICS)
  add_library(siconos_peer INTERFACE)
  target_include_directories(siconos_peer SYSTEM INTERFACE ${SICONOS_INCLUDE_DIR}
    ${SICONOS_INCLUDE_DIR}/mechanics ${SICONOS_INCLUDE_DIR}/kernel ${SICONOS_INCLUDE_DIR}/numerics)
  target_link_libraries(siconos_peer INTERFACE
    ${SICONOS_MECHANICS} ${SICONOS_KERNEL} ${SICONOS_NUMERICS})
  execute_process(COMMAND dpkg-query -W "-f=\${Version}" libsiconos-numerics-dev
    OUTPUT_VARIABLE siconos_version ERROR_QUIET)
  peer_entrant(siconos LIBRARIES siconos_peer)
  # Boost 1.74, which Siconos exposes, does not compile as C++20.
  set_source_files_properties(engines/siconos_engine.cc PROPERTIES COMPILE_OPTIONS "-std=c++17")
  target_compile_definitions(entrant_siconos PRIVATE AMONTONS_PEER_VERSION="${siconos_version}")

  add_executable(siconos_solver contact_problems/siconos_solver_main.cc
    contact_problems/fclib_problem.cc)
  target_link_libraries(siconos_solver PRIVATE amontons_peers siconos_peer)
  add_dependencies(peers siconos_solver)
else()
  message(WARNING "PEER MISSING: Siconos is not installed")
endif()

# Mass matrix, bias, forward dynamics and Jacobians of one robot, in one process.
add_executable(bench_dynamics dynamics/bench_dynamics_main.cc dynamics/robot.cc
  dynamics/amontons_dynamics.cc)
target_link_libraries(bench_dynamics PRIVATE amontons_peer_driver)
if(mujoco_FOUND)
  target_sources(bench_dynamics PRIVATE dynamics/mujoco_dynamics.cc engines/mujoco_handles.cc
    engines/mujoco_model.cc)
  target_link_libraries(bench_dynamics PRIVATE mujoco::mujoco)
  target_compile_definitions(bench_dynamics PRIVATE AMONTONS_PEER_MUJOCO)
endif()
if(DART_FOUND)
  target_sources(bench_dynamics PRIVATE dynamics/dart_dynamics.cc engines/dart_world.cc)
  target_link_libraries(bench_dynamics PRIVATE dart)
  target_compile_definitions(bench_dynamics PRIVATE AMONTONS_PEER_DART)
endif()
add_dependencies(peers bench_dynamics)

# Whole steps of robots beside MuJoCo, in one process.
if(mujoco_FOUND)
  add_executable(bench_robots robots/bench_robots_main.cc robots/amontons_stepper.cc
    robots/colliding_robot.cc robots/humanoid.cc robots/mujoco_stepper.cc robots/robot_run.cc
    robots/robot_scene.cc robots/robot_table.cc robots/start_differences.cc dynamics/robot.cc
    engines/mujoco_handles.cc engines/mujoco_model.cc)
  target_link_libraries(bench_robots PRIVATE amontons_peer_driver mujoco::mujoco)
  add_dependencies(peers bench_robots)
endif()
