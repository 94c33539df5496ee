#pragma once

#include "amontons/io/common/replacement_file.h"
#include "amontons/io/common/temporary_folder.h"
#include "amontons/io/picture/image.h"
#include "tools/amontons/replay/child_process.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace amontons::cli {

/// Returns the name of a picture in the folder of a video, counted from 1: "film/00001.png".
/// @param folder  ends in '/'.
std::string frame_path(const std::string& folder, std::size_t number);

/// Writes pictures, one after the other, as a video: .webm (VP9) or .mp4 (H.264) by ffmpeg, or as
/// numbered PNG files into a folder if the name ends in '/'. A video takes its place when it is
/// whole.
class VideoWriter {
 public:
  /// Chooses the kind of file by its name.
  /// @param width, height  of all pictures [pixels], even.
  /// @throws io::ParseError for another kind of file; io::OutputError without ffmpeg.
  VideoWriter(const std::string& path, int frames_per_second, int width, int height);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Adds a picture. @throws io::OutputError.
  void add(const io::Image& image);
  /// Completes the video. @throws io::OutputError with what ffmpeg says.
  void finish();

 private:
  [[noreturn]] void fail(const std::string& why) const;

  std::string path_;
  std::size_t num_frames_ = 0;
  std::optional<io::ReplacementFile> file_;
  io::TemporaryFolder folder_;
  std::string messages_;  // file of what ffmpeg says
  Descriptor to_ffmpeg_, log_;
  std::unique_ptr<ChildProcess> ffmpeg_;
};

}  // namespace amontons::cli
