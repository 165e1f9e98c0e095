#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eventspace {

namespace registry {

/// Throws ConfigurationError: "a path wrapper named 'delay' is registered already".
[[noreturn]] void refuse_duplicate(std::string_view kind, std::string_view name);
/// "unknown NOUN 'delya'; did you mean 'delay'?; known: ..."
std::string unknown_text(std::string_view noun, std::string_view name,
                         const std::vector<std::string_view>& known);

/// Returns the entry with this name; null if there is none.
template <class Entries>
const typename Entries::value_type* find_named(const Entries& entries, std::string_view name) noexcept {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [name](const auto& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace registry

/// The entries of one kind that pathmaps use by name: path wrappers, scope wrappers, path generators, and
/// ways to combine fields. An Entry has a public member `name`. Entries keep the order in which they are
/// added, the built-in ones first, and their addresses.
///
/// Thread-safety: any number of threads may look up. Add entries at program start, before a pathmap is read
/// and before other threads look up.
///
///     WrapperRegistry::instance().add({"count", "counts operations", {}, make_count});
template <class Entry>
class Registry {
 public:
  /// `kind` is for errors about this registry: "path wrapper".
  Registry(std::string kind, std::initializer_list<Entry> built_in) : kind_(std::move(kind)) {
    for (const Entry& entry : built_in) add(entry);
  }
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Throws ConfigurationError, and adds nothing, if the name is registered already.
  void add(Entry entry) {
    if (find(entry.name) != nullptr) registry::refuse_duplicate(kind_, entry.name);
    entries_.push_back(std::move(entry));
  }

  /// Returns null for an unknown name. The pointer stays valid.
  [[nodiscard]] const Entry* find(std::string_view name) const noexcept {
    return registry::find_named(entries_, name);
  }
  /// All entries, in the order in which they were added.
  [[nodiscard]] const std::deque<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

  /// The text of an error about an unknown name, with the nearest known name and all known names: "unknown
  /// NOUN 'NAME'; did you mean 'X'?; known: X, Y". `noun` is the pathmap's word for an entry.
  [[nodiscard]] std::string unknown(std::string_view noun, std::string_view name) const {
    std::vector<std::string_view> known;
    for (const Entry& entry : entries_) known.push_back(entry.name);
    return registry::unknown_text(noun, name, known);
  }

 private:
  std::string kind_;
  std::deque<Entry> entries_;
};

}  // namespace eventspace
