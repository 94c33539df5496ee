#include "amontons/io/problem/optimization_problem_file.h"
#include "amontons/math/residual_trace.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/formulation/step_lcp.h"
#include "amontons/models/impulse_solution.h"
#include "amontons/optimization/lcp/pivot_trace.h"
#include "amontons/optimization/programs/box_qp_methods.h"
#include "amontons/optimization/programs/lcp_methods.h"
#include "amontons/optimization/qp/worst_variable.h"
#include "python/bindings/argument_faults.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/problems/as_vector.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Vector = Eigen::VectorXd;
using Lcp = LinearComplementarityProblem;
using Qp = BoxQuadraticProgram;

using Answer = std::tuple<Vector, std::string, double>;  // point, status, residual
using Pivots = Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 2, Eigen::RowMajor>;

Answer as_tuple(ProgramAnswer answer) {
  return {std::move(answer.x), to_string(answer.status), answer.residual};
}

/// Solves a program by a method of that name, the usual order where it is empty.
ProgramAnswer solve_program(const Qp& problem, double tolerance, const std::string& method) {
  if (!method.empty()) return solve_box_qp_by(problem, method, tolerance);
  BoxQpSettings settings;
  settings.tolerance = tolerance;
  BoxQpSolution found = solve_each_variable(problem, settings);
  return {found.status, std::move(found.x), found.residual, found.iterations()};
}

/// Calls a function and returns the residuals that its methods evaluate.
template <typename Solve>
Vector residuals_of(double tolerance, const Solve& solve) {
  require_tolerance("residual_history", tolerance);
  return interruptible([&] {
    const ResidualTrace trace;
    solve();
    return as_vector(trace.residuals());
  });
}

Pivots pivots_of(const Lcp& problem, double tolerance, const std::string& method) {
  require_tolerance("pivots", tolerance);
  if (method == "block-pivoting" || method == "gradient-projection") {
    throw std::invalid_argument("pivots: " + method +
                                " has no pivots of single variables; lemke, lemke-plain and ppm "
                                "have");
  }
  return interruptible([&] {
    const PivotTrace trace;
    static_cast<void>(solve_lcp(problem, method, tolerance));
    Pivots result(static_cast<Eigen::Index>(trace.pivots().size()), 2);
    for (Eigen::Index k = 0; k < result.rows(); ++k) {
      const PivotTrace::Pivot& pivot = trace.pivots()[static_cast<std::size_t>(k)];
      result.row(k) << pivot.first, pivot.second;
    }
    return result;
  });
}

/// Holds the complementarity problem of the contacts of a step.
struct StepProblem : Lcp {
  std::vector<std::string> rows;
  Eigen::MatrixXd impulses;  // E of p = E z
};

StepProblem linear_complementarity(const ContactProblem& problem, const std::string& model,
                                   std::optional<int> friction_directions) {
  ModelSettings settings;
  settings.friction_directions = friction_directions;
  ContactLaw law = law_on(make_model(model, settings)->traits(), problem);
  const StepLcp lcp = interruptible([&] { return step_lcp(problem, law); });
  return {lcp.friction.lcp, row_names(lcp), impulse_matrix(problem, lcp)};
}

Lcp lcp_of(const Eigen::MatrixXd& M, const Vector& q) {
  Lcp problem{M, q};
  io::require_valid(problem);
  return problem;
}

Qp qp_of(const Eigen::MatrixXd& H, const Vector& g, const Vector& lower, const Vector& upper) {
  Qp problem{H, g, lower, upper};
  io::require_valid(problem);
  return problem;
}

void bind_lcp(py::module_& module) {
  py::class_<Lcp>(module, "LinearComplementarityProblem", "States 0 <= z perp w = M z + q >= 0.")
      .def(py::init(&lcp_of), py::arg("M"), py::arg("q"),
           "Makes a problem from arrays: M [n, n] and q [n]. Raises ValueError for sizes that do "
           "not fit, and numbers that are not finite or above 1e100.")
      .def_readonly("M", &Lcp::M, "Matrix [n, n].")
      .def_readonly("q", &Lcp::q, "Vector [n].")
      .def(
          "solve",
          [](const Lcp& problem, double tolerance, const std::string& method) {
            require_tolerance("solve", tolerance);
            return as_tuple(interruptible([&] { return solve_lcp(problem, method, tolerance); }));
          },
          py::arg("tolerance") = 1e-8, py::arg("method") = "lemke",
          "Returns (z, status, residual). method: one of lcp_method_names(): \"lemke\", "
          "\"lemke-plain\" (the routine of the literature with its own tolerance of 1e-5; "
          "\"Stalled\" beyond yours), or for symmetric positive semidefinite M \"ppm\" (modified "
          "principal pivoting), \"block-pivoting\" and \"gradient-projection\". Raises "
          "UnknownNameError for another name, ValueError for an M that the method does not take.")
      .def(
          "residual_history",
          [](const Lcp& problem, double tolerance, const std::string& method) {
            return residuals_of(tolerance,
                                [&] { static_cast<void>(solve_lcp(problem, method, tolerance)); });
          },
          py::arg("tolerance") = 1e-8, py::arg("method") = "lemke",
          "Solves the problem, and returns a residual for each pivot, factorization or round of "
          "the method (docs/theory/lcp.md), then that of the answer.")
      .def("pivots", &pivots_of, py::arg("tolerance") = 1e-8, py::arg("method") = "lemke",
           "Solves the problem, and returns its exchanges in their order [k, 2]: the variable that "
           "enters the basis and the one that leaves it, numbered z_i = i, w_i = n + i, and "
           "z_0 = 2 n of Lemke's methods. A path of theirs begins where z_0 enters. method: "
           "\"lemke\", \"lemke-plain\" or \"ppm\"; others raise ValueError.")
      .def(
          "save",
          [](const Lcp& problem, const std::filesystem::path& file, bool force) {
            io::refuse_foreign_output(file.string(), io::kLcpOutput, force, "force=True");
            io::save_lcp(file.string(), problem);
          },
          py::arg("file"), py::arg("force") = false,
          "Writes the problem for `amontons solve` (HDF5). force: True replaces any file; else a "
          "file without a complementarity problem is refused. Raises ParseError for a file that is "
          "refused, OutputError if it cannot be written.")
      .def("__repr__", [](const Lcp& p) {
        return "<LinearComplementarityProblem of " + std::to_string(p.q.size()) + " unknowns>";
      });
}

void bind_mixed(py::module_& module) {
  using Mixed = MixedComplementarityProblem;
  py::class_<Mixed>(
      module, "MixedComplementarityProblem",
      "States w = M z + q, with w_i = 0 where z_i is free, and 0 <= z_i perp w_i >= 0 "
      "elsewhere.")
      .def(py::init([](const Eigen::MatrixXd& M, const Vector& q, const std::vector<bool>& free) {
             Mixed problem{M, q, {free.begin(), free.end()}};
             io::require_valid(problem);
             return problem;
           }),
           py::arg("M"), py::arg("q"), py::arg("free"),
           "Makes a problem from arrays: M [n, n], q [n] and free [n], True where z_i is free. "
           "Raises ValueError for sizes that do not fit, numbers that are not finite or above "
           "1e100, and where the block of M on the free variables is singular.")
      .def_readonly("M", &Mixed::M, "Matrix [n, n].")
      .def_readonly("q", &Mixed::q, "Vector [n].")
      .def_property_readonly(
          "free",
          [](const Mixed& p) { return std::vector<bool>(p.is_free.begin(), p.is_free.end()); },
          "True where z_i is free [n].")
      .def_property_readonly("reduced", &eliminate_free,
                             "LinearComplementarityProblem of the other variables, with the free "
                             "ones eliminated.")
      .def(
          "solve",
          [](const Mixed& problem, double tolerance, const std::string& method) {
            require_tolerance("solve", tolerance);
            return as_tuple(
                interruptible([&] { return solve_mixed_lcp(problem, method, tolerance); }));
          },
          py::arg("tolerance") = 1e-8, py::arg("method") = "lemke",
          "Returns (z, status, residual). method: one of lcp_method_names(), which solves the "
          "problem `reduced`.")
      .def("__repr__", [](const Mixed& p) {
        return "<MixedComplementarityProblem of " + std::to_string(p.q.size()) + " unknowns>";
      });
}

void bind_step_problem(py::module_& module, py::class_<ContactProblem>& contacts) {
  py::class_<StepProblem, Lcp>(
      module, "ContactComplementarityProblem",
      "States the linear complementarity problem of the contacts of a step.")
      .def_readonly("rows", &StepProblem::rows,
                    "Names of the rows [n], contact by contact: \"contact 0: p_n\", its directions "
                    "\"contact 0: beta_0\", ..., and \"contact 0: lambda\".")
      .def_readonly("impulses", &StepProblem::impulses,
                    "Matrix E [3 nc, n] of the impulses p = E z, rows (t1, t2, n) of each contact.")
      .def(
          "save",
          [](const StepProblem& problem, const std::filesystem::path& file, bool force) {
            io::refuse_foreign_output(file.string(), io::kLcpOutput, force, "force=True");
            io::save_lcp(file.string(), problem, problem.rows);
          },
          py::arg("file"), py::arg("force") = false,
          "Writes the problem for `amontons solve` (HDF5), with the names of its rows. force: as "
          "in LinearComplementarityProblem.save().");
  contacts.def(
      "linear_complementarity", &linear_complementarity, py::arg("model") = "anitescu-hart",
      py::arg("friction_directions") = py::none(),
      "Returns the linear complementarity problem of the contacts, as a "
      "ContactComplementarityProblem. model: one on the friction polygon, of friction_directions "
      "directions (4), or without friction; convex-relaxation needs friction_directions. Raises "
      "ValueError for another model, and where a contact has restitution, or a joint limits, "
      "friction or a drive.");
}

void bind_qp(py::module_& module) {
  py::class_<Qp>(module, "BoxQuadraticProgram", "States min 1/2 x'H x + g'x in a box.")
      .def(py::init(&qp_of), py::arg("H"), py::arg("g"), py::arg("lower"), py::arg("upper"),
           "Makes a program from arrays: H [n, n], symmetric positive semidefinite, g, lower and "
           "upper [n]; bounds may be infinite. Raises ValueError for what is none.")
      .def_readonly("H", &Qp::H, "Matrix [n, n].")
      .def_readonly("g", &Qp::g, "Vector [n].")
      .def_readonly("lower", &Qp::lower, "Lower bounds [n].")
      .def_readonly("upper", &Qp::upper, "Upper bounds [n].")
      .def(
          "solve",
          [](const Qp& problem, double tolerance, const std::string& method) {
            require_tolerance("solve", tolerance);
            return as_tuple(
                interruptible([&] { return solve_program(problem, tolerance, method); }));
          },
          py::arg("tolerance") = 1e-8, py::arg("method") = "",
          "Returns (x, status, residual). method: one of box_qp_method_names(), "
          "\"block-pivoting\" or \"gradient-projection\"; else one follows the other.")
      .def(
          "residual_history",
          [](const Qp& problem, double tolerance, const std::string& method) {
            return residuals_of(
                tolerance, [&] { static_cast<void>(solve_program(problem, tolerance, method)); });
          },
          py::arg("tolerance") = 1e-8, py::arg("method") = "",
          "Solves the program, and returns the residuals of the points of all factorizations "
          "(block-pivoting) or rounds (gradient-projection) in their order.")
      .def("__repr__", [](const Qp& p) {
        return "<BoxQuadraticProgram of " + std::to_string(p.g.size()) + " unknowns>";
      });
}

}  // namespace

void bind_programs(py::module_& module, py::class_<ContactProblem>& problem) {
  bind_lcp(module);
  bind_mixed(module);
  bind_step_problem(module, problem);
  bind_qp(module);
  module.def("lcp_method_names", &lcp_method_names,
             "Returns the names of the methods of linear complementarity problems.");
  module.def("box_qp_method_names", &box_qp_method_names,
             "Returns the names of the methods of box quadratic programs.");
}

}  // namespace amontons::python
