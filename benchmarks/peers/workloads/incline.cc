#include "benchmarks/peers/measure.h"

#include <string>

namespace amontons::peers {
namespace {

// Measures the distance along the slope and across it. The ramp's directions are those of the cube
// at the start.
class InclineMeasure : public Measure {
 public:
  void observe(double time, const std::vector<BodyState>& states) override {
    if (time == 0.0) start_ = states[0].X_WB;
    moved_ = start_.rotation.transpose() * (states[0].X_WB.translation - start_.translation);
  }

  std::vector<Figure> figures() const override {
    return {{"distance m", moved_.x()}, {"sideways m", moved_.y()}};
  }

 private:
  Pose start_;
  Eigen::Vector3d moved_ = Eigen::Vector3d::Zero();
};

}  // namespace

std::vector<Case> incline_cases() {
  std::vector<Case> cases;
  for (const char* friction : {"0.3", "0.4", "0.45", "0.5", "0.55", "0.6", "0.8"}) {
    Case c;
    c.id = std::string("incline mu ") + friction;
    c.scene = "incline.yaml";
    c.overrides = {{"materials.stone.friction", friction}};
    c.quick = true;
    c.make_measure = [](const World&) -> std::unique_ptr<Measure> {
      return std::make_unique<InclineMeasure>();
    };
    cases.push_back(c);
  }
  return cases;
}

}  // namespace amontons::peers
