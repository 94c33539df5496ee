#include "tools/amontons/replay/video_writer.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/read_file.h"
#include "tools/amontons/support/write_text_file.h"

#include <fmt/format.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <vector>

namespace amontons::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> encoding_for(const std::string& extension) {
  if (extension == ".webm") {
    return {"-c:v",      "libvpx-vp9", "-crf",      "24", "-b:v",    "0",
            "-deadline", "good",       "-cpu-used", "4",  "-row-mt", "1"};
  }
  return {"-c:v", "libx264", "-crf", "18", "-preset", "medium", "-movflags", "+faststart"};
}

}  // namespace

std::string frame_path(const std::string& folder, std::size_t number) {
  return fmt::format("{}{:05}.png", folder, number);
}

VideoWriter::VideoWriter(const std::string& path, int frames_per_second, int width, int height)
    : path_(path) {
  if (path.ends_with('/')) {
    std::error_code fault;
    fs::create_directories(path, fault);
    if (fault) throw io::OutputError(path, "cannot make the folder: " + fault.message());
    return;
  }
  const std::string extension = fs::path(path).extension().string();
  if (extension != ".webm" && extension != ".mp4") {
    throw io::ParseError("--video " + path, 0, 0,
                         "must end in .webm or .mp4, or in / for a folder of PNG files");
  }
  const std::string program = find_program({"ffmpeg"});
  if (program.empty()) {
    fail(
        "videos are written by ffmpeg, which is not in PATH: install the package ffmpeg, or give a "
        "folder (a name that ends in /) for numbered PNG files");
  }
  file_.emplace(path);  // refuses a pipe, which would wait for its reader
  require_writable(path);
  std::signal(SIGPIPE, SIG_IGN);  // an ffmpeg that has gone is an error of ours to report
  messages_ = folder_.write("messages", "");
  log_ = Descriptor(::fcntl(Descriptor(::open(messages_.c_str(), O_WRONLY | O_CLOEXEC)).number(),
                            F_DUPFD_CLOEXEC, 10));
  std::vector<std::string> arguments = {"-y",
                                        "-loglevel",
                                        "error",
                                        "-f",
                                        "rawvideo",
                                        "-pixel_format",
                                        "rgb24",
                                        "-video_size",
                                        fmt::format("{}x{}", width, height),
                                        "-framerate",
                                        std::to_string(frames_per_second),
                                        "-i",
                                        "-"};
  for (const std::string& word : encoding_for(extension)) arguments.push_back(word);
  for (const char* word : {"-pix_fmt", "yuv420p"}) arguments.push_back(word);
  // The comment tells that this program has made the file.
  for (const char* word : {"-metadata", "comment=Amontons replay", "-f"}) arguments.push_back(word);
  arguments.push_back(extension.substr(1));
  arguments.push_back("file:" + file_->aside());  // a name is a name, whatever it looks like
  Pipe pictures;
  try {
    ffmpeg_ = std::make_unique<ChildProcess>(
        program, arguments,
        std::vector<ChildProcess::Connection>{{pictures.read_end.number(), 0}, {log_.number(), 2}});
  } catch (const std::system_error& error) {
    fail(std::string("ffmpeg does not start: ") + error.what());
  }
  to_ffmpeg_ = std::move(pictures.write_end);
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::add(const io::Image& image) {
  ++num_frames_;
  if (path_.ends_with('/')) {
    write_text_file(frame_path(path_, num_frames_), io::encode_png(image));
  } else if (!write_all(to_ffmpeg_, {image.rgb.begin(), image.rgb.end()})) {
    finish();  // says why ffmpeg has ended
    fail("ffmpeg has ended early");
  }
}

void VideoWriter::finish() {
  if (!ffmpeg_) return;
  to_ffmpeg_.close();
  const int code = ffmpeg_->wait();
  ffmpeg_.reset();
  if (code != 0) fail(fmt::format("ffmpeg fails ({}): {}", code, io::read_file(messages_)));
  file_->place();
}

void VideoWriter::fail(const std::string& why) const { throw io::OutputError(path_, why); }

}  // namespace amontons::cli
