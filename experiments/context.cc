#include "experiments/context.h"

#include "amontons/io/run/run_recorder.h"
#include "amontons/io/scene/scene_file.h"
#include "experiments/scene_files.h"
#include "experiments/scene_text.h"

#include <memory>

namespace amontons::experiments {

Context::Context(std::filesystem::path folder, std::filesystem::path output, std::string name,
                 std::function<void(const std::string&)> progress, bool full,
                 std::optional<Mutation> mutation)
    : folder_(std::move(folder)),
      output_(std::move(output)),
      name_(std::move(name)),
      progress_(std::move(progress)),
      full_(full),
      mutation_(mutation) {}

Scene Context::load(const std::string& file, const Overrides& overrides) const {
  io::LoadOptions options;
  options.overrides = overrides;
  return io::load_scene(folder_ / file, options);
}

Scene Context::mutated(const Scene& scene) const {
  Scene result = scene;
  if (mutation_) mutate(*mutation_, result);
  return result;
}

Simulator Context::simulator(const Scene& scene) const { return Simulator(mutated(scene)); }

Shape Context::shape(Shape right) const {
  if (mutation_) mutate(*mutation_, right);
  return right;
}

Eigen::VectorXd Context::answer(Eigen::VectorXd right) const {
  if (mutation_) mutate(*mutation_, right);
  return right;
}

const StepReport& Context::step(Simulator& simulator) const {
  const StepReport& report = simulator.step();
  tally_.add(answered_step(simulator.system(), report, tally_.tolerance()));
  return report;
}

int Context::simulate(const Scene& asked,
                      const std::function<void(const Simulator&, const StepReport&)>& each,
                      Findings* findings, const std::string& run_name,
                      const std::function<bool()>& stop) const {
  // A recorded scene that was not read from a file gets a text, by which its run can be verified.
  const bool is_recorded = findings != nullptr && !run_name.empty();
  const Scene scene =
      mutated(is_recorded && asked.text.empty() ? with_text(asked, run_name) : asked);
  Simulator simulator(scene);
  std::unique_ptr<io::RunRecorder> recorder;

  // A run with a name is recorded, without a checkpoint. Its scene lies beside it.
  if (is_recorded) {
    std::filesystem::create_directories(output_ / name_);
    if (!mutation_) write_scene_files(scene, output_ / name_, run_name);
    const std::string file = name_ + "/" + run_name + ".h5";
    io::RecorderSettings settings;
    settings.with_checkpoint = false;
    recorder = std::make_unique<io::RunRecorder>((output_ / file).string(), scene,
                                                 simulator.system(), settings);
    recorder->observe(simulator.initial_report());
    simulator.add_observer(*recorder);
    findings->runs.push_back(file);
  }

  // Steps until the end of the scene or of the check.
  int missed = 0;
  while (!simulator.finished()) {
    const StepReport& report = this->step(simulator);
    if (!report.certificate.holds) ++missed;
    if (each) each(simulator, report);
    if (stop && stop()) break;
  }
  if (recorder) recorder->finish();
  return missed;
}

void Context::progress(const std::string& line) const {
  if (progress_) progress_(line);
}

}  // namespace amontons::experiments
