#include "monitors/probing/attaching/attached_segment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "collectors/clock.h"
#include "collectors/record_header.h"
#include "pathmaps/plan/session_plan.h"
#include "paths/views/view.h"
#include "scopes/tree/local_ids.h"
#include "scopes/tree/name_table.h"
#include "tuplespace/system/fnv.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::uint16_t class_of(OwnNameOf of) noexcept { return static_cast<std::uint16_t>(of); }
static_assert(class_of(OwnNameOf::site) < attached_segment_mark);

std::uint32_t number_of_thread(std::size_t place) {
  return *local_ids_of(dynamic_process) + static_cast<std::uint32_t>(place);
}

std::string name_of_thread(const std::string& process, std::size_t place) {
  return fmt::format("{}:t{}", process, place + 1);
}

Segment::Config config_of(const std::string& session, const std::string& process) {
  check_session_name(session);
  Segment::Config config;
  config.identity = {session, own_node_name(), process, 0};
  config.clock = Clock::instance().calibration();
  for (std::size_t i = 0; i < AttachedSegment::max_threads; ++i) {
    const std::uint32_t number = number_of_thread(i);
    config.threads.push_back(number);
    config.traces.push_back({fmt::format("{}/probes", name_of_thread(process, i)), number, number, number, 0,
                             recorded::threshold});
  }
  return config;
}

}  // namespace

AttachedSegment::AttachedSegment(const std::string& session, const std::string& process)
    : segment_(config_of(session, process)), tids_(max_threads, 0) {
  (void)segment_.add_name({attached_segment_mark, 0, process});
  for (std::size_t i = 0; i < max_threads; ++i) {
    numbers_.push_back(number_of_thread(i));
    (void)segment_.add_name({class_of(OwnNameOf::thread), numbers_.back(), name_of_thread(process, i)});
  }
}

std::uint32_t AttachedSegment::number_of(const std::string& function,
                                         const std::vector<std::string>& values) {
  const std::string name = made_plain(function, NameTable::longest_name);
  const std::uint32_t number = std::max<std::uint32_t>(fnv1a<std::uint32_t>(name), 1);
  (void)segment_.add_name({class_of(OwnNameOf::probe), number, name});
  if (values.empty()) return number;
  // The texts are separated by commas.
  std::string texts = fmt::format("{}", fmt::join(values, ","));
  (void)segment_.add_name({class_of(OwnNameOf::values), number, made_plain(texts, NameTable::longest_name)});
  return number;
}

RecordedProbes AttachedSegment::recorded() const {
  RecordedProbes probes;
  probes.file = segment_.path();
  struct ::stat facts {};
  if (::stat(probes.file.c_str(), &facts) == 0) probes.inode = facts.st_ino;
  probes.bytes = segment_.bytes();
  for (std::size_t i = 0; i < max_threads; ++i)
    probes.rings[i] = {segment_.block_offset(i), record_words::thread_path(numbers_[i], numbers_[i])};
  return probes;
}

void AttachedSegment::refresh(const std::vector<std::int32_t>& tids, std::uint64_t unrecorded) {
  for (std::size_t i = 0; i < std::min(tids.size(), tids_.size()); ++i) {
    if (tids[i] == tids_[i]) continue;
    tids_[i] = tids[i];
    segment_.bind_thread(i, tids[i]);
  }
  // The process may have written any number there.
  if (unrecorded > unrecorded_)
    segment_.count_unrecorded(unrecorded - std::exchange(unrecorded_, unrecorded));
}

}  // namespace eventspace
