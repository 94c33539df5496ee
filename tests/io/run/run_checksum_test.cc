#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_header.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_repair.h"
#include "amontons/io/run/storage/run_columns.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/run/row_bits.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace amontons;
using namespace amontons::test;

namespace {

/// Holds where a chunk lies in its file [bytes].
struct ChunkPlace {
  haddr_t address = 0;
  hsize_t size = 0;
};

/// Returns the place of a chunk, which is open or was left open by a killed writer.
ChunkPlace place_of_chunk(const std::string& path, const char* name, hsize_t chunk) {
  const io::Hdf5Quiet quiet;
  io::Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file.valid()) {
    file = io::Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT));
  }
  const io::Hdf5Handle dataset(H5Dopen2(file.id(), name, H5P_DEFAULT));
  const io::Hdf5Handle space(H5Dget_space(dataset.id()));
  std::vector<hsize_t> first(3);
  unsigned skipped_filters = 0;
  ChunkPlace place;
  REQUIRE(H5Dget_chunk_info(dataset.id(), space.id(), chunk, first.data(), &skipped_filters,
                            &place.address, &place.size) >= 0);
  return place;
}

/// Flips the lowest bit of a byte of a file.
void flip(const std::string& path, std::uint64_t place) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(place));
  file.put(static_cast<char>(byte ^ 1));
}

/// Returns the bytes of all rows of a run.
std::vector<std::string> rows_of(const std::string& path) {
  io::RunReader run(path);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < run.num_rows(); ++i) rows.push_back(bits(run.row(i)));
  return rows;
}

}  // namespace

TEST_CASE("A flipped bit is found in each chunk, and the rows before it are read") {
  constexpr std::size_t kRows = 100, kChunkRows = 16;
  const TemporaryFolder folder;
  const std::string path = folder.file("column.h5");
  // Narrow rows, and wide ones of which some repeat: HDF5 and the recorder compute the checksums.
  for (const std::size_t width : {std::size_t{3}, std::size_t{101}}) {
    std::vector<double> row(width, 0.25);
    {
      const io::Hdf5Handle file = io::create_hdf5_file(path, path);
      io::ColumnWriter writer(file, "/x", io::CellType::Float64, {width}, kChunkRows, 1);
      io::ChunkCompressor compressor;
      for (std::size_t t = 0; t < kRows; ++t) {
        row[t % width] += 1.0 / 3.0;
        writer.append(row.data(), width * sizeof(double), compressor);
        if (t % 7 == 0) writer.write_rows(path, compressor);
      }
      writer.write_rows(path, compressor);
    }
    // Each chunk in turn has a flipped bit, also the last one, which is not full.
    const std::size_t chunk_rows = width == 3 ? kChunkRows : 4;
    for (std::size_t chunk = 0; chunk * chunk_rows < kRows; ++chunk) {
      const ChunkPlace place = place_of_chunk(path, "/x", chunk);
      flip(path, place.address + place.size / 3);
      {
        const io::Hdf5Handle file = io::open_hdf5_file(path);
        io::ColumnReader reader(file, path, "/x", io::CellType::Float64);
        for (std::size_t t = 0; t < chunk * chunk_rows; ++t) reader.row(t);
        CHECK_THROWS_WITH(
            reader.row(chunk * chunk_rows),
            Catch::Contains("/x cannot be read at row " + std::to_string(chunk * chunk_rows)));
      }
      flip(path, place.address + place.size / 3);
    }
  }
}

TEST_CASE("Rows of a killed run are kept where its last chunk is half written") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(kSlidingScene);
  Simulator sim(scene);
  io::RecorderSettings settings;
  settings.flush_interval_s = 0.0;
  const std::string killed = folder.file("killed.h5");
  {
    io::RunRecorder recorder(folder.file("a.h5"), scene, sim.system(), settings);
    recorder.observe(sim.initial_report());
    sim.add_observer(recorder);
    for (int i = 0; i < 10; ++i) sim.step();
    std::filesystem::copy_file(folder.file("a.h5"), killed);
  }
  const std::vector<std::string> rows = rows_of(killed);
  REQUIRE(rows.size() == 11);
  // The chunks have new rows, but still the checksums of the old ones.
  for (const char* name : {"/q", "/time", "/contacts/offset", "/bodies/position"}) {
    const ChunkPlace place = place_of_chunk(killed, name, 0);
    flip(killed, place.address + place.size - 1);
  }
  CHECK(rows_of(killed) == rows);
  const io::RunRepair repair = io::repair_run(killed);
  CHECK(repair.num_rows == rows.size());
  CHECK(repair.damage.empty());
  CHECK(io::RunReader(killed).ending() == io::RunEnding::Closed);
  CHECK(rows_of(killed) == rows);
  // Closed, the run has chunks that are whole: a wrong checksum is damage.
  const ChunkPlace place = place_of_chunk(killed, "/q", 0);
  flip(killed, place.address + place.size - 1);
  CHECK_THROWS_WITH(rows_of(killed), Catch::Contains("/q cannot be read at row 0"));
}

TEST_CASE("A header with another name than the one recorded is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.h5");
  record_run(parse_text(kSlidingScene), path);
  // Texts lie in the file as they are: the first "block" beyond the scene's text is a body's name.
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::size_t num_refused = 0;
  for (std::size_t at = bytes.find("crate"); at != std::string::npos;
       at = bytes.find("crate", at + 1)) {
    flip(path, at);
    CHECK_THROWS_AS(io::RunReader(path), io::ParseError);
    flip(path, at);
    ++num_refused;
  }
  CHECK(num_refused >= 2);
  CHECK(io::RunReader(path).header().body_names.at(1) == "crate");
}
