#include "amontons/io/run/storage/run_columns.h"

#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace amontons;
using namespace amontons::test;

namespace {

/// Creates a file for columns, as a run does.
io::Hdf5Handle create(const std::string& path) {
  const io::Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  return io::Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
}

/// Returns the space that a dataset takes in a file [bytes].
hsize_t stored_bytes(const io::Hdf5Handle& file, const char* name) {
  const io::Hdf5Handle dataset(H5Dopen2(file.id(), name, H5P_DEFAULT));
  return H5Dget_storage_size(dataset.id());
}

}  // namespace

TEST_CASE("Wide rows read as they were written, whether their chunks are compressed or not") {
  constexpr std::size_t kWidth = 100, kRows = 41, kRowBytes = kWidth * sizeof(double);
  const TemporaryFolder folder;
  io::ChunkCompressor compressor;
  std::mt19937_64 random(7);
  // Rows of noise, rows that repeat, and rows of which a half repeats, written a few at a time so
  // that chunks are left unfinished.
  for (const std::size_t moving : {kWidth, std::size_t{0}, kWidth / 2}) {
    std::vector<std::vector<double>> rows(kRows, std::vector<double>(kWidth));
    for (std::size_t t = 0; t < kRows; ++t) {
      for (std::size_t i = 0; i < kWidth; ++i) {
        const bool is_new = t == 0 || i < moving;
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        rows[t][i] = is_new ? number(random) : rows[t - 1][i];
      }
    }
    const std::string path = folder.file("moving" + std::to_string(moving) + ".h5");
    const io::Hdf5Handle file = create(path);
    io::ColumnWriter writer(file, "/q", io::CellType::Float64, {kWidth}, 512, 1);
    for (std::size_t t = 0; t < kRows; ++t) {
      writer.append(rows[t].data(), kRowBytes, compressor);
      if (random() % 3 == 0 || t + 1 == kRows) writer.write_rows(path, compressor);
    }
    // Nothing is left to write.
    writer.write_rows(path, compressor);
    CHECK(writer.buffered_bytes() == kRows % 4 * kRowBytes);
    writer.close();

    io::ColumnReader reader(file, path, "/q", io::CellType::Float64);
    REQUIRE(reader.num_rows() == kRows);
    for (std::size_t t = 0; t < kRows; ++t) {
      CHECK(std::memcmp(reader.row(t), rows[t].data(), kRowBytes) == 0);
    }
    // Chunks of four rows: noise takes its own size, rows that repeat a third.
    const double share =
        static_cast<double>(stored_bytes(file, "/q")) / static_cast<double>(44 * kRowBytes);
    CHECK(share == Approx(moving == kWidth ? 1.0 : moving == 0 ? 0.35 : 0.68).margin(0.05));
  }
}

TEST_CASE("Rows that wait for a write are compressed, so that little is left when a run ends") {
  constexpr std::size_t kWidth = 100, kRows = 4001, kRowBytes = kWidth * sizeof(double);
  const TemporaryFolder folder;
  const std::string path = folder.file("waiting.h5");
  const io::Hdf5Handle file = create(path);
  io::ChunkCompressor compressor;
  io::ColumnWriter writer(file, "/q", io::CellType::Float64, {kWidth}, 512, 1);
  std::vector<double> row(kWidth, 0.1);
  for (std::size_t t = 0; t < kRows; ++t) {
    row[t % kWidth] += 0.3;
    writer.append(row.data(), kRowBytes, compressor);
  }
  const std::size_t waiting = writer.buffered_bytes();
  CHECK(waiting < kRows * kRowBytes / 2);
  writer.write_rows(path, compressor);
  CHECK(writer.buffered_bytes() == kRowBytes);  // a chunk of four rows has begun
  CHECK(stored_bytes(file, "/q") >= waiting - kRowBytes);
}

TEST_CASE("Rows that a killed writer announced and had not written read as no numbers") {
  constexpr std::size_t kWidth = 100;
  const TemporaryFolder folder;
  const std::string path = folder.file("announced.h5");
  const io::Hdf5Handle file = create(path);
  io::ChunkCompressor compressor;
  // One row that moves, and rows that repeat, so that both kinds of chunks are left unfinished.
  for (const auto& [name, count] : {std::pair("/one", 1), std::pair("/three", 3)}) {
    io::ColumnWriter writer(file, name, io::CellType::Float64, {kWidth}, 512, 1);
    const std::vector<double> row(kWidth, 1.5);
    for (int t = 0; t < count; ++t) {
      writer.append(row.data(), kWidth * sizeof(double), compressor);
    }
    writer.write_rows(path, compressor);
    writer.close();
    const io::Hdf5Handle dataset(H5Dopen2(file.id(), name, H5P_DEFAULT));
    const std::vector<hsize_t> extent{static_cast<hsize_t>(count) + 1, kWidth};
    REQUIRE(H5Dset_extent(dataset.id(), extent.data()) >= 0);
    io::ColumnReader reader(file, path, name, io::CellType::Float64);
    const auto number = [&](std::size_t t) {
      double value = 0.0;
      std::memcpy(&value, reader.row(t) + (kWidth - 1) * sizeof(double), sizeof value);
      return value;
    };
    CHECK(number(static_cast<std::size_t>(count) - 1) == 1.5);
    CHECK(std::isnan(number(static_cast<std::size_t>(count))));
  }
}
