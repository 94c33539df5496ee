#include "amontons/contact/islands/islands.h"

#include "amontons/contact/islands/joined_blocks.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace amontons {
namespace {

/// Returns the sets of articulations that share rows of any Jacobian.
DisjointSets join_articulations(const ContactProblem& problem, const std::vector<int>& block_of) {
  DisjointSets sets(problem.mass_matrix.num_blocks());
  join_blocks_of_rows(problem.contact_jacobian, block_of, sets);
  join_blocks_of_rows(problem.joint_jacobian, block_of, sets);
  join_blocks_of_rows(problem.bounded_jacobian, block_of, sets);
  return sets;
}

/// Returns the set that acts in a block row, -1 if it touches no moving body.
int set_of_row(const BlockSparseMatrix& jacobian, std::size_t row, const std::vector<int>& block_of,
               DisjointSets& sets) {
  const std::span<const BlockSparseMatrix::Block> blocks = jacobian.block_row(row);
  return blocks.empty() ? -1 : sets.root(block_of[static_cast<std::size_t>(blocks[0].col)]);
}

/// Returns the island of a problem with one articulation: all rows that act on it; none without
/// rows.
std::vector<Island> island_of_one_block(const ContactProblem& problem) {
  std::vector<Island> islands(1);
  Island& island = islands.front();
  const auto add_rows = [](const BlockSparseMatrix& jacobian, std::vector<int>& rows) {
    rows.reserve(jacobian.num_block_rows());
    for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
      if (!jacobian.block_row(r).empty()) rows.push_back(static_cast<int>(r));
    }
  };
  add_rows(problem.contact_jacobian, island.contacts);
  add_rows(problem.joint_jacobian, island.joint_rows);
  add_rows(problem.bounded_jacobian, island.bounded_rows);
  if (island.contacts.empty() && island.joint_rows.empty() && island.bounded_rows.empty())
    return {};
  island.blocks.push_back(0);
  return islands;
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
  if (problem.mass_matrix.num_blocks() == 1) return island_of_one_block(problem);
  const std::vector<int> block_of = block_of_column(problem.mass_matrix);
  DisjointSets sets = join_articulations(problem, block_of);

  // Sets on which a row acts are islands; the others move freely. The root of a set is its first
  // block.
  std::vector<int> island_of(problem.mass_matrix.num_blocks(), -1);
  const auto name = [&](int block) -> int& { return island_of[static_cast<std::size_t>(block)]; };
  for (const BlockSparseMatrix* jacobian :
       {&problem.contact_jacobian, &problem.joint_jacobian, &problem.bounded_jacobian}) {
    for (std::size_t r = 0; r < jacobian->num_block_rows(); ++r) {
      const int root = set_of_row(*jacobian, r, block_of, sets);
      if (root >= 0) name(root) = 0;
    }
  }
  // Blocks ascend, so that islands are numbered by their first block.
  std::vector<Island> islands;
  for (int b = 0; b < static_cast<int>(island_of.size()); ++b) {
    const int root = sets.root(b);
    if (name(root) < 0) continue;
    if (b == root) {
      name(root) = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    islands[static_cast<std::size_t>(name(root))].blocks.push_back(b);
  }
  // Each contact, loop joint and bounded row joins the island that it acts on.
  const auto island_of_row = [&](const BlockSparseMatrix& jacobian, std::size_t row) -> Island* {
    const int root = set_of_row(jacobian, row, block_of, sets);
    return root < 0 ? nullptr : &islands[static_cast<std::size_t>(name(root))];
  };
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (Island* island = island_of_row(problem.contact_jacobian, i)) {
      island->contacts.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t r = 0; r < problem.joint_jacobian.num_block_rows(); ++r) {
    if (Island* island = island_of_row(problem.joint_jacobian, r)) {
      island->joint_rows.push_back(static_cast<int>(r));
    }
  }
  for (std::size_t r = 0; r < problem.bounded_rows.size(); ++r) {
    if (Island* island = island_of_row(problem.bounded_jacobian, r)) {
      island->bounded_rows.push_back(static_cast<int>(r));
    }
  }
  return islands;
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
  DisjointSets sets = join_articulations(problem, block_of);
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
