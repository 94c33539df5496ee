#pragma once

namespace amontons {

/// Most contacts that PlanarContacts takes.
inline constexpr int kMostPlanarContacts = 8;

/// Few contacts in a plane under Coulomb's law: u = W p + q, one tangent and the normal of each.
struct PlanarContacts {
  int num_contacts = 0;
  double W[2 * kMostPlanarContacts][2 * kMostPlanarContacts] = {};  // rows (t, n) of each contact
  double q[2 * kMostPlanarContacts] = {};
  double friction[kMostPlanarContacts] = {};
};

/// In the plane the law is linear once it is known which contacts are open, stick, or slide to
/// which side. Starting from how the contacts move without impulses, modes that their answer
/// contradicts are changed until none is: Newton's method for a piecewise linear equation.
/// @param impulses  rows (t, n) of each contact [2 num_contacts], written.
/// @returns false where modes go round or have no answer.
bool solve_planar_contacts(const PlanarContacts& problem, double* impulses);

}  // namespace amontons
