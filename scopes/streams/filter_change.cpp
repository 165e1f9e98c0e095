#include "scopes/streams/filter_change.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/packet.h>
#include <eventspace/streams.h>

namespace eventspace::streams {
namespace {

using FirstPacket = Format<std::uint64_t>;

constexpr const char* too_many =
    "earlier changes of the filters of this stream have not come into effect yet";

}  // namespace

// --- in the front-end -----------------------------------------------------------------------------------

void FilterChange::begin(const std::vector<FilterUse>& up, const std::vector<FilterUse>& down) {
  if (pending_) throw ConfigurationError("the filters of this stream are being replaced already");
  StreamOptions options = options_;
  options.up = up;
  options.down = down;
  prepare(std::move(options), passing_.filters().newest() + 1);
  if (!pending_->failure.empty()) (void)end();  // throws
}

bool FilterChange::has_answers() const {
  return !pending_ || pending_->awaited.empty() || !pending_->failure.empty();
}

std::optional<std::uint64_t> FilterChange::end() {
  if (!pending_) return std::nullopt;
  const std::string failure = pending_->failure;
  if (!failure.empty() || !pending_->awaited.empty()) {
    drop();
    if (!failure.empty()) throw ConfigurationError(failure);
    return std::nullopt;
  }
  const std::uint64_t first_wave =
      std::max(pending_->first_wave, passing_.waves().inputs().next_of_back_ends());
  const std::uint64_t first_packet = passing_.next_down();
  Frame frame{.kind = FrameKind::begin, .stream = stream_, .number = first_wave};
  frame.packet = FirstPacket::make(0, first_packet);
  frame.packet.generation = pending_->generation;
  passing_.flows().post_to_children(frame);
  use(first_wave, first_packet);
  return first_wave;
}

void FilterChange::drop() {
  if (!pending_) return;
  Frame frame{.kind = FrameKind::keep, .stream = stream_};
  frame.packet.generation = pending_->generation;
  passing_.flows().post_to_children(frame);
  forget();
  passing_.pump(WavePassing::Clock::now());
}

// --- in each process ------------------------------------------------------------------------------------

// Makes the new filters, holds the waves, and sends the request to the processes below.
void FilterChange::prepare(StreamOptions options, std::uint32_t generation) {
  Pending& pending = pending_.emplace(Pending{});
  pending.generation = generation;
  pending.options = std::move(options);
  passing_.waves().hold(true);
  try {
    if (passing_.filters().is_full()) throw ConfigurationError(too_many);
    pending.filters = make_filters(pending.options.up, pending.options.down, parent_.part() == Part::back_end,
                                   parent_.place());
  } catch (const std::exception& error) {
    pending.failure = parent_.own(error.what());
    return;
  }
  passing_.flows().post_to_children(*request());
  for (const auto& [child, branch] : passing_.flows().branches()) {
    if (branch.is_process) pending.awaited.insert(child);
  }
}

std::optional<Frame> FilterChange::request() const {
  if (!pending_) return std::nullopt;
  Frame frame{.kind = FrameKind::change, .stream = stream_, .packet = encode(pending_->options)};
  frame.packet.generation = pending_->generation;
  return frame;
}

void FilterChange::on_change(const Frame& frame) {
  if (pending_ || frame.packet.generation <= passing_.filters().newest())
    throw PacketError("new filters while others are being replaced, or of an old generation");
  StreamOptions options = options_;
  const StreamOptions changed = decode_options(frame.packet);
  options.up = changed.up;
  options.down = changed.down;
  prepare(std::move(options), frame.packet.generation);
  if (pending_->awaited.empty()) answer();
}

bool FilterChange::concerns(const Frame& frame) const {
  return pending_ && frame.packet.generation == pending_->generation;
}

void FilterChange::on_agreed(Child child, const Frame& frame) {
  if (!concerns(frame)) return;
  pending_->first_wave = std::max(pending_->first_wave, frame.number);
  if (pending_->failure.empty()) pending_->failure = text_of(frame.packet);
  child_left(child);
}

void FilterChange::child_left(Child child) {
  if (!pending_ || pending_->awaited.erase(child) == 0) return;
  if (pending_->awaited.empty()) answer();
}

void FilterChange::answer() {
  const Part part = parent_.part();
  if (part == Part::front_end || std::exchange(pending_->is_answered, true)) return;
  if (part == Part::back_end && pending_->failure.empty()) return;
  Frame frame{.kind = part == Part::back_end ? FrameKind::refused : FrameKind::agreed, .stream = stream_};
  frame.number = std::max(pending_->first_wave, passing_.waves().inputs().next_of_back_ends());
  frame.packet.generation = pending_->generation;
  frame.packet.body = std::as_bytes(std::span(pending_->failure));
  parent_.post(frame);
}

void FilterChange::on_begin(const Frame& frame) {
  if (!concerns(frame) || !pending_->failure.empty()) return;
  const FirstPacket::Read read(frame.packet);
  passing_.flows().post_to_children(frame);
  use(frame.number, std::get<0>(read.values()));
}

void FilterChange::on_keep(const Frame& frame) {
  if (!concerns(frame)) return;
  passing_.flows().post_to_children(frame);
  forget();
  passing_.pump(WavePassing::Clock::now());
}

void FilterChange::forget() {
  pending_.reset();
  passing_.waves().hold(false);
}

void FilterChange::use(std::uint64_t first_wave, std::uint64_t first_packet) {
  Pending change = std::move(*pending_);
  forget();
  change.options.members = options_.members;  // they may have changed since
  options_ = std::move(change.options);
  FilterGenerations& filters = passing_.filters();
  filters.add(change.generation, std::move(change.filters), first_packet);
  if (parent_.part() == Part::back_end) return filters.drop_earlier_up();
  passing_.waves().generations().begin(change.generation, first_wave, filters.newest_up().keeps_waves());
  join_filters(first_wave);
  passing_.pump(WavePassing::Clock::now());
}

void FilterChange::join_filters(std::uint64_t first_wave) {
  for (const auto& [child, branch] : passing_.flows().branches()) {
    try {
      passing_.filters().newest_up().join(child, members_among(options_, below_.of(child)));
    } catch (const std::exception& error) {
      passing_.report_fault(first_wave, parent_.own(error.what()));
    }
  }
}

std::optional<std::string> FilterChange::catch_up(const Frame& open) {
  const std::uint32_t there = open.packet.generation;
  if (pending_ && pending_->generation != there) forget();
  if (there <= passing_.filters().newest()) return std::nullopt;
  if (!pending_) {
    StreamOptions options = decode_options(open.packet);
    options.members = options_.members;
    prepare(std::move(options), there);
  }
  if (!pending_->failure.empty()) {
    const std::string failure = pending_->failure;
    forget();
    return failure;
  }
  Frame begin{.kind = FrameKind::begin, .stream = stream_, .number = open.number};
  begin.packet = FirstPacket::make(0, open.number);
  begin.packet.generation = there;
  on_begin(begin);
  return std::nullopt;
}

}  // namespace eventspace::streams
