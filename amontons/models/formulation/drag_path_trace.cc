#include "amontons/models/formulation/drag_path_trace.h"

#include "amontons/math/effort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Shortest step, relative to z_0 where that is above 1.
constexpr double kShortestStep = 1e-12;
// Residual that ends corrections, that a step may leave, and beyond which it is too long, in units
// of the size of the motion.
constexpr double kCorrected = 1e-9, kLeft = 1e-7, kTooFar = 1.0;
// Corrections of a step, the part of the residual that one may leave, and the z that they leave at
// the end of a piece.
constexpr int kMaxCorrections = 6;
constexpr double kContraction = 0.5, kAtEnd = 1e-9;
// z by which a contact may be outside of its piece, and shorter steps that it may ask for.
constexpr double kOutside = 1e-6;
constexpr int kMaxShortened = 6;
// Change of z_0, relative to it, within which the path has returned to a point.
constexpr double kReturned = 1e-9;

enum Piece : char { Open = 0, Touching = 1, Loaded = 2 };

/// Runs one trace.
class PathTrace {
 public:
  PathTrace(DragSystem& system, Index contact)
      : system_(system),
        contact_(contact),
        pieces_(static_cast<std::size_t>(system.num_contacts())) {
    for (Index i = 0; i < system.num_contacts(); ++i) {
      const double z = system.at.z(i);
      const bool is_loaded = z > system.first_load(i);
      piece(i) = is_loaded ? Loaded : z > 0.0 ? Touching : Open;
    }
    piece(contact) = Touching;
  }

  bool run(double goal, int most) {
    int orientation = 0;
    for (int k = 0; k < most && has_effort(); ++k) {
      find_values();
      system_.move_to(VectorXd(system_.at.r), &values_);
      count_factorization();
      if (!system_.find_step(values_)) return false;
      if (system_.at.residual > kLeft * system_.problem().size) {
        system_.move_to(VectorXd(system_.at.r + system_.dr), &values_);
      }
      system_.find_tangent(contact_, values_);
      find_rates();
      const int sign = system_.problem().W->determinant_sign();
      if (orientation == 0) orientation = rates_(contact_) > 0.0 ? -sign : sign;
      const double direction = sign * orientation;
      find_next_end(direction, goal);
      if (!std::isfinite(length_) || !move(direction)) return false;
      if (arrives_) {
        system_.move_to(VectorXd(system_.at.r));
        return system_.find_zero();
      }
      if (first_ < 0) continue;
      change_piece(direction);
      if (has_returned(direction)) return false;
    }
    return false;
  }

 private:
  char& piece(Index i) { return pieces_[static_cast<std::size_t>(i)]; }

  /// Writes z of the present pieces, within each of them.
  void find_values() {
    values_.resize(system_.num_contacts());
    for (Index i = 0; i < values_.size(); ++i) {
      const double inside = std::clamp(system_.at.z(i), std::numeric_limits<double>::min(), 1.0);
      values_(i) = piece(i) == Open ? -1.0 : piece(i) == Loaded ? 2.0 : inside;
    }
  }

  /// Writes the change of each z with z_0 of the contact.
  void find_rates() {
    rates_.resize(system_.num_contacts());
    for (Index i = 0; i < rates_.size(); ++i) {
      rates_(i) = -system_.du(3 * i + 2) / (system_.problem().speeds(i) * system_.eps);
    }
    rates_(contact_) += 1.0;
  }

  /// Finds the first contact that leaves its piece along the tangent, or none before the goal.
  void find_next_end(double direction, double goal) {
    length_ = std::numeric_limits<double>::infinity();
    if (direction < 0.0) length_ = std::max(0.0, system_.base(contact_) - goal);
    arrives_ = direction < 0.0;
    first_ = -1;
    for (Index i = 0; i < system_.num_contacts(); ++i) {
      const double rate = direction * rates_(i);
      if (rate == 0.0 || piece(i) == (rate > 0.0 ? Loaded : Open)) continue;
      const bool at_load = piece(i) == (rate > 0.0 ? Touching : Loaded);
      const double end = at_load ? system_.first_load(i) : 0.0;
      const double own = std::max(0.0, (end - system_.at.z(i)) / rate);
      if (own >= length_) continue;
      length_ = own;
      end_at(i, end);
    }
  }

  void end_at(Index contact, double end) {
    first_ = contact;
    end_ = end;
    arrives_ = false;
  }

  /// Moves along the tangent by at most the length found, and corrects.
  /// @returns false where no step can be corrected.
  bool move(double direction) {
    const VectorXd r = system_.at.r, z = system_.at.z;
    const double base = system_.base(contact_);
    const double shortest = kShortestStep * std::max(1.0, std::abs(base));
    int shortened = 0;
    // Bound: halvings down to the shortest step, and as many shorter steps as are allowed.
    while (true) {
      system_.base(contact_) = base + direction * length_;
      system_.move_to(VectorXd(r + direction * length_ * system_.dr), &values_);
      correct();
      if (system_.at.residual < kLeft * system_.problem().size) {
        if (++shortened > kMaxShortened || !finds_earlier_end(z)) return true;
        continue;
      }
      // After half of a step no contact leaves its piece.
      length_ *= 0.5;
      first_ = -1;
      arrives_ = false;
      if (!(length_ > shortest)) return false;
    }
  }

  /// Finds a contact that has left its piece within a corrected step, and the part of the step at
  /// which it does.
  /// @param start  z at the start [n].
  bool finds_earlier_end(const VectorXd& start) {
    double least = 1.0;
    for (Index i = 0; i < system_.num_contacts(); ++i) {
      const double z = system_.at.z(i), load = system_.first_load(i);
      const double low = piece(i) == Loaded ? load : 0.0, high = piece(i) == Open ? 0.0 : load;
      const bool is_above = piece(i) != Loaded && z > high + kOutside;
      const bool is_below = piece(i) != Open && z < low - kOutside;
      if (!is_above && !is_below) continue;
      const double end = is_above ? high : low;
      const double part = (end - start(i)) / (z - start(i));
      if (!(part > 0.0) || !(part < least)) continue;
      least = part;
      end_at(i, end);
    }
    length_ *= least;
    return least < 1.0;
  }

  /// Corrects a point by chord steps that end the piece of the first contact, or keep z_0.
  void correct() {
    const double size = system_.problem().size;
    for (int k = 0; k < kMaxCorrections; ++k) {
      const double before = system_.at.residual;
      const double off = first_ >= 0 ? system_.at.z(first_) - end_ : 0.0;
      if (before <= kCorrected * size && std::abs(off) <= kAtEnd) return;
      if (before >= kTooFar * size) return;
      system_.problem().W->solve(system_.at.x, chord_, chord_velocity_);
      double back = 0.0;
      if (first_ >= 0) {
        const double scale = system_.problem().speeds(first_) * system_.eps;
        back = (chord_velocity_(3 * first_ + 2) / scale - off) / rates_(first_);
      }
      system_.base(contact_) += back;
      system_.move_to(VectorXd(system_.at.r + chord_ + back * system_.dr), &values_);
      const double after = system_.at.residual;
      if (after > kContraction * before && after > kLeft * size) return;
    }
  }

  /// Moves the first contact to its next piece.
  void change_piece(double direction) {
    // A contact with its whole drag has no piece between.
    const int pieces = system_.first_load(first_) > 0.0 ? 1 : 2;
    const bool grows = direction * rates_(first_) > 0.0;
    piece(first_) = static_cast<char>(piece(first_) + (grows ? pieces : -pieces));
  }

  /// Returns true where the path is closed: it is at its second end of a piece again.
  bool has_returned(double direction) {
    if (++ends_ < 2) return false;
    const double base = system_.base(contact_);
    if (ends_ == 2) {
      known_first_ = first_;
      known_direction_ = direction;
      known_base_ = base;
      return false;
    }
    return first_ == known_first_ && direction == known_direction_ &&
           std::abs(base - known_base_) <= kReturned * std::abs(base);
  }

  DragSystem& system_;
  const Index contact_;
  std::vector<char> pieces_;
  VectorXd values_, rates_;  // z in each piece, and its change [n]
  VectorXd chord_, chord_velocity_;
  double length_ = 0.0;   // of a step, in units of z_0
  Index first_ = -1;      // the contact that leaves its piece at the end of a step
  double end_ = 0.0;      // its z there
  bool arrives_ = false;  // the step ends at the goal
  int ends_ = 0;          // of pieces, until now
  Index known_first_ = -1;
  double known_direction_ = 0.0, known_base_ = 0.0;
};

}  // namespace

bool trace_path(DragSystem& system, Index contact, double goal, int most) {
  return PathTrace(system, contact).run(goal, most);
}

}  // namespace amontons
