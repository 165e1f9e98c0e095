#include "scopes/streams/internal_process.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "scopes/streams/node_host.h"
#include "scopes/streams/serving.h"

namespace eventspace::streams {

class InternalProcess::State {
 public:
  explicit State(Config config)
      : network(limits_for(config.children), WhenLost::end, NodeClock(), {}, std::move(config.security)),
        host(Part::internal, config.parent.network, std::move(config.places), std::move(config.below),
             config.parent,
             [this] {
               ended = true;
               server.stop();
             }),
        server(network, {.endpoint = std::move(config.endpoint),
                         .name = "an internal process of the network " + config.parent.network,
                         .session = {},
                         .targets = {{std::string(target_name), host.kind()}},
                         .routes = {},
                         .attendant = &host}) {}

  std::atomic<bool> ended{false};
  Network network;
  NodeHost host;
  Server server;
};

InternalProcess::InternalProcess(Config config) : state_(std::make_unique<State>(std::move(config))) {}
InternalProcess::~InternalProcess() = default;
void InternalProcess::run() { state_->server.run(); }
void InternalProcess::start() { state_->server.start(); }
bool InternalProcess::has_ended() const noexcept { return state_->ended; }
void InternalProcess::stop() noexcept { state_->server.stop(); }

}  // namespace eventspace::streams
