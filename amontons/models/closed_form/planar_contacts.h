#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amontons {

/// Contacts in a plane under Coulomb's law: u = W p + q, one tangent and the normal of each.
struct PlanarContacts {
  /// What a contact's (p_t, p_n) does to another one's (u_t, u_n).
  struct Block {
    int column = 0;
    double W[2][2];
  };
  std::vector<std::size_t> starts;  ///< contact -> first block of its rows; one past the end
  std::vector<Block> blocks;        ///< of W, contact by contact; repeated ones are added
  std::vector<double> q;            ///< (t, n) of each contact
  std::vector<double> friction;

  int num_contacts() const { return static_cast<int>(friction.size()); }
  /// Starts over, with memory kept. Then blocks are added, and end_row() after those of each
  /// contact.
  void clear();
  void end_row() { starts.push_back(blocks.size()); }
};

/// In the plane the law is linear once it is known which contacts are open, stick, or slide to
/// which side. Starting from how the contacts move without impulses, modes that their answer
/// contradicts are changed until none is: Newton's method for a piecewise linear equation. Memory
/// is kept from call to call.
class PlanarModes {
 public:
  /// @param impulses  rows (t, n) of each contact, written.
  /// @returns false where modes go round or have no answer, or too many contacts bear a load.
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
  std::vector<Mode> modes_;    // of the contacts
  std::vector<int> place_;     // of a contact's normal impulse among the unknowns, or -1; the
                               // friction of what sticks follows it
  std::vector<double> A_, x_;  // by rows; the right-hand side, then the answer
};

}  // namespace amontons
