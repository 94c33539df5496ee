#pragma once

#include "amontons/contact/certificate/certified_phase.h"
#include "amontons/contact/certificate/contact_drag.h"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace amontons {

/// Holds the intermediate results of a certificate. Its memory is reused from call to call, and
/// its content never shows in a certificate.
struct CertificateWorkspace {
  Eigen::VectorXd contact_velocity;      ///< u at the end of the step [3 nc] [m/s]
  Eigen::VectorXd change;                ///< v+ - v_free [nv]
  Eigen::VectorXd gained;                ///< M (v+ - v_free) [nv]
  Eigen::VectorXd momentum;              ///< M times one velocity [nv]
  Eigen::VectorXd missing;               ///< what the equations of motion miss, whitened [nv]
  Eigen::VectorXd impulse;               ///< J'p of one Jacobian [nv]
  Eigen::VectorXd lengths;               ///< of the impulses [articulations] [sqrt(J)]
  Eigen::VectorXd speeds;                ///< of the articulations [articulations] [sqrt(J)]
  std::array<CertifiedPhase, 2> phases;  ///< the step as a whole, or both phases of restitution
  ContactDrag drag;                      ///< where viscous friction acts
  std::vector<char> sticks;              ///< contacts that stick under `NoSlip` [nc]
};

}  // namespace amontons
