#include "experiments/typeset.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace amontons::experiments {
namespace {

using Sign = std::pair<std::string_view, std::string_view>;

constexpr std::array<Sign, 22> kLetters = {
    {{"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"}, {"eta", "η"}, {"theta", "θ"},
     {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},    {"pi", "π"},    {"rho", "ρ"}, {"sigma", "σ"},
     {"phi", "φ"},   {"psi", "ψ"},    {"omega", "ω"}, {"Phi", "Φ"},   {"Psi", "Ψ"}, {"Theta", "Θ"},
     {"Delta", "Δ"}, {"perp", "⊥"},   {"sqrt", "√"},  {"Omega", "Ω"}}};
constexpr std::array<Sign, 5> kOperators = {
    {{">=", "≥"}, {"<=", "≤"}, {"+-", "±"}, {"!=", "≠"}, {"->", "→"}}};
constexpr std::string_view kDot = "\u0307", kTilde = "\u0303";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Typesetter {
 public:
  Typesetter(std::string_view text, std::string (*escape)(const std::string&))
      : text_(text), escape_(escape) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (is_letter(text_[at_]) && !follows_word()) {
        put_word();
      } else if (text_[at_] == '^' && at_ > 0 && text_[at_ - 1] != ' ' && has_operand()) {
        put_raised("sup");
      } else if (!put_operator()) {
        out_ += escape_(std::string(1, text_[at_++]));
      }
    }
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : ' ';
  }
  bool follows_word() const {
    return at_ > 0 && (is_letter(text_[at_ - 1]) || text_[at_ - 1] == '_');
  }
  /// Returns true if an index or power follows the sign here.
  bool has_operand() const {
    const char next = peek(1);
    return is_letter(next) || is_digit(next) || next == '(' ||
           ((next == '-' || next == '+') && !is_letter(peek(2)));
  }

  void put_word() {
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const auto letter = std::find_if(kLetters.begin(), kLetters.end(),
                                     [word](const Sign& sign) { return sign.first == word; });
    const bool dotted = word.size() == 4 && word.ends_with("dot");
    at_ = end;
    if (letter != kLetters.end()) {
      out_ += letter->second;
    } else if (dotted) {
      out_ += std::string(word.substr(0, 1)) + std::string(kDot);
    } else {
      out_ += escape_(std::string(word));
    }
    if (letter == kLetters.end() && !dotted && word.size() > 2) return;
    if (word.size() == 1 && peek(0) == '~') {
      out_ += kTilde;
      ++at_;
    }
    if (peek(0) == '_' && has_operand()) put_raised("sub");
  }

  /// Writes an index or power: a sign, and a word, a number, or a term in parentheses.
  void put_raised(const char* tag) {
    ++at_;
    std::size_t end = at_;
    if (text_[end] == '-' || text_[end] == '+') ++end;
    if (end < text_.size() && text_[end] == '(') {
      int depth = 0;
      do {
        depth += text_[end] == '(' ? 1 : text_[end] == ')' ? -1 : 0;
        ++end;
      } while (end < text_.size() && depth > 0);
    } else {
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    }
    std::string_view inside = text_.substr(at_, end - at_);
    at_ = end;
    if (inside.size() > 2 && inside.front() == '(' && inside.back() == ')') {
      inside = inside.substr(1, inside.size() - 2);
    }
    out_ += std::string("<") + tag + ">" + Typesetter(inside, escape_).run() + "</" + tag + ">";
  }

  bool put_operator() {
    for (const auto& [written, sign] : kOperators) {
      if (text_.substr(at_, written.size()) != written) continue;
      out_ += sign;
      at_ += written.size();
      return true;
    }
    return false;
  }

  std::string_view text_;
  std::string (*escape_)(const std::string&);
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string typeset(const std::string& text, std::string (*escape)(const std::string&)) {
  return Typesetter(text, escape).run();
}

}  // namespace amontons::experiments
