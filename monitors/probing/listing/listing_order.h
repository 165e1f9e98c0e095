#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/listing/function_rows.h"
#include "monitors/probing/listing/module_classes.h"

namespace eventspace {

/// The steps in which functions of processes on several machines are listed. The numbers are sent.
enum class ListingStep : std::uint8_t {
  classify = 1,   ///< return the mapped modules, as classes
  read = 2,       ///< read the modules of `classes` whose representative is on this machine
  read_apart = 3  ///< without classes: read all modules, separately for each process
};

/// An order to list functions, for the machines of a network.
struct ListingOrder {
  ListingStep step{ListingStep::classify};
  ProcessChoice choice{};
  ProcessGroups groups{};  ///< definitions that the choice needs
  std::string modules{};   ///< a glob of the modules' paths or file names; empty: all
  Listing listing{Listing::functions};
  FunctionChoice functions{};
  std::vector<ModuleClass> classes{};  ///< read
};

/// Throws ConfigurationError if an order is invalid. Orders are checked before they are sent, and again by
/// their receivers.
void check_listing(const ListingOrder& order);

}  // namespace eventspace
