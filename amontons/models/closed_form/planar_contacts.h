#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amontons {

/// Holds contacts in a plane under Coulomb's law: u = W p + q, one tangent and the normal of each.
struct PlanarContacts {
  /// Holds the effect of a contact's (p_t, p_n) on another one's (u_t, u_n) [1/kg].
  struct Block {
    int column = 0;
    double W[2][2];
  };
  std::vector<std::size_t> starts;  ///< contact -> first block of its rows; one past the end
  std::vector<Block> blocks;        ///< blocks of W, contact by contact; repeated ones are added
  std::vector<double> q;            ///< (t, n) of each contact [m/s]
  std::vector<double> friction;

  int num_contacts() const { return static_cast<int>(friction.size()); }
  /// Starts over, with memory kept. Callers then add the blocks of each contact and call end_row()
  /// after them.
  void clear();
  void end_row() { starts.push_back(blocks.size()); }
};

/// Solves planar contacts by their modes. In the plane the law is linear once each contact is known
/// to be open, to stick, or to slide to one side. The modes start with those of the motion without
/// impulses. A mode that the solution contradicts is changed until none is: Newton's method for a
/// piecewise linear equation. Memory is kept from call to call.
class PlanarModes {
 public:
  /// Finds the impulses.
  /// @param impulses  rows (t, n) of each contact, written [N s].
  /// @returns false where modes repeat or have no solution, or too many contacts are loaded.
  bool solve(const PlanarContacts& problem, std::vector<double>& impulses);

 private:
  enum class Mode : std::uint8_t { Open, Stick, SlideForward, SlideBackward };
  static Mode slide(double velocity);
  double slope(int contact) const;
  int number_unknowns();
  void assemble(int size);
  bool eliminate(int size);
  void set_impulses(std::vector<double>& p) const;
  bool change_modes(const std::vector<double>& p);

  const PlanarContacts* problem_ = nullptr;
  std::vector<Mode> modes_;    // mode of each contact
  std::vector<int> place_;     // place of a contact's normal impulse in the unknowns, or -1;
                               // its friction follows where it sticks
  std::vector<double> A_, x_;  // matrix by rows; right-hand side, then solution
};

}  // namespace amontons
