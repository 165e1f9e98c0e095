#include "scopes/tree/name_table.h"

#include <mutex>
#include <utility>

#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::string_view alternative = " or ";

constexpr std::uint64_t key_of(OwnNameOf of, std::uint32_t number) noexcept {
  return static_cast<std::uint64_t>(of) << 32 | number;
}

bool is_known(OwnNameOf of) noexcept { return of >= OwnNameOf::thread && of <= OwnNameOf::member; }

// Whether numbers of this kind are derived from names or the like, so that two of them may have one number.
bool may_have_several(OwnNameOf of) noexcept {
  return of == OwnNameOf::probe || of == OwnNameOf::communicator;
}

// Whether `text` is one of the names joined in `all`.
bool has_name(std::string_view all, std::string_view text) {
  for (;;) {
    const std::size_t end = all.find(alternative);
    if (all.substr(0, end) == text) return true;
    if (end == std::string_view::npos) return false;
    all.remove_prefix(end + alternative.size());
  }
}

}  // namespace

void NameTable::learn(std::span<const OwnName> names) {
  if (names.empty()) return;
  const std::unique_lock lock(mutex_);
  for (const OwnName& name : names) {
    if (name.text.empty() || name.text.size() > longest_name || !is_known(name.of)) continue;
    if (texts_.size() < max_names && bytes_ + longest_name <= max_bytes) {
      add(name);
    } else {
      forget_other(name);
    }
  }
}

// If there is no room for the new name of a number, being without a name is better than another process's
// name.
void NameTable::forget_other(const OwnName& name) {
  const auto known = current_.find(key_of(name.of, name.number));
  const bool is_replaced = !may_have_several(name.of) && name.of != OwnNameOf::values;
  if (known != current_.end() && is_replaced && *known->second != name.text) current_.erase(known);
}

void NameTable::add(const OwnName& name) {
  const std::string*& current = current_[key_of(name.of, name.number)];
  std::string text = made_plain(name.text, longest_name);
  if (current != nullptr) {
    if (name.of == OwnNameOf::values || (!may_have_several(name.of) && *current == text)) return;
    if (may_have_several(name.of)) {
      if (has_name(*current, text) || current->size() + text.size() >= longest_name) return;
      text = *current + std::string(alternative) + text;
    }
  }
  bytes_ += text.size();
  current = &texts_.emplace_back(std::move(text));
}

std::string_view NameTable::find(OwnNameOf of, std::uint32_t number) const {
  const std::shared_lock lock(mutex_);
  const auto found = current_.find(key_of(of, number));
  return found == current_.end() ? std::string_view() : std::string_view(*found->second);
}

}  // namespace eventspace
