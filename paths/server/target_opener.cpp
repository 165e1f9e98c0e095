#include "paths/server/target_opener.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <eventspace/error.h>
#include "paths/bodies/forwarding.h"

namespace eventspace {
namespace {

using std::chrono::milliseconds;
using wire::Fault;

constexpr milliseconds patience{500};
constexpr milliseconds between_looks{20};
constexpr std::size_t max_waiting = 64;

}  // namespace

void TargetOpener::refuse(const Asked& asked, Fault fault, const std::string& text) {
  replies_->refuse(asked.peer, asked.id, fault, text);
}

void TargetOpener::open(const Asked& asked, wire::OpenRequest request) {
  if (targets_->full()) {
    return refuse(
        asked, Fault::busy,
        fmt::format("{} targets are open here; `limits: open_targets` allows no more", targets_->size()));
  }
  if (!targets_->has_share(asked.peer)) {
    return refuse(asked, Fault::busy,
                  fmt::format("this connection has {} targets open; of the {} that `limits: open_targets` "
                              "allows, one connection gets three quarters of those that others leave",
                              targets_->of_peer(asked.peer), config_.max_targets));
  }
  open(asked, std::move(request), Deadline::after(patience));
}

void TargetOpener::open(const Asked& asked, wire::OpenRequest request, Deadline until) {
  try {
    const std::string use =
        request.route.empty() ? kind_of(request)->single_use(request.spec) : std::string();
    if (!has_other_user(use, asked.peer)) return open_now(asked, std::move(request), use);
    if (until.passed() || waiting_.size() >= max_waiting) {
      return refuse(asked, Fault::target,
                    fmt::format("another connection uses {} and is alive; end its program first", use));
    }
    if (waiting_.empty()) look_ = Deadline::after(between_looks);
    waiting_.push_back({asked, std::move(request), until});
  } catch (const std::exception& error) {
    refuse(asked, Fault::target, error.what());
  }
}

bool TargetOpener::has_other_user(const std::string& use, const std::string& peer) {
  const std::string* const user = use.empty() ? nullptr : targets_->user_of(use);
  return user != nullptr && *user != peer && replies_->reaches(*user);
}

void TargetOpener::forget(const std::string& peer, std::uint64_t request) {
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    return waiting.asked.peer == peer && waiting.asked.id == request;
  });
}

void TargetOpener::look_again() {
  if (waiting_.empty() || !look_.passed()) return;
  look_ = Deadline::after(between_looks);
  for (Waiting& waiting : std::exchange(waiting_, {}))
    open(waiting.asked, std::move(waiting.request), waiting.until);
}

void TargetOpener::open_now(const Asked& asked, wire::OpenRequest request, const std::string& use) {
  OpenTarget target;
  target.peer = asked.peer;
  target.use = use;
  target.opened_by = asked.id;
  target.held = request.held;
  target.pushes = std::make_unique<TargetPushes>(*replies_, asked.peer);
  TargetPushes& pushes = *target.pushes;
  PushReceiver* const receiver =
      request.route.empty() ? open_here(target, request) : open_onward(target, std::move(request));
  const std::uint64_t number = targets_->add(std::move(target));
  pushes.open(number, receiver);
  replies_->answer(asked, wire::Opened{number});
}

const std::shared_ptr<const TargetKind>& TargetOpener::kind_of(const wire::OpenRequest& request) const {
  const auto kind = config_.kinds.find(request.kind);
  if (kind == config_.kinds.end())
    throw ConfigurationError(fmt::format("{} has no targets of the kind '{}'", config_.server, request.kind));
  return kind->second;
}

// Both return the receiver of the peer's messages that are not replies; null if there is none.
PushReceiver* TargetOpener::open_here(OpenTarget& target, const wire::OpenRequest& request) {
  target.kind = kind_of(request);
  target.stage = target.kind->open(request.spec, *links_);
  return target.stage->open_pushes(*target.pushes);
}

PushReceiver* TargetOpener::open_onward(OpenTarget& target, wire::OpenRequest request) {
  auto stage = forward(std::move(request));
  target.relay = std::make_unique<PushRelay>(*target.pushes, stage->pushes(), *replies_);
  stage->pushes().receive_at(&target.relay->from_next());
  target.forward = stage.get();
  target.stage = std::move(stage);
  return &target.relay->from_peer();
}

std::unique_ptr<RemoteStage> TargetOpener::forward(wire::OpenRequest request) {
  const std::string next = request.route.front();
  if (!config_.routes.contains(next))
    throw ConfigurationError(fmt::format("{} does not forward to {}", config_.server, next));
  request.route.erase(request.route.begin());
  RemoteTarget target{next, std::move(request), next};
  target.opens_again = false;
  return std::make_unique<RemoteStage>(*links_, std::move(target), std::make_unique<ForwardingClient>());
}

}  // namespace eventspace
