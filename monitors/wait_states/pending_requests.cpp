#include "monitors/wait_states/pending_requests.h"

#include <algorithm>

namespace eventspace {

// Numbers of requests ascend, but a persistent request keeps its number.
void PendingRequests::begin(std::uint32_t process, const PendingRequest& request) {
  auto& open = processes_[process].messages;
  open.insert_or_assign(request.number, request);
  if (open.size() <= most) return;
  open.erase(open.begin());
  ++left_out_;
}

const PendingRequest* PendingRequests::find(std::uint32_t process, std::uint32_t number) const {
  const auto of = processes_.find(process);
  if (of == processes_.end()) return nullptr;
  const auto known = of->second.messages.find(number);
  return known == of->second.messages.end() ? nullptr : &known->second;
}

std::optional<PendingRequest> PendingRequests::complete(std::uint32_t process, std::uint32_t number) {
  const PendingRequest* const known = find(process, number);
  if (known == nullptr) return std::nullopt;
  const PendingRequest request = *known;
  processes_[process].messages.erase(number);
  return request;
}

std::optional<PendingRequest> PendingRequests::complete_send(std::uint32_t process,
                                                             const MpiCallRecord& awaited) {
  const auto is_like = [&awaited](const auto& one) {
    const PendingRequest& request = one.second;
    return request.message != 0 && request.record.partner == awaited.partner &&
           request.record.tag == awaited.tag && request.record.communicator == awaited.communicator;
  };
  auto& open = processes_[process].messages;
  const auto known = std::ranges::find_if(open, is_like);
  return known == open.end() ? std::nullopt : complete(process, known->first);
}

void PendingRequests::begin(std::uint32_t process, const Partners::Member& member) {
  auto& open = processes_[process].operations;
  open.insert_or_assign(member.operation, member);
  if (open.size() <= most) return;
  open.erase(open.begin());
  ++left_out_;
}

std::optional<Partners::Member> PendingRequests::complete(std::uint32_t process,
                                                          const Partners::Operation& operation) {
  auto& open = processes_[process].operations;
  const auto known = open.find(operation);
  if (known == open.end()) return std::nullopt;
  const Partners::Member member = known->second;
  open.erase(known);
  return member;
}

}  // namespace eventspace
