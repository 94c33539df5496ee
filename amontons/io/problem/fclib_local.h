#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"

#include <string>

namespace amontons::io {

/// Holds a contact problem of FCLIB's Local layout: u = W r + q in the space of contacts.
struct FclibLocalProblem {
  ContactSpaceProblem problem;  ///< symmetric part of W, q, mu
  int spacedim = 3;             ///< rows per contact in the file: (n, t1, t2) or (n, t1)
  /// Largest |W_ij - W_ji| before the symmetric part was taken, in parts of sqrt(|W_ii W_jj|) or of
  /// the larger of both entries, whichever is more [-].
  double asymmetry = 0.0;
};

/// Reads `/fclib_local` of an FCLIB file [Acary et al. 2014]: W, q, mu. The problem is that of the
/// symmetric part of W, which such files round out of symmetry. Explicit zeros are dropped.
/// @throws ParseError with the file and what is missing or wrong. Problems with bilateral rows (V,
/// R) are refused, a W whose entries differ from those of its transpose by more than a tenth, and
/// what contact_space_problem() refuses.
FclibLocalProblem load_fclib_local(const std::string& path);

/// Returns contact rows (t1, t2, n) [3 nc] in the file's order: (n, t1, t2), or (n, t1) in the
/// plane.
Eigen::VectorXd to_file_rows(const Eigen::VectorXd& rows, int spacedim);

/// Returns rows in the file's order as contact rows (t1, t2, n) [3 nc]; in the plane t2 is zero.
Eigen::VectorXd from_file_rows(const Eigen::VectorXd& file_rows, int spacedim);

}  // namespace amontons::io
