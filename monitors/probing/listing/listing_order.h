#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/listing/function_rows.h"
#include "monitors/probing/listing/module_classes.h"

namespace eventspace {

/// How functions of processes on several machines are listed. The numbers travel.
enum class ListingStep : std::uint8_t {
  classify = 1,   ///< say which modules are mapped, as classes
  read = 2,       ///< read the modules of `classes` that this machine represents
  read_apart = 3  ///< without classes: read all modules, in each process by itself
};

/// An order to list functions, for the machines of a network.
struct ListingOrder {
  ListingStep step{ListingStep::classify};
  ProcessChoice choice{};
  ProcessGroups groups{};  ///< those that the choice needs
  std::string modules{};   ///< a glob of their paths or file names; empty: all
  Listing listing{Listing::functions};
  FunctionChoice functions{};
  std::vector<ModuleClass> classes{};  ///< read
};

/// Throws ConfigurationError if an order has a fault: it is checked before it is sent, and again by those who
/// get it.
void check_listing(const ListingOrder& order);

}  // namespace eventspace
