#include "pathmaps/reading/document_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace eventspace::reading {

namespace {

constexpr std::string_view merge_key = "<<";

// The tags that yaml-cpp reports for untagged values ("?" for plain ones, "!" for quoted ones), and the tag
// of text.
constexpr std::array<std::string_view, 4> known_tags{"", "?", "!", "tag:yaml.org,2002:str"};

bool is_plain(const std::string& tag) { return tag.empty() || tag == "?"; }

}  // namespace

void DocumentBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t number) {
  const auto& value = make(Value::Kind::null, place_of(mark));
  anchor(number, value);
  place(value, value.place);
}

void DocumentBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t number) {
  const auto* const target = number < anchors_.size() ? anchors_[number] : nullptr;
  if (target == nullptr)
    throw Refusal{place_of(mark), "cycle: an alias is inside the value of its own anchor"};
  place(*target, place_of(mark));
}

void DocumentBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t number,
                               const std::string& text) {
  check_tag(tag, place_of(mark));
  auto& value = make(Value::Kind::scalar, place_of(mark));
  value.text = text;
  value.text_place = text_place(mark, text);
  value.quoted = !is_plain(tag);
  anchor(number, value);
  place(value, value.place);
}

void DocumentBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t number,
                                      YAML::EmitterStyle::value /*style*/) {
  open(Value::Kind::sequence, mark, tag, number);
}

void DocumentBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t number,
                                 YAML::EmitterStyle::value /*style*/) {
  open(Value::Kind::mapping, mark, tag, number);
}

void DocumentBuilder::OnMapEnd() {
  auto& mapping = open_.back();
  for (const auto* from : mapping.merged) merge(mapping, *from);
  close();
}

// Plain text starts at its mark and quoted text after the quote. Escapes and line breaks make the text differ
// from the file; then the text does not have a place, and faults refer to the start of the value.
std::optional<Place> DocumentBuilder::text_place(const YAML::Mark& mark, std::string_view text) const {
  const auto position = static_cast<std::size_t>(std::max(mark.pos, 0));
  if (position >= yaml_.size()) return std::nullopt;
  const int quote = yaml_[position] == '"' || yaml_[position] == '\'' ? 1 : 0;
  if (!yaml_.substr(position + quote).starts_with(text)) return std::nullopt;
  return Place{file_, mark.line + 1, mark.column + 1 + quote};
}

void DocumentBuilder::check_tag(const std::string& tag, const Place& place) {
  if (std::ranges::find(known_tags, tag) == known_tags.end())
    faults_.add(place, fmt::format("found the tag '{}'; pathmaps have no tags", tag));
}

Value& DocumentBuilder::make(Value::Kind kind, const Place& place) {
  if (++made_ > Document::max_values)
    throw Refusal{place, fmt::format("too large: more than {} values", Document::max_values)};
  Value value;
  value.kind = kind;
  value.place = place;
  return document_.add(std::move(value));
}

void DocumentBuilder::open(Value::Kind kind, const YAML::Mark& mark, const std::string& tag,
                           YAML::anchor_t number) {
  if (open_.size() == Document::max_levels)
    throw Refusal{place_of(mark), fmt::format("too deep: more than {} levels", Document::max_levels)};
  check_tag(tag, place_of(mark));
  auto& value = make(kind, place_of(mark));
  open_.push_back({&value, number, {}, {}, {}});
  if (number >= anchors_.size()) anchors_.resize(number + 1);
  anchors_[number] = nullptr;
}

void DocumentBuilder::close() {
  const Open closed = std::move(open_.back());
  open_.pop_back();
  anchor(closed.anchor, *closed.value);
  place(*closed.value, closed.value->place);
}

void DocumentBuilder::anchor(YAML::anchor_t number, const Value& value) {
  if (number == YAML::NullAnchor) return;
  if (number >= anchors_.size()) anchors_.resize(number + 1);
  anchors_[number] = &value;
}

void DocumentBuilder::place(const Value& value, const Place& where) {
  if (open_.empty()) {
    root_ = &value;
  } else {
    place_in(open_.back(), value, where);
  }
}

void DocumentBuilder::place_in(Open& parent, const Value& value, const Place& where) {
  if (parent.value->kind == Value::Kind::sequence) {
    parent.value->items.push_back(&value);
    weigh(*parent.value, value, where);
  } else if (!parent.key) {
    take_key(parent, value, where);
  } else {
    weigh(*parent.value, value, where);
    take_value(parent, value);
  }
}

void DocumentBuilder::take_key(Open& mapping, const Value& value, const Place& where) {
  if (value.text.empty())
    faults_.add(where, fmt::format("found {} as a key; a key must be a word", describe(value)));
  mapping.key = Word{value.text, where};
}

void DocumentBuilder::take_value(Open& mapping, const Value& value) {
  const Word key = *std::exchange(mapping.key, std::nullopt);
  if (key.text.empty()) return;
  if (key.text != merge_key) return append(mapping, {key.text, key.place, &value});
  const bool several = value.kind == Value::Kind::sequence;
  const auto from = several ? value.items : std::vector<const Value*>{&value};
  for (const auto* one : from) {
    if (one->kind == Value::Kind::mapping) {
      mapping.merged.push_back(one);
    } else {
      faults_.add(key.place,
                  fmt::format("found {} for '<<'; expected a mapping or a list of mappings", describe(*one)));
    }
  }
}

void DocumentBuilder::append(Open& mapping, Entry entry) {
  if (mapping.keys.insert(entry.key).second) {
    mapping.value->entries.push_back(std::move(entry));
    return;
  }
  const auto& entries = mapping.value->entries;
  const auto first = std::ranges::find(entries, entry.key, &Entry::key);
  faults_.add(entry.place, fmt::format("duplicate key '{}'; first given in {}", entry.key,
                                       faults_.describe(first->place, entry.place)));
}

// Merge keys as defined by YAML: an entry of `from` is skipped if the mapping already has the key, by itself
// or from an earlier merge.
void DocumentBuilder::merge(Open& mapping, const Value& from) {
  for (const auto& entry : from.entries) {
    if (!mapping.keys.insert(entry.key).second) continue;
    mapping.value->entries.push_back(entry);
    weigh(*mapping.value, *entry.value, entry.place);
    ++made_;
  }
}

// Nested aliases let a short text expand to billions of values. The number of values, aliases followed, is
// therefore bounded here, before any code walks the document.
void DocumentBuilder::weigh(Value& whole, const Value& part, const Place& where) {
  whole.weight += part.weight;
  if (whole.weight > Document::max_values)
    throw Refusal{where,
                  fmt::format("too large: with aliases expanded, more than {} values", Document::max_values)};
}

}  // namespace eventspace::reading
