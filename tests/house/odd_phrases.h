#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace::house {

/// A phrase that makes a comment hard to read, and why.
struct OddPhrase {
  std::string_view
      pattern;  ///< words; "a|b": one of them; "!a|b": any other word; ".": where a sentence begins
  std::string_view reason;
};

/// The phrases that plain technical English does without: inverted sentences, clauses in the place of nouns,
/// fillers, and verbs that make persons of code.
const std::vector<OddPhrase>& odd_phrases();

/// Returns the odd phrases of a text, each with the words around it.
std::vector<std::string> find_odd_phrases(std::string_view text);

/// The comments of one C++ file: the lines without the slashes, and how many they are. Consecutive lines are
/// one text. Lines for tools (NOLINT, clang-format) are left out.
struct Comments {
  std::vector<std::string> texts{};
  std::size_t lines{0};
};
Comments comments_of(const std::filesystem::path& file);

}  // namespace eventspace::house
