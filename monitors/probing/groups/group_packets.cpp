#include "monitors/probing/groups/group_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <type_traits>
#include <variant>

#include "monitors/probing/groups/number_columns.h"
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
                    std::string_view, std::uint32_t, std::string_view, std::uint64_t, Texts, std::string_view,
                    // phase in ns; 0: none  lets   callers       has_histogram
                    std::uint64_t, Texts, std::string_view, std::uint32_t>;

//                             version        totals   reasons: text, number of processes, of names; names
using AnswerFormat = streams::Format<std::uint32_t, Numbers, Texts, Numbers, Numbers, Texts,
                                     // functions: module and name; numbers, among them those of three
                                     // spreads; names of these
                                     Texts, Numbers, Texts,
                                     // members: texts and numbers
                                     Texts, Numbers,
                                     // readings: process and variable; kind and bits of the value
                                     Texts, Numbers,
                                     // variables of probes: name; spread
                                     Texts, Numbers, Texts,
                                     // values: which function; spread. Histograms: which function, bucket,
                                     // count
                                     Numbers, Numbers, Texts, Numbers>;

constexpr std::size_t totals = 7;
constexpr std::size_t numbers_of_spread = 4;
constexpr std::size_t spreads = 3;
constexpr std::size_t numbers_of_function = spreads * numbers_of_spread + 1;  // and left_out
constexpr std::size_t texts_of_member = 5;

std::chrono::nanoseconds duration_of(std::uint64_t ns) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 62;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(ns, longest)));
}

std::uint64_t phase_ns(const ProbeTask& task) {
  return static_cast<std::uint64_t>(task.phase.value_or(std::chrono::nanoseconds{}).count());
}

std::optional<std::chrono::nanoseconds> phase_in(std::uint64_t ns) {
  return ns == 0 ? std::nullopt : std::optional(duration_of(ns));
}

GroupVerb verb_in(std::uint32_t number) {
  if (number < static_cast<std::uint32_t>(GroupVerb::list) ||
      number > static_cast<std::uint32_t>(GroupVerb::attach))
    throw PacketError(fmt::format("{} is not an order to a group", number));
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
  std::size_t at{0};  // in the numbers
  std::size_t text_at{0};

  Spread spread() {
    const Numbers own = numbers.subspan(at, numbers_of_spread);
    const Spread spread{
        own[0], own[1], own[2], own[3], std::string(texts[text_at]), std::string(texts[text_at + 1])};
    at += numbers_of_spread;
    text_at += 2;
    return spread;
  }
  std::uint64_t number() { return numbers[at++]; }
};

/// The names of functions in an answer. Other columns refer to functions by their position here.
struct NamedFunctions {
  const Texts& names;

  [[nodiscard]] std::size_t count() const noexcept { return names.size() / 2; }
  [[nodiscard]] FunctionSpread& in(GroupAnswer& answer, std::uint64_t number) const {
    require_fit(number < count());
    FunctionSpread* const one =
        answer.function(std::string(names[2 * number]), std::string(names[2 * number + 1]));
    require_fit(one != nullptr);
    return *one;
  }
};

void read_functions(GroupAnswer& answer, const NamedFunctions& named, Numbers numbers, const Texts& at) {
  const std::size_t count = named.count();
  require_fit(named.names.size() == 2 * count && numbers.size() == count * numbers_of_function &&
              at.size() == count * spreads * 2);
  SpreadReader reader{numbers, at};
  for (std::size_t i = 0; i < count; ++i) {
    FunctionSpread& one = named.in(answer, i);
    one.calls.merge(reader.spread());
    one.total_ns.merge(reader.spread());
    one.own_ns.merge(reader.spread());
    one.left_out = saturated_sum(one.left_out, reader.number());
  }
}

void read_values(GroupAnswer& answer, const NamedFunctions& named, Numbers functions, Numbers numbers,
                 const Texts& at) {
  require_fit(numbers.size() == functions.size() * NumberColumns::numbers_of_one &&
              at.size() == functions.size() * NumberColumns::texts_of_one);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    FunctionSpread& one = named.in(answer, functions[i]);
    require_fit(one.values.size() < measuring::max_values);
    one.values.push_back(number_spread_in(numbers, at, i));
  }
}

constexpr std::size_t numbers_of_bucket = 3;

void read_histograms(GroupAnswer& answer, const NamedFunctions& named, Numbers numbers) {
  require_fit(numbers.size() % numbers_of_bucket == 0);
  for (std::size_t i = 0; i < numbers.size(); i += numbers_of_bucket) {
    FunctionSpread& one = named.in(answer, numbers[i]);
    const std::uint64_t bucket = numbers[i + 1];
    require_fit(bucket < measuring::histogram_buckets);
    one.histogram.resize(measuring::histogram_buckets);
    one.histogram[bucket] = saturated_sum(one.histogram[bucket], numbers[i + 2]);
  }
}

void read_members(GroupAnswer& answer, const Texts& texts, Numbers numbers) {
  const std::size_t count = texts.size() / texts_of_member;
  require_fit(texts.size() == count * texts_of_member && numbers.size() == 2 * count &&
              count <= GroupAnswer::max_members);
  for (std::size_t i = 0; i < count; ++i) {
    const auto text = [&](std::size_t which) { return std::string(texts[i * texts_of_member + which]); };
    answer.members.push_back({text(0), static_cast<std::int32_t>(numbers[2 * i]), text(1), text(2), text(3),
                              text(4), numbers[2 * i + 1]});
  }
}

// A value is sent as the index of its type in ProgramVariable::Value, and its bits.
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
      throw PacketError(fmt::format("{} is not a type of a variable", kind));
  }
}

void read_readings(GroupAnswer& answer, const Texts& texts, Numbers numbers) {
  require_fit(texts.size() == numbers.size() && texts.size() % 2 == 0 &&
              texts.size() / 2 <= GroupAnswer::max_readings);
  for (std::size_t i = 0; i < texts.size(); i += 2)
    answer.readings.push_back(
        {std::string(texts[i]), std::string(texts[i + 1]), value_in(numbers[i], numbers[i + 1])});
}

void read_variables(GroupAnswer& answer, const Texts& names, Numbers numbers, const Texts& at) {
  require_fit(names.size() <= GroupAnswer::max_variables &&
              numbers.size() == names.size() * NumberColumns::numbers_of_one &&
              at.size() == names.size() * NumberColumns::texts_of_one);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (NumberSpread* const one = answer.variable(std::string(names[i])); one != nullptr)
      one->merge(number_spread_in(numbers, at, i));
}

NumberColumns columns_of(const std::vector<VariableSpread>& variables) {
  NumberColumns columns;
  for (const VariableSpread& one : variables) columns.add(one.numbers);
  return columns;
}

Texts names_of(const std::vector<VariableSpread>& variables) {
  Texts names;
  for (const VariableSpread& one : variables) names.emplace_back(one.name);
  return names;
}

Columns columns_of(const std::vector<FunctionSpread>& functions) {
  Columns columns;
  for (const FunctionSpread& one : functions) {
    for (const Spread* const spread : {&one.calls, &one.total_ns, &one.own_ns}) columns.add(*spread);
    columns.numbers.push_back(one.left_out);
  }
  return columns;
}

Texts names_of(const std::vector<FunctionSpread>& functions) {
  Texts names;
  for (const FunctionSpread& one : functions) names.insert(names.end(), {one.module, one.function});
  return names;
}

/// The values of all functions, and the functions to which they belong.
struct ValueColumns {
  explicit ValueColumns(const std::vector<FunctionSpread>& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const NumberSpread& value : all[i].values) {
        functions.push_back(i);
        spreads_of.add(value);
      }
  }

  std::vector<std::uint64_t> functions{};
  NumberColumns spreads_of{};
};

/// Contains only ranges that have calls.
std::vector<std::uint64_t> histograms_of(const std::vector<FunctionSpread>& functions) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (std::size_t bucket = 0; bucket < functions[i].histogram.size(); ++bucket)
      if (const std::uint64_t count = functions[i].histogram[bucket]; count > 0)
        numbers.insert(numbers.end(), {i, bucket, count});
  return numbers;
}

Columns columns_of(const std::vector<GroupMember>& members) {
  Columns columns;
  for (const GroupMember& one : members) {
    columns.texts.insert(columns.texts.end(), {one.host, one.name, one.rank, one.job, one.session});
    columns.numbers.insert(columns.numbers.end(), {static_cast<std::uint64_t>(one.pid), one.threads});
  }
  return columns;
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
                           order.task.when, order.task.every, views_of(order.task.values), order.setting,
                           phase_ns(order.task), views_of(order.task.lets), order.callers,
                           order.has_histogram ? 1U : 0U);
}

GroupOrder order_in(const streams::Packet& packet) {
  const OrderFormat::Read read(packet);
  const auto& [version, verb, choice, groups, patterns, modules, has_times, when, every, values, setting,
               phase, lets, callers, has_histogram] = read.values();
  require_group_version(version);
  if (patterns.size() > GroupOrder::max_patterns) throw PacketError("an order has too many patterns");
  GroupOrder order;
  order.verb = verb_in(verb);
  order.choice = parse_choice(choice);
  order.groups = groups_in(groups);
  order.patterns = strings_of(patterns);
  order.modules = modules;
  order.task = {has_times != 0,     std::string(when), every,
                strings_of(values), phase_in(phase),   strings_of(lets)};
  order.setting = setting;
  order.callers = callers;
  order.has_histogram = has_histogram != 0;
  check_order(order);
  return order;
}

streams::Packet packet_of(const GroupAnswer& answer) {
  const std::vector<std::uint64_t> sums{
      answer.processes, answer.done,
      answer.probes,    static_cast<std::uint64_t>(answer.longest_stop.count()),
      answer.left_out,  static_cast<std::uint64_t>(answer.call_cost.count()),
      answer.failed};
  const RefusalColumns refusals(answer.refusals);
  const Columns functions = columns_of(answer.functions);
  const Columns members = columns_of(answer.members);
  const Columns readings = columns_of(answer.readings);
  const NumberColumns variables = columns_of(answer.variables);
  const ValueColumns values(answer.functions);
  const std::vector<std::uint64_t> histograms = histograms_of(answer.functions);
  return AnswerFormat::make(
      0, group_packets_version, Numbers(sums), refusals.reasons, Numbers(refusals.counts),
      Numbers(refusals.named), refusals.names, names_of(answer.functions), Numbers(functions.numbers),
      functions.texts, members.texts, Numbers(members.numbers), readings.texts, Numbers(readings.numbers),
      names_of(answer.variables), Numbers(variables.numbers), variables.texts, Numbers(values.functions),
      Numbers(values.spreads_of.numbers), values.spreads_of.texts, Numbers(histograms));
}

GroupAnswer answer_in(const streams::Packet& packet) {
  const AnswerFormat::Read read(packet);
  const auto& [version, sums, reasons, counts, named, names, functions, numbers, at, texts, of_members,
               read_at, values, variables, of_variables, variables_at, value_functions, of_values, values_at,
               histograms] = read.values();
  require_group_version(version);
  require_fit(sums.size() == totals);
  GroupAnswer answer;
  answer.processes = sums[0];
  answer.done = sums[1];
  answer.probes = sums[2];
  answer.longest_stop = duration_of(sums[3]);
  answer.left_out = sums[4];
  answer.call_cost = duration_of(sums[5]);
  answer.failed = sums[6];
  read_refusals(answer.refusals, reasons, counts, named, names);
  const NamedFunctions named_functions{functions};
  read_functions(answer, named_functions, numbers, at);
  read_values(answer, named_functions, value_functions, of_values, values_at);
  read_histograms(answer, named_functions, histograms);
  read_members(answer, texts, of_members);
  read_readings(answer, read_at, values);
  read_variables(answer, variables, of_variables, variables_at);
  return answer;
}

}  // namespace eventspace
