#include "monitors/probing/groups/group_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <type_traits>
#include <variant>

#include "monitors/probing/groups/packet_columns.h"
#include "scopes/streams/packets/format.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using streams::PacketError;
using Texts = PacketTexts;
using Numbers = PacketNumbers;

//                             version        verb           choice            groups patterns
using OrderFormat =
    streams::Format<std::uint32_t, std::uint32_t, std::string_view, Texts, Texts,
                    // modules        has_times      when             every          values setting
                    std::string_view, std::uint32_t, std::string_view, std::uint64_t, Texts,
                    std::string_view>;

//                             version        totals   reasons: text, number of processes, of names; names
using AnswerFormat = streams::Format<std::uint32_t, Numbers, Texts, Numbers, Numbers, Texts,
                                     // functions: module and name; numbers and names of three spreads
                                     Texts, Numbers, Texts,
                                     // members: texts and numbers
                                     Texts, Numbers,
                                     // readings: process and variable; kind and bits of the value
                                     Texts, Numbers>;

constexpr std::size_t totals = 6;
constexpr std::size_t numbers_of_spread = 4;
constexpr std::size_t spreads = 3;
constexpr std::size_t texts_of_member = 5;

GroupVerb verb_in(std::uint32_t number) {
  if (number < static_cast<std::uint32_t>(GroupVerb::list) ||
      number > static_cast<std::uint32_t>(GroupVerb::attach))
    throw PacketError(fmt::format("{} is no order to a group", number));
  return static_cast<GroupVerb>(number);
}

/// The columns of an answer, while it is written.
struct Columns {
  std::vector<std::uint64_t> numbers;
  std::vector<std::string_view> texts;

  void add(const Spread& spread) {
    numbers.insert(numbers.end(), {spread.count, spread.sum, spread.least, spread.greatest});
    texts.insert(texts.end(), {spread.least_at, spread.greatest_at});
  }
};

/// The columns of functions, while they are read.
struct SpreadReader {
  Numbers numbers;
  const Texts& texts;
  std::size_t at{0};

  Spread next() {
    const Numbers own = numbers.subspan(at * numbers_of_spread, numbers_of_spread);
    const Spread spread{
        own[0], own[1], own[2], own[3], std::string(texts[2 * at]), std::string(texts[2 * at + 1])};
    ++at;
    return spread;
  }
};

void read_functions(GroupAnswer& answer, const Texts& names, Numbers numbers, const Texts& at) {
  const std::size_t count = names.size() / 2;
  require_fit(names.size() == 2 * count && numbers.size() == count * spreads * numbers_of_spread &&
              at.size() == count * spreads * 2);
  SpreadReader reader{numbers, at};
  for (std::size_t i = 0; i < count; ++i) {
    FunctionSpread* const one = answer.function(std::string(names[2 * i]), std::string(names[2 * i + 1]));
    if (one == nullptr) return;
    one->calls.merge(reader.next());
    one->total_ns.merge(reader.next());
    one->own_ns.merge(reader.next());
  }
}

void read_members(GroupAnswer& answer, const Texts& texts, Numbers numbers) {
  const std::size_t count = texts.size() / texts_of_member;
  require_fit(texts.size() == count * texts_of_member && numbers.size() == 2 * count &&
              count <= GroupAnswer::most_members);
  for (std::size_t i = 0; i < count; ++i) {
    const auto text = [&](std::size_t which) { return std::string(texts[i * texts_of_member + which]); };
    answer.members.push_back({text(0), static_cast<std::int32_t>(numbers[2 * i]), text(1), text(2), text(3),
                              text(4), numbers[2 * i + 1]});
  }
}

// A value travels as which of the types of ProgramVariable::Value it is, and its bits.
std::uint64_t bits_of(const ProgramVariable::Value& value) {
  return std::visit(
      [](auto number) {
        if constexpr (std::is_same_v<decltype(number), bool>)
          return std::uint64_t{number};
        else
          return std::bit_cast<std::uint64_t>(number);
      },
      value);
}

ProgramVariable::Value value_in(std::uint64_t kind, std::uint64_t bits) {
  switch (kind) {
    case 0:
      return bits != 0;
    case 1:
      return std::bit_cast<std::int64_t>(bits);
    case 2:
      return bits;
    case 3:
      return std::bit_cast<double>(bits);
    default:
      throw PacketError(fmt::format("{} is no type of a variable's value", kind));
  }
}

void read_readings(GroupAnswer& answer, const Texts& texts, Numbers numbers) {
  require_fit(texts.size() == numbers.size() && texts.size() % 2 == 0 &&
              texts.size() / 2 <= GroupAnswer::most_readings);
  for (std::size_t i = 0; i < texts.size(); i += 2)
    answer.readings.push_back(
        {std::string(texts[i]), std::string(texts[i + 1]), value_in(numbers[i], numbers[i + 1])});
}

Columns columns_of(const std::vector<VariableReading>& readings) {
  Columns columns;
  for (const VariableReading& one : readings) {
    columns.texts.insert(columns.texts.end(), {one.process, one.variable});
    columns.numbers.insert(columns.numbers.end(), {one.value.index(), bits_of(one.value)});
  }
  return columns;
}

}  // namespace

streams::Packet packet_of(const GroupOrder& order) {
  const std::vector<std::string> groups = texts_of(order.groups);
  return OrderFormat::make(static_cast<std::int32_t>(order.verb), group_packets_version,
                           static_cast<std::uint32_t>(order.verb), to_text(order.choice), views_of(groups),
                           views_of(order.patterns), order.modules, order.task.has_times ? 1U : 0U,
                           order.task.when, order.task.every, views_of(order.task.values), order.setting);
}

GroupOrder order_in(const streams::Packet& packet) {
  const OrderFormat::Read read(packet);
  const auto& [version, verb, choice, groups, patterns, modules, has_times, when, every, values, setting] =
      read.values();
  require_group_version(version);
  if (patterns.size() > GroupOrder::most_patterns) throw PacketError("an order has too many patterns");
  GroupOrder order;
  order.verb = verb_in(verb);
  order.choice = parse_choice(choice);
  order.groups = groups_in(groups);
  order.patterns = strings_of(patterns);
  order.modules = modules;
  order.task = {has_times != 0, std::string(when), every, strings_of(values)};
  order.setting = setting;
  check_order(order);
  return order;
}

streams::Packet packet_of(const GroupAnswer& answer) {
  const std::vector<std::uint64_t> sums{
      answer.processes, answer.done,
      answer.probes,    static_cast<std::uint64_t>(answer.longest_stop.count()),
      answer.left_out,  static_cast<std::uint64_t>(answer.call_cost.count())};
  const RefusalColumns refusals(answer.refusals);
  Texts functions;
  Columns columns;
  for (const FunctionSpread& one : answer.functions) {
    functions.insert(functions.end(), {one.module, one.function});
    for (const Spread* const spread : {&one.calls, &one.total_ns, &one.own_ns}) columns.add(*spread);
  }
  Columns members;
  for (const GroupMember& one : answer.members) {
    members.texts.insert(members.texts.end(), {one.host, one.name, one.rank, one.job, one.session});
    members.numbers.insert(members.numbers.end(), {static_cast<std::uint64_t>(one.pid), one.threads});
  }
  const Columns readings = columns_of(answer.readings);
  return AnswerFormat::make(0, group_packets_version, Numbers(sums), refusals.reasons,
                            Numbers(refusals.counts), Numbers(refusals.named), refusals.names, functions,
                            Numbers(columns.numbers), columns.texts, members.texts, Numbers(members.numbers),
                            readings.texts, Numbers(readings.numbers));
}

GroupAnswer answer_in(const streams::Packet& packet) {
  const AnswerFormat::Read read(packet);
  const auto& [version, sums, reasons, counts, named, names, functions, numbers, at, texts, of_members,
               read_at, values] = read.values();
  require_group_version(version);
  require_fit(sums.size() == totals);
  constexpr std::uint64_t longest = std::uint64_t{1} << 62;
  GroupAnswer answer;
  answer.processes = sums[0];
  answer.done = sums[1];
  answer.probes = sums[2];
  const auto duration = [&](std::uint64_t ns) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(ns, longest)));
  };
  answer.longest_stop = duration(sums[3]);
  answer.left_out = sums[4];
  answer.call_cost = duration(sums[5]);
  read_refusals(answer.refusals, reasons, counts, named, names);
  read_functions(answer, functions, numbers, at);
  read_members(answer, texts, of_members);
  read_readings(answer, read_at, values);
  return answer;
}

}  // namespace eventspace
