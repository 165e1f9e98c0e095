#include "paths/bodies/forwarding.h"

namespace eventspace {
namespace {

ForwardedBody& forwarded(Operation& operation) { return static_cast<ForwardedBody&>(*operation.body); }

class ServedForward final : public ServedOperation {
 public:
  ServedForward(Bytes body, PartSink& parts) : parts_(&parts) {
    body_.request.assign(body.begin(), body.end());
  }

  [[nodiscard]] OperationBody& body() noexcept { return body_; }

  void send_parts(Operation& /*operation*/) override {
    for (const ReplyPart& part : body_.parts) {
      parts_->send(
          [&](wire::Message& message) { message.insert(message.end(), part.body.begin(), part.body.end()); });
    }
    body_.parts.clear();
  }
  void write_reply(Operation& /*operation*/, wire::Message& reply) override {
    reply.insert(reply.end(), body_.reply.begin(), body_.reply.end());
  }
  [[nodiscard]] std::optional<ClockRelation> clocks() const override { return body_.clocks; }

 private:
  ForwardedBody body_;
  PartSink* parts_;
};

}  // namespace

void ForwardingClient::write_request(const Operation& operation, wire::Message& request) const {
  const auto& body = static_cast<const ForwardedBody&>(*operation.body).request;
  request.insert(request.end(), body.begin(), body.end());
}

std::string ForwardingClient::read_reply(Operation& operation, const ReplyBody& reply) {
  ForwardedBody& body = forwarded(operation);
  body.reply = reply.body;
  body.message = reply.message;
  body.parts.assign(reply.parts.begin(), reply.parts.end());
  body.clocks = reply.clocks;
  return {};
}

std::unique_ptr<ServedOperation> forward_request(Bytes body, Operation& operation, PartSink& parts) {
  auto served = std::make_unique<ServedForward>(body, parts);
  operation.body = &served->body();
  return served;
}

}  // namespace eventspace
