#include "amontons/io/run/checkpoint.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/replacement_file.h"
#include "amontons/io/common/sha256.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <unistd.h>

namespace amontons::io {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

constexpr std::string_view kMagic = "AMONTONS-CHECKPOINT-3\n";
constexpr std::size_t kDigestSize = 64;

class ByteWriter {
 public:
  template <typename T>
  void put(T value) requires std::is_arithmetic_v<T> {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(const Eigen::Ref<const Eigen::VectorXd>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    for (const double value : values) put(value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  ByteReader(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  template <typename T>
  T get() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  Eigen::VectorXd get_vector() {
    Eigen::VectorXd values(static_cast<Eigen::Index>(get_count(sizeof(double))));
    for (double& value : values) value = get<double>();
    return values;
  }
  std::string get_text() { return std::string(take(get_count(1))); }
  /// A count of items of this size, checked against what is left.
  std::size_t get_count(std::size_t item_size) {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / item_size) fail();
    return static_cast<std::size_t>(count);
  }

 private:
  [[noreturn]] void fail() const { throw ParseError(path_, 0, 0, "the checkpoint is cut short"); }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) fail();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  const std::string& path_;
  std::string_view bytes_;
};

std::string encode(const Checkpoint& checkpoint) {
  ByteWriter out;
  const State& state = checkpoint.state;
  out.put(state.q);
  out.put(state.v);
  out.put(state.time);
  out.put(state.step_count);
  out.put(static_cast<std::uint64_t>(state.warm_start.size()));
  for (const WarmStartEntry& entry : state.warm_start) {
    out.put(entry.key.shape_a);
    out.put(entry.key.shape_b);
    out.put(entry.key.feature);
    for (const double component : entry.impulse_W) out.put(component);
  }
  out.put(state.events.since_instant);
  out.put(state.events.impacts_here);
  out.put(checkpoint.num_rows);
  out.put(checkpoint.num_intervals);
  out.put(static_cast<std::uint64_t>(checkpoint.failures.size()));
  for (const std::int64_t step : checkpoint.failures) out.put(step);
  out.put(checkpoint.inputs_sha256);
  return out.bytes();
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw OutputError(path, std::string("cannot write the checkpoint: ") + std::strerror(errno));
}

void write_synced(const ReplacementFile& target, const std::string& bytes) {
  const int file = ::open(target.aside().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail_to_write(target.path());
  std::size_t done = 0;
  bool ok = true;
  while (ok && done < bytes.size()) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    ok = n > 0 || (n < 0 && errno == EINTR);
  }
  ok = ok && ::fsync(file) == 0;
  const int reason = errno;
  ::close(file);
  if (ok) return;
  errno = reason;
  fail_to_write(target.path());
}

}  // namespace

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const std::string payload = encode(checkpoint);
  ReplacementFile file(path);
  write_synced(file, std::string(kMagic) + sha256(payload) + payload);
  file.place();
}

Checkpoint read_checkpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ParseError(path, 0, 0, std::string("cannot open: ") + std::strerror(errno));
  std::ostringstream content;
  content << file.rdbuf();
  const std::string bytes = content.str();
  if (bytes.compare(0, kMagic.size(), kMagic) != 0 || bytes.size() < kMagic.size() + kDigestSize) {
    throw ParseError(path, 0, 0, "not a checkpoint of this version");
  }
  const std::string_view payload = std::string_view(bytes).substr(kMagic.size() + kDigestSize);
  if (sha256(payload) != bytes.substr(kMagic.size(), kDigestSize)) {
    throw ParseError(path, 0, 0, "the checkpoint is damaged: its SHA-256 does not match");
  }
  ByteReader in(path, payload);
  Checkpoint checkpoint;
  State& state = checkpoint.state;
  state.q = in.get_vector();
  state.v = in.get_vector();
  state.time = in.get<double>();
  state.step_count = in.get<std::int64_t>();
  state.warm_start.resize(in.get_count(36));
  for (WarmStartEntry& entry : state.warm_start) {
    entry.key.shape_a = in.get<std::int32_t>();
    entry.key.shape_b = in.get<std::int32_t>();
    entry.key.feature = in.get<std::uint32_t>();
    for (double& component : entry.impulse_W) component = in.get<double>();
  }
  state.events.since_instant = in.get<std::int32_t>();
  state.events.impacts_here = in.get<std::int32_t>();
  checkpoint.num_rows = in.get<std::int64_t>();
  checkpoint.num_intervals = in.get<std::int64_t>();
  checkpoint.failures.resize(in.get_count(sizeof(std::int64_t)));
  for (std::int64_t& step : checkpoint.failures) step = in.get<std::int64_t>();
  checkpoint.inputs_sha256 = in.get_text();
  return checkpoint;
}

}  // namespace amontons::io
