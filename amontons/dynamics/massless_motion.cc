#include "amontons/dynamics/massless_motion.h"

#include "amontons/dynamics/composite_inertia.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

// Rates below this share of the largest one are rounding, at rates scaled by their inertia.
constexpr double kPartOfMotion = 1e-6;

/// Finds a motion without mass by the articulated bodies of a tree.
class ArticulatedBodies {
 public:
  ArticulatedBodies(const Articulation& tree, const ArticulationKinematics& kinematics,
                    double least)
      : tree_(tree), kinematics_(kinematics), least_(least) {
    const auto n = static_cast<std::size_t>(tree.num_links());
    const auto nv = static_cast<std::size_t>(tree.num_velocities());
    inertias_.reserve(n);
    for (const CompositeInertia& own : kinematics.inertias) {
      inertias_.push_back(inertia_matrix(own.mass, own.first_moment, own.second_moment));
    }
    momenta_.resize(nv);
    pivots_.resize(nv);
    wholes_.resize(nv);
  }

  /// Returns the rates of the motion; none if every pivot is positive.
  std::vector<int> run() {
    for (int link = tree_.num_links() - 1; link >= 0; --link) {
      for (int k = end_of(link) - 1; k >= tree_.v_offset(link); --k) {
        if (!eliminate(link, k)) return motion_of(link, k);
      }
      move_to_parent(link);
    }
    return {};
  }

 private:
  /// Returns the index behind a link's last rate.
  int end_of(int link) const {
    return link + 1 < tree_.num_links() ? tree_.v_offset(link + 1) : tree_.num_velocities();
  }

  int parent_of(int link) const { return tree_.links()[static_cast<std::size_t>(link)].parent; }

  /// Frees rate k of a link, so that what the link meets loses what the rate gives way to.
  /// @returns false if nothing resists the rate.
  bool eliminate(int link, int k) {
    const auto i = static_cast<std::size_t>(link), rate = static_cast<std::size_t>(k);
    const Vector6d s = kinematics_.subspace.col(k);
    const double armature = tree_.links()[i].armature;
    wholes_[rate] = s.dot(kinematics_.composites[i].momentum(s)) + armature;
    momenta_[rate] = inertias_[i] * s;
    pivots_[rate] = s.dot(momenta_[rate]) + armature - least_ * wholes_[rate];
    // Below 1e-14 of the entry of M a pivot is rounding. The comparisons fail for NaN, too.
    if (!(wholes_[rate] > 0.0) || !(pivots_[rate] > 1e-14 * wholes_[rate])) return false;
    if (!std::isfinite(pivots_[rate])) return false;
    // Nor does a number without all its digits resist.
    if (pivots_[rate] < std::numeric_limits<double>::min()) return false;
    inertias_[i] -= momenta_[rate] * (momenta_[rate].transpose() / pivots_[rate]);
    return true;
  }

  /// Adds what a link's parent meets of it, about the parent's origin.
  void move_to_parent(int link) {
    const int parent = parent_of(link);
    if (parent < 0) return;
    const Matrix6d X = shift_to(link);
    inertias_[static_cast<std::size_t>(parent)] +=
        X.transpose() * inertias_[static_cast<std::size_t>(link)] * X;
  }

  /// Returns the matrix that turns a velocity of the parent's origin into that of a link's origin:
  /// v + w x d.
  Matrix6d shift_to(int link) const {
    const Eigen::Vector3d& d = kinematics_.p_PB_W[static_cast<std::size_t>(link)];
    Matrix6d X = Matrix6d::Identity();
    X.bottomLeftCorner<3, 3>() << 0.0, d.z(), -d.y(),  //
        -d.z(), 0.0, d.x(),                            //
        d.y(), -d.x(), 0.0;
    return X;
  }

  /// Returns the rates that move where rate `first` of a link is 1 and all that it carries gives
  /// way freely.
  std::vector<int> motion_of(int link, int first) const {
    const auto n = static_cast<std::size_t>(tree_.num_links());
    std::vector<Vector6d> velocities(n, Vector6d::Zero());
    std::vector<char> moves(n, 0);
    std::vector<double> scaled(static_cast<std::size_t>(tree_.num_velocities()), 0.0);
    const auto turn = [&](int own, int k, double rate) {
      const auto at = static_cast<std::size_t>(k);
      velocities[static_cast<std::size_t>(own)] += kinematics_.subspace.col(k) * rate;
      scaled[at] = std::abs(rate) * std::sqrt(std::max(0.0, wholes_[at]));
      if (k == first && !(scaled[at] > 0.0)) scaled[at] = 1.0;  // it moves nothing at all
    };
    // Rates of the link behind the first one, then those of the links that it carries.
    for (int own = link; own < tree_.num_links(); ++own) {
      const int parent = parent_of(own);
      const bool carried = own != link && parent >= 0 && moves[static_cast<std::size_t>(parent)];
      if (own != link && !carried) continue;
      moves[static_cast<std::size_t>(own)] = 1;
      if (carried) {
        velocities[static_cast<std::size_t>(own)] =
            shift_to(own) * velocities[static_cast<std::size_t>(parent)];
      } else {
        turn(own, first, 1.0);
      }
      for (int k = carried ? tree_.v_offset(own) : first + 1; k < end_of(own); ++k) {
        const auto at = static_cast<std::size_t>(k);
        turn(own, k, -momenta_[at].dot(velocities[static_cast<std::size_t>(own)]) / pivots_[at]);
      }
    }
    const double bound = kPartOfMotion * *std::max_element(scaled.begin(), scaled.end());
    std::vector<int> rates;
    for (std::size_t k = 0; k < scaled.size(); ++k) {
      if (scaled[k] > bound) rates.push_back(static_cast<int>(k));
    }
    return rates;
  }

  const Articulation& tree_;
  const ArticulationKinematics& kinematics_;
  double least_;
  std::vector<Matrix6d> inertias_;  // [links] what a link's own rates and its parent meet
  std::vector<Vector6d> momenta_;   // [nv] of the articulated body at a unit of the rate
  std::vector<double> pivots_;      // [nv] inertia against the rate, less its share of `least`
  std::vector<double> wholes_;      // [nv] diagonal of M
};

}  // namespace

std::vector<int> find_massless_motion(const Articulation& tree,
                                      const ArticulationKinematics& kinematics, double least) {
  return ArticulatedBodies(tree, kinematics, least).run();
}

}  // namespace amontons
