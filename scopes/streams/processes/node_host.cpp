#include "scopes/streams/processes/node_host.h"

#include <fmt/format.h>

#include <utility>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "paths/bodies/element_bodies.h"
#include "paths/pushes.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

constexpr std::uint32_t streams_version = 4;
constexpr std::int64_t any_rank = -1;
using Spec =
    Format<std::uint32_t, std::string_view, std::uint8_t, std::int64_t, std::string_view, std::string_view>;

/// The text of the event.
const std::string adopted = "attached again, as the process above it was lost";

struct ReadSpec {
  std::string network;
  Part part{Part::back_end};
  std::optional<RankSet::Rank> rank;
  RankSet ranks;
  std::string endpoint;
};

ReadSpec read_spec(Bytes bytes) {
  const Packet packet{.body = bytes};
  const Spec::Read read(packet);
  const auto [version, network, part, rank, ranks, endpoint] = read.values();
  if (version != streams_version) {
    throw ConfigurationError(
        fmt::format("version {} of streams is spoken here, and the process that attaches speaks version {}",
                    streams_version, version));
  }
  const bool known =
      part == static_cast<std::uint8_t>(Part::internal) || part == static_cast<std::uint8_t>(Part::back_end);
  const auto below = RankSet::parse(ranks);
  if (!known || !below || rank < any_rank || rank > std::int64_t{RankSet::most})
    throw ConfigurationError("a process attaches as a part, or with a rank, that does not exist");
  if (endpoint.size() > longest_endpoint || !is_plain_text(endpoint))
    throw ConfigurationError("a process attaches with an endpoint that is none");
  ReadSpec spec{std::string(network), static_cast<Part>(part), {}, *below, std::string(endpoint)};
  if (rank != any_rank) spec.rank = static_cast<RankSet::Rank>(rank);
  return spec;
}

}  // namespace

std::vector<std::byte> encode_spec(const AttachPoint& point, Part part, const RankSet& ranks,
                                   const std::string& endpoint) {
  const std::string below = ranks.to_text();
  const Packet packet = Spec::make(0, streams_version, point.network, static_cast<std::uint8_t>(part),
                                   point.rank ? std::int64_t{*point.rank} : any_rank, below, endpoint);
  return {packet.body.begin(), packet.body.end()};
}

// --- children -------------------------------------------------------------------------------------------

/// The link to one child: the stage behind its target.
class NodeHost::Peer final : public Stage, public PushReceiver {
 public:
  Peer(NodeHost& host, Part part, RankSet ranks, std::string text = {}, std::string endpoint = {})
      : host_(&host),
        part_(part),
        ranks_(std::move(ranks)),
        text_(std::move(text)),
        endpoint_(std::move(endpoint)) {
    for (const RankSet::Rank rank : ranks_.ranks()) host_->attached_[rank] = this;
  }
  ~Peer() override { detach(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// To be called when the child is gone.
  void detach() {
    for (const RankSet::Rank rank : ranks_.ranks()) {
      if (const auto mine = host_->attached_.find(rank);
          mine != host_->attached_.end() && mine->second == this)
        host_->attached_.erase(mine);
    }
    if (child_) host_->node_.remove_child(*std::exchange(child_, std::nullopt), "the connection was lost");
    host_->wake();
  }

  // The only operation announces that the child is ready to receive.
  void begin(Operation& operation) override {
    operation.status = Status::ok;
    host_->node_.look_at(child_);
    host_->wake();
  }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& /*operation*/) override {}

  PushReceiver* open_pushes(PushOutlet& outlet) override {
    child_ = host_->node_.add_child(outlet, ranks_, text_, may_bring(), endpoint_, part_);
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
  // A back-end does not bring other end-points. The end-points below an internal process are unknown here: a
  // tool may start a process that the topology does not have.
  [[nodiscard]] std::optional<RankSet> may_bring() const {
    return part_ == Part::back_end ? std::optional(ranks_) : std::nullopt;
  }

  NodeHost* host_;
  Part part_;
  RankSet ranks_;
  std::string text_;      // for the event
  std::string endpoint_;  // where its children attach
  std::optional<Child> child_;
};

NodeHost::NodeHost(Part part, Place place, std::function<void()> ended)
    : node_(part, place.process), part_(part), place_(std::move(place)), ended_(std::move(ended)) {}

std::shared_ptr<const TargetKind> NodeHost::kind() {
  // A rank is taken over only when the connection of its previous owner is gone.
  const auto single_use = [](Bytes bytes) {
    const ReadSpec spec = read_spec(bytes);
    return spec.rank ? fmt::format("rank {} of {}", *spec.rank, spec.network) : std::string();
  };
  return element_kind([this](Bytes spec, LinkPool&) { return open(spec); }, single_use);
}

std::unique_ptr<Stage> NodeHost::open(Bytes bytes) {
  const ReadSpec spec = read_spec(bytes);
  if (spec.network != place_.network) {
    throw ConfigurationError(
        fmt::format("this is the network '{}', not '{}'", place_.network, escaped(spec.network)));
  }
  if (spec.part == Part::internal) return open_internal(spec.ranks, spec.endpoint);
  if (spec.rank && !place_.places.contains(*spec.rank)) {
    const RankSet orphan = RankSet::of_range(*spec.rank, *spec.rank);
    if (may_adopt(orphan)) {
      require_adoptable(orphan);
      return std::make_unique<Peer>(*this, Part::back_end, orphan, adopted);
    }
  }
  const RankSet::Rank rank = place_for(spec.rank);
  return std::make_unique<Peer>(*this, Part::back_end, RankSet::of_range(rank, rank));
}

// A process without end-points is new.
std::unique_ptr<Stage> NodeHost::open_internal(const RankSet& ranks, std::string endpoint) {
  if (ranks.empty())
    return std::make_unique<Peer>(*this, Part::internal, RankSet(), std::string(), std::move(endpoint));
  if (!may_adopt(ranks)) {
    const RankSet foreign = ranks - place_.below - node_.refuges().adoptable();
    throw ConfigurationError(fmt::format("ranks {} do not belong below this process", foreign.to_text(200)));
  }
  require_adoptable(ranks);
  return std::make_unique<Peer>(*this, Part::internal, ranks, adopted, std::move(endpoint));
}

// Accepts end-points of the own subtree, and end-points that the parent has offered. Others may come before a
// process above has noticed that they have lost their parent: they retry.
bool NodeHost::may_adopt(const RankSet& ranks) const {
  const RankSet foreign = ranks - place_.below - node_.refuges().adoptable();
  if (foreign.empty()) return true;
  if (node_.refuges().adoption() != Adoption::sibling) return false;
  throw ConfigurationError(
      fmt::format("ranks {} do not belong below this process; they are {}, as far as it knows",
                  foreign.to_text(200), still_attached));
}

void NodeHost::require_adoptable(const RankSet& ranks) const {
  const RankSet there = ranks & node_.ranks();
  if (!there.empty())
    throw ConfigurationError(fmt::format("ranks {} are {}", there.to_text(200), still_attached));
}

RankSet::Rank NodeHost::place_for(std::optional<RankSet::Rank> wanted) {
  if (wanted) {
    if (!place_.places.contains(*wanted)) {
      throw ConfigurationError(fmt::format("rank {} is not one of those that attach here: {}", *wanted,
                                           place_.places.empty() ? "none" : place_.places.to_text(200)));
    }
    // The kind's single use has made sure that the previous owner is gone, or had asked for no particular
    // rank.
    const auto there = attached_.find(*wanted);
    if (there != attached_.end()) there->second->detach();
    require_adoptable(RankSet::of_range(*wanted, *wanted));  // it may be below another child
    return *wanted;
  }
  for (const RankSet::Range range : place_.places.ranges()) {
    for (RankSet::Rank rank = range.first; rank <= range.last; ++rank) {
      if (!attached_.contains(rank) && !node_.ranks().contains(rank)) return rank;
    }
  }
  throw ConfigurationError(
      fmt::format("all ranks that attach here are taken: {}",
                  place_.places.empty() ? "there are none" : place_.places.to_text(200)));
}

// --- the server's loop ----------------------------------------------------------------------------------

void NodeHost::begin(LinkPool& links, std::function<void()> call) {
  call_ = std::move(call);
  if (!place_.parent) return;
  parent_ = std::make_unique<Ancestry>(node_, links, *place_.parent, Ancestry::Self{part_, place_.announced},
                                       [this] { wake(); });
  parent_->begin(this, Deadline::after(attach_within));
}

void NodeHost::wake() noexcept {
  if (call_ && !std::exchange(called_, true)) call_();
}

void NodeHost::attend() {
  called_ = false;
  if (parent_) parent_->look();
  node_.sender().flush();
  if (parent_ && !parent_->fault().empty() && ended_) std::exchange(ended_, nullptr)();
}

Deadline NodeHost::due() {
  return parent_ ? earlier(node_.sender().due(), parent_->due()) : node_.sender().due();
}

void NodeHost::end() {
  parent_.reset();
  call_ = nullptr;
}

}  // namespace eventspace::streams
