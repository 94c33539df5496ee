#include "amontons/io/common/processor_name.h"

#include <fstream>
#include <sys/utsname.h>

namespace amontons::io {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  // Lines read "model name : NAME"; all cores have the same.
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "an unnamed processor";
}

}  // namespace amontons::io
