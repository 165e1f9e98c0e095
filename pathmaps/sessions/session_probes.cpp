#include "pathmaps/sessions/session_probes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "scopes/tree/local_ids.h"
#include "scopes/tree/name_table.h"
#include "tuplespace/system/fnv.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

/// The session's thread for the calling thread.
struct ProbingThread {
  std::uint64_t host{0};
  std::uint32_t number{0};
  std::shared_ptr<const SwitchedThread> recorded;
  std::size_t trace{0};                   // in which it records its probes
  std::weak_ptr<const void> has_trace{};  // if expired, another thread may have it
};
thread_local ProbingThread probing_thread;  // NOLINT(misc-use-internal-linkage)

/// Never 0. The same in all processes, so that a probe has one number in a session.
std::uint32_t probe_number(std::string_view name) noexcept {
  return std::max<std::uint32_t>(fnv1a<std::uint32_t>(name), 1);
}

constexpr std::uint16_t class_of(OwnNameOf of) noexcept { return static_cast<std::uint16_t>(of); }

}  // namespace

void set_probing_thread(std::uint64_t host, std::uint32_t number,
                        const std::shared_ptr<const SwitchedThread>& recorded) noexcept {
  probing_thread = {host, number, recorded, 0, {}};
  forget_probe_thread();
}

std::optional<std::size_t> trace_of_probes(std::uint64_t host) noexcept {
  if (probing_thread.host != host || probing_thread.has_trace.expired()) return std::nullopt;
  return probing_thread.trace;
}

SessionProbes::SessionProbes(Segment& segment, Config config)
    : segment_(&segment),
      config_(std::move(config)),
      traces_(segment, {.spares = take_spares(),
                        .thread_names = class_of(OwnNameOf::thread),
                        .spare_name = config_.process + ":spare"}) {}

std::vector<std::uint32_t> SessionProbes::take_spares() {
  std::vector<std::uint32_t> spares;
  for (std::uint32_t i = 1; i <= spare_probe_threads; ++i) {
    if (const auto number = config_.numbers->take(local_ids_per_process - i)) spares.push_back(*number);
  }
  return spares;
}

std::optional<ProbeHost::Thread> SessionProbes::add_thread() {
  return add_thread_of({.name = "probes", .threshold = probes_threshold});
}

std::optional<ProbeHost::Thread> SessionProbes::add_thread_of(const Recorder& recorder) {
  const bool is_of_probes = recorder.name == "probes";
  const auto tid = static_cast<std::uint32_t>(::gettid());
  const auto local_id = config_.numbers->take(tid);
  const bool is_known = probing_thread.host == config_.host;
  const bool is_first = recorder.names_first_thread && ::gettid() == ::getpid();
  const std::string name = is_first ? config_.process : fmt::format("{}:{}", config_.process, tid);
  const auto place = traces_.writer_for({is_known ? std::optional(probing_thread.number) : local_id,
                                         static_cast<std::int32_t>(tid), is_known, name},
                                        {.number = local_id,
                                         .name = fmt::format("{}/{}", name, recorder.name),
                                         .threshold = recorder.threshold});
  if (!place) return std::nullopt;
  // Paths of probes stay unnamed: monitors name unnamed paths after probes.
  if (!is_of_probes) (void)add_name(OwnNameOf::path, place->path, recorder.name);
  auto recorded =
      is_known ? probing_thread.recorded : std::make_shared<const SwitchedThread>(config_.collecting);
  // Other recorders in the thread record as the same thread, unless it continues a thread that has ended.
  if (!is_known && local_id == place->thread) probing_thread = {config_.host, place->thread, recorded, 0, {}};
  if (is_of_probes && probing_thread.host == config_.host) {
    probing_thread.trace = place->index;
    probing_thread.has_trace = place->hold;
  }
  const RecordedThread* const of_thread = &recorded->thread;
  return Thread{place->writer,
                {place->thread, place->path, no_peer, 0},
                std::shared_ptr<const RecordedThread>(std::move(recorded), of_thread),
                place->hold};
}

bool SessionProbes::give_name(const OwnName& name) { return add_name(name.of, name.number, name.text); }

std::uint32_t SessionProbes::number_of(std::string_view name, std::string_view values) {
  std::string plain =
      made_plain(name.empty() ? std::string_view("(unnamed)") : name, NameTable::longest_name);
  auto known = numbers_.find(plain);
  if (known == numbers_.end()) {
    if (numbers_.size() >= max_probe_names && plain != more_probe_names)
      return number_of(more_probe_names, {});
    const std::uint32_t number = probe_number(plain);
    if (!add_name(OwnNameOf::probe, number, plain)) return 0;
    known = numbers_.emplace(std::move(plain), number).first;
  }
  if (!values.empty() && with_values_.insert(known->second).second)
    (void)add_name(OwnNameOf::values, known->second,
                   values);  // without names they are shown as value1, value2 ...
  return known->second;
}

bool SessionProbes::add_name(OwnNameOf of, std::uint32_t number, std::string_view text) {
  return segment_->add_name({class_of(of), number, made_plain(text, NameTable::longest_name)});
}

}  // namespace eventspace
