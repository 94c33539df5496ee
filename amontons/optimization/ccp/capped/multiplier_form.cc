#include "amontons/optimization/ccp/capped/multiplier_form.h"

#include "amontons/optimization/ccp/capped/contact_products.h"

#include <algorithm>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Part = BodySpaceOperator::Part;

// Contacts for each velocity of the bodies, and contacts of one body, above which contacts as nodes
// fill in more than bodies of twice their velocities do.
constexpr double kMostContacts = 0.8;
constexpr int kMostOfBody = 64;

/// Returns the contacts of each body, ascending.
std::vector<std::vector<int>> contacts_of_bodies(const BodySpaceOperator& rows) {
  std::vector<std::vector<int>> contacts(rows.body_sizes().size());
  for (int i = 0; i < rows.num_blocks(); ++i) {
    for (const Part& part : rows.parts(static_cast<std::size_t>(i))) {
      contacts[static_cast<std::size_t>(part.body)].push_back(i);
    }
  }
  return contacts;
}

/// Returns the part of a contact at a body, which it has.
const Part& part_of(const BodySpaceOperator& rows, int contact, int body) {
  const std::span<const Part> parts = rows.parts(static_cast<std::size_t>(contact));
  return *std::find_if(parts.begin(), parts.end(),
                       [body](const Part& part) { return part.body == body; });
}

}  // namespace

bool MultiplierForm::saves_work(const BodySpaceOperator& rows) {
  if (rows.num_blocks() > kMostContacts * static_cast<double>(rows.kernel_size())) return false;
  std::vector<int> counts(rows.body_sizes().size(), 0);
  for (int i = 0; i < rows.num_blocks(); ++i) {
    for (const Part& part : rows.parts(static_cast<std::size_t>(i))) {
      if (++counts[static_cast<std::size_t>(part.body)] > kMostOfBody) return false;
    }
  }
  return true;
}

void MultiplierForm::reset(const BodySpaceOperator& rows) {
  rows_ = &rows;
  find_neighbors();
  // Nodes: bodies, then contacts of one row. A contact is a neighbor of its bodies and of their
  // other contacts.
  const std::size_t n = static_cast<std::size_t>(rows.num_blocks());
  std::vector<int> sizes(rows.body_sizes().begin(), rows.body_sizes().end());
  sizes.resize(sizes.size() + n, 1);
  std::vector<std::pair<int, int>> pairs;
  rows.find_body_pairs(pairs);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Part& part : rows.parts(i)) pairs.emplace_back(part.body, node_of(i));
  }
  for (const Neighbors& own : neighbors_) {
    pairs.emplace_back(node_of(static_cast<std::size_t>(own.i)),
                       node_of(static_cast<std::size_t>(own.j)));
  }
  factor_.set_pattern(sizes, pairs);
}

/// Computes G_n G_n' of contacts that share bodies.
void MultiplierForm::find_neighbors() {
  const int n = rows_->num_blocks();
  const auto contacts = contacts_of_bodies(*rows_);
  neighbors_.clear();
  squares_.setZero(n);
  std::vector<int> last(static_cast<std::size_t>(n),
                        -1);  // by contact: the last i it is listed with
  std::vector<std::size_t> place(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (const Part& part : rows_->parts(static_cast<std::size_t>(i))) {
      const auto own = rows_->values(part).row(2);
      squares_(i) += own.squaredNorm();
      for (const int j : contacts[static_cast<std::size_t>(part.body)]) {
        if (j <= i) continue;
        const std::size_t k = static_cast<std::size_t>(j);
        if (std::exchange(last[k], i) != i) {
          place[k] = neighbors_.size();
          neighbors_.push_back({i, j, 0.0});
        }
        neighbors_[place[k]].product +=
            own.dot(rows_->values(part_of(*rows_, j, part.body)).row(2));
      }
    }
  }
}

bool MultiplierForm::factor(std::span<const SymmetricBlock> D, const VectorXd& slopes) {
  roots_ = slopes.cwiseSqrt();
  factor_.clear();
  const std::span<const int> bodies = rows_->body_sizes();
  // Bodies: 1 + H.
  for (int body = 0; body < static_cast<int>(bodies.size()); ++body) {
    factor_.block(body, body).setIdentity();
  }
  add_contacts(*rows_, D, VectorXd::Zero(slopes.size()), [&](const Part& row, const Part& column) {
    // The other triangle is not read.
    if (!factor_.is_stored(row.body, column.body)) return Places{};
    Map<MatrixXd> own = factor_.block(row.body, column.body);
    return Places{own.data(), nullptr, own.rows()};
  });
  // Contacts: R G_n beside the bodies, 1 + R G_n G_n' R among themselves.
  for (std::size_t i = 0; i < D.size(); ++i) {
    const double root = roots_(static_cast<Index>(i));
    const int node = node_of(i);
    factor_.block(node, node)(0) = 1.0 + root * root * squares_(static_cast<Index>(i));
    for (const Part& part : rows_->parts(i)) {
      // A column of the block, or a row: its entries lie side by side.
      const bool is_row = factor_.is_stored(node, part.body);
      double* entries =
          (is_row ? factor_.block(node, part.body) : factor_.block(part.body, node)).data();
      Map<Eigen::RowVectorXd>(entries, part.size) = root * rows_->values(part).row(2);
    }
  }
  for (const Neighbors& own : neighbors_) {
    const int i = node_of(static_cast<std::size_t>(own.i));
    const int j = node_of(static_cast<std::size_t>(own.j));
    (factor_.is_stored(i, j) ? factor_.block(i, j) : factor_.block(j, i))(0) =
        roots_(own.i) * roots_(own.j) * own.product;
  }
  return factor_.factor(true);
}

void MultiplierForm::solve(VectorXd& dv, VectorXd& dw, VectorXd& m) {
  const Index velocities = rows_->kernel_size(), n = roots_.size();
  both_.resize(velocities + n);
  both_.head(velocities) = dw + dv;
  rows_->times(dv, scratch_);
  for (Index i = 0; i < n; ++i) {
    const double root = roots_(i);
    both_(velocities + i) = root > 0.0 ? root * scratch_(3 * i + 2) - m(i) / root : 0.0;
  }
  factor_.solve(both_);
  dw = both_.head(velocities);
  m = roots_.cwiseProduct(both_.tail(n));
  // dv = dw + G_n' m - f.
  scratch_.setZero();
  for (Index i = 0; i < n; ++i) scratch_(3 * i + 2) = m(i);
  given_.swap(dv);
  rows_->transpose_times(scratch_, dv);
  dv += dw - given_;
}

}  // namespace amontons
