#include "bench/collectors/lttng_peer.h"

namespace eventspace::bench {

class LttngPeer::Session {};

LttngPeer::LttngPeer()
    : unavailable_("LTTng-UST was not there when this was built; scripts/setup --bench installs it") {}
LttngPeer::~LttngPeer() = default;
void LttngPeer::record(Stage& /*stage*/, Operation& /*operation*/, std::size_t /*times*/) {}

}  // namespace eventspace::bench
