#include "benchmarks/peers/report.h"

#include "amontons/io/common/processor_name.h"

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace amontons::peers {
namespace {

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace

nlohmann::json describe_machine() {
  std::array<double, 3> load{};
  getloadavg(load.data(), static_cast<int>(load.size()));
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &utc);
  return {{"processor", io::processor_name()},
          {"cores", std::thread::hardware_concurrency()},
          {"load", load[0]},
          {"time", text.data()}};
}

void write_report(const nlohmann::json& report, const std::string& markdown,
                  const std::filesystem::path& directory, const std::string& name) {
  std::filesystem::create_directories(directory);
  write_text(directory / (name + ".json"), report.dump(1) + "\n");
  write_text(directory / (name + ".md"), markdown);
}

}  // namespace amontons::peers
