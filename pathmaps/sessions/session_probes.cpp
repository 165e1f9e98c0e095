#include "pathmaps/sessions/session_probes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "paths/views/view.h"
#include "scopes/tree/name_table.h"
#include "scopes/tree/own_numbers.h"

namespace eventspace {
namespace {

/// The thread of the plan that the calling thread is.
struct ProbingThread {
  const void* host{nullptr};
  std::uint32_t number{0};
  std::shared_ptr<const SwitchedThread> recorded;
};
thread_local ProbingThread probing_thread;  // NOLINT(misc-use-internal-linkage)

/// FNV-1a, never 0. The same in all processes, so that a probe has one number in a session.
std::uint32_t probe_number(std::string_view name) noexcept {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash == 0 ? 1 : hash;
}

std::string without_control_characters(std::string_view text) {
  std::string clean(text.substr(0, NameTable::longest_name));
  std::ranges::replace_if(
      clean, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return clean;
}

}  // namespace

void set_probing_thread(const void* host, std::uint32_t number,
                        const std::shared_ptr<const SwitchedThread>& recorded) noexcept {
  probing_thread = {host, number, recorded};
  forget_probe_thread();
}

std::optional<ProbeHost::Thread> SessionProbes::add_thread() {
  const auto tid = static_cast<std::uint32_t>(::gettid());
  const auto own_number = take_own_number(tid);
  if (!own_number) return std::nullopt;
  const bool is_planned = probing_thread.host == config_.host;
  const auto thread = is_planned ? probing_thread.number : register_thread(*own_number, tid);
  if (!thread) return std::nullopt;
  const std::array spec{TraceSpec{fmt::format("{}:{}/probes", config_.process, tid), *own_number, *own_number,
                                  *thread, 0, config_.threshold}};
  const auto index = segment_->add_traces(spec);
  if (!index) return std::nullopt;
  auto recorded = is_planned ? probing_thread.recorded
                             : std::make_shared<const SwitchedThread>(SwitchedThread{config_.enabled});
  const RecordedThread* const of_thread = &recorded->thread;
  return Thread{segment_->writer(*index),
                {*thread, *own_number, no_peer, 0},
                std::shared_ptr<const RecordedThread>(std::move(recorded), of_thread),
                segment_->memory()};
}

std::optional<std::uint32_t> SessionProbes::take_own_number(std::uint32_t tid) {
  const auto first = own_numbers_of(config_.number);
  if (!first || own_numbers_.size() == own_numbers_of_a_process) return std::nullopt;
  std::uint32_t chosen = tid % own_numbers_of_a_process;
  while (!own_numbers_.insert(*first + chosen).second) chosen = (chosen + 1) % own_numbers_of_a_process;
  return *first + chosen;
}

std::optional<std::uint32_t> SessionProbes::register_thread(std::uint32_t own_number, std::uint32_t tid) {
  if (!segment_->add_thread(own_number, static_cast<std::int32_t>(tid))) return std::nullopt;
  const auto of = static_cast<std::uint16_t>(OwnNameOf::thread);
  if (!segment_->add_name({of, own_number, fmt::format("{}:{}", config_.process, tid)})) return std::nullopt;
  return own_number;
}

std::uint32_t SessionProbes::number_of(std::string_view name, std::string_view values) {
  std::string clean = without_control_characters(name.empty() ? std::string_view("(unnamed)") : name);
  const auto known = numbers_.find(clean);
  if (known == numbers_.end() && numbers_.size() >= most_probe_names && clean != more_probe_names)
    return number_of(more_probe_names, {});
  const std::uint32_t number = known == numbers_.end() ? probe_number(clean) : known->second;
  if (!give_name(number, known == numbers_.end() ? clean : std::string_view(), values)) return 0;
  numbers_.emplace(std::move(clean), number);
  return number;
}

// An empty name or text of values is not registered.
bool SessionProbes::give_name(std::uint32_t number, std::string_view name, std::string_view values) {
  const auto add = [&](OwnNameOf of, std::string_view text) {
    return segment_->add_name({static_cast<std::uint16_t>(of), number, without_control_characters(text)});
  };
  if (!name.empty() && !add(OwnNameOf::probe, name)) return false;
  if (!values.empty() && with_values_.insert(number).second) return add(OwnNameOf::values, values);
  return true;
}

}  // namespace eventspace
