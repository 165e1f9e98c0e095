#include "scopes/wrappers/plugin.h"

// A shared object for a later version of the plugin interface. Only the first word of its table, the version,
// is defined.
extern "C" __attribute__((visibility("default"))) const eventspace::plugin::TableHead*
eventspace_scope_wrapper() {
  static const std::uint32_t later = eventspace::plugin::abi + 1;
  return reinterpret_cast<const eventspace::plugin::TableHead*>(&later);
}
