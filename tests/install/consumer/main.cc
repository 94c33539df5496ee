#include <amontons/io/scene_file.h>
#include <amontons/simulation/simulator.h>
#include <cstdio>
#include <exception>

// Prints how many steps a scene took and how many of them met their certificate.
int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  amontons::Simulator simulator(amontons::io::load_scene(argv[1]));
  int steps = 0, claimed = 0;
  while (!simulator.finished()) {
    ++steps;
    claimed += simulator.step().certificate.claimed ? 1 : 0;
  }
  std::printf("%d of %d steps certified\n", claimed, steps);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
