#include <eventspace/stream_filter.h>

// A shared object with filters of streams that was built with headers in which structs have another layout.
extern "C" __attribute__((visibility("default"))) const eventspace::plugin::TableHead*
eventspace_stream_filters() {
  static const eventspace::plugin::TableHead head{eventspace::streams::plugin::abi,
                                                  "a compiler of the year 3000"};
  return &head;
}
