#include "scopes/wrappers/plugin.h"

// A shared object that was built with headers of another version, in which structs have another layout.
extern "C" __attribute__((visibility("default"))) const eventspace::plugin::TableHead*
eventspace_scope_wrapper() {
  static const eventspace::plugin::Table table{
      {eventspace::plugin::abi, "a compiler of the year 3000"}, nullptr, nullptr, nullptr, nullptr};
  return &table;
}
