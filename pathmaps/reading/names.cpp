#include "pathmaps/reading/names.h"

#include <fmt/format.h>

#include <optional>

#include "pathmaps/reading/scalars.h"
#include "tuplespace/parsing/words.h"

namespace eventspace::reading {

namespace {

std::size_t longest(NameKind kind) {
  switch (kind) {
    case NameKind::simple:
      return longest_name;
    case NameKind::path:
      return longest_path_name;
    case NameKind::element:
      return longest_element_name;
  }
  return 0;
}

bool is_name(std::string_view text, NameKind kind) {
  if (text.empty() || text.size() > longest(kind)) return false;
  if (kind == NameKind::simple) return has_only_letters_digits_or("_-.", text);
  const bool slashes_apart =
      text.front() != '/' && text.back() != '/' && text.find("//") == std::string_view::npos;
  return slashes_apart && has_only_letters_digits_or("_-./", text);
}

// A piece of a pattern: a text, followed by a number from `first` to `last`.
struct Piece {
  std::string_view text;
  std::int64_t first;
  std::int64_t last;
};

bool has_leading_zero(std::string_view digits) { return digits.size() > 1 && digits.front() == '0'; }

// Removes "TEXT[A-B]" from the start of `pattern`. Returns nothing if the pattern does not start so.
std::optional<Piece> take_piece(std::string_view& pattern) {
  const auto open = pattern.find('[');
  const auto dash = pattern.find('-', open);
  const auto close = pattern.find(']', open);
  if (close == std::string_view::npos || dash > close) return std::nullopt;
  const auto first = pattern.substr(open + 1, dash - open - 1);
  const auto last = pattern.substr(dash + 1, close - dash - 1);
  const auto low = parse_integer(first);
  const auto high = parse_integer(last);
  if (!low || !high || *low < 0 || *low > *high || has_leading_zero(first) || has_leading_zero(last))
    return std::nullopt;
  const Piece piece{pattern.substr(0, open), *low, *high};
  pattern.remove_prefix(close + 1);
  return piece;
}

std::vector<std::string> append_piece(const std::vector<std::string>& heads, const Piece& piece) {
  std::vector<std::string> names;
  for (const auto& head : heads) {
    for (auto number = piece.first; number <= piece.last; ++number)
      names.push_back(fmt::format("{}{}{}", head, piece.text, number));
  }
  return names;
}

}  // namespace

bool check_name(const Word& name, NameKind kind, Faults& faults) {
  if (is_name(name.text, kind)) return true;
  faults.add(name.place,
             fmt::format("found '{}' as a name; expected 1 to {} letters, digits, '_', '-' and '.'{}",
                         name.text.substr(0, longest_element_name), longest(kind),
                         kind == NameKind::simple ? "" : ", with single '/' between"));
  return false;
}

std::vector<std::string> expand_names(const Word& pattern, std::size_t most, Faults& faults) {
  std::vector<std::string> names{""};
  std::string_view rest = pattern.text;
  while (rest.find('[') != std::string_view::npos) {
    const auto piece = take_piece(rest);
    if (!piece) {
      faults.add(pattern.place,
                 fmt::format("found the range '{}'; expected a range such as t[0-34]", pattern.text));
      return {};
    }
    const auto count = static_cast<std::uint64_t>(piece->last - piece->first) + 1;
    if (count > most / names.size()) {
      faults.add(pattern.place,
                 fmt::format("'{}' gives too many names; at most {} are allowed", pattern.text, most));
      return {};
    }
    names = append_piece(names, *piece);
  }
  for (auto& name : names) name += rest;
  return names;
}

}  // namespace eventspace::reading
