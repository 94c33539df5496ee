#include "amontons/io/hdf5/hdf5_probe.h"

#include "amontons/io/child/child_process.h"
#include "amontons/io/child/child_trial.h"
#include "amontons/io/common/lock_holder.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

namespace amontons::io {
namespace {

/// Attempts to read metadata that a writer is changing. Each waits twice as long as the last, from
/// a nanosecond: together a thirtieth of a second.
constexpr unsigned kReadAttempts = 25;
/// The same where no process has a lock on the file. One that is damaged fails at each object.
constexpr unsigned kReadAttemptsAlone = 2;
/// CPU time of the child [s]: at least, and more for each byte of the file.
constexpr double kLeastSeconds = kSanitized ? 15.0 : 0.4;
constexpr double kSecondsPerByte = 2e-8;
/// Wall time of the child [s], for disks that do not answer.
constexpr double kLeastWallSeconds = 60.0, kWallSecondsPerByte = 2e-7;
/// Values that are read for a test [bytes]: more are reached through metadata alone.
constexpr hsize_t kTestBytes = 1u << 20;

/// Holds what the child has found, in memory that both processes share.
struct Findings {
  volatile bool done = false;  ///< false: the library broke down at `place`
  volatile bool unreadable = false;
  volatile bool timed_out = false;
  Hdf5Opening opening = Hdf5Opening::None;
  std::array<char, 400> place{};
  std::array<char, 200> reason{};

  void set_place(const char* object, const char* attribute = "") {
    std::snprintf(place.data(), place.size(), "/%.300s%s%.90s", object, *attribute ? "." : "",
                  attribute);
  }
};

Findings* g_findings = nullptr;  // of the child, for its signal handler

/// Owns memory that is shared with a child process.
class SharedFindings {
 public:
  SharedFindings() {
    void* memory = ::mmap(nullptr, sizeof(Findings), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) findings_ = new (memory) Findings;
  }
  ~SharedFindings() {
    if (findings_ != nullptr) ::munmap(findings_, sizeof(Findings));
  }
  SharedFindings(const SharedFindings&) = delete;
  SharedFindings& operator=(const SharedFindings&) = delete;
  Findings* get() const { return findings_; }

 private:
  Findings* findings_ = nullptr;
};

/// Reads the values of an attribute, as H5Aiterate2 asks for it.
herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void* data) {
  auto& findings = *static_cast<Findings*>(data);
  // The object's own name stands in `place` already; the attribute's follows it.
  const std::string owner(findings.place.data() + 1);
  findings.set_place(owner.c_str(), name);
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  if (!attribute.valid()) return -1;
  const Hdf5Handle type(H5Aget_type(attribute.id())), space(H5Aget_space(attribute.id()));
  const Hdf5Handle native(H5Tget_native_type(type.id(), H5T_DIR_DEFAULT));
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  const std::size_t size = native.valid() ? H5Tget_size(native.id()) : 0;
  // Only small ones are values of ours; a larger one is never read.
  if (count > 0 && size > 0 && static_cast<std::size_t>(count) <= kTestBytes / size) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size);
    if (H5Aread(attribute.id(), native.id(), bytes.data()) < 0) return -1;
  }
  findings.set_place(owner.c_str());
  return 0;
}

/// Reads the index of chunks of a dataset, and its values where they are few or have to be decoded.
/// Values that cannot be read are no fault here: whoever needs them is told.
void read_values(hid_t object) {
  const Hdf5Handle type(H5Dget_type(object)), space(H5Dget_space(object));
  const Hdf5Handle native(H5Tget_native_type(type.id(), H5T_DIR_DEFAULT));
  const Hdf5Handle layout(H5Dget_create_plist(object));
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  const std::size_t size = native.valid() ? H5Tget_size(native.id()) : 0;
  if (H5Pget_layout(layout.id()) == H5D_CHUNKED) {
    hsize_t num_chunks = 0;
    H5Dget_num_chunks(object, H5S_ALL, &num_chunks);
  }
  if (count <= 0 || size == 0) return;
  const bool has_text =
      H5Tdetect_class(type.id(), H5T_VLEN) > 0 || H5Tis_variable_str(type.id()) > 0;
  if (static_cast<std::size_t>(count) > kTestBytes / size) return;
  if (has_text && !has_readable_texts(object, native.id(), space.id())) return;
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * size);
  H5Dread(object, native.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
}

/// Opens an object and reads what it holds, as H5Ovisit2 asks for it.
herr_t read_object(hid_t root, const char* name, const H5O_info_t* info, void* data) {
  auto& findings = *static_cast<Findings*>(data);
  findings.set_place(std::strcmp(name, ".") == 0 ? "" : name);
  const Hdf5Handle object(H5Oopen(root, name, H5P_DEFAULT));
  if (!object.valid()) return -1;
  hsize_t next = 0;
  if (H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_NATIVE, &next, read_attribute, data) < 0) {
    return -1;
  }
  if (info->type == H5O_TYPE_DATASET) read_values(object.id());
  return 0;
}

/// Opens the file and visits all of its objects: the work of the child.
void read_all(const std::string& path, Findings& findings) {
  const Hdf5Quiet quiet;
  const Hdf5Handle access(create_reading_access(path));
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  Hdf5Opening opening = Hdf5Opening::Closed;
  if (!file.valid()) {
    std::snprintf(findings.reason.data(), findings.reason.size(), "%s",
                  hdf5_error_message().c_str());
    file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()));
    opening = Hdf5Opening::Swmr;
  }
  if (!file.valid()) return;
  findings.opening = opening;
  findings.unreadable = H5Ovisit2(file.id(), H5_INDEX_NAME, H5_ITER_NATIVE, read_object, &findings,
                                  H5O_INFO_BASIC) < 0;
}

/// Ends the child when its time is over.
void end_at_timeout(int) {
  g_findings->timed_out = true;
  ::_exit(1);
}

/// Bounds the child: default signals, no message, no core, little time, little memory.
void bound_this_process(double seconds) {
  silence_this_child();
  bound_memory_of_this_child(ChildBounds().memory);
  std::signal(SIGPROF, end_at_timeout);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(timer.it_value.tv_sec)));
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Returns true if this process has the file open already: it was probed, or is our own.
bool is_open_here(const struct stat& file) {
  const ssize_t count = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE);
  if (count <= 0) return false;
  std::vector<hid_t> ids(static_cast<std::size_t>(count));
  const ssize_t found = H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, ids.size(), ids.data());
  for (ssize_t i = 0; i < found; ++i) {
    std::array<char, 4096> name{};
    struct stat own {};
    H5Fget_name(ids[static_cast<std::size_t>(i)], name.data(), name.size());
    if (::stat(name.data(), &own) == 0 && own.st_dev == file.st_dev && own.st_ino == file.st_ino) {
      return true;
    }
  }
  return false;
}

/// Runs read_all() in a child process. Returns false if there is none.
bool read_in_child(const std::string& path, std::uint64_t size, Findings& findings) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return false;
  const double seconds = kLeastSeconds + kSecondsPerByte * static_cast<double>(size);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[0]);
    g_findings = &findings;
    bound_this_process(seconds);
    read_all(path, findings);
    findings.done = true;
    ::_exit(0);
  }
  ::close(pipe[1]);
  if (child > 0) {
    wait_for_child(child, pipe[0],
                   kLeastWallSeconds + kWallSecondsPerByte * static_cast<double>(size));
  }
  ::close(pipe[0]);
  // A child that was killed since this thread is to stop says nothing of the file.
  check_stop();
  return child > 0;
}

}  // namespace

hid_t create_reading_access(const std::string& path) {
  // A plugin is code that the file chooses: none is loaded.
  H5PLset_loading_state(0);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_metadata_read_attempts(access, may_be_locked(path) ? kReadAttempts : kReadAttemptsAlone);
  return access;
}

Hdf5Opening probe_hdf5_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Hdf5Opening::None;
  const Hdf5Quiet quiet;
  if (is_open_here(status)) {
    const Hdf5Handle access(create_reading_access(path));
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
    return file.valid() ? Hdf5Opening::Closed : Hdf5Opening::Swmr;
  }
  const SharedFindings shared;
  if (shared.get() == nullptr ||
      !read_in_child(path, static_cast<std::uint64_t>(status.st_size), *shared.get())) {
    throw ParseError(
        path, 0, 0,
        std::string("cannot be examined in a process of its own: ") + std::strerror(errno));
  }
  // What was found is text of a file from elsewhere: it ends within its array.
  const Findings& found = *shared.get();
  const std::string place(found.place.data(), ::strnlen(found.place.data(), found.place.size()));
  const std::string at = place.empty() ? "" : " at " + place;
  if (!found.done) {
    throw ParseError(path, 0, 0,
                     std::string("damaged: the HDF5 library ") +
                         (found.timed_out ? "does not come to an end" : "breaks down") + at);
  }
  if (found.unreadable) {
    throw ParseError(path, 0, 0, "damaged: the HDF5 library cannot read it" + at);
  }
  return found.opening;
}

}  // namespace amontons::io
