#include "scopes/metrics/language/metric_text.h"

#include <string_view>
#include <unordered_set>
#include <vector>

#include "tuplespace/parsing/words.h"

namespace eventspace::metrics {
namespace {

bool is_of_word(char c) noexcept { return is_letter_or_digit(c) || c == '_'; }

void note_words(std::string_view text, std::unordered_set<std::string_view>& words) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_of_word(text[end])) ++end;
    if (end > begin) words.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

/// Compares words, not resolved names: a definition that is not used refers to metrics, too.
std::string self_contained_text(std::span<const Metric> library, std::uint32_t number) {
  std::unordered_set<std::string_view> words;
  std::vector<const Metric*> needed;
  for (std::uint32_t i = number + 1; i-- > 0;) {
    if (i < number && !words.contains(library[i].name)) continue;
    needed.push_back(&library[i]);
    note_words(library[i].source, words);
  }
  std::string text;
  for (auto each = needed.rbegin(); each != needed.rend(); ++each) text += (*each)->source + "\n";
  return text;
}

}  // namespace eventspace::metrics
