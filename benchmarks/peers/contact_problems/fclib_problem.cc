#include "benchmarks/peers/contact_problems/fclib_problem.h"

#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/hdf5/sparse_matrix_file.h"

#include <Eigen/SparseCholesky>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace amontons::peers {
namespace {

Eigen::VectorXd read_vector(const io::Hdf5Handle& group, const std::string& name) {
  const std::vector<double> values = io::read_doubles(group, name);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void read_local(const io::Hdf5Handle& group, FclibProblem& problem) {
  problem.W = io::read_sparse_matrix(group, "W");
  problem.q = read_vector(io::open_group(group, "vectors"), "q");
}

void read_global(const io::Hdf5Handle& group, FclibProblem& problem) {
  const Eigen::SparseMatrix<double> M = io::read_sparse_matrix(group, "M");
  const Eigen::SparseMatrix<double> H = io::read_sparse_matrix(group, "H");
  const io::Hdf5Handle vectors = io::open_group(group, "vectors");
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(M);
  if (factor.info() != Eigen::Success) throw std::runtime_error("M cannot be factorized");
  const Eigen::SparseMatrix<double> response = factor.solve(H);
  const Eigen::VectorXd free_velocity = factor.solve(read_vector(vectors, "f"));
  problem.W = H.transpose() * response;
  problem.q = H.transpose() * free_velocity + read_vector(vectors, "w");
}

// Returns the point of { |r_t| <= mu r_n } nearest to x, normal first.
Eigen::VectorXd project_on_cone(const Eigen::VectorXd& x, double mu) {
  const double normal = x[0], tangential = x.tail(x.size() - 1).norm();
  if (tangential <= mu * normal) return x;
  if (mu * tangential <= -normal) return Eigen::VectorXd::Zero(x.size());
  const double projected = (normal + mu * tangential) / (1.0 + mu * mu);
  Eigen::VectorXd result(x.size());
  result[0] = projected;
  result.tail(x.size() - 1) = mu * projected / tangential * x.tail(x.size() - 1);
  return result;
}

}  // namespace

FclibProblem load_fclib_problem(const std::string& path) {
  const io::Hdf5Handle file = io::open_hdf5_file(path);
  const bool is_local = io::has_object(file, "fclib_local");
  const io::Hdf5Handle group = io::open_group(file, is_local ? "fclib_local" : "fclib_global");
  FclibProblem problem;
  problem.dimension = io::read_ints(group, "spacedim").at(0);
  problem.mu = read_vector(io::open_group(group, "vectors"), "mu");
  if (is_local) {
    read_local(group, problem);
  } else {
    read_global(group, problem);
  }
  return problem;
}

double natural_map_residual(const FclibProblem& problem, const Eigen::VectorXd& r) {
  const Eigen::VectorXd u = problem.W * r + problem.q;
  const Eigen::VectorXd diagonal = problem.W.diagonal();
  double residual = 0.0, scale = 0.0;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    const int d = problem.dimension, first = d * i;
    const double mean = diagonal.segment(first, d).sum() / d;
    const double w = std::sqrt(mean);
    const Eigen::VectorXd r_scaled = w * r.segment(first, d);
    Eigen::VectorXd u_scaled = u.segment(first, d) / w;
    u_scaled[0] += problem.mu[i] * u_scaled.tail(d - 1).norm();
    residual += (r_scaled - project_on_cone(r_scaled - u_scaled, problem.mu[i])).squaredNorm();
    scale += problem.q.segment(first, d).squaredNorm() / mean;
  }
  return scale > 0.0 ? std::sqrt(residual / scale) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace amontons::peers
