#include "pathmaps/expansion/element_type.h"

#include <fmt/format.h>

#include "paths/parameters/nearest.h"

namespace eventspace::expansion {

namespace {

constexpr std::array<std::string_view, 5> type_words{"bool", "int", "float", "text", "bytes"};

}  // namespace

std::optional<Signature> read_signature(const std::vector<reading::Word>& words, const reading::Place& place,
                                        reading::Faults& faults) {
  std::vector<FieldType> fields;
  for (const auto& word : words) {
    if (const auto type = field_type_from(word.text)) {
      fields.push_back(*type);
    } else {
      faults.add(word.place, fmt::format("unknown type '{}'{}", word.text, hint(word.text, type_words)));
    }
  }
  if (fields.size() != words.size()) return std::nullopt;
  if (!fields.empty() && fields.size() <= Signature::max_fields) return Signature(std::move(fields));
  faults.add(place, fmt::format("found {} types for 'tuple'; expected 1 to {}", fields.size(),
                                Signature::max_fields));
  return std::nullopt;
}

std::optional<std::uint32_t> read_threshold(const reading::Mapping& mapping) {
  const auto threshold = mapping.integer("threshold", threshold_range);
  if (!threshold) return std::nullopt;
  return static_cast<std::uint32_t>(*threshold);
}

ElementConfig read_element_type(const reading::Mapping& element) {
  ElementConfig config;
  if (element.find("tuple") != nullptr) {
    const auto signature = read_signature(element.words("tuple"), element.place("tuple"), element.faults());
    config.signature = signature.value_or(Signature{});
  }
  if (const auto threshold = element.integer("threshold", threshold_range))
    config.threshold = static_cast<std::size_t>(*threshold);
  if (const auto when_full = element.choice("when_full", when_full_words)) config.when_full = *when_full;
  if (const auto bytes = element.bytes("max_tuple", {16, 1 << 30}))
    config.max_tuple_bytes = static_cast<std::size_t>(*bytes);
  return config;
}

}  // namespace eventspace::expansion
