#include <eventspace/stream_filter.h>

// A shared object for a later version of the interface of filters of streams.
extern "C" __attribute__((visibility("default"))) const eventspace::plugin::TableHead*
eventspace_stream_filters() {
  static const std::uint32_t later = eventspace::streams::plugin::abi + 1;
  return reinterpret_cast<const eventspace::plugin::TableHead*>(&later);
}
