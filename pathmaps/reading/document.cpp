#include "pathmaps/reading/document.h"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "pathmaps/reading/document_builder.h"

namespace eventspace::reading {

namespace {

Place place_of(const YAML::Mark& mark, std::size_t file) {
  return mark.is_null() ? Place{file, 0, 0} : Place{file, mark.line + 1, mark.column + 1};
}

// Finds a tab in the indentation of a line. This is the most common mistake, and yaml-cpp's message for it
// does not mention tabs.
std::optional<Place> indenting_tab(std::string_view yaml, const Place& near) {
  for (int line = 1; line < near.line && yaml.find('\n') != std::string_view::npos; ++line)
    yaml.remove_prefix(yaml.find('\n') + 1);
  const auto indentation = yaml.substr(0, yaml.find_first_not_of(" \t"));
  const auto tab = indentation.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  return Place{near.file, near.line, static_cast<int>(tab) + 1};
}

// yaml-cpp's marks do not count the byte order mark, so the text to which they refer must not contain it.
std::string_view without_byte_order_mark(std::string_view yaml) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return yaml.starts_with(mark) ? yaml.substr(mark.size()) : yaml;
}

const Value* run(std::istream& text, DocumentBuilder& builder, Faults& faults) {
  YAML::Parser parser(text);
  parser.HandleNextDocument(builder);
  const auto* const root = builder.root();
  if (parser.HandleNextDocument(builder))
    faults.add(builder.begin(), "a second YAML document begins here; a pathmap has only one");
  return root;
}

}  // namespace

const Value* Value::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : found->value;
}

std::string describe(const Value& value) {
  constexpr std::size_t shown = 60;
  switch (value.kind) {
    case Value::Kind::null:
      return "nothing";
    case Value::Kind::sequence:
      return "a list";
    case Value::Kind::mapping:
      return "a mapping";
    case Value::Kind::scalar:
      break;
  }
  if (value.text.size() > shown) return fmt::format("'{}...'", value.text.substr(0, shown));
  return fmt::format("'{}'", value.text);
}

const Value* Document::parse(std::string_view yaml, std::size_t file, Faults& faults) {
  // yaml-cpp 0.7 reads beyond the last token of a truncated text. The added end marker prevents that.
  std::istringstream text(std::string(yaml) + "\n...\n");
  DocumentBuilder builder(*this, without_byte_order_mark(yaml), file, faults);
  try {
    if (const auto* root = run(text, builder, faults)) return root;
    faults.add({file, 0, 0}, "is empty; expected a pathmap");
  } catch (const Refusal& refusal) {
    faults.add(refusal.place, refusal.text);
  } catch (const YAML::Exception& error) {
    const auto place = place_of(error.mark, file);
    const auto tab = indenting_tab(yaml, place);
    faults.add(tab.value_or(place),
               tab ? "not YAML: a tab cannot indent; use spaces" : fmt::format("not YAML: {}", error.msg));
  }
  return nullptr;
}

}  // namespace eventspace::reading
