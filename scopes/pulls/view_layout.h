#pragma once

// The fields of a View in a message, and in the chunks of recordings.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "paths/views/view.h"
#include "paths/wire/fields.h"
#include "scopes/pulls/process_layout.h"
#include "scopes/pulls/record_block.h"

namespace eventspace::wire {

template <>
struct Layout<Loss>
    : Array<Loss, Field<&Loss::discarded>, Field<&Loss::torn>, Field<&Loss::filtered>, Field<&Loss::reduced>,
            Field<&Loss::repeated>, Field<&Loss::earlier>, Field<&Loss::failed>, Field<&Loss::emptied>> {};

template <>
struct Layout<Missing> : Array<Missing, Field<&Missing::node, ShownText>, Field<&Missing::what, ShownText>,
                               Field<&Missing::cause, OneOf<MissingCause::no_answer, MissingCause::failed>>,
                               Field<&Missing::detail, ShownText>, Field<&Missing::sources>> {};

template <>
struct Layout<LevelTime> : Array<LevelTime, Field<&LevelTime::name, ShownText>, Field<&LevelTime::elapsed>,
                                 Field<&LevelTime::records>, Field<&LevelTime::aggregates>> {};

template <>
struct Layout<OwnName>
    : Array<OwnName, Field<&OwnName::of, AnyOf>, Field<&OwnName::number>, Field<&OwnName::text>> {};

template <>
struct Layout<Histogram::Bucket>
    : Array<Histogram::Bucket,
            Field<&Histogram::Bucket::key, Between<-Histogram::greatest_key, Histogram::greatest_key>>,
            Field<&Histogram::Bucket::count>> {};

/// The buckets, in ascending order.
struct Buckets : OneEntry {
  using Of = List<Flattened>;
  static constexpr std::string_view name = "buckets";
  template <class T>
  static constexpr SizeBounds bounds = Of::bounds<std::vector<Histogram::Bucket>>;

  template <class Sink>
  static void write(Sink sink, const Histogram& histogram) {
    Of::write(sink, histogram.buckets());
  }
  template <class Source>
  static void read(Source& source, Histogram& histogram) {
    std::vector<Histogram::Bucket> buckets;
    Of::read(source, buckets);
    const auto descends = [](const auto& a, const auto& b) { return a.key >= b.key; };
    if (std::ranges::adjacent_find(buckets, descends) != buckets.end()) throw BodyError();
    histogram = Histogram(buckets);
  }
};

template <>
struct Layout<Aggregate> : Array<Aggregate, Field<&Aggregate::name, ShownText>,
                                 Field<&Aggregate::group, ShownText>, Field<&Aggregate::unit, ShownText>,
                                 Field<&Aggregate::reduction, OneOf<Reduction::count, Reduction::histogram>>,
                                 Field<&Aggregate::count>, Field<&Aggregate::sum>, Field<&Aggregate::least>,
                                 Field<&Aggregate::greatest>, Field<&Aggregate::histogram, Buckets>> {};

template <>
struct Layout<Contribution> : Array<Contribution, Field<&Contribution::path>, Field<&Contribution::ticks>> {};

template <>
struct Layout<CollectivePart>
    : Array<CollectivePart, Field<&CollectivePart::collective>, Field<&CollectivePart::process>,
            Field<&CollectivePart::operation>, Field<&CollectivePart::threads>,
            Field<&CollectivePart::first, Flattened>, Field<&CollectivePart::second, Flattened>,
            Field<&CollectivePart::last, Flattened>, Field<&CollectivePart::waited>> {};

template <>
struct Layout<CollectiveSum>
    : Array<CollectiveSum, Field<&CollectiveSum::process>, Field<&CollectiveSum::of>,
            Field<&CollectiveSum::time, OneOf<CollectiveTime::up, CollectiveTime::handing_down>>,
            Field<&CollectiveSum::count>, Field<&CollectiveSum::ticks>, Field<&CollectiveSum::most>> {};

template <>
struct Layout<ViewParcel>
    : Array<ViewParcel, Field<&ViewParcel::of, OneOf<ViewParcel::Of::metric, ViewParcel::Of::request>>,
            Field<&ViewParcel::body>> {};

/// Positions as one flat array, which is fast for many of them. Positions of one run are neighbours and share
/// its numbers: process, pid, created_ns and the number of positions, then trace and sequence of each.
struct PositionRuns : UnboundedEntry {
  static constexpr std::string_view name = "position runs";

  template <class Sink>
  static void write(Sink sink, const std::vector<ReadPosition>& positions) {
    const auto runs = runs_in(positions);
    sink.array(4 * runs.size() + 2 * positions.size());
    for (const std::span<const ReadPosition> run : runs) {
      sink.integer(run.front().process);
      sink.integer(run.front().pid);
      sink.integer(run.front().created_ns);
      sink.integer(static_cast<std::uint32_t>(run.size()));
      for (const ReadPosition& position : run) {
        sink.integer(position.trace);
        sink.integer(position.sequence);
      }
    }
  }

  template <class Source>
  static void read(Source& source, std::vector<ReadPosition>& positions) {
    constexpr std::size_t max_at_once = 100'000;  // a peer must not make us reserve much memory
    auto entries = source.list();
    positions.clear();
    positions.reserve(std::min(entries.left() / 2, max_at_once));
    while (entries.more()) read_run(entries, positions);
  }

 private:
  static std::vector<std::span<const ReadPosition>> runs_in(std::span<const ReadPosition> positions) {
    std::vector<std::span<const ReadPosition>> runs;
    while (!positions.empty()) {
      const auto is_of_another = [&](const ReadPosition& other) {
        return !is_same_run(other, positions.front());
      };
      const auto end = std::ranges::find_if(positions, is_of_another);
      runs.push_back(positions.first(static_cast<std::size_t>(end - positions.begin())));
      positions = positions.subspan(runs.back().size());
    }
    return runs;
  }
  template <class Entries>
  static void read_run(Entries& entries, std::vector<ReadPosition>& positions) {
    ReadPosition position;
    position.process = entries.template integer<std::uint32_t>();
    position.pid = entries.template integer<std::int32_t>();
    position.created_ns = entries.template integer<std::int64_t>();
    for (auto left = entries.count(); left > 0; --left) {
      position.trace = entries.template integer<std::uint32_t>();
      position.sequence = entries.template integer<std::uint64_t>();
      positions.push_back(position);
    }
  }
};

/// The records, and the byte order in which they are sent, as one entry.
struct RecordsInOrder : OneEntry {
  static constexpr std::string_view name = "records";
  static constexpr std::string_view form = RecordArray::name;
  static constexpr std::size_t members = 2;
  static constexpr std::size_t words = 0;
  static constexpr SizeBounds bounds = RecordArray::bounds;

  template <class Sink>
  static void write(Sink sink, const ViewData& data) {
    RecordArray::write(sink, data.records.pieces(), data.sent_in);
  }
  template <class Source>
  static void read(Source& source, ViewData& data) {
    RecordBlock block = RecordArray::read(source);
    if (!block.bytes.empty()) data.records.append(std::move(block));
  }
};

template <>
struct Layout<ViewData> : Array<ViewData, Field<&ViewData::gone_ahead>, RecordsInOrder,
                                Field<&ViewData::aggregates>, Field<&ViewData::collective_parts>,
                                Field<&ViewData::collective_sums>, Field<&ViewData::parcels>> {
  static void check(const ViewData& data) {
    const auto key = [](const Aggregate& aggregate) { return aggregate.key(); };
    const auto is_out_of_order = [](const auto& a, const auto& b) { return !(a < b); };
    if (std::ranges::adjacent_find(data.aggregates, is_out_of_order, key) != data.aggregates.end())
      throw BodyError();  // merge() relies on the order
  }
};

template <>
struct Layout<ViewAccount>
    : Array<ViewAccount, Field<&ViewAccount::loss>, Field<&ViewAccount::missing>,
            Field<&ViewAccount::processes>, Field<&ViewAccount::levels>, Field<&ViewAccount::sources_read>,
            Field<&ViewAccount::positions, PositionRuns>, Field<&ViewAccount::names>> {};

template <>
struct Layout<View> : Array<View, Base<ViewData>, Base<ViewAccount>> {};

template <>
struct Layout<PullWishes>
    : Array<PullWishes, Field<&PullWishes::with_threads>, Field<&PullWishes::with_usage>,
            Field<&PullWishes::with_in_flight>,
            Field<&PullWishes::look_back, Between<std::int64_t{0}, greatest<std::int64_t>>>> {};

}  // namespace eventspace::wire
