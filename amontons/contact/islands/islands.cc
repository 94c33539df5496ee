#include "amontons/contact/islands/islands.h"

#include "amontons/contact/islands/joined_blocks.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace amontons {
namespace {

/// Finds the sets of articulations that share rows of any Jacobian.
void join_articulations(const ContactProblem& problem, const std::vector<int>& block_of,
                        DisjointSets& sets) {
  sets.reset(problem.mass_matrix.num_blocks());
  join_blocks_of_rows(problem.contact_jacobian, block_of, sets);
  join_blocks_of_rows(problem.joint_jacobian, block_of, sets);
  join_blocks_of_rows(problem.bounded_jacobian, block_of, sets);
}

/// Returns the set that acts in a block row, -1 if it touches no moving body.
int set_of_row(const BlockSparseMatrix& jacobian, std::size_t row, const std::vector<int>& block_of,
               DisjointSets& sets) {
  const std::span<const BlockSparseMatrix::Block> blocks = jacobian.block_row(row);
  return blocks.empty() ? -1 : sets.root(block_of[static_cast<std::size_t>(blocks[0].col)]);
}

/// Adds the numbers of the block rows that act on any articulation.
void add_rows(const BlockSparseMatrix& jacobian, std::vector<int>& rows) {
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    if (!jacobian.block_row(r).empty()) rows.push_back(static_cast<int>(r));
  }
}

}  // namespace

int whole_joint_row(const ContactProblem& problem, const Island& island, int row) {
  // Scalar rows are counted through the block rows of the island, in their order.
  for (const int block_row : island.joint_rows) {
    const auto r = static_cast<std::size_t>(block_row);
    const int n = static_cast<int>(problem.joint_jacobian.num_rows(r));
    if (row < n) return static_cast<int>(problem.joint_jacobian.first_row(r)) + row;
    row -= n;
  }
  return -1;
}

std::vector<Island> find_islands(const ContactProblem& problem) {
  IslandFinder finder;
  const std::span<const Island> islands = finder.find(problem);
  return {islands.begin(), islands.end()};
}

/// Appends an island without blocks and rows.
Island& IslandFinder::add_island() {
  if (size_ == islands_.size()) islands_.emplace_back();
  Island& island = islands_[size_++];
  island.blocks.clear();
  island.contacts.clear();
  island.joint_rows.clear();
  island.bounded_rows.clear();
  return island;
}

std::span<const Island> IslandFinder::find(const ContactProblem& problem) {
  size_ = 0;
  // One articulation: all rows that act on it.
  if (problem.mass_matrix.num_blocks() == 1) {
    Island& island = add_island();
    add_rows(problem.contact_jacobian, island.contacts);
    add_rows(problem.joint_jacobian, island.joint_rows);
    add_rows(problem.bounded_jacobian, island.bounded_rows);
    island.blocks.push_back(0);
    const bool any =
        !island.contacts.empty() || !island.joint_rows.empty() || !island.bounded_rows.empty();
    return {islands_.data(), any ? std::size_t{1} : std::size_t{0}};
  }
  find_blocks_of_columns(problem.mass_matrix, block_of_);
  join_articulations(problem, block_of_, sets_);

  // Sets on which a row acts are islands; the others move freely. The root of a set is its first
  // block.
  island_of_.assign(problem.mass_matrix.num_blocks(), -1);
  const auto name = [&](int block) -> int& { return island_of_[static_cast<std::size_t>(block)]; };
  for (const BlockSparseMatrix* jacobian :
       {&problem.contact_jacobian, &problem.joint_jacobian, &problem.bounded_jacobian}) {
    for (std::size_t r = 0; r < jacobian->num_block_rows(); ++r) {
      const int root = set_of_row(*jacobian, r, block_of_, sets_);
      if (root >= 0) name(root) = 0;
    }
  }
  // Blocks ascend, so that islands are numbered by their first block.
  for (int b = 0; b < static_cast<int>(island_of_.size()); ++b) {
    const int root = sets_.root(b);
    if (name(root) < 0) continue;
    if (b == root) {
      name(root) = static_cast<int>(size_);
      add_island();
    }
    islands_[static_cast<std::size_t>(name(root))].blocks.push_back(b);
  }
  // Each contact, loop joint and bounded row joins the island that it acts on.
  const auto add_to_islands = [&](const BlockSparseMatrix& jacobian,
                                  std::vector<int> Island::*rows) {
    for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
      const int root = set_of_row(jacobian, r, block_of_, sets_);
      if (root < 0) continue;
      (islands_[static_cast<std::size_t>(name(root))].*rows).push_back(static_cast<int>(r));
    }
  };
  add_to_islands(problem.contact_jacobian, &Island::contacts);
  add_to_islands(problem.joint_jacobian, &Island::joint_rows);
  add_to_islands(problem.bounded_jacobian, &Island::bounded_rows);
  return {islands_.data(), size_};
}

std::vector<Island> islands_of_law(const ContactProblem& problem, LawKind law) {
  std::vector<Island> islands = find_islands(problem);
  if (!couples_islands(law)) return islands;
  // The first island with contacts takes in the others that have some.
  const auto has_contacts = [](const Island& island) { return !island.contacts.empty(); };
  const auto first = std::find_if(islands.begin(), islands.end(), has_contacts);
  if (first == islands.end()) return islands;
  for (auto other = std::next(first); other != islands.end(); ++other) {
    if (!has_contacts(*other)) continue;
    for (const auto part :
         {&Island::blocks, &Island::contacts, &Island::joint_rows, &Island::bounded_rows}) {
      std::vector<int>& whole = *first.*part;
      whole.insert(whole.end(), (*other.*part).begin(), (*other.*part).end());
    }
  }
  islands.erase(std::remove_if(std::next(first), islands.end(), has_contacts), islands.end());
  // All lists ascend.
  for (const auto part :
       {&Island::blocks, &Island::contacts, &Island::joint_rows, &Island::bounded_rows}) {
    std::sort((*first.*part).begin(), (*first.*part).end());
  }
  return islands;
}

std::vector<int> islands_of_contacts(const ContactProblem& problem) {
  return islands_of_rows(problem, problem.contact_jacobian);
}

std::vector<int> islands_of_rows(const ContactProblem& problem, const BlockSparseMatrix& jacobian) {
  std::vector<int> result;
  islands_of_rows(problem, jacobian, result);
  return result;
}

void islands_of_rows(const ContactProblem& problem, const BlockSparseMatrix& jacobian,
                     std::vector<int>& result) {
  result.resize(jacobian.num_block_rows());
  // One articulation is one island.
  if (problem.mass_matrix.num_blocks() == 1) {
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = jacobian.block_row(i).empty() ? -1 : 0;
    return;
  }
  const std::vector<int> block_of = block_of_column(problem.mass_matrix);
  DisjointSets sets;
  join_articulations(problem, block_of, sets);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = set_of_row(jacobian, i, block_of, sets);
  }
}

bool is_whole(const ContactProblem& problem, const Island& island) {
  return island.blocks.size() == problem.mass_matrix.num_blocks() &&
         island.contacts.size() == problem.num_contacts() &&
         island.joint_rows.size() == problem.joint_jacobian.num_block_rows() &&
         island.bounded_rows.size() == problem.bounded_rows.size();
}

}  // namespace amontons
