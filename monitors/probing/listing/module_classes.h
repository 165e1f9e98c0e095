#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/groups/grouped_refusals.h"
#include "monitors/probing/listing/function_rows.h"

namespace eventspace {

/// Modules that are the same, in all processes of all machines: an equivalence class. One process represents
/// it: the module is read there, once.
struct ModuleClass {
  std::string key{};           ///< the build-id in hexadecimal, or "content:BYTES:HASH" of a file without one
  std::string path{};          ///< as processes name it; of several the one that sorts first
  std::uint64_t processes{0};  ///< that have it mapped
  std::uint64_t machine{0};    ///< of the representative: the rank of its agent
  std::int32_t pid{0};         ///< of the representative

  /// Empty if the module has none.
  [[nodiscard]] std::string build_id() const;
  friend bool operator==(const ModuleClass&, const ModuleClass&) = default;
};

/// A class with rows of its module, if they were asked for.
struct ListedClass {
  ModuleClass module{};
  ListedRows listed{};
};

/// What machines answer when functions are listed. Answers are merged on their way through the tree, in any
/// order, with the same result, but for the order of classes of the same key that are kept apart.
struct ListingAnswer {
  static constexpr std::size_t most_classes = 65536;
  /// Of classes and rows as they travel, so that an answer fits in a packet, with its refusals.
  static constexpr std::size_t most_bytes = 14u << 20;

  std::uint64_t processes{0};  ///< that were asked
  std::uint64_t done{0};       ///< of these, those that said what they have mapped
  std::uint64_t left_out{0};   ///< rows and classes beyond the most that are kept
  GroupedRefusals refusals{};
  std::vector<ListedClass> classes{};  ///< sorted by key, if they are put together
  bool keeps_apart{false};             ///< classes are not put together: each process has its own

  /// Adds a class, or its processes to the class that has its key. Its representative is the process that
  /// comes first in an order which is another one for each class, so that work is spread over the machines.
  void add(ListedClass added);
  void merge(ListingAnswer other);

 private:
  [[nodiscard]] bool try_take(std::size_t bytes);
  void join(ListedClass& known, ListedClass added);
  std::size_t bytes_{0};  // taken of most_bytes
};

/// Takes those classes out whose rows do not have the shape of the listing, and adds a refusal for each: they
/// come from a machine that does not do what it was asked for.
void refuse_other_rows(ListingAnswer& answer, Listing listing);

/// Puts the classes with the same key together that were kept apart. Of several lists of rows the first
/// stays.
ListingAnswer put_together(ListingAnswer apart);

}  // namespace eventspace
