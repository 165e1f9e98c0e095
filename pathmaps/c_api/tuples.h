#pragma once

#include <eventspace.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/tuple.h>

/// A tuple, and copies of its texts that end with a NUL.
struct es_tuple {
  explicit es_tuple(eventspace::Tuple of, std::uint64_t number = 0)
      : tuple(std::move(of)), sequence(number) {}

  /// The text of field `index`, which is one. Copies all texts on the first call.
  const std::string& text(std::size_t index) const;

  eventspace::Tuple tuple;
  std::uint64_t sequence;

 private:
  mutable std::once_flag copied_;
  mutable std::vector<std::string> texts_;  // by field; empty for fields of other types
};

struct es_template {
  eventspace::Template made;
};

namespace eventspace::c_api {

/// The type for a letter of a format. Throws ConfigurationError for another one.
FieldType type_of_letter(char letter);
/// The types of a format without values, such as "it".
Signature signature_of(const char* format);

}  // namespace eventspace::c_api
