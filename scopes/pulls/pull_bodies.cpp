#include "scopes/pulls/pull_bodies.h"

#include <fmt/format.h>

#include <utility>

#include "scopes/pulls/record_parts.h"
#include "scopes/pulls/view_codec.h"
#include "scopes/pulls/view_layout.h"

namespace eventspace {
namespace {

constexpr const char* unreadable = "the server's reply cannot be read";

// Puts the records that arrived ahead in front of the view's own. Returns a fault if their number differs
// from the number that the server sent, otherwise an empty text.
std::string put_in_front(const std::vector<RecordBlock>& ahead, View& view) {
  std::uint64_t came = 0;
  for (const RecordBlock& block : ahead) came += block.bytes.size() / sizeof(TraceTuple);
  const std::uint64_t sent = std::exchange(view.gone_ahead, 0);
  if (came != sent)
    return fmt::format("the server sent {} records ahead of the view; {} arrived", sent, came);
  view.records.put_in_front(ahead);
  return {};
}

class ServedPull final : public ServedOperation {
 public:
  ServedPull(const PullWishes& wishes, PartSink& parts) : records_(parts) {
    static_cast<PullWishes&>(pull_) = wishes;
    pull_.ahead = &records_;
  }
  [[nodiscard]] OperationBody& body() noexcept { return pull_; }

  void send_parts(Operation& /*operation*/) override { records_.offer(pull_.view); }
  void write_reply(Operation& operation, wire::Message& reply) override {
    if (operation.status == Status::ok) write_view(pull_.view, reply);
  }

 private:
  Pull pull_;
  RecordParts records_;
};

class PullKind final : public TargetKind {
 public:
  explicit PullKind(TargetFactory open) : open_(std::move(open)) {}

  [[nodiscard]] bool takes(Verb verb) const noexcept override { return verb == Verb::pull; }
  [[nodiscard]] std::unique_ptr<Stage> open(Bytes spec, LinkPool& links) const override {
    return open_(spec, links);
  }
  [[nodiscard]] std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                              PartSink& parts) const override {
    const auto wishes = wire::decoded<PullWishes>(body);
    if (!wishes) return nullptr;
    auto served = std::make_unique<ServedPull>(*wishes, parts);
    operation.body = &served->body();
    return served;
  }

 private:
  TargetFactory open_;
};

}  // namespace

std::optional<std::vector<std::byte>> PullClient::spec() {
  if (!config_.spec_behind) return std::nullopt;
  return config_.spec_behind(confirmed_.list());
}

void PullClient::write_request(const Operation& operation, wire::Message& request) const {
  wire::append<PullWishes>(request, pull_of(operation));
}

std::string PullClient::read_reply(Operation& operation, const ReplyBody& reply) {
  if (operation.status != Status::ok) return {};
  auto view = read_view(reply.body, reply.message);
  if (!view) return unreadable;
  std::vector<RecordBlock> ahead;
  for (const ReplyPart& part : reply.parts) {
    auto block = read_record_part(part);
    if (!block) return unreadable;
    ahead.push_back(std::move(*block));
  }
  std::string incomplete = put_in_front(ahead, *view);
  if (!incomplete.empty()) return incomplete;
  for (ProcessReport& process : view->processes) {
    if (reply.clocks) process.relation = process.relation.then(*reply.clocks);
  }
  Pull& pull = pull_of(operation);
  pull.view = std::move(*view);
  if (config_.spec_behind) arrived_ = pull.view.positions;
  return {};
}

void PullClient::fail(Operation& operation) {
  const bool silent = operation.status == Status::timed_out || operation.status == Status::closed;
  Missing missing = config_.known_as;
  missing.cause = silent ? MissingCause::no_answer : MissingCause::refused;
  missing.detail = operation.reason;
  View& view = pull_of(operation).view;
  view.clear();
  view.missing.push_back(std::move(missing));
}

std::shared_ptr<const TargetKind> pull_kind(TargetFactory open) {
  return std::make_shared<PullKind>(std::move(open));
}

}  // namespace eventspace
