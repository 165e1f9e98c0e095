#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace eventspace {

/// A JSON value that a command writes. Objects keep the order in which their members were set. The
/// implementation uses nlohmann's library, which this header does not include, because parsing it would take
/// longer than parsing the rest of most files.
class Json {
 public:
  using Member = std::pair<std::string_view, Json>;

  Json(std::nullptr_t = nullptr);  // null; these constructors are implicit, for values of members
  Json(bool value);
  Json(double value);
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::signed_integral auto value) : Json(Signed{}, value) {}
  Json(std::unsigned_integral auto value) : Json(Unsigned{}, value) {}
  /// Null for nullopt.
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}

  static Json object(std::initializer_list<Member> members = {});
  static Json array(std::initializer_list<Json> items = {});

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  /// Sets a member of an object; appends it if it is new.
  void set(std::string_view name, Json value);
  /// Appends to an array.
  void add(Json item);

  [[nodiscard]] bool is_null() const noexcept;
  /// A string without quotes, escaped (tuplespace/system/plain_text.h); any other value as dump() writes it;
  /// empty for null.
  [[nodiscard]] std::string plain() const;
  /// The value as JSON on one line. Bytes that are not UTF-8 are replaced by U+FFFD; control characters are
  /// escaped.
  [[nodiscard]] std::string dump() const;

 private:
  struct Value;
  struct Signed {};
  struct Unsigned {};
  Json(Signed, std::int64_t value);
  Json(Unsigned, std::uint64_t value);

  std::unique_ptr<Value> value_;
};

}  // namespace eventspace
