#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "pathmaps/reading/document.h"

namespace eventspace::reading {

/// Reads the file of a pathmap and all files that it includes, and joins them into one mapping by the rules
/// in keys.h. A file that is included several times is read once. Faults are reported for files that include
/// themselves, directly or indirectly, that cannot be read, or that exceed the limits below.
class FileReader {
 public:
  static constexpr std::uintmax_t max_file_bytes = 1u << 20;
  static constexpr std::uintmax_t max_total_bytes = 4u << 20;
  static constexpr std::size_t max_nested_includes = 16;

  /// `follows`: if false, `include:` is a fault.
  FileReader(Document& document, Faults& faults, bool follows = true)
      : document_(document), faults_(faults), follows_(follows) {}

  /// Both return the joined mapping, which `document` owns; null, with faults, if any of the files is
  /// unusable.
  const Value* read(const std::filesystem::path& file);
  const Value* read_text(std::string_view yaml, const std::string& name);

 private:
  const Value* read_fragment(const std::filesystem::path& file, const Place& included_at);
  const Value* parse(std::string_view yaml, std::size_t file, const std::filesystem::path& folder);
  const Value* join_includes(const Value& root, const std::filesystem::path& folder);
  [[nodiscard]] const Value* whole(const Value* joined) const { return complete_ ? joined : nullptr; }
  const Value* fail(const Place& at, std::string text);
  bool admit(const std::filesystem::path& file, const Place& at);
  bool fits(std::uintmax_t bytes, const Place& at);

  Document& document_;
  Faults& faults_;
  std::vector<std::filesystem::path> open_;  ///< the files being read, each included by the previous one
  std::set<std::filesystem::path> seen_;
  std::uintmax_t total_bytes_{0};
  bool follows_;
  bool complete_{true};
};

}  // namespace eventspace::reading
