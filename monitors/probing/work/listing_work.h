#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "monitors/probing/listing/listing_order.h"
#include "monitors/probing/processes/process_modules.h"

namespace eventspace {

/// Carries out orders to list functions with the processes of this machine. Not thread-safe.
class ListingHere {
 public:
  /// `machine`: the number of this machine, see ModuleClass::machine.
  explicit ListingHere(std::uint64_t machine = 0) : machine_(machine) {}

  /// Requires check_listing(). Refusals by processes are in the answer.
  ListingAnswer carry_out(const ListingOrder& order);

 private:
  using File = std::tuple<std::string, std::uint64_t, std::string>;  // device, inode, path
  using Mapped = std::pair<std::int32_t, ProcessModule>;             // in a process

  /// Calls `see` with each matching module of each process.
  template <class See>
  void for_modules(const ListingOrder& order, ListingAnswer& answer, See see);
  std::string key_of(std::int32_t pid, const ProcessModule& module);
  void read(const ListingOrder& order, const ModuleClass& module, ListingAnswer& answer);

  std::uint64_t machine_;
  std::map<File, std::string> contents_;               // keys of files without a build-id
  std::map<std::string, std::vector<Mapped>> mapped_;  // by the key of the class, as last classified
};

}  // namespace eventspace
