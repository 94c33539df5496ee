#include <amontons/amontons.h>
#include <cstdio>
#include <exception>

// Prints how many steps a scene took, and how many of them met their certificate. Then prints how
// many of the problems with contacts the convex relaxation solved once more.
int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  amontons::Simulator simulator(amontons::io::load_scene(argv[1]));
  const auto model = amontons::make_model("convex-relaxation", {});
  int steps = 0, holds = 0, problems = 0, relaxed = 0;
  while (!simulator.finished()) {
    ++steps;
    const amontons::StepReport& report = simulator.step();
    holds += report.certificate.holds ? 1 : 0;
    if (report.problem.num_contacts() == 0) continue;
    ++problems;
    const amontons::ContactSolution again = model->solve(report.problem, Eigen::VectorXd());
    relaxed += amontons::certify(report.problem, again, 1e-8).holds ? 1 : 0;
  }
  std::printf("%d of %d steps certified, %d of %d problems relaxed\n", holds, steps, relaxed,
              problems);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
