#include "paths/links/open_requests.h"

#include <utility>

namespace eventspace {

OpenRequests::Request& OpenRequests::add(std::uint64_t id, Waker* waker, bool only_here) {
  Request& request = requests_[id];
  request.waker = waker;
  request.only_here = only_here;
  count(request, 1);
  return request;
}

OpenRequests::Request* OpenRequests::find(std::uint64_t id) noexcept {
  const auto found = requests_.find(id);
  return found == requests_.end() ? nullptr : &found->second;
}

OpenRequests::Request* OpenRequests::find_open(std::uint64_t id) noexcept {
  Request* const request = find(id);
  return request != nullptr && !request->reply ? request : nullptr;
}

void OpenRequests::count(const Request& request, std::ptrdiff_t by) noexcept {
  if (request.reply) return;
  open_ += by;
  if (request.waker != nullptr) with_waker_ += by;
}

void OpenRequests::remove(std::uint64_t id) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  count(found->second, -1);
  requests_.erase(found);
}

void OpenRequests::watch(std::uint64_t id, Waker* waker) {
  Request* const request = find(id);
  if (request == nullptr) return;
  count(*request, -1);
  request->waker = waker;
  count(*request, 1);
}

bool OpenRequests::add_part(Request& request, const wire::ParsedHeader& parsed,
                            std::shared_ptr<const void> message) {
  request.part_bytes += parsed.envelope.size() + parsed.body.size();  // everything that the part keeps
  const bool too_much = request.part_bytes > max_part_bytes_ || request.parts.size() >= max_parts_;
  const bool has_empty_envelope = parsed.envelope.size() == 1;
  if (parsed.body.empty() || !has_empty_envelope || too_much) return false;
  request.parts.push_back({std::move(message), parsed.body});
  return true;
}

void OpenRequests::settle(Request& request, Reply reply) {
  count(request, -1);
  request.reply = std::move(reply);
  if (Waker* const waker = std::exchange(request.waker, nullptr)) waker->wake();
}

void OpenRequests::lose(bool ended) {
  for (auto& [id, request] : requests_) {
    if (!request.reply && (request.sent || request.only_here || ended))
      settle(request, Reply::lost(request.sent));
  }
}

void OpenRequests::refuse(Which which, const wire::Failure& failure, std::uint64_t connection) {
  for (auto& [id, request] : requests_) {
    if (request.reply || (which == Which::sent && !request.sent)) continue;
    const auto message = std::make_shared<const wire::Message>(wire::encode(id, failure));
    settle(request, {wire::parse_header(*message, message->size()), message, connection});
  }
}

std::optional<Reply> OpenRequests::take(std::uint64_t id) {
  const auto found = requests_.find(id);
  if (found == requests_.end() || !found->second.reply) return std::nullopt;
  std::optional<Reply> reply = std::move(found->second.reply);
  requests_.erase(found);
  return reply;
}

}  // namespace eventspace
