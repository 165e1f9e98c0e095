#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include <eventspace/tuple.h>

namespace eventspace {
namespace {

// In the order of FieldType.
constexpr std::array<std::string_view, 5> words{"bool", "int", "float", "text", "bytes"};

}  // namespace

std::string_view to_string(FieldType type) noexcept {
  const auto index = static_cast<std::size_t>(type);
  return index < words.size() ? words[index] : "unknown";
}

std::optional<FieldType> field_type_from(std::string_view word) noexcept {
  const auto* const found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<FieldType>(found - words.begin());
}

std::string Signature::to_string() const {
  std::vector<std::string_view> names;
  for (const FieldType type : fields_) names.push_back(eventspace::to_string(type));
  return fmt::format("({})", fmt::join(names, ", "));
}

}  // namespace eventspace
