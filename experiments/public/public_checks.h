#pragma once

// One check per folder of experiments/public, defined in that folder's check.cc.

namespace amontons::experiments {

class Context;
struct Findings;

void check_incline(Context& context, Findings& findings);
void check_backspin(Context& context, Findings& findings);
void check_turntable(Context& context, Findings& findings);
void check_painleve_box(Context& context, Findings& findings);
void check_card_house(Context& context, Findings& findings);
void check_masonry_arch(Context& context, Findings& findings);
void check_rolling(Context& context, Findings& findings);
void check_bouncing(Context& context, Findings& findings);
void check_sphere_cube(Context& context, Findings& findings);
void check_momentum(Context& context, Findings& findings);
void check_energy(Context& context, Findings& findings);
void check_pd_control(Context& context, Findings& findings);
void check_rattleback(Context& context, Findings& findings);
void check_tippe_top(Context& context, Findings& findings);
void check_euler_disk(Context& context, Findings& findings);
void check_rocking_block(Context& context, Findings& findings);
void check_billiards(Context& context, Findings& findings);
void check_impacting_stick(Context& context, Findings& findings);
void check_woodpecker(Context& context, Findings& findings);
void check_four_bar_clearance(Context& context, Findings& findings);
void check_rockfall(Context& context, Findings& findings);
void check_pyramids(Context& context, Findings& findings);
void check_thin_card_house(Context& context, Findings& findings);
void check_junkyard(Context& context, Findings& findings);
void check_gz_physics(Context& context, Findings& findings);
void check_contactbench(Context& context, Findings& findings);

}  // namespace amontons::experiments
