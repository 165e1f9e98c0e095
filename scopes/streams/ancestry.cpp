#include "scopes/streams/ancestry.h"

#include <fmt/format.h>

#include <utility>

namespace eventspace::streams {
namespace {

RemoteTarget target_of(const AttachPoint& point, Part part, const RankSet& ranks) {
  RemoteTarget target;
  target.endpoint = point.endpoint;
  target.open.kind = target_name;
  target.open.spec = encode_spec(point, part, ranks);
  target.open.held = true;  // it ends with the connection, and has no lease
  target.node = "the network " + point.network;
  target.opens_again = false;
  return target;
}

}  // namespace

Ancestry::Ancestry(StreamNode& node, LinkPool& links, AttachPoint point, Part part,
                   std::function<void()> news)
    : node_(&node), links_(&links), point_(std::move(point)), part_(part), news_(std::move(news)) {}

Ancestry::~Ancestry() {
  step_ = Step::ended;  // the stage tells its end
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
  if (part_ == Part::back_end && node_->is_welcome()) point_.rank = node_->ranks().at(0);
  stage_ = std::make_unique<RemoteStage>(
      *links_, target_of(point_, part_, part_ == Part::internal ? node_->ranks() : RankSet()));
  stage_->receive_pushes(this);
  operation_ = {};
  operation_.waker = waker_;
  operation_.deadline = deadline;
  stage_->begin(operation_);
}

void Ancestry::look() {
  if (step_ != Step::ended && node_->is_over()) return end(node_->why_over());
  if (step_ == Step::attaching && stage_->ready(operation_)) conclude();
  if (step_ == Step::attaching && operation_.deadline.passed()) conclude();
  if (step_ == Step::lost && again_.passed()) try_ancestor();
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
    return node_->set_parent(stage_.get(), point_.endpoint);
  }
  std::string why = fmt::format("cannot attach to {}: {}", target_name,
                                operation_.reason.empty() ? to_string(operation_.status) : operation_.reason);
  if (!adopted_by_) return end(std::move(why));
  step_ = Step::lost;
  again_ = Deadline::after(between_looks);
  // The process there may not have noticed yet that the one between has gone.
  if (why.find(still_attached) == std::string::npos) ++next_ancestor_;
  if (next_ancestor_ < ancestors_.size() && !adopted_by_->passed()) return;
  end("the process above was lost, and none above it takes this one; the last: " + why);
}

void Ancestry::try_ancestor() {
  if (!adopted_by_) {
    adopted_by_ = Deadline::after(adopt_within);
    ancestors_ = node_->above_parent();
    next_ancestor_ = 0;
  }
  if (ancestors_.empty()) return end("the connection to the parent was lost");
  attach_at(ancestors_[next_ancestor_], earlier(*adopted_by_, Deadline::after(patience)));
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

// Called by the stage, which must not be replaced here: look() goes on.
void Ancestry::ended() {
  if (step_ != Step::attached) return;
  step_ = Step::lost;
  again_ = Deadline::now();
  node_->lose_parent();
  news_();
}

}  // namespace eventspace::streams
