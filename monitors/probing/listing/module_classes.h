#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/groups/grouped_refusals.h"
#include "monitors/probing/listing/function_rows.h"

namespace eventspace {

/// An equivalence class of modules: the same module in processes of any machines. It is read once, in the
/// process that represents the class.
struct ModuleClass {
  std::string key{};           ///< build-id in hexadecimal, or "content:BYTES:HASH" without one
  std::string path{};          ///< as processes name it; the first in sort order if there are several
  std::uint64_t processes{0};  ///< that have it mapped
  std::uint64_t machine{0};    ///< the rank of the representative's agent
  std::int32_t pid{0};         ///< the representative

  /// Empty if the module does not have one.
  [[nodiscard]] std::string build_id() const;
  friend bool operator==(const ModuleClass&, const ModuleClass&) = default;
};

/// A class with the rows of its module, if requested.
struct ListedClass {
  ModuleClass module{};
  ListedRows listed{};
};

/// The modules of machines, in the form in which they are sent.
struct ListedModules {
  static constexpr std::size_t max_classes = 65536;
  /// Limit for classes and rows in their sent form, so that an answer with its refusals fits in a packet.
  static constexpr std::size_t max_bytes = 14u << 20;
  /// The smallest row has two arrays with an entry each.
  static constexpr std::size_t max_rows = max_bytes / 5;

  std::uint64_t processes{0};  ///< that were to answer
  std::uint64_t done{0};       ///< that returned their modules
  std::uint64_t left_out{0};   ///< rows and classes beyond the limit
  GroupedRefusals refusals{};
  std::vector<ListedClass> classes{};  ///< sorted by key, unless kept apart
  bool keeps_apart{false};             ///< classes are not merged: each process has its own
};

/// The combined answer of machines to an order to list functions. Answers are merged on their way through the
/// tree. The order of merging does not matter, except for the order of separate classes with the same key.
class ListingAnswer : public ListedModules {
 public:
  /// Adds a class, or merges it into the class with the same key. The representative is the first process in
  /// an order that differs for each class, so that work is spread over the machines.
  void add(ListedClass added);
  void merge(ListedModules other);

 private:
  [[nodiscard]] bool try_take(std::size_t bytes);
  void join(ListedClass& known, ListedClass added);
  std::size_t bytes_{0};  // part of max_bytes in use
};

/// Removes the classes whose rows do not have the shape of the listing, and adds a refusal for each: the
/// machine that sent them does not follow the order.
void refuse_other_rows(ListingAnswer& answer, Listing listing);

/// Merges classes with the same key that were kept apart. If there are several lists of rows, the first is
/// kept.
ListingAnswer put_together(ListingAnswer apart);

}  // namespace eventspace
