#pragma once

// Private to monitors/.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace eventspace {

/// A JSON value that a command writes; objects keep the order in which their members were given. What makes
/// it is nlohmann's library, which stays out of this header: it takes longer to parse than all else in most
/// files.
class Json {
 public:
  using Member = std::pair<std::string_view, Json>;

  Json(std::nullptr_t = nullptr);  // null; all of these convert implicitly, as the values of members do
  Json(bool value);
  Json(double value);
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::signed_integral auto value) : Json(Signed{}, value) {}
  Json(std::unsigned_integral auto value) : Json(Unsigned{}, value) {}
  /// Null when there is none.
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}

  static Json object(std::initializer_list<Member> members = {});
  static Json array(std::initializer_list<Json> items = {});

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  /// Of an object: sets the member, behind those that there are when it is new.
  void set(std::string_view name, Json value);
  /// Of an array.
  void add(Json item);

  [[nodiscard]] bool is_null() const noexcept;
  /// A text as it is, anything else as dump() has it; nothing for null.
  [[nodiscard]] std::string plain() const;
  /// On one line. Bytes that are no UTF-8 are replaced.
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
