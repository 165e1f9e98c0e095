#include "tests/house/odd_phrases.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <utility>

namespace eventspace::house {
namespace {

using Words = std::vector<std::string>;

/// Words in lower case, with "." in front of a capital letter that begins a sentence.
Words words_of(std::string_view text) {
  Words words;
  bool is_beginning = true;
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (!is_of_word(c)) {
      is_beginning = is_beginning || c == '.' || c == ';' || c == ':' || c == '(';
      ++at;
      continue;
    }
    const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_of_word);
    std::string word(text.begin() + static_cast<std::ptrdiff_t>(at), end);
    at += word.size();
    if (std::exchange(is_beginning, false) && std::isupper(static_cast<unsigned char>(c)) != 0)
      words.emplace_back(".");
    std::ranges::transform(word, word.begin(), [](unsigned char letter) { return std::tolower(letter); });
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

struct Place {
  bool is_other{false};  // any word except these
  std::vector<std::string_view> words;

  [[nodiscard]] bool takes(const std::string& word) const {
    const bool is_one = std::ranges::find(words, word) != words.end();
    return is_other ? !is_one && word != "." : is_one;
  }
};

std::vector<Place> places_of(std::string_view pattern) {
  std::vector<Place> places;
  for (std::string_view place : split(pattern, ' ')) {
    const bool is_other = place.starts_with('!');
    if (is_other) place.remove_prefix(1);
    places.push_back({is_other, split(place, '|')});
  }
  return places;
}

bool is_at(const std::vector<Place>& places, const Words& words, std::size_t at) {
  if (at + places.size() > words.size()) return false;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!places[i].takes(words[at + i])) return false;
  return true;
}

std::string around(const Words& words, std::size_t at) {
  std::string text;
  for (std::size_t i = at; i < std::min(at + 8, words.size()); ++i)
    if (words[i] != ".") text += (text.empty() ? "" : " ") + words[i];
  return text;
}

// The text of a line behind its slashes; nullopt if it has no comment.
std::optional<std::string> comment_in(const std::string& line, bool& is_alone) {
  const std::size_t at = line.find("//");
  if (at == std::string::npos || line.substr(0, at).find('"') != std::string::npos) return std::nullopt;
  is_alone = line.find_first_not_of(' ') == at;
  std::string text = line.substr(at);
  text.erase(0, text.find_first_not_of('/'));
  if (text.starts_with('<')) text.erase(0, 1);
  const bool is_for_tools = text.find("NOLINT") != std::string::npos || text.starts_with(" clang-format");
  return is_for_tools ? std::nullopt : std::optional(text);
}

}  // namespace

const std::vector<OddPhrase>& odd_phrases() {
  static const std::vector<OddPhrase> phrases{
      {". of !course", "a sentence that begins with its genitive"},
      {"!there is|are|was|were|be no !longer|more|later|less|fewer|op", "write the verb's negation"},
      {"what is|are|was|were|has|have|had|it|they|comes|came|ended|follows|one|each|others|another|there",
       "name it"},
      {"what happens|happened|a|an|the|this|these|can|cannot|could|does|did|must|may|else|belongs",
       "name it"},
      {"what remains|stays|waits|goes|went|needs|ends|begins|began", "name it"},
      {"who|nobody|whoever|whom|everybody|somebody", "name the subject: a caller, a process, a user"},
      {"that|those of", "repeat the noun"},
      {"the one|ones of", "repeat the noun"},
      {"meanwhile|anew", "a filler, or 'again'"},
      {"goes|go|going on", "continues"},
      {"at the longest|latest", "for at most, not later than"},
      {"for ever", "without end"},
      {"at times", "sometimes"},
      {"all the same", "a filler"},
      {"once more", "again"},
      {"hears|heard|tells|told", "code receives, reports, returns"},
      {"looks|looked|look at", "code reads, checks, polls"},
      {"knows|know of", "code has, keeps"},
      {"in vain", "without success"},
      {"but for", "except"},
      {"nothing but", "only"},
  };
  return phrases;
}

std::vector<std::string> find_odd_phrases(std::string_view text) {
  static const auto patterns = [] {
    std::vector<std::vector<Place>> made;
    for (const OddPhrase& phrase : odd_phrases()) made.push_back(places_of(phrase.pattern));
    return made;
  }();
  const Words words = words_of(text);
  std::vector<std::string> found;
  for (std::size_t at = 0; at < words.size(); ++at) {
    for (std::size_t i = 0; i < patterns.size(); ++i)
      if (is_at(patterns[i], words, at))
        found.push_back(around(words, at) + " (" + std::string(odd_phrases()[i].reason) + ")");
  }
  return found;
}

Comments comments_of(const std::filesystem::path& file) {
  Comments comments;
  std::ifstream in(file);
  bool was_alone = false;
  for (std::string line; std::getline(in, line);) {
    bool is_alone = false;
    const auto text = comment_in(line, is_alone);
    if (text) {
      ++comments.lines;
      if (was_alone && is_alone)
        comments.texts.back() += " " + *text;
      else
        comments.texts.push_back(*text);
    }
    was_alone = text && is_alone;
  }
  return comments;
}

}  // namespace eventspace::house
