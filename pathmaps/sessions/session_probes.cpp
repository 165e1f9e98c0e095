#include "pathmaps/sessions/session_probes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "scopes/tree/name_table.h"
#include "scopes/tree/own_numbers.h"
#include "tuplespace/system/plain_text.h"

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
                                  *thread, 0, probes_threshold}};
  const auto index = segment_->add_traces(spec);
  if (!index) return std::nullopt;
  auto recorded =
      is_planned ? probing_thread.recorded : std::make_shared<const SwitchedThread>(config_.collecting);
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
  if (!add_name(OwnNameOf::thread, own_number, fmt::format("{}:{}", config_.process, tid)))
    return std::nullopt;
  return own_number;
}

std::uint32_t SessionProbes::number_of(std::string_view name, std::string_view values) {
  std::string plain =
      made_plain(name.empty() ? std::string_view("(unnamed)") : name, NameTable::longest_name);
  auto known = numbers_.find(plain);
  if (known == numbers_.end()) {
    if (numbers_.size() >= most_probe_names && plain != more_probe_names)
      return number_of(more_probe_names, {});
    const std::uint32_t number = probe_number(plain);
    if (!add_name(OwnNameOf::probe, number, plain)) return 0;
    known = numbers_.emplace(std::move(plain), number).first;
  }
  if (!values.empty() && with_values_.insert(known->second).second)
    (void)add_name(OwnNameOf::values, known->second,
                   values);  // without them they are called value1, value2 ...
  return known->second;
}

bool SessionProbes::add_name(OwnNameOf of, std::uint32_t number, std::string_view text) {
  return segment_->add_name(
      {static_cast<std::uint16_t>(of), number, made_plain(text, NameTable::longest_name)});
}

}  // namespace eventspace
