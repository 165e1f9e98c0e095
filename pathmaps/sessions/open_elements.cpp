#include "pathmaps/sessions/open_elements.h"

#include <fmt/format.h>

#include <eventspace/error.h>
#include <eventspace/tuple.h>
#include "paths/bodies/element_bodies.h"
#include "paths/element_stage.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::size_t greatest_threshold = 1u << 24;

// A spec is the tuple (name, field types as bytes, threshold, whether a write waits).
Bytes bytes_of(const std::vector<FieldType>& fields) { return std::as_bytes(std::span(fields)); }
static_assert(sizeof(FieldType) == 1);

Signature signature_from(Bytes types) {
  std::vector<FieldType> fields;
  for (const std::byte type : types) {
    const auto field = static_cast<FieldType>(type);
    if (field_type_from(to_string(field)) != field)
      throw ConfigurationError("the type of an element has an unknown field");
    fields.push_back(field);
  }
  if (fields.size() > Signature::max_fields) throw ConfigurationError("the type of an element is too long");
  return Signature(std::move(fields));
}

ElementConfig config_from(Bytes spec) {
  const Tuple tuple = Tuple::decode(spec);
  ElementConfig config;
  config.name = tuple.get<std::string_view>(0);
  config.signature = signature_from(tuple.get<Bytes>(1));
  const auto threshold = tuple.get<std::int64_t>(2);
  if (threshold < 1 || threshold > static_cast<std::int64_t>(greatest_threshold)) {
    throw ConfigurationError(fmt::format("element {}: found threshold {}; expected 1 to {}", config.name,
                                         threshold, greatest_threshold));
  }
  config.threshold = static_cast<std::size_t>(threshold);
  config.when_full = tuple.get<bool>(3) ? WhenFull::wait : WhenFull::discard;
  config.adopts_signature = config.signature.fields().empty();
  return config;
}

std::string description(const Signature& type, const ElementConfig& config) {
  return fmt::format(
      "{} of {} tuples, {}", type.fields().empty() ? "any type" : type.to_string(), config.threshold,
      config.when_full == WhenFull::wait ? "which waits when full" : "which discards when full");
}

// An element without a type adopts the requested type, so that the request stays granted whichever tuple
// comes first.
void require_same(Element& element, const ElementConfig& asked) {
  const bool same_behaviour =
      asked.threshold == element.config().threshold && asked.when_full == element.config().when_full;
  // The type last: a request that is refused for another reason must not set it.
  if (same_behaviour && (asked.signature.fields().empty() || element.adopt_signature(asked.signature)))
    return;
  const Signature type = element.signature();
  throw ConfigurationError(fmt::format("element {} already exists with {}; found a request for {}",
                                       asked.name, description(type, element.config()),
                                       description(asked.signature, asked)));
}

Element& find_or_create(ElementSpace& elements, ElementConfig config) {
  check_element_name(config.name);
  if (Element* const found = elements.find(config.name)) {
    require_same(*found, config);
    return *found;
  }
  if (elements.names().size() >= max_open_elements) {
    throw ConfigurationError(
        fmt::format("element {}: the session already has {} elements", config.name, max_open_elements));
  }
  return elements.create(std::move(config));
}

}  // namespace

void check_element_name(std::string_view name) {
  require_plain_name("an element", name, longest_element_name);
}

std::vector<std::byte> open_element_spec(const ElementConfig& config) {
  const Tuple spec =
      Tuple::of({std::string_view(config.name), bytes_of(config.signature.fields()),
                 static_cast<std::int64_t>(config.threshold), config.when_full == WhenFull::wait});
  return {spec.encoded().begin(), spec.encoded().end()};
}

std::shared_ptr<const TargetKind> open_element_kind(ElementSpace& elements) {
  return element_kind([&elements](Bytes spec, LinkPool&) -> std::unique_ptr<Stage> {
    return std::make_unique<ElementStage>(find_or_create(elements, config_from(spec)));
  });
}

}  // namespace eventspace
