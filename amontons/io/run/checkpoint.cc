#include "amontons/io/run/checkpoint.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/read_file.h"
#include "amontons/io/common/replacement_file.h"
#include "amontons/io/common/sha256.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <type_traits>
#include <unistd.h>

namespace amontons::io {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

/// First bytes of the file, with the version. The digest of the rest follows, in hexadecimal
/// digits.
constexpr std::string_view kMagic = "AMONTONS-CHECKPOINT-5\n";
constexpr std::size_t kDigestSize = 64;

/// Appends numbers and texts to a string of bytes, without gaps between them.
class ByteWriter {
 public:
  template <typename T>
  void put(T value) requires std::is_arithmetic_v<T> {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // Vectors and texts begin with their length.
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

/// Reads the bytes of ByteWriter in the same order. Throws ParseError where they end too early.
class ByteReader {
 public:
  ByteReader(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  template <typename T>
  T get() {
    T value{};
    std::memcpy(&value, consume(sizeof value).data(), sizeof value);
    return value;
  }
  Eigen::VectorXd get_vector() {
    Eigen::VectorXd values(static_cast<Eigen::Index>(get_count(sizeof(double))));
    for (double& value : values) value = get<double>();
    return values;
  }
  std::string get_text() { return std::string(consume(get_count(1))); }
  /// Reads a count of items of this size [bytes], and checks that so many bytes remain.
  std::size_t get_count(std::size_t item_size) {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / item_size) fail();
    return static_cast<std::size_t>(count);
  }
  /// Checks that no bytes are left.
  void expect_end() const {
    if (!bytes_.empty()) throw ParseError(path_, 0, 0, "the checkpoint has bytes after its end");
  }

 private:
  /// Throws a ParseError for bytes that end too early.
  [[noreturn]] void fail() const { throw ParseError(path_, 0, 0, "the checkpoint is cut short"); }
  /// Removes the next `size` bytes and returns them.
  std::string_view consume(std::size_t size) {
    if (size > bytes_.size()) fail();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  const std::string& path_;
  std::string_view bytes_;
};

/// Returns the checkpoint as bytes, in the order in which read_checkpoint() takes them.
std::string encode(const Checkpoint& checkpoint) {
  ByteWriter out;
  const State& state = checkpoint.state;
  // The state: positions, velocities, time, and the number of steps.
  out.put(state.q);
  out.put(state.v);
  out.put(state.time);
  out.put(state.step_count);
  // Impulses of the last step, by the key of the contact: the solver starts from them.
  out.put(static_cast<std::uint64_t>(state.warm_start.size()));
  for (const WarmStartEntry& entry : state.warm_start) {
    out.put(entry.key.shape_a);
    out.put(entry.key.shape_b);
    out.put(entry.key.feature);
    for (const double component : entry.impulse_W) out.put(component);
  }
  out.put(state.warm_start_step);
  out.put(state.contact_impulse);
  // Counters of event-driven motion, which guard against infinitely many impacts.
  out.put(state.events.since_instant);
  out.put(state.events.impacts_here);
  // The part of the log that belongs to this state.
  out.put(checkpoint.num_rows);
  out.put(checkpoint.num_intervals);
  out.put(static_cast<std::uint64_t>(checkpoint.failures.size()));
  for (const std::int64_t step : checkpoint.failures) out.put(step);
  out.put(checkpoint.inputs_sha256);
  return out.bytes();
}

/// Throws a ParseError for values that no run leaves; a right digest does not exclude them.
void check_values(const std::string& path, const Checkpoint& checkpoint) {
  const auto check = [&path](bool fits, const char* what) {
    if (!fits) throw ParseError(path, 0, 0, std::string("the checkpoint has ") + what);
  };
  const State& state = checkpoint.state;
  check(state.q.allFinite() && state.v.allFinite(), "a state that is not finite");
  check(std::isfinite(state.time), "a time that is not finite");
  check(state.step_count >= 0, "a negative number of steps");
  for (const WarmStartEntry& entry : state.warm_start) {
    check(entry.impulse_W.allFinite(), "an impulse that is not finite");
  }
  check(std::isfinite(state.warm_start_step) && state.warm_start_step >= 0.0,
        "a step that is not finite or negative");
  check(state.contact_impulse.allFinite(), "an impulse that is not finite");
  check(state.events.since_instant >= 0 && state.events.impacts_here >= 0,
        "a negative number of events");
  check(checkpoint.num_rows >= 0, "a negative number of rows");
  check(checkpoint.num_intervals >= 0, "a negative number of intervals");
  for (const std::int64_t step : checkpoint.failures) check(step >= 0, "a negative step");
}

/// Throws an OutputError with the reason in errno.
[[noreturn]] void fail_to_write(const std::string& path) {
  throw OutputError(path, std::string("cannot write the checkpoint: ") + std::strerror(errno));
}

/// Writes the bytes to the file aside, and returns only when they are on the disk.
void write_synced(const ReplacementFile& target, const std::string& bytes) {
  // POSIX calls, because streams cannot sync: a rename alone would not survive a loss of power.
  const int file = ::open(target.aside().c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) fail_to_write(target.path());
  std::size_t done = 0;
  bool ok = true;
  // A write may be partial, or interrupted by a signal (EINTR); both continue.
  while (ok && done < bytes.size()) {
    const ssize_t n = ::write(file, bytes.data() + done, bytes.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    ok = n > 0 || (n < 0 && errno == EINTR);
  }
  ok = ok && ::fsync(file) == 0;
  // close() may change errno, and the file is closed in either case.
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
  const std::string bytes = read_file(path);
  // Layout: kMagic, SHA-256 of the payload as 64 digits, payload.
  if (bytes.compare(0, kMagic.size(), kMagic) != 0 || bytes.size() < kMagic.size() + kDigestSize) {
    throw ParseError(path, 0, 0, "not a checkpoint of this version");
  }
  const std::string_view payload = std::string_view(bytes).substr(kMagic.size() + kDigestSize);
  if (sha256(payload) != bytes.substr(kMagic.size(), kDigestSize)) {
    throw ParseError(path, 0, 0, "the checkpoint is damaged: its SHA-256 does not match");
  }
  ByteReader in(path, payload);
  Checkpoint checkpoint;
  // The payload, in the order of encode().
  State& state = checkpoint.state;
  state.q = in.get_vector();
  state.v = in.get_vector();
  state.time = in.get<double>();
  state.step_count = in.get<std::int64_t>();
  // An entry has 36 bytes: three integers of 4 bytes and three numbers of 8.
  state.warm_start.resize(in.get_count(36));
  for (WarmStartEntry& entry : state.warm_start) {
    entry.key.shape_a = in.get<std::int32_t>();
    entry.key.shape_b = in.get<std::int32_t>();
    entry.key.feature = in.get<std::uint32_t>();
    for (double& component : entry.impulse_W) component = in.get<double>();
  }
  state.warm_start_step = in.get<double>();
  state.contact_impulse = in.get_vector();
  // Counters of events, then the part of the log.
  state.events.since_instant = in.get<std::int32_t>();
  state.events.impacts_here = in.get<std::int32_t>();
  checkpoint.num_rows = in.get<std::int64_t>();
  checkpoint.num_intervals = in.get<std::int64_t>();
  checkpoint.failures.resize(in.get_count(sizeof(std::int64_t)));
  for (std::int64_t& step : checkpoint.failures) step = in.get<std::int64_t>();
  checkpoint.inputs_sha256 = in.get_text();
  in.expect_end();
  check_values(path, checkpoint);
  return checkpoint;
}

}  // namespace amontons::io
