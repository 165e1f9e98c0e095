#include <eventspace/stream_network.h>
#include "scopes/streams/processes/internal_end_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "paths/security/secret_key.h"
#include "scopes/streams/attaching/attach_lines.h"
#include "scopes/streams/attaching/network_keys.h"
#include "scopes/streams/attaching/session_places.h"
#include "scopes/streams/launching/listening.h"
#include "scopes/streams/launching/started_children.h"
#include "tuplespace/sockets/session_socket.h"

namespace eventspace::streams {
namespace {

StartSheet read_sheet(std::istream& input) {
  constexpr std::size_t max_bytes = 64u << 20;
  std::string text;
  std::string block(64u << 10, '\0');
  while (input && text.size() < max_bytes) {
    input.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block, 0, static_cast<std::size_t>(input.gcount()));
  }
  StartSheet sheet = parse_start_sheet(text);
  overwrite(text);
  overwrite(block);
  return sheet;
}

/// An internal process and the children that it has started.
class LaunchedInternal {
 public:
  LaunchedInternal(StartSheet sheet, std::shared_ptr<const NetworkKeys> keys)
      : sheet_(std::move(sheet)), keys_(std::move(keys)), topology_(Topology::of_text(sheet_.topology)) {}

  int run() {
    listen();
    children_.emplace(
        sheet_, topology_,
        StartedChildren::Parent{sheet_.process, announced_, keys_ ? keys_->file() : std::filesystem::path()});
    process_->run();
    const bool was_attached = process_->was_attached();
    const std::string fault = process_->fault();
    process_.reset();  // its children notice, and end
    children_->end();
    if (was_attached) return 0;
    throw EnvironmentError(fmt::format("process {} of the network {}: {}",
                                       topology_.at(sheet_.process).name(), sheet_.network, fault));
  }

 private:
  void listen() {
    if (sheet_.options.over_network) {
      return listen_at_free_port(topology_.at(sheet_.process).host,
                                 [this](const Listening& at) { make(at); });
    }
    const SessionSocket socket(sheet_.network, std::to_string(sheet_.process));
    socket_.emplace(socket.require("a process of the network of streams " + sheet_.network));
    make({socket.endpoint(), socket.endpoint()});
  }

  void make(const Listening& at) {
    process_ = std::make_unique<InternalProcess>(
        InternalProcess::Config{.parent = {sheet_.network, sheet_.parent},
                                .endpoint = at.endpoint,
                                .places = child_back_ends(topology_, sheet_.process),
                                .below = end_points_below(topology_, sheet_.process),
                                .children = topology_.at(sheet_.process).children.size(),
                                .security = keys_ ? keys_->security() : nullptr,
                                .process = sheet_.process,
                                .announced = at.announced,
                                .look = [this](const auto& send) { notify_failures(send); }});
    announced_ = at.announced;
    announce_places(at.announced);
  }

  void announce_places(const std::string& endpoint) {
    const RankSet places = child_back_ends(topology_, sheet_.process);
    if (sheet_.options.session.empty() || places.empty()) return;
    const AttachPoint point{sheet_.network, endpoint, {}, keys_ ? keys_->file() : std::filesystem::path()};
    places_.reset();
    places_.emplace(sheet_.options.session, sheet_.network, sheet_.process,
                    attach_line(point, places) + '\n');
  }

  // Failures that cannot be sent yet, for lack of room or before this process is attached, are queued.
  void notify_failures(const std::function<bool(std::uint32_t, const Packet&)>& send) {
    if (children_) {
      for (std::string& failure : children_->take_failures()) untold_.push_back(std::move(failure));
    }
    while (!untold_.empty() &&
           send(FrontEnd::news_stream, Format<std::string_view>::make(0, untold_.front())))
      untold_.pop_front();
  }

  StartSheet sheet_;
  std::shared_ptr<const NetworkKeys> keys_;
  Topology topology_;
  std::optional<SessionSocket::Taken> socket_;
  std::unique_ptr<InternalProcess> process_;
  std::string announced_;
  std::optional<SessionPlaces> places_;
  std::optional<StartedChildren> children_;
  std::deque<std::string> untold_;
};

int run_back_end(const StartSheet& sheet, RankSet::Rank rank, const NetworkKeys* keys) {
  const AttachPoint point{sheet.network, sheet.parent, rank,
                          keys != nullptr ? keys->file() : std::filesystem::path()};
  StartedProcess process({}, sheet.options.back_end, std::string_view(),
                         {fmt::format("{}={}", AttachPoint::variable, point.to_text())});
  return process.wait();
}

}  // namespace

int serve_start_sheet(std::istream& input) {
  StartSheet sheet = read_sheet(input);
  std::shared_ptr<const NetworkKeys> keys;
  if (!is_network_name(sheet.network))
    throw ConfigurationError("the start sheet's network has a faulty name");
  if (!sheet.keys.empty()) keys = NetworkKeys::of_text(sheet.network, sheet.keys);
  const Topology topology = Topology::of_text(sheet.topology);
  if (sheet.process == 0 || sheet.process >= topology.size())
    throw ConfigurationError("the start sheet is for a process that its tree lacks");
  const TreeProcess& process = topology.at(sheet.process);
  if (process.part == Part::back_end) return run_back_end(sheet, process.rank, keys.get());
  return LaunchedInternal(std::move(sheet), std::move(keys)).run();
}

}  // namespace eventspace::streams
