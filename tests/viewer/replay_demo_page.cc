// Writes the page that replay_page_test.py opens: two runs, with names that are HTML, and prints
// what the page must show as JSON: {"poses": {"run body frame": [x, y, z, w, qx, qy, qz], ...}}.
// With a number of bodies and frames, the page of one such run.

#include "tests/support/replay_demo.h"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc == 4) {
    amontons::test::ReplayDemo demo(std::stoi(argv[2]), std::stoi(argv[3]), 7);
    std::ofstream(argv[1], std::ios::binary) << amontons::io::make_replay_html({demo.take()});
    return 0;
  }
  if (argc != 2) {
    std::cerr << "usage: replay_demo_page OUTPUT.html [BODIES FRAMES]\n";
    return 2;
  }
  amontons::io::ReplayRun first = amontons::test::ReplayDemo(30, 201, 7).take();
  amontons::io::ReplayRun second = amontons::test::ReplayDemo(30, 201, 7, 0.15).take();
  first.title = "thirty bodies, mu 0.4";
  second.title = "the same, mu 0.15 </script><b>bold</b>";
  first.bodies[1].name = "<img src=x onerror=alert(1)>";
  second.certified = false;
  second.verdict = "3 steps missed";
  const std::vector<amontons::io::ReplayRun> runs = {first, second};
  std::ofstream(argv[1], std::ios::binary) << amontons::io::make_replay_html(runs);

  std::cout << "{\"poses\":{";
  const char* separator = "";
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const std::size_t body : {1u, 2u, 12u, 30u}) {
      for (const std::size_t frame : {0u, 57u, 200u}) {
        const amontons::io::ReplayPose& pose = runs[r].frames[frame].poses[body];
        std::cout << fmt::format("{}\"{} {} {}\":[{},{},{},{},{},{},{}]", separator, r, body, frame,
                                 pose.position[0], pose.position[1], pose.position[2],
                                 pose.quat_wxyz[0], pose.quat_wxyz[1], pose.quat_wxyz[2],
                                 pose.quat_wxyz[3]);
        separator = ",";
      }
    }
  }
  std::cout << "}}\n";
  return 0;
}
