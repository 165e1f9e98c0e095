#include <algorithm>

#include <eventspace/tuple.h>

namespace eventspace {
namespace {

FieldType type_of_entry(const Template::Entry& entry) noexcept {
  const auto* formal = std::get_if<FieldType>(&entry);
  return formal ? *formal : static_cast<FieldType>(entry.index() - 1);
}

/// Converts an actual entry to a field, for comparison.
struct AsField {
  Field operator()(FieldType) const noexcept { return {}; }
  Field operator()(const std::string& text) const noexcept { return std::string_view(text); }
  Field operator()(const std::vector<std::byte>& bytes) const noexcept { return Bytes(bytes); }
  template <class Scalar>
  Field operator()(Scalar value) const noexcept {
    return value;
  }
};

bool entry_matches(const Template::Entry& entry, const Field& field) noexcept {
  if (const auto* formal = std::get_if<FieldType>(&entry)) return *formal == type_of(field);
  return same_value(std::visit(AsField{}, entry), field);
}

}  // namespace

Signature Template::signature() const {
  std::vector<FieldType> types;
  for (const Entry& entry : entries_) types.push_back(type_of_entry(entry));
  return Signature(std::move(types));
}

bool Template::has_signature(const Signature& signature) const noexcept {
  const auto& wanted = signature.fields();
  return std::equal(entries_.begin(), entries_.end(), wanted.begin(), wanted.end(),
                    [](const Entry& entry, FieldType type) { return type_of_entry(entry) == type; });
}

bool Template::matches(const Tuple& tuple) const noexcept {
  if (tuple.field_count() != entries_.size()) return false;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!entry_matches(entries_[i], tuple.field(i))) return false;
  return true;
}

}  // namespace eventspace
