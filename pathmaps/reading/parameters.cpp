#include "pathmaps/reading/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "pathmaps/reading/scalars.h"
#include "paths/parameters/nearest.h"

namespace eventspace::reading {

namespace {

// Chooses the type of an unquoted word by its form. The check against the specs follows later, so that a
// wrong type gets the same message as for parameters in code.
ParameterValue guess(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = parse_integer(text)) return *integer;
  if (const auto real = parse_real(text)) return *real;
  if (const auto duration = parse_duration(text)) return *duration;
  return text;
}

std::optional<ParameterValue> convert(const Value& value, const ParameterSpec& spec, Faults& faults) {
  const bool scalar = value.kind == Value::Kind::scalar;
  if (spec.kind == ParameterKind::texts && (scalar || value.kind == Value::Kind::sequence)) {
    std::vector<std::string> texts;
    for (auto& word : read_words(value, spec.name, faults)) texts.push_back(std::move(word.text));
    return texts;
  }
  if (scalar && (value.quoted || spec.kind == ParameterKind::text)) return value.text;
  if (scalar) return guess(value.text);
  faults.add(value.place,
             fmt::format("found {} for '{}'; expected {}", describe(value), spec.name, to_string(spec.kind)));
  return std::nullopt;
}

std::vector<std::string_view> names_of(const std::vector<ParameterSpec>& specs) {
  std::vector<std::string_view> names;
  names.reserve(specs.size());
  for (const auto& spec : specs) names.push_back(spec.name);
  return names;
}

// Reads the given parameters that `specs` has. Sets `complete` to false if any is unknown or unreadable.
Parameters read_given(const Named& named, const std::vector<ParameterSpec>& specs, bool& complete,
                      Faults& faults) {
  Parameters given;
  for (const auto& entry : named.parameters->entries) {
    const auto spec = std::ranges::find(specs, entry.key, &ParameterSpec::name);
    if (spec == specs.end()) {
      faults.add(entry.place, fmt::format("unknown parameter '{}' of '{}'{}", entry.key, named.name.text,
                                          hint(entry.key, names_of(specs))));
      complete = false;
    } else if (auto value = convert(*entry.value, *spec, faults)) {
      given.emplace(entry.key, std::move(*value));
    } else {
      complete = false;
    }
  }
  return given;
}

Place place_of(const Named& named, const ParameterFault& fault) {
  const auto* const value = named.parameters != nullptr ? named.parameters->find(fault.parameter) : nullptr;
  if (value == nullptr) return named.name.place;
  if (!fault.offset || !value->text_place) return value->place;
  Place place = *value->text_place;
  place.column += static_cast<int>(*fault.offset);
  return place;
}

}  // namespace

std::optional<Named> read_named(const Value& value, std::string_view what, Faults& faults) {
  if (value.kind == Value::Kind::scalar && !value.text.empty())
    return Named{{value.text, value.place}, nullptr};
  if (value.kind == Value::Kind::mapping && value.entries.size() == 1) {
    const auto& entry = value.entries.front();
    const bool empty = entry.value->kind == Value::Kind::null;
    if (empty || entry.value->kind == Value::Kind::mapping)
      return Named{{entry.key, entry.place}, empty ? nullptr : entry.value};
    faults.add(entry.value->place, fmt::format("found {} for '{}'; expected a mapping of its parameters",
                                               describe(*entry.value), entry.key));
    return std::nullopt;
  }
  const bool several = value.kind == Value::Kind::mapping && !value.entries.empty();
  faults.add(value.place, fmt::format("found {} for a {}; expected its name, or {{NAME: {{parameters}}}}",
                                      several ? "a mapping with several keys" : describe(value), what));
  return std::nullopt;
}

std::optional<Parameters> read_parameters(const Named& named, const std::vector<ParameterSpec>& specs,
                                          Faults& faults) {
  bool complete = true;
  auto given = named.parameters != nullptr ? read_given(named, specs, complete, faults) : Parameters{};
  for (const auto& fault : check_parameters(specs, given)) {
    const bool unreadable = fault.parameter.empty() && !complete;
    if (!unreadable) faults.add(place_of(named, fault), fmt::format("'{}': {}", named.name.text, fault.text));
    complete = false;
  }
  if (!complete) return std::nullopt;
  return complete_parameters(specs, std::move(given), named.name.text);
}

}  // namespace eventspace::reading
