#include <span>
#include <type_traits>

#include "pathmaps/c_api/calls.h"
#include "pathmaps/c_api/tuples.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

struct es_builder {
  std::vector<Template::Entry> entries;
};

namespace eventspace::c_api {
namespace {

es_status add(es_builder* builder, Template::Entry entry) {
  need(builder, "builder").entries.push_back(std::move(entry));
  return ES_OK;
}

/// A view of an entry that is a value. Throws ConfigurationError if it matches any value.
Field field_of(const Template::Entry& entry) {
  return std::visit(
      [](const auto& held) -> Field {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, FieldType>) {
          throw ConfigurationError("a field of the builder has a type and no value: it is for a template");
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return std::string_view(held);
        } else if constexpr (std::is_same_v<Held, std::vector<std::byte>>) {
          return Bytes(held);
        } else {
          return held;
        }
      },
      entry);
}

std::unique_ptr<es_tuple> tuple_of(const es_builder& builder) {
  std::vector<Field> fields;
  for (const Template::Entry& entry : builder.entries) fields.push_back(field_of(entry));
  return std::make_unique<es_tuple>(Tuple::of(std::span<const Field>(fields)));
}

FieldType checked_type(es_type type) {
  if (type < ES_BOOL || type > ES_BYTES)
    throw ConfigurationError("unknown type " + std::to_string(static_cast<int>(type)));
  return static_cast<FieldType>(type);
}

}  // namespace
}  // namespace eventspace::c_api

es_status es_builder_new(es_builder** builder) {
  return make_handle(builder, "builder", [] { return std::make_unique<es_builder>(); });
}
void es_builder_free(es_builder* builder) { delete builder; }

void es_builder_clear(es_builder* builder) {
  if (builder != nullptr) builder->entries.clear();
}

es_status es_builder_add_bool(es_builder* builder, bool value) {
  return guarded([&] { return add(builder, value); });
}
es_status es_builder_add_int(es_builder* builder, int64_t value) {
  return guarded([&] { return add(builder, value); });
}
es_status es_builder_add_float(es_builder* builder, double value) {
  return guarded([&] { return add(builder, value); });
}
es_status es_builder_add_text(es_builder* builder, const char* text) {
  return guarded([&] { return add(builder, std::string(need_text(text, "text"))); });
}
es_status es_builder_add_text_of_length(es_builder* builder, const char* text, size_t length) {
  return guarded([&] {
    if (length == 0) return add(builder, std::string());
    return add(builder, std::string(need_text(text, "text"), length));
  });
}
es_status es_builder_add_bytes(es_builder* builder, const void* bytes, size_t length) {
  return guarded([&] {
    const Bytes given = need_bytes(bytes, length, "bytes");
    return add(builder, std::vector<std::byte>(given.begin(), given.end()));
  });
}
es_status es_builder_add_any(es_builder* builder, es_type type) {
  return guarded([&] { return add(builder, checked_type(type)); });
}

es_status es_builder_tuple(es_builder* builder, es_tuple** tuple) {
  return make_handle(tuple, "tuple", [&] {
    auto made = tuple_of(need(builder, "builder"));
    builder->entries.clear();
    return made;
  });
}

es_status es_builder_copy(const es_builder* builder, es_tuple** tuple) {
  return make_handle(tuple, "tuple", [&] { return tuple_of(need(builder, "builder")); });
}

es_status es_builder_template(es_builder* builder, es_template** made) {
  return make_handle(made, "made", [&] {
    auto handle = std::make_unique<es_template>(es_template{Template(need(builder, "builder").entries)});
    builder->entries.clear();
    return handle;
  });
}
