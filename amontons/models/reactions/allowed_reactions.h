#pragma once

#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/contact_law.h"
#include "amontons/optimization/cone_sets/generated_cone.h"

#include <Eigen/Core>

namespace amontons {

/// Returns the reactions (t1, t2, n) that a contact law allows at a contact's velocity:
///
/// - u_n + s (less the lift of a relaxation) not zero within the tolerance: nothing.
/// - Sliding: one ray, p_t = -mu p_n u_t / |u_t|. Where the impulse determines the direction more
///   surely than the velocity, it is the impulse's own. On the polygon it is the corner that
///   dissipates most, or two where the velocity along their side is zero within the tolerance.
/// - Sticking: the whole disc or polygon.
///
/// Every such reaction has the residuals of its law (law_residual.h) within the tolerance, and they
/// are a convex cone.
/// @param directions  polygon_directions(law); not read by the laws without a polygon.
/// @param speed       speed that counts as zero [m/s]: the certificate's tolerance times V.
/// @throws std::invalid_argument for the laws without a cone of reactions (LawTraits).
GeneratedCone allowed_reactions(LawKind law, const Eigen::Matrix2Xd& directions,
                                const ContactState& contact, double speed);

}  // namespace amontons
