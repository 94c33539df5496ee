#include "amontons/io/run/run_repair.h"

#include "amontons/io/common/file_identity.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/replacement_file.h"
#include "amontons/io/hdf5/chunk_filters.h"
#include "amontons/io/hdf5/hdf5_input.h"
#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_row.h"
#include "amontons/io/run/storage/run_columns.h"
#include "amontons/io/run/storage/run_lock.h"
#include "amontons/io/run/storage/run_space.h"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

namespace amontons::io {
namespace {

/// Length that h5clear adds, too [bytes]: the file may be longer than its superblock says.
constexpr hsize_t kIncrement = 1u << 20;
/// Readings of a run that others write meanwhile at most.
constexpr int kMaxReadings = 10;
/// Originals of one run that are kept at most.
constexpr int kMaxOriginals = 1000;

/// Reports what the HDF5 library could not do with the copy of a run: the system did not let it, or
/// the file is damaged.
[[noreturn]] void fail_to_repair(const std::string& run_path, const std::string& what) {
  const std::string reason = hdf5_error_message();
  if (!reason.empty()) throw OutputError(run_path, "cannot " + what + ": " + reason);
  throw ParseError(
      run_path, 0, 0,
      "damaged: cannot be repaired and stays as it was; the HDF5 library cannot " + what);
}

/// Opens a file that its writer left open. @throws OutputError, ParseError naming the run.
Hdf5Handle open_for_repair(const std::string& file_path, const std::string& run_path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  const hbool_t yes = 1;
  // The properties that h5clear sets: the file is marked as open, and is longer than it says.
  H5Pset(access.id(), "clear_status_flags", &yes);
  H5Pset(access.id(), "skip_eof_check", &yes);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  Hdf5Handle file(H5Fopen(file_path.c_str(), H5F_ACC_RDWR, access.id()));
  if (!file.valid() || H5Fincrement_filesize(file.id(), kIncrement) < 0) {
    fail_to_repair(run_path, "open the copy");
  }
  return file;
}

/// Gives the last chunk of a dataset the checksum of what it holds, since its writer may have been
/// killed while it wrote the chunk. Datasets without checksums stay as they are.
void renew_checksum(const Hdf5Handle& dataset, const std::vector<std::size_t>& extents) {
  const Hdf5Handle layout(H5Dget_create_plist(dataset.id()));
  const int num_filters = H5Pget_nfilters(layout.id());
  unsigned flags = 0;
  std::size_t num_values = 0;
  if (extents.front() == 0 || num_filters < 1 ||
      H5Pget_filter2(layout.id(), static_cast<unsigned>(num_filters - 1), &flags, &num_values,
                     nullptr, 0, nullptr, nullptr) != H5Z_FILTER_FLETCHER32) {
    return;
  }
  std::vector<hsize_t> chunk(extents.size()), first(extents.size(), 0);
  H5Pget_chunk(layout.id(), static_cast<int>(chunk.size()), chunk.data());
  first[0] = (extents.front() - 1) / chunk[0] * chunk[0];
  // Its bytes are read as they are stored.
  hsize_t size = 0;
  std::uint32_t skipped_filters = 0;
  H5Dget_chunk_storage_size(dataset.id(), first.data(), &size);
  if (size <= kChecksumBytes) return;
  std::vector<std::byte> stored(size);
  if (H5Dread_chunk(dataset.id(), H5P_DEFAULT, first.data(), &skipped_filters, stored.data()) < 0) {
    return;
  }
  if ((skipped_filters >> (num_filters - 1) & 1) != 0) return;
  put_checksum(stored);
  H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, skipped_filters, first.data(), size, stored.data());
}

/// Visitor of run_datasets.h that cuts each dataset to a number of rows.
class RowCutter {
 public:
  RowCutter(const Hdf5Handle& file, const std::string& path, std::size_t num_rows, RunEnding ending)
      : file_(&file), path_(&path), num_rows_(num_rows), ending_(ending) {}

  template <typename T>
  void operator()(const char* name, const T&, int = 0) {
    const Hdf5Handle dataset = open_dataset(*file_, name);
    const std::vector<std::size_t> extents = extents_of(dataset);
    // A cut never makes a dataset longer: rows that are not there cannot be made.
    if (extents.empty() || extents.front() < num_rows_) {
      throw ParseError(*path_, 0, 0,
                       std::string("cannot repair: ") + name + " has fewer rows than the run");
    }
    if (ending_ == RunEnding::Growing) renew_checksum(dataset, extents);
    if (extents.front() == num_rows_) return;
    std::vector<hsize_t> shape(extents.begin(), extents.end());
    shape.front() = num_rows_;
    if (H5Dset_extent(dataset.id(), shape.data()) < 0)
      fail_to_repair(*path_, std::string("cut ") + name);
  }

 private:
  const Hdf5Handle* file_;
  const std::string* path_;
  std::size_t num_rows_;
  RunEnding ending_;
};

/// Cuts all datasets of a file, which a writer left open, and closes it.
void cut(const std::string& file_path, const std::string& run_path, const RunExtents& extents,
         RunEnding ending) {
  const Hdf5Quiet quiet;
  Hdf5Handle file = open_for_repair(file_path, run_path);
  const auto cutter = [&](std::size_t num_rows) {
    return RowCutter(file, run_path, num_rows, ending);
  };
  visit_record_columns(RunRow(), cutter(extents.records));
  cutter(extents.rows)("/record", std::int64_t{0});
  visit_time_columns(RunRow(), cutter(extents.rows));
  visit_contact_columns(RunContact(), cutter(extents.contact_records));
  cutter(extents.contacts)("/contacts/record", std::int64_t{0});
  visit_bounded_columns(RunBoundedRow(), cutter(extents.bounded));
  visit_command_columns(RunCommand(), cutter(extents.commands));
  for (const char* offset : {"/contacts/offset", "/bounded/offset", "/commands/offset"}) {
    cutter(extents.records + 1)(offset, std::int64_t{0});
  }
  file.close();
}

/// Reads every row of the repaired copy, as a reader does that knows nothing of the repair. Throws
/// ParseError, naming the run, unless it has all that was to be kept.
void check_copy(const std::string& copy_path, const std::string& run_path,
                const RunExtents& extents) {
  try {
    RunReader copy(copy_path);
    if (copy.ending() != RunEnding::Closed || !(copy.extents() == extents)) {
      throw ParseError(copy_path, 0, 0, "it has other rows");
    }
    for (std::size_t i = 0; i < extents.rows; ++i) copy.row(i);
  } catch (const ParseError& error) {
    throw ParseError(
        run_path, 0, 0,
        std::string("cannot be repaired and stays as it was; the repaired copy: ") + error.what());
  }
}

/// Gives the run as it is a second name beside the first, which no file has, and returns it.
std::string keep_original(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  // A link has no name of its own: its target stays.
  const fs::path run = fs::canonical(path, error);
  for (int i = 1; i <= kMaxOriginals && !error; ++i) {
    const std::string number = i > 1 ? "-" + std::to_string(i) : "";
    const fs::path name = fs::path(path).replace_extension(".before-repair" + number + ".h5");
    fs::create_hard_link(run, name, error);
    // Not every file system has hard links.
    if (error && error != std::errc::file_exists) fs::copy_file(run, name, error);
    if (!error) return name.string();
    if (error == std::errc::file_exists) error.clear();
  }
  throw OutputError(path, "cannot be kept beside its repaired copy: " +
                              (error ? error.message() : "too many were kept before"));
}

/// Tells a file from what it is after somebody has written it.
struct FileState {
  FileIdentity identity;
  std::uintmax_t size = 0;
  std::filesystem::file_time_type written = {};

  bool operator==(const FileState&) const = default;
};

FileState state_of(const std::string& path) {
  std::error_code error;
  return {identity_of(path), std::filesystem::file_size(path, error),
          std::filesystem::last_write_time(path, error)};
}

/// Holds what a reader finds in a run that is to be repaired.
struct RunFindings {
  RunRepair result;
  RunExtents extents;
  RunEnding ending = RunEnding::Closed;

  bool needs_repair() const { return ending != RunEnding::Closed || !result.damage.empty(); }
};

/// Reads all rows of a run. It closes the file before it returns.
RunFindings read_run(const std::string& path) {
  RunFindings found;
  RunReader reader(path, RunDamage::LeaveOut);
  found.result.num_rows = reader.num_rows();
  found.result.num_lost = reader.num_rows_begun() - found.result.num_rows;
  found.result.damage = reader.damage();
  if (found.result.num_rows == 0) {
    throw ParseError(path, 0, 0,
                     "cannot be repaired and stays as it was, since no row would be left" +
                         (found.result.damage.empty() ? "" : "; " + found.result.damage));
  }
  found.ending = reader.ending();
  if (found.needs_repair()) found.extents = reader.extents();
  return found;
}

/// Puts a copy with the complete rows in the place of a run that nobody else has, and returns the
/// name under which the run as it was is kept.
std::string replace_by_copy(const std::string& path, const RunFindings& found) {
  ReplacementFile copy(path);
  std::error_code error;
  std::filesystem::copy_file(path, copy.aside(), std::filesystem::copy_options::overwrite_existing,
                             error);
  if (error) throw OutputError(path, "cannot write a copy to repair: " + error.message());
  cut(copy.aside(), path, found.extents, found.ending);
  check_copy(copy.aside(), path, found.extents);
  const std::string original = keep_original(path);
  try {
    copy.place();
  } catch (const OutputError&) {
    std::filesystem::remove(original, error);
    throw;
  }
  return original;
}

}  // namespace

RunRepair repair_run(const std::string& path) {
  // The writer may end, or another process begin, before the run is locked: it is read again then.
  for (int reading = 0; reading < kMaxReadings; ++reading) {
    const FileState before = state_of(path);
    RunFindings found = read_run(path);
    if (!found.needs_repair()) return found.result;
    // The locks fail while another process begins, continues or writes the run.
    const RunLock right(path);
    const RunSpace writer_lock(path, path);
    if (!(state_of(path) == before)) continue;
    found.result.original = replace_by_copy(path, found);
    return found.result;
  }
  throw OutputError(path, "other processes write this run again and again");
}

}  // namespace amontons::io
