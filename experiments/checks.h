#pragma once

// One check per folder of experiments/, defined in that folder's check.cc.

namespace amontons::experiments {

class Context;
struct Findings;

void check_ramp(Context& context, Findings& findings);
void check_pendulum_drift(Context& context, Findings& findings);
void check_ellipse(Context& context, Findings& findings);
void check_disks(Context& context, Findings& findings);
void check_signed_distance(Context& context, Findings& findings);
void check_wind(Context& context, Findings& findings);
void check_brazil_nut(Context& context, Findings& findings);
void check_spheres(Context& context, Findings& findings);
void check_grasp(Context& context, Findings& findings);
void check_contact_count(Context& context, Findings& findings);
void check_quadruped_no_slip(Context& context, Findings& findings);
void check_quadruped_viscous(Context& context, Findings& findings);
void check_no_slip_limits(Context& context, Findings& findings);
void check_box_qp(Context& context, Findings& findings);
void check_arm_holding(Context& context, Findings& findings);
void check_arm_sliding(Context& context, Findings& findings);
void check_gripper(Context& context, Findings& findings);
void check_linkages(Context& context, Findings& findings);
void check_barrett_hand(Context& context, Findings& findings);
void check_bouncing_ball(Context& context, Findings& findings);
void check_newtons_cradle(Context& context, Findings& findings);
void check_rimless_wheel(Context& context, Findings& findings);
void check_theorems(Context& context, Findings& findings);
void check_events(Context& context, Findings& findings);
void check_impacts(Context& context, Findings& findings);
void check_dissipative_impacts(Context& context, Findings& findings);
void check_painleve_rod(Context& context, Findings& findings);
void check_engine(Context& context, Findings& findings);
void check_engine_timing(Context& context, Findings& findings);

}  // namespace amontons::experiments
