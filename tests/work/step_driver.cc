#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"

#include <cstdlib>

// Takes steps of a scene and keeps no report, so that callgrind counts the steps alone
// (instructions_test.py).  usage: step_driver SCENE STEPS
int main(int argc, char** argv) {
  if (argc != 3) return 2;
  amontons::Simulator simulator(amontons::io::load_scene(argv[1]), 1);
  const int steps = std::atoi(argv[2]);
  for (int k = 0; k < steps; ++k) simulator.step();
  return 0;
}
