#include "scopes/streams/processes/ancestry.h"

#include <fmt/format.h>

#include <utility>

namespace eventspace::streams {
namespace {

RemoteTarget target_of(const AttachPoint& point, const Ancestry::Self& self, const RankSet& ranks) {
  RemoteTarget target;
  target.endpoint = point.endpoint;
  target.open.kind = target_name;
  target.open.spec = encode_spec(point, self.part, ranks, self.endpoint);
  target.open.held = true;  // it ends with the connection, so it needs no lease
  target.node = "the network " + point.network;
  target.opens_again = false;
  return target;
}

}  // namespace

Ancestry::Ancestry(StreamNode& node, LinkPool& links, AttachPoint point, Self self,
                   std::function<void()> news)
    : node_(&node),
      links_(&links),
      point_(std::move(point)),
      self_(std::move(self)),
      news_(std::move(news)) {}

Ancestry::~Ancestry() {
  step_ = Step::ended;  // the end is reported by the stage
}

void Ancestry::begin(Waker* waker, Deadline deadline) {
  waker_ = waker;
  attach_at(point_.endpoint, deadline);
}

void Ancestry::attach_at(const std::string& endpoint, Deadline deadline) {
  step_ = Step::attaching;
  stage_.reset();
  point_.endpoint = endpoint;
  // A back-end keeps the rank that it was given.
  if (self_.part == Part::back_end && node_->is_welcome()) point_.rank = node_->ranks().at(0);
  stage_ = std::make_unique<RemoteStage>(
      *links_, target_of(point_, self_, self_.part == Part::internal ? node_->ranks() : RankSet()));
  stage_->pushes().receive_at(this);
  operation_ = {};
  operation_.waker = waker_;
  operation_.deadline = deadline;
  stage_->begin(operation_);
}

void Ancestry::look() {
  if (step_ != Step::ended && !node_->why_over().empty()) return end(node_->why_over());
  if (step_ == Step::attaching && stage_->ready(operation_)) conclude();
  if (step_ == Step::attaching && operation_.deadline.passed()) conclude();
  if (step_ == Step::lost && again_.passed()) try_refuge();
}

Deadline Ancestry::due() const {
  if (step_ == Step::attaching) return earlier(operation_.deadline, Deadline::after(between_looks));
  return step_ == Step::lost ? again_ : Deadline::never();
}

void Ancestry::conclude() {
  stage_->finish(operation_);
  if (operation_.status == Status::ok) {
    step_ = Step::attached;
    adopted_by_.reset();
    return node_->set_parent(&stage_->pushes(), point_.endpoint);
  }
  std::string why = fmt::format("cannot attach to {}: {}", target_name,
                                operation_.reason.empty() ? to_string(operation_.status) : operation_.reason);
  if (!adopted_by_) return end(std::move(why));
  step_ = Step::lost;
  again_ = Deadline::after(between_looks);
  if (goes_on(why)) return;
  end("the parent process was lost, and no other process accepts this one; the last error: " + why);
}

// A refuge may not have noticed yet that the process between has gone, and a sibling may not yet know that it
// should accept. A sibling is given up after some time, as it may never learn that.
bool Ancestry::goes_on(const std::string& why) {
  const bool is_early = why.find(still_attached) != std::string::npos;
  const bool is_sibling = next_refuge_ < refuges_.siblings;
  if (!is_early || (is_sibling && waits_for_it_.passed())) {
    ++next_refuge_;
    waits_for_it_ = Deadline::after(patience);
  }
  return next_refuge_ < refuges_.endpoints.size() && !adopted_by_->passed();
}

void Ancestry::try_refuge() {
  if (!adopted_by_) {
    adopted_by_ = Deadline::after(adopt_within);
    refuges_ = node_->refuges().list(node_->ranks());
    next_refuge_ = 0;
    waits_for_it_ = Deadline::after(patience);
  }
  if (refuges_.endpoints.empty()) return end("the connection to the parent was lost");
  attach_at(refuges_.endpoints[next_refuge_], earlier(*adopted_by_, Deadline::after(patience)));
}

void Ancestry::end(std::string why) {
  step_ = Step::ended;
  fault_ = std::move(why);
  node_->end(fault_);
}

void Ancestry::receive(Bytes body) {
  node_->receive_from_parent(body);
  news_();
}

void Ancestry::granted() {
  node_->look_at(std::nullopt);
  news_();
}

// Called by the stage, which must not be replaced here; look() continues.
void Ancestry::ended() {
  if (step_ != Step::attached) return;
  step_ = Step::lost;
  again_ = Deadline::now();
  node_->lose_parent();
  news_();
}

}  // namespace eventspace::streams
