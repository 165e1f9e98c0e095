#include "monitors/text/json.h"

#include <nlohmann/json.hpp>

#include "tuplespace/system/plain_text.h"

namespace eventspace {

struct Json::Value {
  nlohmann::ordered_json json;
};

Json::Json(std::nullptr_t) : value_(std::make_unique<Value>()) {}
Json::Json(bool value) : value_(std::make_unique<Value>(Value{value})) {}
Json::Json(double value) : value_(std::make_unique<Value>(Value{value})) {}
Json::Json(std::string_view text) : value_(std::make_unique<Value>(Value{text})) {}
Json::Json(Signed, std::int64_t value) : value_(std::make_unique<Value>(Value{value})) {}
Json::Json(Unsigned, std::uint64_t value) : value_(std::make_unique<Value>(Value{value})) {}

Json Json::object(std::initializer_list<Member> members) {
  Json object;
  object.value_->json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : members) object.set(name, value);
  return object;
}

Json Json::array(std::initializer_list<Json> items) {
  Json array;
  array.value_->json = nlohmann::ordered_json::array();
  for (const Json& item : items) array.add(item);
  return array;
}

Json::Json(const Json& other) : value_(std::make_unique<Value>(*other.value_)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) noexcept {
  value_.swap(other.value_);
  return *this;
}
Json::~Json() = default;

void Json::set(std::string_view name, Json value) {
  value_->json[std::string(name)] = std::move(value.value_->json);
}

void Json::add(Json item) { value_->json.push_back(std::move(item.value_->json)); }

bool Json::is_null() const noexcept { return value_->json.is_null(); }

std::string Json::plain() const {
  if (is_null()) return "";
  return value_->json.is_string() ? escaped(value_->json.get_ref<const std::string&>()) : dump();
}

std::string Json::dump() const {
  // The library escapes U+0000 to U+001F only.
  return escaped(value_->json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace eventspace
