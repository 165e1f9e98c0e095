#include "scopes/metrics/evaluation/event_pass.h"

#include <algorithm>

#include "scopes/metrics/records/region_records.h"

namespace eventspace::metrics {

std::span<const TraceTuple> EventPass::piece_of(std::span<const TraceTuple> records) noexcept {
  constexpr std::size_t most = 2048;  // 128 KiB
  std::size_t size = std::min(records.size(), most);
  while (size < records.size() && header_of(records[size - 1]).is_continuation()) ++size;
  return records.first(size);
}

void EventPass::learn(ClassOfEvents& known, const TraceTuple& record) {
  conclude(known);  // another class was in this place
  if (adding_ == &known) adding_ = nullptr;
  known.of = class_of(record) + 1;
  known.needed_by.clear();
  for (const Consumer& consumer : consumers_)
    if (consumer.history->needs(record)) known.needed_by.push_back(consumer);
  known.is_needed = !known.needed_by.empty();
  known.is_plain = std::ranges::all_of(known.needed_by, [&](const Consumer& consumer) {
    return consumer.history->classes().of(record).is_plain;
  });
  known.fields = SummedFields{};
  for (const Consumer& consumer : known.needed_by) {
    const auto asked = known.is_plain ? consumer.history->classes().summed_up(record) : std::nullopt;
    if (!asked) known.fields.reset();
    if (!known.fields) break;
    if (asked->bytes.mask != 0) known.fields->bytes = asked->bytes;
    if (asked->calls.mask != 0) known.fields->calls = asked->calls;
  }
}

bool EventPass::count(const TimedEvents::Event& event, std::span<const TraceTuple> run) {
  ClassOfEvents& known = class_with(*event.last);
  if (!known.is_plain) return false;
  const double began_ns = event.began_ns();
  for (const Consumer& consumer : known.needed_by)
    if (!is_after(began_ns, consumer.moments->start_ns)) return false;
  if (!known.fields) {
    for (const Consumer& consumer : known.needed_by) consumer.history->count_run(event, run);
    needed_ += run.size();
    return true;
  }
  if (known.first == nullptr || known.element != event.last->words[2] || event.last->words[1] < known.from) {
    conclude(known);
    known.first = event.last;
    known.element = event.last->words[2];
    known.from = event.last->words[1];
    known.process = event.process->process;
  }
  adding_ = &known;
  add_up(run);
  return true;
}

std::size_t EventPass::add_up(std::span<const TraceTuple> records) noexcept {
  if (adding_ == nullptr) return 0;
  const std::uint64_t of = adding_->of - 1;
  const std::uint64_t element = adding_->element;
  const std::uint64_t from = adding_->from;
  const SummedFields fields = *adding_->fields;
  EventHistory::Sum sum;
  std::size_t size = 0;
  for (; size < records.size(); ++size) {
    const TraceTuple& record = records[size];
    const bool goes_on = record.words[2] == element && (record.words[3] & class_bits) == of &&
                         record.words[4] != 0 && record.words[1] >= from;
    if (!goes_on) break;
    sum.bytes += fields.bytes.of(record);
    sum.calls += fields.calls.of(record);
  }
  adding_->sum.events += size;
  adding_->sum.bytes += sum.bytes;
  adding_->sum.calls += sum.calls;
  return size;
}

void EventPass::conclude(ClassOfEvents& known) {
  if (known.first == nullptr) return;
  for (const Consumer& consumer : known.needed_by)
    consumer.history->add_sum(*known.first, known.process, known.sum);
  needed_ += known.sum.events;
  known.first = nullptr;
  known.sum = {};
}

void EventPass::forget_sums() noexcept {
  adding_ = nullptr;
  for (ClassOfEvents& known : classes_) {
    known.first = nullptr;
    known.sum = {};
  }
}

}  // namespace eventspace::metrics
