#include "monitors/probing/listing/listing_packets.h"

#include <fmt/format.h>

#include <utility>

#include "monitors/probing/groups/packet_columns.h"
#include "scopes/streams/packets/format.h"

namespace eventspace {
namespace {

using streams::PacketError;
using Texts = PacketTexts;
using Numbers = PacketNumbers;

//                                    version        step           choice            groups modules
using ListingOrderFormat =
    streams::Format<std::uint32_t, std::uint32_t, std::string_view, Texts, std::string_view,
                    // listing      pattern           callers_of        possible only
                    std::uint32_t, std::string_view, std::string_view, std::uint32_t,
                    // classes: key and path; processes, machine and pid
                    Texts, Numbers>;

//                                     version        listing_totals   reasons: text, processes, of names;
//                                     names
using ListingAnswerFormat = streams::Format<std::uint32_t, Numbers, Texts, Numbers, Numbers, Texts,
                                            // classes: key and path; numbers; numbers and texts of rows
                                            Texts, Numbers, Numbers, Texts>;

constexpr std::size_t listing_totals = 4;
constexpr std::size_t texts_of_class = 2;
constexpr std::size_t numbers_of_class = 3;
// looked_at and rows; numbers and texts of each row. Each class has its own shape, so a machine that sends
// rows of another shape does not make the rows of other machines unreadable.
constexpr std::size_t numbers_of_listed = numbers_of_class + 4;
constexpr std::uint64_t widest_row = 16;

ModuleClass class_in(const Texts& texts, Numbers numbers) {
  return {std::string(texts[0]), std::string(texts[1]), numbers[0], numbers[1],
          static_cast<std::int32_t>(numbers[2])};
}

template <class Kind>
Kind kind_in(std::uint32_t number, Kind last) {
  if (number == 0 || number > static_cast<std::uint32_t>(last))
    throw PacketError(fmt::format("{} is not a kind or step of a listing", number));
  return static_cast<Kind>(number);
}

/// Takes the rows of an answer from its columns, one after the other.
class RowReader {
 public:
  RowReader(Numbers numbers, const Texts& texts) : numbers_(numbers), texts_(texts) {}

  std::vector<ListedRow> take(std::uint64_t count, RowShape shape) {
    const bool has_width = shape.numbers > 0 && shape.texts > 0;
    require_fit(count == 0 || (has_width && count <= (numbers_.size() - number_) / shape.numbers &&
                               count <= (texts_.size() - text_) / shape.texts));
    std::vector<ListedRow> rows(count);
    for (ListedRow& row : rows) {
      for (std::size_t i = 0; i < shape.numbers; ++i) row.numbers.push_back(numbers_[number_++]);
      for (std::size_t i = 0; i < shape.texts; ++i) row.texts.emplace_back(texts_[text_++]);
    }
    return rows;
  }
  [[nodiscard]] bool has_ended() const noexcept {
    return number_ == numbers_.size() && text_ == texts_.size();
  }

 private:
  Numbers numbers_;
  const Texts& texts_;
  std::size_t number_{0};
  std::size_t text_{0};
};

RowShape shape_in(std::uint64_t numbers, std::uint64_t texts) {
  require_fit(numbers <= widest_row && texts <= widest_row);
  return {numbers, texts};
}

/// The shape of all rows of a class; {0, 0} if there are no rows.
RowShape shape_of(const ListedRows& listed) {
  if (listed.rows.empty()) return {0, 0};
  return {listed.rows.front().numbers.size(), listed.rows.front().texts.size()};
}

/// The columns of classes and rows of an answer that is written.
struct ClassColumns {
  explicit ClassColumns(const ListingAnswer& answer) {
    for (const auto& [module, listed] : answer.classes) {
      names.insert(names.end(), {module.key, module.path});
      const RowShape shape = shape_of(listed);
      numbers.insert(numbers.end(), {module.processes, module.machine, static_cast<std::uint64_t>(module.pid),
                                     listed.looked_at, listed.rows.size(), shape.numbers, shape.texts});
      for (const ListedRow& row : listed.rows) {
        row_numbers.insert(row_numbers.end(), row.numbers.begin(), row.numbers.end());
        row_texts.insert(row_texts.end(), row.texts.begin(), row.texts.end());
      }
    }
  }

  Texts names;
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> row_numbers;
  Texts row_texts;
};

void read_classes(ListingAnswer& answer, const Texts& names, Numbers numbers, RowReader rows) {
  const std::size_t count = names.size() / texts_of_class;
  require_fit(names.size() == count * texts_of_class && numbers.size() == count * numbers_of_listed);
  for (std::size_t i = 0; i < count; ++i) {
    const Numbers own = numbers.subspan(i * numbers_of_listed, numbers_of_listed);
    ListedClass one{class_in({names[2 * i], names[2 * i + 1]}, own), {}};
    one.listed.looked_at = own[numbers_of_class];
    const RowShape shape = shape_in(own[numbers_of_class + 2], own[numbers_of_class + 3]);
    one.listed.rows = rows.take(own[numbers_of_class + 1], shape);
    answer.add(std::move(one));
  }
  require_fit(rows.has_ended());
}

}  // namespace

streams::Packet packet_of(const ListingOrder& order) {
  const std::vector<std::string> groups = texts_of(order.groups);
  Texts names;
  std::vector<std::uint64_t> numbers;
  for (const ModuleClass& one : order.classes) {
    names.insert(names.end(), {one.key, one.path});
    numbers.insert(numbers.end(), {one.processes, one.machine, static_cast<std::uint64_t>(one.pid)});
  }
  return ListingOrderFormat::make(
      listing_tag, group_packets_version, static_cast<std::uint32_t>(order.step), to_text(order.choice),
      views_of(groups), order.modules, static_cast<std::uint32_t>(order.listing), order.functions.pattern,
      order.functions.callers_of, order.functions.can_be_probed_only ? 1U : 0U, names, Numbers(numbers));
}

ListingOrder listing_order_in(const streams::Packet& packet) {
  const ListingOrderFormat::Read read(packet);
  const auto& [version, step, choice, groups, modules, listing, pattern, callers_of, possible, names,
               numbers] = read.values();
  require_group_version(version);
  const std::size_t count = names.size() / texts_of_class;
  require_fit(names.size() == count * texts_of_class && numbers.size() == count * numbers_of_class &&
              count <= ListingAnswer::max_classes);
  ListingOrder order;
  order.step = kind_in(step, ListingStep::read_apart);
  order.choice = parse_choice(choice);
  order.groups = groups_in(groups);
  order.modules = modules;
  order.listing = kind_in(listing, Listing::user_probes);
  order.functions = {std::string(pattern), std::string(callers_of), possible != 0};
  for (std::size_t i = 0; i < count; ++i)
    order.classes.push_back(
        class_in({names[2 * i], names[2 * i + 1]}, numbers.subspan(i * numbers_of_class, numbers_of_class)));
  check_listing(order);
  return order;
}

streams::Packet packet_of(const ListingAnswer& answer) {
  const std::vector<std::uint64_t> sums{answer.processes, answer.done, answer.left_out,
                                        answer.keeps_apart ? 1U : 0U};
  const RefusalColumns refusals(answer.refusals);
  const ClassColumns classes(answer);
  return ListingAnswerFormat::make(listing_tag, group_packets_version, Numbers(sums), refusals.reasons,
                                   Numbers(refusals.counts), Numbers(refusals.named), refusals.names,
                                   classes.names, Numbers(classes.numbers), Numbers(classes.row_numbers),
                                   classes.row_texts);
}

ListingAnswer listing_answer_in(const streams::Packet& packet) {
  const ListingAnswerFormat::Read read(packet);
  const auto& [version, sums, reasons, counts, named, names, of_classes, numbers, row_numbers, row_texts] =
      read.values();
  require_group_version(version);
  require_fit(sums.size() == listing_totals);
  ListingAnswer answer;
  answer.processes = sums[0];
  answer.done = sums[1];
  answer.left_out = sums[2];
  answer.keeps_apart = sums[3] != 0;
  read_refusals(answer.refusals, reasons, counts, named, names);
  read_classes(answer, of_classes, numbers, RowReader(row_numbers, row_texts));
  return answer;
}

}  // namespace eventspace
