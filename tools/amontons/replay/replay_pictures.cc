#include "tools/amontons/replay/replay_pictures.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/overwriting.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/picture/picture_maker.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/math/nearest_name.h"
#include "tools/amontons/replay/notes_on_looks.h"
#include "tools/amontons/replay/video_writer.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/failure.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/interrupt.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/progress.h"
#include "tools/amontons/support/write_text_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace amontons::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMinSize = 64, kLargestSize = 4096;  // pixels
constexpr int kFramesPerSecond = 30;
constexpr double kMaxFrames = 36'000;  // twenty minutes of film

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw io::ParseError("replay " + option, 0, 0, why);
}

double number_of(const std::string& option, const std::string& text) {
  double number = 0.0;
  const std::string fault = io::parse_number(text, number);
  if (!fault.empty()) refuse(option, fault);
  return number;
}

std::string one_of(const std::string& option, const std::string& value,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  refuse(option + " " + value, "must be one of " + names);
}

io::Overlays overlays_of(const std::string& text) {
  const std::vector<std::string> names(io::kOverlayNames.begin(), io::kOverlayNames.end());
  io::Overlays overlays{false, false, false, false};
  if (text == "none") return overlays;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    bool* const chosen = io::overlay_named(overlays, word);
    if (chosen == nullptr) {
      refuse("--overlays " + text,
             "must be of contacts, forces, cones and chains, or none" + did_you_mean(word, names));
    }
    *chosen = true;
  }
  return overlays;
}

io::PictureStyle style_of(const PictureOptions& options) {
  io::PictureStyle style;
  const std::string what = "--size " + options.size;
  const std::size_t cross = options.size.find('x');
  if (cross == std::string::npos) refuse(what, "must be WIDTHxHEIGHT, such as 1280x720");
  const double width = number_of(what, options.size.substr(0, cross));
  const double height = number_of(what, options.size.substr(cross + 1));
  for (const double length : {width, height}) {
    if (!(length >= kMinSize && length <= kLargestSize && length == std::floor(length))) {
      refuse(what, fmt::format("width and height must be whole numbers of pixels from {} to {}",
                               kMinSize, kLargestSize));
    }
  }
  style.width = static_cast<int>(width);
  style.height = static_cast<int>(height);
  if (!options.video.empty() && (style.width % 2 != 0 || style.height % 2 != 0)) {
    refuse(what, "a video needs an even width and height");
  }
  style.is_dark = one_of("--theme", options.theme, {"dark", "light"}) == "dark";
  style.overlays = overlays_of(options.overlays);
  const std::string view = one_of("--view", options.view, {"usual", "front", "side", "top"});
  style.camera = io::parse_camera(options.camera, view);
  if (view != "usual" && (style.camera.azimuth || style.camera.elevation)) {
    refuse("--view " + view, "and azimuth or elevation of --camera set the direction twice");
  }
  return style;
}

// When the first run begins and ends [s].
struct Span {
  double first = 0.0, last = 0.0;
};

Span span_of(const std::string& file) {
  io::RunReader reader(file);
  if (reader.num_rows() == 0) throw io::ParseError(file, 0, 0, "the run has no rows");
  return {reader.time(0), reader.time(reader.num_rows() - 1)};
}

std::vector<double> still_times(const PictureOptions& options, const std::string& file) {
  const Span span = span_of(file);
  std::vector<double> times;
  std::istringstream words(options.still);
  for (std::string word; std::getline(words, word, ',');) {
    const double time = number_of("--still " + options.still, word);
    if (time < span.first || time > span.last) {
      refuse("--still " + options.still,
             fmt::format("{} s is outside of {}, which goes from {} s to {} s", time, file,
                         span.first, span.last));
    }
    times.push_back(time);
  }
  if (times.empty()) refuse("--still", "needs a time");
  return times;
}

std::vector<double> video_times(const PictureOptions& options, int fps, const std::string& file) {
  const Span span = span_of(file);
  const double interval = options.speed / fps;
  // A run whose length is a whole number of intervals ends with its last state.
  const double count = std::floor((span.last - span.first) / interval + 1e-9) + 1.0;
  if (count > kMaxFrames) {
    refuse("--video",
           fmt::format("{:.0f} pictures are too many: a lower --fps or a higher --speed", count));
  }
  std::vector<double> times;
  for (int k = 0; k < static_cast<int>(count); ++k) times.push_back(span.first + k * interval);
  return times;
}

std::vector<io::ReplayRun> runs_at(const std::vector<std::string>& files,
                                   const std::vector<double>& sorted_times, bool with_visuals) {
  std::vector<io::ReplayRun> runs;
  for (const std::string& file : files) {
    io::RunReader reader(file);
    runs.push_back(
        io::replay_from_run(reader, {.times = sorted_times, .with_visuals = with_visuals}));
    print_notes_on_looks(runs.back());
  }
  return runs;
}

std::string still_name(const std::string& output, std::size_t index, std::size_t count) {
  if (count == 1) return output;
  const fs::path path(output);
  const std::string name =
      fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string());
  return (path.parent_path() / name).string();
}

// Draws the runs at one place of their frames, which are the same times.
io::Image picture_at(io::PictureMaker& maker, const std::vector<io::ReplayRun>& runs,
                     std::size_t place) {
  std::vector<const io::ReplayFrame*> frames;
  for (const io::ReplayRun& run : runs) frames.push_back(&run.frames[place]);
  return maker.draw(frames);
}

// A body to follow that is not there is a mistake of the command line.
io::PictureMaker maker_for(const std::vector<io::ReplayRun>& runs, const io::PictureStyle& style) {
  try {
    return io::PictureMaker(runs, style);
  } catch (const std::invalid_argument& error) {
    throw io::ParseError("replay", 0, 0, error.what());
  }
}

nlohmann::ordered_json described(const io::PictureStyle& style, const PictureOptions& options) {
  return {{"size", {style.width, style.height}}, {"view", options.view}, {"theme", options.theme}};
}

struct Task {
  const std::vector<std::string>& files;
  const PictureOptions& options;
  bool quiet = false, as_json = false;
};

int make_stills(const Task& task, const std::string& output, const InterruptGuard& interrupt) {
  const io::PictureStyle style = style_of(task.options);
  if (fs::path(output).extension() != ".png") {
    throw io::ParseError(output, 0, 0, "a still is a PNG file: its name must end in .png");
  }
  const std::vector<double> asked = still_times(task.options, task.files.front());
  std::vector<double> sorted = asked;
  std::sort(sorted.begin(), sorted.end());
  // A time that is asked for twice must not count twice where the camera is put.
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const std::vector<io::ReplayRun> runs = runs_at(task.files, sorted, !task.options.no_visuals);
  io::PictureMaker maker = maker_for(runs, style);
  nlohmann::ordered_json result = described(style, task.options);
  result["stills"] = nlohmann::ordered_json::array();
  std::string text;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    refuse_foreign_output(still_name(output, k, asked.size()), io::kPictureOutput,
                          task.options.force);
  }
  for (std::size_t k = 0; k < asked.size(); ++k) {
    if (interrupt.requested()) throw Failure(kInterrupted, "interrupted");
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), asked[k]) - sorted.begin();
    const double time = runs.front().frames[static_cast<std::size_t>(place)].time;
    const std::string file = still_name(output, k, asked.size());
    const std::string png =
        io::encode_png(picture_at(maker, runs, static_cast<std::size_t>(place)));
    write_text_file(file, png);
    result["stills"].push_back(
        {{"file", file}, {"asked", asked[k]}, {"time", time}, {"bytes", png.size()}});
    text += fmt::format("{}: {} x {}, t = {} s\n", file, style.width, style.height, time);
  }
  if (task.as_json) {
    print_json(result);
  } else {
    std::cout << text;
  }
  return kOk;
}

void refuse_foreign_video(const PictureOptions& options, std::size_t num_frames) {
  if (!options.video.ends_with('/')) {
    refuse_foreign_output(options.video, io::kVideoOutput, options.force);
    return;
  }
  for (std::size_t k = 1; k <= num_frames; ++k) {
    refuse_foreign_output(frame_path(options.video, k), io::kPictureOutput, options.force);
  }
}

int make_video(const Task& task, const InterruptGuard& interrupt) {
  const io::PictureStyle style = style_of(task.options);
  const int fps = task.options.fps.value_or(kFramesPerSecond);
  const std::vector<double> times = video_times(task.options, fps, task.files.front());
  refuse_foreign_video(task.options, times.size());
  VideoWriter video(task.options.video, fps, style.width, style.height);
  const std::vector<io::ReplayRun> runs = runs_at(task.files, times, !task.options.no_visuals);
  const std::vector<io::ReplayFrame>& frames = runs.front().frames;
  io::PictureMaker maker = maker_for(runs, style);
  {
    Progress progress("replay", task.quiet);
    io::Image image;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (interrupt.requested()) throw Failure(kInterrupted, "interrupted");
      // A film of more pictures than the run has rows repeats them.
      if (k == 0 || frames[k].time != frames[k - 1].time) image = picture_at(maker, runs, k);
      video.add(image);
      progress.update(static_cast<double>(k + 1) / static_cast<double>(frames.size()),
                      fmt::format("t = {} s", frames[k].time));
    }
  }
  video.finish();
  const double duration = static_cast<double>(frames.size()) / fps;
  if (task.as_json) {
    nlohmann::ordered_json result = described(style, task.options);
    result.update({{"video", task.options.video},
                   {"frames", frames.size()},
                   {"fps", fps},
                   {"speed", task.options.speed},
                   {"duration_s", duration}});
    print_json(result);
  } else {
    std::cout << fmt::format("{}: {} x {}, {} pictures, {:.2f} s\n", task.options.video,
                             style.width, style.height, frames.size(), duration);
  }
  return kOk;
}

}  // namespace

void add_picture_options(Verb& verb, PictureOptions& options) {
  verb.option("--still", options.still, "Write a PNG picture of each time [s] instead of a page",
              "TIME[,TIME...]");
  verb.option("--video", options.video,
              "Write a video instead of a page; a folder (NAME/) for PNG files", "FILE.webm|.mp4");
  verb.option("--size", options.size, "Size of pictures [1280x720]", "WIDTHxHEIGHT");
  verb.option("--fps", options.fps, "Pictures of a video per second [30]", 1);
  verb.positive("--speed", options.speed,
                "Speed of a video: 0.1 shows the motion ten times slower [1]");
  verb.option("--view", options.view, "View of pictures: usual, front, side or top");
  verb.option("--camera", options.camera,
              "Camera of pictures: azimuth, elevation [deg], target X:Y:Z, distance [m], follow "
              "BODY, zoom, orbit [deg/s]",
              "KEY=VALUE[,...]");
  verb.option("--overlays", options.overlays,
              "What pictures show of contacts: contacts, forces, cones, chains or none "
              "[contacts,forces]");
  verb.option("--theme", options.theme, "Theme of pictures: light or dark");
}

int make_pictures(const std::vector<std::string>& files, const PictureOptions& options,
                  const std::string& output, bool quiet, bool as_json) {
  const Task task{files, options, quiet, as_json};
  const InterruptGuard interrupt;
  const std::string still_output =
      output.empty() ? fs::path(files.front()).replace_extension(".png").string() : output;
  io::refuse_overwriting(options.video.empty() ? still_output : options.video, files);
  return options.video.empty() ? make_stills(task, still_output, interrupt)
                               : make_video(task, interrupt);
}

}  // namespace amontons::cli
