#include <algorithm>

#include <eventspace/tuple.h>

namespace eventspace {
namespace {

bool same(double a, double b) noexcept { return a == b || (a != a && b != b); }
bool same(Bytes a, Bytes b) noexcept { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }
template <class T>
bool same(T a, T b) noexcept {
  return a == b;
}

}  // namespace

FieldType type_of(const Field& field) noexcept {
  static_assert(
      std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(FieldType::bytes), Field>, Bytes>,
      "the alternatives of Field stand in the order of FieldType");
  return static_cast<FieldType>(field.index());
}

bool same_value(const Field& a, const Field& b) noexcept {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b](const auto& value) { return same(value, *std::get_if<std::decay_t<decltype(value)>>(&b)); }, a);
}

}  // namespace eventspace
