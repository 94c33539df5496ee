#include "amontons/io/run/run_repair.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/run/run_columns.h"
#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_row.h"
#include "amontons/io/run/run_space.h"

#include <vector>

namespace amontons::io {
namespace {

/// Length that h5clear adds, too [bytes]: the file may be longer than its superblock says.
constexpr hsize_t kIncrement = 1u << 20;

/// Opens a file that its writer left open. Throws OutputError if that fails.
Hdf5Handle open_for_repair(const std::string& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  const hbool_t yes = 1;
  // The properties that h5clear sets: the file is marked as open, and is longer than it says.
  H5Pset(access.id(), "clear_status_flags", &yes);
  H5Pset(access.id(), "skip_eof_check", &yes);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()));
  if (!file.valid() || H5Fincrement_filesize(file.id(), kIncrement) < 0) {
    throw OutputError(path, "cannot repair: " + hdf5_error_message());
  }
  return file;
}

/// Visitor of run_datasets.h that cuts each dataset to a number of rows.
class RowCutter {
 public:
  RowCutter(const Hdf5Handle& file, const std::string& path, std::size_t num_rows)
      : file_(&file), path_(&path), num_rows_(num_rows) {}

  template <typename T>
  void operator()(const char* name, const T&, int = 0) {
    const Hdf5Handle dataset(H5Dopen2(file_->id(), name, H5P_DEFAULT));
    const Hdf5Handle space(H5Dget_space(dataset.id()));
    // No dataset of a run has more than three axes; HDF5 fills as many as there are.
    std::vector<hsize_t> shape(8, 0);
    H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
    if (shape[0] == num_rows_) return;
    shape[0] = num_rows_;
    if (H5Dset_extent(dataset.id(), shape.data()) < 0) {
      throw OutputError(*path_, std::string("cannot cut ") + name + ": " + hdf5_error_message());
    }
  }

 private:
  const Hdf5Handle* file_;
  const std::string* path_;
  hsize_t num_rows_;
};

}  // namespace

std::size_t repair_run(const std::string& path) {
  std::size_t num_rows = 0, num_contacts = 0, num_bounded = 0, num_commands = 0;
  {
    // The reader counts complete rows, and closes the file before it is changed.
    RunReader reader(path);
    num_rows = reader.num_rows();
    num_contacts = reader.num_contacts();
    num_bounded = reader.num_bounded_rows();
    num_commands = reader.num_commands();
    if (reader.ending() == RunEnding::Closed) return num_rows;
  }
  // The lock fails while the writer still runs.
  const RunSpace writer_lock(path, path);
  const Hdf5Quiet quiet;
  Hdf5Handle file = open_for_repair(path);
  // T rows, and T + 1 offsets into each table of records.
  visit_row_columns(RunRow(), RowCutter(file, path, num_rows));
  visit_contact_columns(RunContact(), RowCutter(file, path, num_contacts));
  RowCutter(file, path, num_rows + 1)("/contacts/offset", num_rows);
  visit_bounded_columns(RunBoundedRow(), RowCutter(file, path, num_bounded));
  RowCutter(file, path, num_rows + 1)("/bounded/offset", num_rows);
  visit_command_columns(RunCommand(), RowCutter(file, path, num_commands));
  RowCutter(file, path, num_rows + 1)("/commands/offset", num_rows);
  file.close();
  return num_rows;
}

}  // namespace amontons::io
