#include "scopes/streams/node_host.h"

#include <fmt/format.h>

#include <utility>

#include "paths/bodies/element_bodies.h"
#include "scopes/streams/packets/format.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

constexpr std::uint32_t streams_version = 1;
constexpr std::int64_t any_rank = -1;
using Spec = Format<std::uint32_t, std::string_view, std::uint8_t, std::int64_t>;

RemoteTarget target_of(const AttachPoint& point, Part part) {
  RemoteTarget target;
  target.endpoint = point.endpoint;
  target.open.kind = target_name;
  target.open.spec = encode_spec(point, part);
  target.open.held = true;  // it ends with the connection, and has no lease
  target.node = "the network " + point.network;
  target.opens_again = false;
  return target;
}

struct ReadSpec {
  std::string network;
  Part part{Part::back_end};
  std::optional<RankSet::Rank> rank;
};

ReadSpec read_spec(Bytes bytes) {
  const Packet packet{.body = bytes};
  const Spec::Read read(packet);
  const auto [version, network, part, rank] = read.values();
  if (version != streams_version) {
    throw ConfigurationError(
        fmt::format("version {} of streams is spoken here, and the process that attaches speaks version {}",
                    streams_version, version));
  }
  const bool known =
      part == static_cast<std::uint8_t>(Part::internal) || part == static_cast<std::uint8_t>(Part::back_end);
  if (!known || rank < any_rank || rank > std::int64_t{RankSet::most})
    throw ConfigurationError("a process attaches as a part, or with a rank, that does not exist");
  ReadSpec spec{std::string(network), static_cast<Part>(part), {}};
  if (rank != any_rank) spec.rank = static_cast<RankSet::Rank>(rank);
  return spec;
}

}  // namespace

std::vector<std::byte> encode_spec(const AttachPoint& point, Part part) {
  const Packet packet = Spec::make(0, streams_version, point.network, static_cast<std::uint8_t>(part),
                                   point.rank ? std::int64_t{*point.rank} : any_rank);
  return {packet.body.begin(), packet.body.end()};
}

// --- the parent -----------------------------------------------------------------------------------------

ParentLink::ParentLink(StreamNode& node, LinkPool& links, const AttachPoint& point, Part part,
                       std::function<void()> news)
    : node_(&node), news_(std::move(news)), stage_(links, target_of(point, part)) {
  stage_.receive_pushes(this);
}

void ParentLink::begin(Waker* waker, Deadline deadline) {
  operation_.waker = waker;
  operation_.deadline = deadline;
  under_way_ = true;
  stage_.begin(operation_);
}

bool ParentLink::is_done() {
  if (!under_way_) return true;
  if (!stage_.ready(operation_)) return false;
  conclude();
  return true;
}

void ParentLink::finish() {
  if (under_way_) conclude();
}

void ParentLink::conclude() {
  under_way_ = false;
  stage_.finish(operation_);
  if (operation_.status == Status::ok) return node_->set_parent(&stage_);
  fault_ = fmt::format("cannot attach to {}: {}", target_name,
                       operation_.reason.empty() ? to_string(operation_.status) : operation_.reason);
}

void ParentLink::receive(Bytes body) {
  node_->receive_from_parent(body);
  news_();
}

void ParentLink::granted() {
  node_->look_at(std::nullopt);
  news_();
}

void ParentLink::ended() {
  if (fault_.empty()) fault_ = "the connection to the parent was lost";
  node_->set_parent(nullptr);
  news_();
}

// --- children -------------------------------------------------------------------------------------------

/// The link to one child: the stage behind its target.
class NodeHost::Peer final : public Stage, public PushReceiver {
 public:
  Peer(NodeHost& host, RankSet ranks) : host_(&host), ranks_(std::move(ranks)) {
    for (const RankSet::Rank rank : ranks_.ranks()) host_->attached_[rank] = this;
  }
  ~Peer() override { detach(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// The child is gone.
  void detach() {
    for (const RankSet::Rank rank : ranks_.ranks()) {
      if (const auto mine = host_->attached_.find(rank);
          mine != host_->attached_.end() && mine->second == this)
        host_->attached_.erase(mine);
    }
    if (child_) host_->node_.remove_child(*std::exchange(child_, std::nullopt), "the connection was lost");
    host_->wake();
  }

  // The one operation says that the child is ready to receive.
  void begin(Operation& operation) override {
    operation.status = Status::ok;
    host_->node_.look_at(child_);
    host_->wake();
  }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& /*operation*/) override {}

  PushReceiver* open_pushes(PushOutlet& outlet) override {
    child_ = host_->node_.add_child(outlet, ranks_);
    return this;
  }
  void receive(Bytes body) override {
    if (child_) host_->node_.receive_from_child(*child_, body);
    host_->wake();
  }
  void granted() override {
    if (child_) host_->node_.look_at(child_);
    host_->wake();
  }

 private:
  NodeHost* host_;
  RankSet ranks_;
  std::optional<Child> child_;
};

NodeHost::NodeHost(Part part, std::string network, RankSet places, std::optional<AttachPoint> parent,
                   std::function<void()> ended)
    : node_(part),
      part_(part),
      network_(std::move(network)),
      places_(std::move(places)),
      parent_point_(std::move(parent)),
      ended_(std::move(ended)) {}

std::shared_ptr<const TargetKind> NodeHost::kind() {
  // A rank is taken over only when the connection of the one that had it is gone.
  const auto single_use = [](Bytes bytes) {
    const ReadSpec spec = read_spec(bytes);
    return spec.rank ? fmt::format("rank {} of {}", *spec.rank, spec.network) : std::string();
  };
  return element_kind([this](Bytes spec, LinkPool&) { return open(spec); }, single_use);
}

std::unique_ptr<Stage> NodeHost::open(Bytes bytes) {
  const ReadSpec spec = read_spec(bytes);
  if (spec.network != network_) {
    throw ConfigurationError(
        fmt::format("this is the network '{}', not '{}'", network_, escaped(spec.network)));
  }
  if (spec.part == Part::internal) return std::make_unique<Peer>(*this, RankSet());
  const RankSet::Rank rank = place_for(spec.rank);
  return std::make_unique<Peer>(*this, RankSet::of_range(rank, rank));
}

RankSet::Rank NodeHost::place_for(std::optional<RankSet::Rank> wanted) {
  if (wanted) {
    if (!places_.contains(*wanted)) {
      throw ConfigurationError(fmt::format("rank {} is not one of those that attach here: {}", *wanted,
                                           places_.empty() ? "none" : places_.to_text(200)));
    }
    // The kind's single use has made sure that this one is gone, or came without a wish.
    const auto there = attached_.find(*wanted);
    if (there != attached_.end()) there->second->detach();
    return *wanted;
  }
  for (const RankSet::Range range : places_.ranges()) {
    for (RankSet::Rank rank = range.first; rank <= range.last; ++rank) {
      if (!attached_.contains(rank)) return rank;
    }
  }
  throw ConfigurationError(fmt::format("all ranks that attach here are taken: {}",
                                       places_.empty() ? "there are none" : places_.to_text(200)));
}

// --- the server's loop ----------------------------------------------------------------------------------

void NodeHost::begin(LinkPool& links, std::function<void()> call) {
  call_ = std::move(call);
  if (!parent_point_) return;
  parent_ = std::make_unique<ParentLink>(node_, links, *parent_point_, part_, [this] { wake(); });
  attaching_ = true;
  parent_->begin(this, Deadline::after(attach_within));
}

void NodeHost::wake() noexcept {
  if (call_ && !std::exchange(called_, true)) call_();
}

void NodeHost::attend() {
  called_ = false;
  if (attaching_ && parent_->is_done()) attaching_ = false;
  node_.flush();
  if (parent_ && !parent_->fault().empty() && ended_) std::exchange(ended_, nullptr)();
}

Deadline NodeHost::due() {
  constexpr std::chrono::milliseconds between_looks{100};
  return attaching_ ? earlier(node_.due(), Deadline::after(between_looks)) : node_.due();
}

void NodeHost::end() {
  parent_.reset();
  call_ = nullptr;
}

}  // namespace eventspace::streams
