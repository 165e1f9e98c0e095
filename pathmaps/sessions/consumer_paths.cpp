#include "pathmaps/sessions/consumer_paths.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "pathmaps/plan/session_plan.h"
#include "pathmaps/sessions/own_process.h"
#include "paths/views/view.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

// Segments of one process need different names.
std::string next_process_name() {
  static std::atomic<unsigned> made{0};
  const unsigned number = ++made;
  const std::string name = own_process_name() + "/scopes";
  return number == 1 ? name : made_plain(name + std::to_string(number), segment_name_bytes - 1);
}

std::shared_ptr<const Plan> plan_of_consumer(const std::string& session) {
  return plan_of_dynamic_process(session, own_node_name(), next_process_name());
}

/// Adds the nodes below `node` that run on other servers.
void find_asked(const ScopeNode& node, std::vector<const ScopeNode*>& asked) {
  for (const ScopeNode& child : node.children) {
    if (child.endpoint.empty()) {
      find_asked(child, asked);
    } else {
      asked.push_back(&child);
    }
  }
}

/// "ask/NODE", or "ask/NODE/K" for several parts of that node.
std::string path_to(const ScopeTree& part, const ScopeNode& child) {
  std::vector<const ScopeNode*> asked;
  find_asked(part.root, asked);
  std::erase_if(asked, [&](const ScopeNode* other) { return other->node != child.node; });
  if (asked.size() == 1) return "ask/" + child.node;
  const auto position = std::ranges::find(asked, &child) - asked.begin();
  return fmt::format("ask/{}/{}", child.node, position + 1);
}

}  // namespace

struct ConsumerPaths::Recorded {
  Recorded(GrowingTraces::Place place, const RecordedThread& thread)
      : hold(std::move(place.hold)),
        log(place.writer, {place.thread, place.path, no_peer, 0}, thread, Clock::instance()) {}
  std::shared_ptr<const void> hold;  // before the log, which writes to its memory
  PullLog log;
};

ConsumerPaths::ConsumerPaths(const std::string& session)
    : host_(plan_of_consumer(session), ProcessIndex(0), session, true),
      traces_(*host_.segment(),
              {.spares = {}, .thread_names = static_cast<std::uint16_t>(OwnNameOf::thread)}) {}
ConsumerPaths::~ConsumerPaths() = default;

std::unique_ptr<Stage> ConsumerPaths::answer(const ScopeTree& part, std::unique_ptr<Stage> next) {
  return collect(part, "answer", PullEnd::finished, std::move(next));
}

std::unique_ptr<Stage> ConsumerPaths::ask(const ScopeTree& part, const ScopeNode& child,
                                          std::unique_ptr<Stage> next) {
  return collect(part, path_to(part, child), PullEnd::ready, std::move(next));
}

std::unique_ptr<Stage> ConsumerPaths::collect(const ScopeTree& part, const std::string& path, PullEnd end,
                                              std::unique_ptr<Stage> next) {
  if (part.consumer_pulls == 0) return next;
  const auto [known, is_new] = recorded_.try_emplace(fmt::format("{}/{}", part.scope, path));
  if (is_new) known->second = record(part, path);
  return known->second ? make_pull_collector(std::move(next), known->second->log, end) : std::move(next);
}

// Names first: a reader that finds the trace element has its names.
std::unique_ptr<ConsumerPaths::Recorded> ConsumerPaths::record(const ScopeTree& part,
                                                               const std::string& path) {
  const auto tid = static_cast<std::int32_t>(::gettid());
  const std::string& process = host_.plan().processes[ProcessIndex(0)].name;
  const auto [thread, is_new] = threads_.try_emplace(part.scope);
  if (is_new) thread->second = numbers_.take(static_cast<std::uint32_t>(tid));
  const auto number = numbers_.take(static_cast<std::uint32_t>(tid));
  if (number) host_.segment()->add_name({static_cast<std::uint16_t>(OwnNameOf::path), *number, path});
  auto place =
      traces_.writer_for({thread->second, tid, false, fmt::format("{}/{}", process, part.scope)},
                         {number, made_plain(fmt::format("{}/{}", part.scope, path), segment_name_bytes - 1),
                          part.consumer_pulls, false});
  return place ? std::make_unique<Recorded>(std::move(*place), host_.elsewhere()) : nullptr;
}

}  // namespace eventspace
