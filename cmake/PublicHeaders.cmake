# The headers that make the public interface (docs/cpp.md): these, and what they include. Only they are
# installed; all others are the library's own and may change at any time. Tests check that the closure is
# documented to the last name (tests/docs/cpp_reference_test.py).
set(AMONTONS_PUBLIC_HEADERS
  amontons/math/pose.h
  amontons/math/rotation.h
  amontons/math/solve_status.h
  amontons/math/spatial_inertia.h
  amontons/math/trajectory.h
  amontons/optimization/qp/box_qp.h
  amontons/optimization/ccp/strategy/cone_problem_solver.h
  amontons/optimization/ccp/cone_problem.h
  amontons/optimization/socp/conic_qp.h
  amontons/optimization/lcp/lemke.h
  amontons/optimization/lcp/linear_complementarity.h
  amontons/optimization/lp/linear_program.h
  amontons/geometry/contact_manifold.h
  amontons/geometry/shapes/height_field.h
  amontons/geometry/shapes/mass_properties.h
  amontons/geometry/shapes/shape.h
  amontons/geometry/signed_distance.h
  amontons/geometry/time_of_impact.h
  amontons/geometry/shapes/value_noise.h
  amontons/dynamics/articulation.h
  amontons/dynamics/forward_dynamics.h
  amontons/dynamics/joint.h
  amontons/dynamics/loop_joint.h
  amontons/contact/certificate/certificate.h
  amontons/contact/contact_law.h
  amontons/contact/contact_problem.h
  amontons/contact/contact_solution.h
  amontons/contact/operators/contact_space.h
  amontons/contact/islands/island_problem.h
  amontons/contact/islands/islands.h
  amontons/models/common/contact_model.h
  amontons/models/acceleration/coulomb_acceleration.h
  amontons/models/reactions/normal_intervals.h
  amontons/models/acceleration/viscous_acceleration.h
  amontons/simulation/system/commands.h
  amontons/simulation/forces/energy.h
  amontons/simulation/forces/inverse_dynamics.h
  amontons/simulation/rollout.h
  amontons/simulation/scene/scene.h
  amontons/simulation/sensors.h
  amontons/simulation/simulator.h
  amontons/simulation/system/state.h
  amontons/simulation/system/step_report.h
  amontons/simulation/system/system.h
  amontons/io/common/build_info.h
  amontons/io/run/checkpoint.h
  amontons/io/problem/contact_problem_file.h
  amontons/io/problem/fclib_local.h
  amontons/io/import/mesh_file.h
  amontons/io/scene/model_scene.h
  amontons/io/problem/optimization_problem_file.h
  amontons/io/common/output_error.h
  amontons/io/common/parse_error.h
  amontons/io/replay/replay_from_run.h
  amontons/io/run/run_comparison.h
  amontons/io/run/run_recorder.h
  amontons/io/run/run_reader.h
  amontons/io/scene/scene_file.h
  amontons/io/verify/verify.h)

# All headers that `headers` include, themselves included, in `result`.
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
