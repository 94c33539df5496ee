#include "amontons/io/replay/recorded_scene.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/replay/replay_rows.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_shapes.h"

#include <stdexcept>
#include <string>

namespace amontons::io {

RecordedScene read_recorded_scene(const RunReader& reader, bool with_visuals) {
  RecordedScene recorded;
  recorded.scene = reader.load_scene(with_visuals ? &recorded.visuals : nullptr);
  try {
    recorded.system = std::make_unique<const System>(recorded.scene);
  } catch (const std::invalid_argument& error) {
    throw ParseError(reader.path(), 0, 0, std::string("the recorded scene: ") + error.what());
  }
  check_run_of_system(reader.header(), *recorded.system, reader.path());
  return recorded;
}

ReplayFrame replay_frame_of(const RunReader& reader, const RecordedScene& recorded,
                            const RunRow& row) {
  try {
    return replay_frame(*recorded.system, row);
  } catch (const std::invalid_argument& error) {
    throw ParseError(reader.path(), 0, 0, error.what());
  }
}

}  // namespace amontons::io
