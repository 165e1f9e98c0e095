#include "scopes/pulls/view_codec.h"

#include <algorithm>
#include <span>
#include <utility>

#include "scopes/pulls/process_codec.h"

namespace eventspace::msgpack_body {
namespace {

constexpr std::uint8_t record_layout = 1;

void pack_text(Packer& packer, std::string_view text) {
  packer.pack_str(static_cast<std::uint32_t>(text.size()));
  packer.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
}

void pack_raw(Packer& packer, Bytes bytes) {
  packer.pack_bin_body(reinterpret_cast<const char*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()));
}

// Returns the tuples of all pieces in the other byte order.
std::vector<TraceTuple> swapped(std::span<const Bytes> pieces) {
  std::vector<TraceTuple> tuples(bytes_in(pieces) / sizeof(TraceTuple));
  auto* to = reinterpret_cast<std::byte*>(tuples.data());
  for (const Bytes piece : pieces) to = std::copy(piece.begin(), piece.end(), to);
  for (TraceTuple& tuple : tuples) {
    for (std::uint64_t& word : tuple.words) word = __builtin_bswap64(word);
  }
  return tuples;
}

void pack_missing(Packer& packer, const Missing& missing) {
  packer.pack_array(5);
  pack_text(packer, missing.node);
  pack_text(packer, missing.what);
  packer.pack(static_cast<std::uint8_t>(missing.cause));
  pack_text(packer, missing.detail);
  packer.pack(missing.sources);
}

Missing read_missing(Entries entries) {
  Missing missing;
  missing.node = entries.shown_text();
  missing.what = entries.shown_text();
  missing.cause = entries.enumeration(MissingCause::no_answer, MissingCause::failed);
  missing.detail = entries.shown_text();
  missing.sources = entries.integer<std::uint32_t>();
  entries.expect_end();
  return missing;
}

void pack_level(Packer& packer, const LevelTime& level) {
  packer.pack_array(4);
  pack_text(packer, level.name);
  packer.pack(level.elapsed.count());
  packer.pack(level.records);
  packer.pack(level.aggregates);
}

LevelTime read_level(Entries entries) {
  LevelTime level;
  level.name = entries.shown_text();
  level.elapsed = std::chrono::nanoseconds(entries.integer<std::int64_t>());
  level.records = entries.integer<std::uint64_t>();
  level.aggregates = entries.integer<std::uint64_t>();
  entries.expect_end();
  return level;
}

void pack_name(Packer& packer, const OwnName& name) {
  packer.pack_array(3);
  packer.pack(static_cast<std::uint16_t>(name.of));
  packer.pack(name.number);
  pack_text(packer, name.text);
}

OwnName read_name(Entries entries) {
  OwnName name;
  name.of = static_cast<OwnNameOf>(entries.integer<std::uint16_t>());
  name.number = entries.integer<std::uint32_t>();
  name.text = entries.text();
  entries.expect_end();
  return name;
}

void pack_aggregate(Packer& packer, const Aggregate& aggregate) {
  packer.pack_array(9);
  pack_text(packer, aggregate.name);
  pack_text(packer, aggregate.group);
  pack_text(packer, aggregate.unit);
  packer.pack(static_cast<std::uint8_t>(aggregate.reduction));
  packer.pack(aggregate.count);
  pack_real(packer, aggregate.sum);
  pack_real(packer, aggregate.least);
  pack_real(packer, aggregate.greatest);
  const auto& buckets = aggregate.histogram.buckets();
  packer.pack_array(static_cast<std::uint32_t>(buckets.size() * 2));
  for (const Histogram::Bucket& bucket : buckets) {
    packer.pack(bucket.key);
    packer.pack(bucket.count);
  }
}

Histogram read_histogram(Entries entries) {
  std::vector<Histogram::Bucket> buckets;
  while (entries.more()) {
    const auto key = entries.integer<Histogram::Key>();
    if (key > Histogram::greatest_key || key < -Histogram::greatest_key ||
        (!buckets.empty() && key <= buckets.back().key))
      throw BodyError();
    buckets.push_back({key, entries.integer<std::uint64_t>()});
  }
  return Histogram(buckets);
}

Aggregate read_aggregate(Entries entries) {
  Aggregate aggregate;
  aggregate.name = entries.shown_text();
  aggregate.group = entries.shown_text();
  aggregate.unit = entries.shown_text();
  aggregate.reduction = entries.enumeration(Reduction::count, Reduction::histogram);
  aggregate.count = entries.integer<std::uint64_t>();
  aggregate.sum = entries.real();
  aggregate.least = entries.real();
  aggregate.greatest = entries.real();
  aggregate.histogram = read_histogram(entries.array());
  entries.expect_end();
  return aggregate;
}

void pack_contribution(Packer& packer, const Contribution& contribution) {
  packer.pack(contribution.path);
  packer.pack(contribution.ticks);
}

Contribution read_contribution(Entries& entries) {
  Contribution contribution;
  contribution.path = entries.integer<std::uint32_t>();
  contribution.ticks = entries.integer<std::uint64_t>();
  return contribution;
}

void pack_part(Packer& packer, const CollectivePart& part) {
  packer.pack_array(11);
  packer.pack(part.collective);
  packer.pack(part.process);
  packer.pack(part.operation);
  packer.pack(part.threads);
  for (const Contribution* const one : {&part.first, &part.second, &part.last})
    pack_contribution(packer, *one);
  packer.pack(part.waited);
}

CollectivePart read_part(Entries entries) {
  CollectivePart part;
  part.collective = entries.integer<std::uint32_t>();
  part.process = entries.integer<std::uint32_t>();
  part.operation = entries.integer<std::uint64_t>();
  part.threads = entries.integer<std::uint32_t>();
  for (Contribution* const one : {&part.first, &part.second, &part.last}) *one = read_contribution(entries);
  part.waited = entries.integer<std::uint64_t>();
  entries.expect_end();
  return part;
}

void pack_sum(Packer& packer, const CollectiveSum& sum) {
  packer.pack_array(6);
  packer.pack(sum.process);
  packer.pack(sum.of);
  packer.pack(static_cast<std::uint8_t>(sum.time));
  packer.pack(sum.count);
  packer.pack(sum.ticks);
  packer.pack(sum.most);
}

CollectiveSum read_sum(Entries entries) {
  CollectiveSum sum;
  sum.process = entries.integer<std::uint32_t>();
  sum.of = entries.integer<std::uint32_t>();
  sum.time = entries.enumeration(CollectiveTime::up, CollectiveTime::handing_down);
  sum.count = entries.integer<std::uint64_t>();
  sum.ticks = entries.integer<std::int64_t>();
  sum.most = entries.integer<std::int64_t>();
  entries.expect_end();
  return sum;
}

void pack_parcel(Packer& packer, const ViewParcel& parcel) {
  packer.pack_array(2);
  packer.pack(static_cast<std::uint8_t>(parcel.of));
  pack_bytes(packer, parcel.body);
}

ViewParcel read_parcel(Entries entries) {
  ViewParcel parcel;
  parcel.of = entries.enumeration(ViewParcel::Of::metric, ViewParcel::Of::request);
  const Bytes body = entries.bytes();
  parcel.body.assign(body.begin(), body.end());
  entries.expect_end();
  return parcel;
}

template <class T>
void pack_list(Packer& packer, const std::vector<T>& list, void (*pack_one)(Packer&, const T&)) {
  packer.pack_array(static_cast<std::uint32_t>(list.size()));
  for (const T& entry : list) pack_one(packer, entry);
}

template <class T>
std::vector<T> read_list(Entries entries, T (*read_one)(Entries)) {
  constexpr std::size_t max_at_once =
      1000;  // a peer must not make us reserve much memory with entries of one byte
  std::vector<T> list;
  list.reserve(std::min(entries.left(), max_at_once));
  while (entries.more()) list.push_back(read_one(entries.array()));
  return list;
}

std::vector<std::span<const ReadPosition>> runs_in(std::span<const ReadPosition> positions) {
  std::vector<std::span<const ReadPosition>> runs;
  while (!positions.empty()) {
    const ReadPosition& first = positions.front();
    const auto end = std::find_if(positions.begin(), positions.end(), [&](const ReadPosition& position) {
      return !is_same_run(position, first);
    });
    runs.push_back(positions.first(static_cast<std::size_t>(end - positions.begin())));
    positions = positions.subspan(runs.back().size());
  }
  return runs;
}

// merge() relies on this order, so a body that violates it is refused.
bool are_in_order(const std::vector<Aggregate>& aggregates) {
  return std::adjacent_find(aggregates.begin(), aggregates.end(), [](const Aggregate& a, const Aggregate& b) {
           return !(a.key() < b.key());
         }) == aggregates.end();
}

}  // namespace

void pack_loss(Packer& packer, const Loss& loss) {
  packer.pack_array(8);
  packer.pack(loss.discarded);
  packer.pack(loss.torn);
  packer.pack(loss.filtered);
  packer.pack(loss.reduced);
  packer.pack(loss.repeated);
  packer.pack(loss.earlier);
  packer.pack(loss.failed);
  packer.pack(loss.emptied);
}

Loss read_loss(Entries entries) {
  Loss loss;
  loss.discarded = entries.integer<std::uint64_t>();
  loss.torn = entries.integer<std::uint64_t>();
  loss.filtered = entries.integer<std::uint64_t>();
  loss.reduced = entries.integer<std::uint64_t>();
  loss.repeated = entries.integer<std::uint64_t>();
  loss.earlier = entries.integer<std::uint64_t>();
  loss.failed = entries.integer<std::uint64_t>();
  loss.emptied = entries.integer<std::uint64_t>();
  entries.expect_end();
  return loss;
}

std::size_t bytes_in(std::span<const Bytes> pieces) noexcept {
  std::size_t bytes = 0;
  for (const Bytes piece : pieces) bytes += piece.size();
  return bytes;
}

// Writes the layout, the byte order, and all tuples as one block.
void pack_records(Packer& packer, std::span<const Bytes> pieces, ByteOrder order) {
  packer.pack_array(3);
  packer.pack(record_layout);
  packer.pack(static_cast<std::uint8_t>(order));
  packer.pack_bin(static_cast<std::uint32_t>(bytes_in(pieces)));
  if (order != own_byte_order) {
    const std::vector<TraceTuple> tuples = swapped(pieces);
    return pack_raw(packer, std::as_bytes(std::span(tuples)));
  }
  for (const Bytes piece : pieces) pack_raw(packer, piece);
}

RecordBlock read_records(Entries& entries, const std::shared_ptr<const void>& message) {
  if (entries.integer<std::uint8_t>() != record_layout) throw BodyError();
  const auto order = entries.enumeration(ByteOrder::little, ByteOrder::big);
  const Bytes block = entries.bytes();
  if (block.size() % sizeof(TraceTuple) != 0) throw BodyError();
  entries.expect_end();
  if (order == own_byte_order) return {message, block};
  const auto own = std::make_shared<const std::vector<TraceTuple>>(swapped({&block, 1}));
  return {own, std::as_bytes(std::span(*own))};
}

std::size_t expected_bytes(const View& view) noexcept {
  constexpr std::size_t process = 220, thread = 24, position = 16, other = 100;
  std::size_t bytes = view.records.size() * sizeof(TraceTuple) + view.positions.size() * position +
                      view.processes.size() * process;
  for (const ProcessReport& report : view.processes) bytes += report.threads.size() * thread;
  for (const ViewParcel& parcel : view.parcels) bytes += parcel.body.size() + other;
  const std::size_t others = view.levels.size() + view.missing.size() + view.aggregates.size() +
                             view.collective_parts.size() + view.collective_sums.size();
  return bytes + (1 + others) * other;
}

void pack(Packer& packer, const View& view) {
  packer.pack_array(13);
  packer.pack(view.gone_ahead);
  pack_records(packer, view.records.pieces(), view.sent_in);
  pack_list(packer, view.aggregates, pack_aggregate);
  pack_list(packer, view.collective_parts, pack_part);
  pack_list(packer, view.collective_sums, pack_sum);
  pack_list(packer, view.parcels, pack_parcel);
  pack_loss(packer, view.loss);
  pack_list(packer, view.missing, pack_missing);
  pack_list(packer, view.processes, pack_process);
  pack_list(packer, view.levels, pack_level);
  packer.pack(view.sources_read);
  pack(packer, view.positions);
  pack_list(packer, view.names, pack_name);
}

// Positions of one run are neighbours and share its numbers: the run, the count, then trace and sequence of
// each.
void pack(Packer& packer, const std::vector<ReadPosition>& positions) {
  const auto runs = runs_in(positions);
  packer.pack_array(static_cast<std::uint32_t>(runs.size() * 4 + positions.size() * 2));
  for (const auto& run : runs) {
    packer.pack(run.front().process);
    packer.pack(run.front().pid);
    packer.pack(run.front().created_ns);
    packer.pack(static_cast<std::uint32_t>(run.size()));
    for (const ReadPosition& position : run) {
      packer.pack(position.trace);
      packer.pack(position.sequence);
    }
  }
}

std::vector<ReadPosition> read_positions(Entries entries) {
  std::vector<ReadPosition> positions;
  constexpr std::size_t max_at_once = 100'000;  // as in read_list: one entry may be one byte
  positions.reserve(std::min(entries.left() / 2, max_at_once));
  while (entries.more()) {
    ReadPosition position;
    position.process = entries.integer<std::uint32_t>();
    position.pid = entries.integer<std::int32_t>();
    position.created_ns = entries.integer<std::int64_t>();
    for (auto left = entries.integer<std::uint32_t>(); left > 0; --left) {
      position.trace = entries.integer<std::uint32_t>();
      position.sequence = entries.integer<std::uint64_t>();
      positions.push_back(position);
    }
  }
  return positions;
}

View read_view(Entries& entries, const std::shared_ptr<const void>& message) {
  View view;
  view.gone_ahead = entries.integer<std::uint64_t>();
  Entries records = entries.array();
  RecordBlock block = read_records(records, message);
  if (!block.bytes.empty()) view.records.append(std::move(block));
  view.aggregates = read_list(entries.array(), read_aggregate);
  if (!are_in_order(view.aggregates)) throw BodyError();
  view.collective_parts = read_list(entries.array(), read_part);
  view.collective_sums = read_list(entries.array(), read_sum);
  view.parcels = read_list(entries.array(), read_parcel);
  view.loss = read_loss(entries.array());
  view.missing = read_list(entries.array(), read_missing);
  view.processes = read_list(entries.array(), read_process);
  view.levels = read_list(entries.array(), read_level);
  view.sources_read = entries.integer<std::uint64_t>();
  view.positions = read_positions(entries.array());
  view.names = read_list(entries.array(), read_name);
  entries.expect_end();
  return view;
}

}  // namespace eventspace::msgpack_body
