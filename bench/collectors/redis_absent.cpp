#include "bench/collectors/redis_peer.h"

namespace eventspace::bench {

class RedisPeer::Server {};

RedisPeer::RedisPeer()
    : unavailable_("hiredis was not there when this was built; scripts/setup --bench installs it") {}
RedisPeer::~RedisPeer() = default;
void RedisPeer::record(Stage& /*stage*/, Operation& /*operation*/, std::size_t /*times*/) {}

}  // namespace eventspace::bench
