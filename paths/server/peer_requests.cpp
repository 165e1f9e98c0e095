#include "paths/server/peer_requests.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace eventspace {

using wire::Fault;

bool PeerRequests::admit(const Asked& asked) {
  if (parts_.targets.is_crowded_for(asked.peer)) parts_.operations.release_gone_peers();
  const OpenTargets::Admission admission = parts_.targets.admit(asked.peer, asked.id);
  parts_.counters.connections.store(parts_.targets.peers());
  if (admission == OpenTargets::Admission::replayed) {
    refuse(asked, Fault::replayed,
           fmt::format("request id {} is not larger than the last one of this connection", asked.id));
  } else if (admission == OpenTargets::Admission::too_many) {
    refuse(asked, Fault::busy,
           fmt::format("{} others are connected here; `limits: connections` allows no more",
                       parts_.targets.peers()));
  }
  return admission == OpenTargets::Admission::admitted;
}

void PeerRequests::perform(const Asked& asked, const wire::ParsedHeader& parsed) {
  try {
    dispatch(asked, parsed);
  } catch (const std::exception& error) {
    // From a receiver of pushes, or out of memory: a request must not end the server.
    refuse(asked, Fault::body, error.what());
  }
}

void PeerRequests::dispatch(const Asked& asked, const wire::ParsedHeader& parsed) {
  switch (parsed.header.kind) {
    case wire::Kind::open:
      return open(asked, wire::decode<wire::OpenRequest>(parsed.envelope));
    case wire::Kind::close:
      return close(asked, wire::decode<wire::CloseRequest>(parsed.envelope));
    case wire::Kind::operate:
      return operate(asked, wire::decode<wire::OperateRequest>(parsed.envelope), parsed.body);
    case wire::Kind::ping:
      return parts_.replies.answer(asked, report_());
    case wire::Kind::cancel:
      return cancel(asked, wire::decode<wire::Cancel>(parsed.envelope));
    case wire::Kind::push:
      return push(asked, wire::decode<wire::Push>(parsed.envelope), parsed.body);
    case wire::Kind::credit:
      return on_credit(asked, wire::decode<wire::Credit>(parsed.envelope));
    default:
      return refuse(asked, Fault::kind, "only servers send messages of this kind");
  }
}

void PeerRequests::open(const Asked& asked, std::optional<wire::OpenRequest> request) {
  if (!request) return refuse(asked, Fault::body, "the open request cannot be read");
  if (asked.role == Role::observer && !observable_.contains(request->kind)) {
    return refuse(asked, Fault::verb,
                  "an observer may only pull through scopes: the token of `eventspace share` gives no more");
  }
  parts_.opener.open(asked, std::move(*request));
  parts_.counters.open_targets.store(parts_.targets.size());
}

void PeerRequests::close(const Asked& asked, std::optional<wire::CloseRequest> request) {
  if (!request) return refuse(asked, Fault::body, "the close request cannot be read");
  if (request->target == 0) {
    parts_.opener.forget(asked.peer, request->opened_by);
    request->target = parts_.targets.opened_by(asked.peer, request->opened_by);
  }
  if (parts_.targets.find(asked.peer, request->target) == nullptr)
    return refuse(asked, Fault::target, "no such target is open");
  parts_.operations.close(asked.peer, request->target, request->why);
  parts_.counters.open_targets.store(parts_.targets.size());
  parts_.replies.send(asked.peer, wire::encode(wire::Kind::closed, asked.id));
}

void PeerRequests::operate(const Asked& asked, const std::optional<wire::OperateRequest>& request,
                           Bytes body) {
  if (!request) return refuse(asked, Fault::body, "the operation cannot be read");
  if (asked.role == Role::observer && request->verb != Verb::pull)
    return refuse(asked, Fault::verb, "an observer may only pull");
  OpenTarget* target = parts_.targets.find(asked.peer, request->target);
  if (target != nullptr && target->pending != 0) {
    // A peer that sends another operation has given this one up. Ending it may remove the target.
    parts_.operations.end_now(target->pending);
    target = parts_.targets.find(asked.peer, request->target);
  }
  if (target == nullptr) return refuse(asked, Fault::target, "no such target is open");
  parts_.operations.begin(asked, *target, *request, body);
}

void PeerRequests::cancel(const Asked& asked, const std::optional<wire::Cancel>& cancel) {
  if (!cancel) return refuse(asked, Fault::body, "the cancellation cannot be read");
  const OpenTarget* const target = parts_.targets.find(asked.peer, cancel->target);
  if (target == nullptr) return refuse(asked, Fault::target, "no such target is open");
  parts_.operations.cancel(*target, cancel->request);
}

void PeerRequests::push(const Asked& asked, const std::optional<wire::Push>& push, Bytes body) {
  if (!push) return refuse(asked, Fault::body, "the message cannot be read");
  OpenTarget* const target = parts_.targets.find(asked.peer, push->target);
  if (target == nullptr) return refuse(asked, Fault::target, "no such target is open");
  if (!target->pushes->receive(body))
    refuse(asked, Fault::credit, "the target accepts no messages, or no more than it has granted");
}

void PeerRequests::on_credit(const Asked& asked, const std::optional<wire::Credit>& credit) {
  if (!credit) return refuse(asked, Fault::body, "the grant cannot be read");
  OpenTarget* const target = parts_.targets.find(asked.peer, credit->target);
  if (target == nullptr) return refuse(asked, Fault::target, "no such target is open");
  target->pushes->on_credit(credit->up_to);
}

void PeerRequests::refuse(const Asked& asked, Fault fault, const std::string& text) {
  parts_.replies.refuse(asked.peer, asked.id, fault, text);
}

}  // namespace eventspace
