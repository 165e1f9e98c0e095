#include "tests/monitors/top/top_story.h"
#include "scopes/tree/newest_of_each.h"

#include <algorithm>
#include <stdexcept>

namespace eventspace::testing_commands {
namespace {

std::uint64_t ticks_at(std::int64_t ms) { return static_cast<std::uint64_t>(100'000 + ms) * 1'000'000; }

}  // namespace

TopStory::TopStory(Plan plan, const std::string& scope)
    : plan_(std::make_shared<const Plan>(std::move(plan))),
      names_(plan_),
      model_(*plan_, names_, newest_of_each(*plan_->find_scope(scope)), std::chrono::seconds(2)) {}

std::pair<std::uint32_t, std::uint32_t> TopStory::numbers(const std::string& thread,
                                                          const std::string& path) const {
  const ThreadIndex owner = plan_->find_thread(thread).value();
  for (const PathIndex i : plan_->paths.indices()) {
    if (plan_->paths[i].thread == owner && plan_->paths[i].name == path)
      return {owner.number32(), i.number32()};
  }
  throw std::out_of_range(thread + "/" + path);
}

TopStory& TopStory::counted(const std::string& thread, const std::string& path, std::uint64_t events,
                            std::int64_t ended_ms, std::int64_t took_us) {
  const auto key = numbers(thread, path);
  EventRecord& record = last_[key];
  record.sequence = events;
  record.thread = key.first;
  record.path = key.second;
  record.verb = plan_->paths[PathIndex(key.second)].use == PathUse::write ? Verb::write : Verb::take;
  if (const auto peer = plan_->paths[PathIndex(key.second)].peer) record.peer = peer->number32();
  record.start = ticks_at(ended_ms) - static_cast<std::uint64_t>(took_us) * 1000;
  record.end = ticks_at(ended_ms);
  record.status = Status::ok;
  record.bytes = 56;
  record.virtual_time = events / 2;
  return *this;
}

TopStory& TopStory::in_flight(const std::string& thread, const std::string& path, std::int64_t since_ms) {
  const auto key = numbers(thread, path);
  EventRecord record;
  record.thread = key.first;
  record.path = key.second;
  record.verb = plan_->paths[PathIndex(key.second)].use == PathUse::write ? Verb::write : Verb::take;
  if (const auto peer = plan_->paths[PathIndex(key.second)].peer) record.peer = peer->number32();
  record.start = ticks_at(since_ms);
  in_flight_[key] = record;
  return *this;
}

TopStory& TopStory::used(const std::string& thread, std::int64_t cpu_ms, char state) {
  cpu_[plan_->find_thread(thread).value().number32()] = {cpu_ms, state};
  return *this;
}

TopStory& TopStory::started_anew(const std::string& process) {
  const ProcessIndex number = plan_->find_process(process).value();
  ++runs_[number.number()];
  std::erase_if(last_, [&](const auto& entry) {
    return plan_->threads[ThreadIndex(entry.first.first)].is_thread_of(number);
  });
  return *this;
}

TopStory& TopStory::silent(const std::string& node) {
  silent_.push_back(node);
  return *this;
}

TopStory& TopStory::took(const std::string& part, std::chrono::nanoseconds time) {
  times_.push_back({part, time, 0, 0});
  return *this;
}

TopStory& TopStory::server(const std::string& node, top::ServerSample sample) {
  servers_[plan_->find_node(node).value().number()] = std::move(sample);
  return *this;
}

bool TopStory::is_silent(NodeIndex node) const {
  return std::find(silent_.begin(), silent_.end(), plan_->nodes[node].name) != silent_.end();
}

void TopStory::add_processes(View& view) const {
  for (std::size_t i = 0; i < plan_->processes.size(); ++i) {
    const ProcessIndex process(i);
    if (is_silent(plan_->processes[process].node)) continue;
    ProcessReport report;
    report.process = static_cast<std::uint32_t>(i);
    const auto run = runs_.find(i);
    report.pid = 100 + static_cast<std::int32_t>(i) + (run == runs_.end() ? 0 : 1000 * run->second);
    report.start_ticks = static_cast<std::uint64_t>(report.pid);
    report.now_ticks = ticks_at(now_ms_);
    for (std::uint32_t thread = 0; thread < plan_->threads.size(); ++thread) {
      if (!plan_->threads[ThreadIndex(thread)].is_thread_of(process)) continue;
      const auto cpu = cpu_.find(thread);
      const auto [ms, state] = cpu == cpu_.end() ? std::pair<std::int64_t, char>{0, 'S'} : cpu->second;
      report.threads.push_back(
          {thread, 1000 + static_cast<int>(thread), state, static_cast<std::uint64_t>(ms) * 1'000'000});
    }
    view.processes.push_back(report);
  }
}

const top::State& TopStory::look() {
  top::Sample sample;
  View& view = sample.view;
  for (const auto* const records : {&last_, &in_flight_}) {
    for (const auto& [key, record] : *records) {
      if (!is_silent(plan_->node_of(plan_->threads[ThreadIndex(key.first)].host())))
        view.records.push_back(encode(record));
    }
  }
  add_processes(view);
  for (const std::string& node : silent_)
    view.missing.push_back({node, "server of node " + node, MissingCause::no_answer, "", 490});
  view.loss.torn = std::exchange(torn_, 0);
  view.levels = std::exchange(times_, {});
  view.sources_read = view.records.size();
  sample.at = std::chrono::steady_clock::time_point(std::chrono::milliseconds(now_ms_));
  ++looks_;
  sample.cost = {std::chrono::seconds(looks_), std::chrono::milliseconds(4 * looks_), looks_,
                 std::chrono::microseconds(3100 * looks_)};
  sample.traffic.bytes_received = 129'000 * looks_;
  for (const auto& [node, server] : servers_) {
    sample.servers.resize(std::max(sample.servers.size(), node + 1));
    sample.servers[node] = server;
  }
  silent_.clear();
  return model_.observe(sample);
}

const top::ThreadState& TopStory::thread(const std::string& name) const {
  const std::uint32_t number = plan_->find_thread(name).value().number32();
  for (const top::ThreadState& thread : state().threads) {
    if (thread.health.thread == number) return thread;
  }
  throw std::out_of_range(name);
}

}  // namespace eventspace::testing_commands
