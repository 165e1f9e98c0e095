#include <eventspace/stream_network.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/topology.h>
#include "scopes/streams/processes/internal_end_point.h"
#include "scopes/streams/processes/network_events.h"
#include "scopes/streams/processes/node_host.h"
#include "scopes/streams/processes/serving.h"

namespace eventspace::streams {
/// The process and its own end-point, in the loop of its server.
class InternalProcess::State final : public Attendant {
 public:
  explicit State(Config given)
      : config(completed(std::move(given))),
        network(limits_for(config.children), WhenLost::end, NodeClock(), {}, config.security),
        host(Part::internal,
             {config.parent.network, config.places, config.below, config.parent, config.announced,
              config.process},
             [this] {
               ended = true;
               server.stop();
             }),
        server(network, {.endpoint = config.endpoint,
                         .name = "an internal process of the network " + config.parent.network,
                         .session = {},
                         .targets = {{std::string(target_name), host.kind()}},
                         .routes = {},
                         .attendant = this}) {
    if (config.process) {
      end_point.emplace(host.node(), rank_of_internal(*config.process),
                        [this](const Packet& packet) { return run_command(packet); });
    }
  }

  void begin(LinkPool& links, std::function<void()> call) override {
    host.begin(links, std::move(call));
    if (end_point) end_point->join();
  }
  void attend() override {
    if (config.look && next_look.passed()) look();
    host.attend();
    while (end_point && end_point->attend()) host.attend();
  }
  [[nodiscard]] Deadline due() override { return config.look ? earlier(host.due(), next_look) : host.due(); }
  void end() override {
    attached = host.node().is_welcome();
    fault = host.fault();
    host.end();
  }

  static Config completed(Config config) {
    if (config.host.empty()) config.host = name_of_this_machine();
    if (config.announced.empty()) config.announced = config.endpoint;
    return config;
  }

  void look() {
    constexpr std::chrono::milliseconds between_looks{100};
    next_look = Deadline::after(between_looks);
    config.look([this](std::uint32_t stream, const Packet& packet) {
      return end_point && end_point->send(stream, packet);
    });
  }

  Packet run_command(const Packet& packet) {
    const PacketView values(packet);
    const std::string_view name = values.text(0);
    if (name == report_command) return report(packet.tag);
    const Command* const command = CommandRegistry::instance().find(name);
    if (command == nullptr) throw ConfigurationError(CommandRegistry::instance().unknown("command", name));
    return command->run({packet, *config.process, [this](std::uint32_t stream, const Packet& sent) {
                           return end_point->send(stream, sent);
                         }});
  }

  [[nodiscard]] Packet report(std::int32_t tag) {
    const ProcessReport report{*config.process,
                               config.host,
                               ::getpid(),
                               config.announced,
                               host.node().malformed(),
                               host.node().streams().report()};
    return Format<std::string_view>::make(tag, to_text(report));
  }

  Config config;
  std::atomic<bool> ended{false};
  Network network;
  NodeHost host;
  std::optional<InternalEndPoint> end_point;
  Deadline next_look{Deadline::now()};
  bool attached{false};
  std::string fault;
  Server server;
};

InternalProcess::InternalProcess(Config config) : state_(std::make_unique<State>(std::move(config))) {}
InternalProcess::~InternalProcess() = default;
void InternalProcess::run() { state_->server.run(); }
void InternalProcess::start() { state_->server.start(); }
bool InternalProcess::has_ended() const noexcept { return state_->ended; }
void InternalProcess::stop() noexcept { state_->server.stop(); }
std::string InternalProcess::fault() const { return state_->fault; }
bool InternalProcess::was_attached() const { return state_->attached; }

}  // namespace eventspace::streams
