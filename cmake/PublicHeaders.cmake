# The headers that make the public interface (docs/cpp.md): these, and what they include. Only they are
# installed; all others are the library's own and may change at any time. Tests check that the closure is
# documented to the last name (tests/docs/cpp_reference_test.py).
set(AMONTONS_PUBLIC_HEADERS
  amontons/math/pose.h
  amontons/math/rotation.h
  amontons/math/solve_status.h
  amontons/math/spatial_inertia.h
  amontons/math/trajectory.h
  amontons/optimization/box_qp.h
  amontons/optimization/cone_ladder.h
  amontons/optimization/cone_problem.h
  amontons/optimization/conic_qp.h
  amontons/optimization/lemke.h
  amontons/optimization/linear_complementarity.h
  amontons/optimization/linear_program.h
  amontons/geometry/contact_manifold.h
  amontons/geometry/height_field.h
  amontons/geometry/mass_properties.h
  amontons/geometry/shape.h
  amontons/geometry/signed_distance.h
  amontons/geometry/time_of_impact.h
  amontons/geometry/value_noise.h
  amontons/dynamics/articulation.h
  amontons/dynamics/forward_dynamics.h
  amontons/dynamics/joint.h
  amontons/dynamics/loop_joint.h
  amontons/contact/certificate.h
  amontons/contact/contact_law.h
  amontons/contact/contact_problem.h
  amontons/contact/contact_solution.h
  amontons/contact/contact_space.h
  amontons/contact/island_problem.h
  amontons/contact/islands.h
  amontons/models/contact_model.h
  amontons/models/coulomb_acceleration.h
  amontons/models/normal_intervals.h
  amontons/models/viscous_acceleration.h
  amontons/simulation/commands.h
  amontons/simulation/energy.h
  amontons/simulation/inverse_dynamics.h
  amontons/simulation/rollout.h
  amontons/simulation/scene.h
  amontons/simulation/sensors.h
  amontons/simulation/simulator.h
  amontons/simulation/state.h
  amontons/simulation/step_report.h
  amontons/simulation/system.h
  amontons/io/build_info.h
  amontons/io/checkpoint.h
  amontons/io/contact_problem_file.h
  amontons/io/fclib_local.h
  amontons/io/mesh_file.h
  amontons/io/model_scene.h
  amontons/io/optimization_problem_file.h
  amontons/io/output_error.h
  amontons/io/parse_error.h
  amontons/io/replay_from_run.h
  amontons/io/run_comparison.h
  amontons/io/run_file.h
  amontons/io/run_reader.h
  amontons/io/scene_file.h
  amontons/io/verify.h)

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
