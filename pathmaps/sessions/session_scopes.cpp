#include "pathmaps/sessions/session_scopes.h"

#include <utility>

#include "pathmaps/hosting/segment_attendant.h"
#include "pathmaps/hosting/segment_search.h"
#include "pathmaps/plan/plan_names.h"
#include "scopes/scope_builder.h"

namespace eventspace {

struct SessionScopes::State {
  State(std::shared_ptr<const Plan> of_session, std::function<void(const std::string&)> warn)
      : plan(std::move(of_session)),
        names(plan),
        segments(segments_of_machine(*plan, plan->name)),
        attendant(segments, std::move(warn)) {}

  std::shared_ptr<const Plan> plan;
  NamesOfPlan names;
  LocalSegments segments;
  SegmentAttendant attendant;
};

SessionScopes::SessionScopes(std::shared_ptr<const Plan> plan, std::function<void(const std::string&)> warn)
    : state_(std::make_unique<State>(std::move(plan), std::move(warn))) {}
SessionScopes::~SessionScopes() = default;

// The plan is without trace elements, so a tree may not name any.
std::shared_ptr<const TargetKind> SessionScopes::target_kind(Steering steering) {
  return scope_target_kind(
      state_->plan->name, state_->names, state_->segments, state_->plan->scopes_fingerprint, {},
      &state_->plan->wrappers, nullptr, [](const SourceRef&) { return false; }, steering);
}

Attendant& SessionScopes::attendant() noexcept { return state_->attendant; }

}  // namespace eventspace
