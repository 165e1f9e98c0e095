#include "pathmaps/c_api/tuples.h"

#include <cstdarg>
#include <limits>
#include <span>

#include <eventspace/path.h>
#include "pathmaps/c_api/calls.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

static_assert(static_cast<int>(FieldType::boolean) == ES_BOOL);
static_assert(static_cast<int>(FieldType::integer) == ES_INT);
static_assert(static_cast<int>(FieldType::real) == ES_FLOAT);
static_assert(static_cast<int>(FieldType::text) == ES_TEXT);
static_assert(static_cast<int>(FieldType::bytes) == ES_BYTES);

const std::string& es_tuple::text(std::size_t index) const {
  std::call_once(copied_, [this] {
    std::vector<std::string> copies(tuple.field_count());
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const Field field = tuple.field(i);
      if (const auto* const found = std::get_if<std::string_view>(&field)) copies[i] = *found;
    }
    texts_ = std::move(copies);
  });
  return texts_[index];
}

namespace eventspace::c_api {

FieldType type_of_letter(char letter) {
  switch (letter) {
    case 'b':
      return FieldType::boolean;
    case 'i':
    case 'l':
      return FieldType::integer;
    case 'f':
      return FieldType::real;
    case 't':
      return FieldType::text;
    case 'y':
      return FieldType::bytes;
    default:
      throw ConfigurationError("unknown letter '" + std::string(1, letter) +
                               "' in a format; known: b, i, l, f, t, y");
  }
}

Signature signature_of(const char* format) {
  std::vector<FieldType> types;
  for (const char* at = need_text(format, "format"); *at != '\0'; ++at)
    if (*at != ' ') types.push_back(type_of_letter(*at));
  return Signature(std::move(types));
}

namespace {

/// The arguments behind a format.
struct Arguments {
  std::va_list list;

  /// The next value, of the type for `letter`. Texts and bytes stay where they are.
  Field next(char letter) {
    switch (letter) {
      case 'b':
        return va_arg(list, int) != 0;
      case 'i':
        return std::int64_t{va_arg(list, int)};
      case 'l':
        return va_arg(list, std::int64_t);
      case 'f':
        return va_arg(list, double);
      case 't':
        return std::string_view(need_text(va_arg(list, const char*), "a text"));
      case 'y': {
        const void* const bytes = va_arg(list, const void*);
        return need_bytes(bytes, va_arg(list, std::size_t), "the bytes of a field");
      }
      default:
        (void)type_of_letter(letter);
        throw Misuse("a format");  // the first throws
    }
  }
  template <class T>
  void store(T value) {
    if (T* const to = va_arg(list, T*)) *to = value;
  }
};

Tuple tuple_of(const char* format, Arguments& arguments) {
  std::vector<Field> fields;
  for (const char* at = need_text(format, "format"); *at != '\0'; ++at)
    if (*at != ' ') fields.push_back(arguments.next(*at));
  return Tuple::of(std::span<const Field>(fields));
}

Template::Entry entry_of(const Field& value) {
  return std::visit(
      [](const auto& held) -> Template::Entry {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string_view>) {
          return std::string(held);
        } else if constexpr (std::is_same_v<Held, Bytes>) {
          return std::vector<std::byte>(held.begin(), held.end());
        } else {
          return held;
        }
      },
      value);
}

Template template_of(const char* format, Arguments& arguments) {
  std::vector<Template::Entry> entries;
  for (const char* at = need_text(format, "format"); *at != '\0'; ++at) {
    if (*at == ' ') continue;
    const bool is_value = *at == '=';
    if (is_value && *++at == '\0') throw ConfigurationError("a format ends with '='");
    entries.push_back(is_value ? entry_of(arguments.next(*at)) : type_of_letter(*at));
  }
  return Template(std::move(entries));
}

bool fits_int(std::int64_t value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

std::string too_large(std::size_t index, std::int64_t value) {
  return "field " + std::to_string(index) + " is " + std::to_string(value) +
         ", which is too large for an int";
}

/// Throws ConfigurationError unless the tuple can be stored as the letters say.
void check_letters(const Tuple& tuple, std::string_view letters) {
  if (letters.size() != tuple.field_count())
    throw ConfigurationError("the format has " + std::to_string(letters.size()) + " fields, the tuple is " +
                             tuple.signature().to_string());
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const Field field = tuple.field(i);
    if (type_of_letter(letters[i]) != type_of(field))
      throw ConfigurationError("field " + std::to_string(i) + " is '" + std::string(1, letters[i]) +
                               "' in the format, the tuple is " + tuple.signature().to_string());
    if (letters[i] == 'i' && !fits_int(std::get<std::int64_t>(field)))
      throw ConfigurationError(too_large(i, std::get<std::int64_t>(field)) + ": use 'l'");
  }
}

void store_field(const es_tuple& from, std::size_t index, char letter, Arguments& arguments) {
  const Field field = from.tuple.field(index);
  switch (letter) {
    case 'b':
      return arguments.store(std::get<bool>(field));
    case 'i':
      return arguments.store(static_cast<int>(std::get<std::int64_t>(field)));
    case 'l':
      return arguments.store(std::get<std::int64_t>(field));
    case 'f':
      return arguments.store(std::get<double>(field));
    case 't':
      return arguments.store(from.text(index).c_str());
    default:
      break;
  }
  const auto bytes = std::get<Bytes>(field);
  arguments.store(static_cast<const void*>(bytes.data()));
  arguments.store(bytes.size());
}

std::string letters_of(const char* format) {
  std::string letters = need_text(format, "format");
  std::erase(letters, ' ');
  return letters;
}

template <class T>
es_status get_field(const es_tuple* tuple, std::size_t index, T* value) {
  return guarded([&] {
    need(value, "value") = need(tuple, "tuple").tuple.get<T>(index);
    return ES_OK;
  });
}

std::unique_ptr<es_tuple> handle_of(Tuple tuple) { return std::make_unique<es_tuple>(std::move(tuple)); }

}  // namespace
}  // namespace eventspace::c_api

es_status es_tuple_make(es_tuple** tuple, const char* format, ...) {
  Arguments arguments;
  va_start(arguments.list, format);
  const es_status status =
      make_handle(tuple, "tuple", [&] { return handle_of(tuple_of(format, arguments)); });
  va_end(arguments.list);
  return status;
}

es_status es_tuple_get(const es_tuple* tuple, const char* format, ...) {
  Arguments arguments;
  va_start(arguments.list, format);
  const es_status status = guarded([&] {
    const std::string letters = letters_of(format);
    check_letters(need(tuple, "tuple").tuple, letters);
    for (std::size_t i = 0; i < letters.size(); ++i) store_field(*tuple, i, letters[i], arguments);
    return ES_OK;
  });
  va_end(arguments.list);
  return status;
}

es_status es_template_make(es_template** made, const char* format, ...) {
  Arguments arguments;
  va_start(arguments.list, format);
  const es_status status = make_handle(made, "made", [&] {
    return std::make_unique<es_template>(es_template{template_of(format, arguments)});
  });
  va_end(arguments.list);
  return status;
}

void es_tuple_free(es_tuple* tuple) { delete tuple; }
void es_template_free(es_template* freed) { delete freed; }

size_t es_tuple_size(const es_tuple* tuple) { return tuple != nullptr ? tuple->tuple.field_count() : 0; }

es_type es_tuple_type(const es_tuple* tuple, size_t index) {
  if (index >= es_tuple_size(tuple)) return ES_NO_TYPE;
  return guarded_value(ES_NO_TYPE, [&] { return static_cast<es_type>(type_of(tuple->tuple.field(index))); });
}

uint64_t es_tuple_sequence(const es_tuple* tuple) { return tuple != nullptr ? tuple->sequence : 0; }

es_status es_tuple_bool(const es_tuple* tuple, size_t index, bool* value) {
  return get_field(tuple, index, value);
}
es_status es_tuple_int(const es_tuple* tuple, size_t index, int64_t* value) {
  return get_field(tuple, index, value);
}
es_status es_tuple_int32(const es_tuple* tuple, size_t index, int32_t* value) {
  return guarded([&] {
    const auto found = need(tuple, "tuple").tuple.get<std::int64_t>(index);
    static_assert(sizeof(int) == sizeof(int32_t));
    if (!fits_int(found)) throw ConfigurationError(too_large(index, found));
    need(value, "value") = static_cast<int32_t>(found);
    return ES_OK;
  });
}
es_status es_tuple_float(const es_tuple* tuple, size_t index, double* value) {
  return get_field(tuple, index, value);
}

es_status es_tuple_text(const es_tuple* tuple, size_t index, const char** text, size_t* length) {
  return guarded([&] {
    const std::string_view found = need(tuple, "tuple").tuple.get<std::string_view>(index);
    need(text, "text") = tuple->text(index).c_str();
    if (length != nullptr) *length = found.size();
    return ES_OK;
  });
}

es_status es_tuple_bytes(const es_tuple* tuple, size_t index, const void** bytes, size_t* length) {
  return guarded([&] {
    const Bytes found = need(tuple, "tuple").tuple.get<Bytes>(index);
    need(length, "length") = found.size();
    need(bytes, "bytes") = found.data();
    return ES_OK;
  });
}

es_status es_tuple_pack(const es_tuple* const* tuples, size_t count, es_tuple** packed) {
  return make_handle(packed, "packed", [&] {
    std::vector<Tuple> all;
    all.reserve(count);
    for (size_t i = 0; i < count; ++i) all.push_back(need((&need(tuples, "tuples"))[i], "a tuple").tuple);
    return handle_of(pack_tuples(all));
  });
}

es_status es_tuple_unpack(const es_tuple* packed, es_tuple** tuples, size_t room, size_t* count) {
  return guarded([&] {
    const std::vector<Tuple> all = unpack_tuples(need(packed, "packed").tuple);
    need(count, "count") = all.size();
    if (all.size() > room)
      throw Misuse("room is " + std::to_string(room) + ", there are " + std::to_string(all.size()) +
                   " tuples");
    std::vector<std::unique_ptr<es_tuple>> made;
    for (const Tuple& tuple : all) made.push_back(handle_of(tuple));
    for (std::size_t i = 0; i < made.size(); ++i) (&need(tuples, "tuples"))[i] = made[i].release();
    return ES_OK;
  });
}
