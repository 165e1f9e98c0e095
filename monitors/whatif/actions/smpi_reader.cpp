#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <fstream>
#include <istream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <eventspace/error.h>
#include "monitors/whatif/actions/line_words.h"
#include "monitors/whatif/actions/program_builder.h"
#include "monitors/whatif/actions/smpi_trace.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::whatif {
namespace {

namespace fs = std::filesystem;

// By SMPI's numbers of datatypes in traces: double, int, char, short, long, float, byte.
constexpr std::array<std::uint64_t, 7> datatype_bytes{8, 4, 1, 2, 8, 4, 1};
constexpr std::uint64_t default_datatype = 1;

struct SmpiGroupWord {
  std::string_view word;
  GroupOperation operation;
};
constexpr std::array group_words{SmpiGroupWord{"barrier", GroupOperation::barrier},
                                 SmpiGroupWord{"bcast", GroupOperation::broadcast},
                                 SmpiGroupWord{"reduce", GroupOperation::reduce},
                                 SmpiGroupWord{"allreduce", GroupOperation::all_reduce},
                                 SmpiGroupWord{"alltoall", GroupOperation::all_to_all},
                                 SmpiGroupWord{"alltoallv", GroupOperation::all_to_all},
                                 SmpiGroupWord{"gather", GroupOperation::gather},
                                 SmpiGroupWord{"gatherv", GroupOperation::gather},
                                 SmpiGroupWord{"scatter", GroupOperation::scatter},
                                 SmpiGroupWord{"scatterv", GroupOperation::scatter},
                                 SmpiGroupWord{"allgather", GroupOperation::all_gather},
                                 SmpiGroupWord{"allgatherv", GroupOperation::all_gather},
                                 SmpiGroupWord{"reducescatter", GroupOperation::reduce_scatter},
                                 SmpiGroupWord{"scan", GroupOperation::scan},
                                 SmpiGroupWord{"exscan", GroupOperation::scan}};

/// Reads the lines of one trace, whose ranks may be in several files. The number of ranks is known only at
/// the end, so the builder has the maximum number of tasks until then.
class SmpiReader {
 public:
  SmpiReader(const std::string& source, const SmpiSettings& settings, std::uint64_t ranks)
      : settings_(settings), builder_(source) {
    builder_.declare(ranks);
  }

  void read(LineWords& words) {
    while (words.next_line()) read_line(words);
  }
  Program finish() { return builder_.finish_unended(); }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // source, destination, tag
  struct Rank {
    std::map<Key, std::deque<std::uint64_t>> open{};
    std::uint64_t next{0};
    std::uint64_t datatype{default_datatype};
  };

  void read_line(LineWords& words) {
    const auto rank = static_cast<std::uint32_t>(words.whole("a rank", max_tasks - 1));
    if (rank >= builder_.tasks())
      words.refuse(fmt::format("found rank {} in a trace of {} ranks", rank, builder_.tasks()));
    const std::string_view action = words.word("an action");
    Rank& of = ranks_[rank];
    if (action == "init") {
      // With an argument, SMPI's default datatype for actions is double; otherwise it is byte.
      if (words.has_more()) of.datatype = datatype_bytes[0];
      return builder_.add(rank, {.kind = ActionKind::idle}, words.line());
    }
    if (action == "finalize") return builder_.end(rank, words.line());
    if (action == "comm_size" || action == "comm_dup" || action == "location") return;
    if (action == "compute" || action == "sleep") return read_time(words, rank, action == "sleep");
    if (action == "send" || action == "isend" || action == "recv" || action == "irecv")
      return read_message(words, rank, of, action);
    if (action == "wait" || action == "waitall" || action == "test")
      return read_wait(words, rank, of, action);
    for (const SmpiGroupWord& group : group_words) {
      if (group.word == action) return read_group(words, rank, of, group);
    }
    words.refuse(fmt::format("the action '{}' cannot be simulated", escaped(action)));
  }

  [[nodiscard]] Picoseconds duration(LineWords& words, double seconds) const {
    const double ps = seconds * static_cast<double>(ps_per_second);
    if (!(ps < static_cast<double>(longest_time)))
      words.refuse("the duration is longer than 53 days; check the speed of the processor");
    return static_cast<Picoseconds>(std::llround(ps));
  }
  [[nodiscard]] Picoseconds work(LineWords& words, double flops) const {
    return duration(words, flops / settings_.flops_per_second);
  }

  void read_time(LineWords& words, std::uint32_t rank, bool is_sleep) {
    const double amount = words.real(is_sleep ? "seconds" : "an amount of flops");
    const Action action{.kind = is_sleep ? ActionKind::idle : ActionKind::compute,
                        .takes = is_sleep ? duration(words, amount) : work(words, amount)};
    builder_.add(rank, action, words.line());
  }

  std::uint64_t datatype(LineWords& words, const Rank& of) const {
    if (!words.has_more()) return of.datatype;
    return datatype_bytes[words.whole("a datatype", datatype_bytes.size() - 1)];
  }

  std::uint64_t size_of(LineWords& words, double count, std::uint64_t datatype) const {
    const double bytes = std::round(count * static_cast<double>(datatype));
    if (bytes > static_cast<double>(max_message_bytes)) words.refuse("the message is larger than 2^44 bytes");
    return static_cast<std::uint64_t>(bytes);
  }

  void read_message(LineWords& words, std::uint32_t rank, Rank& of, std::string_view word) {
    Action action;
    action.peer = words.number("a rank");
    action.tag = words.number("a tag");
    const double count = words.real("a number of elements");
    action.bytes = size_of(words, count, datatype(words, of));
    action.function = builder_.function(word, words.line());
    const bool receives = word.ends_with("recv");
    if (word[0] != 'i') {
      action.kind = receives ? ActionKind::receive : ActionKind::send;
      return builder_.add(rank, action, words.line());
    }
    action.kind = receives ? ActionKind::ireceive : ActionKind::isend;
    const Key key = receives ? Key{action.peer, rank, action.tag} : Key{rank, action.peer, action.tag};
    of.open[key].push_back(of.next);
    builder_.begin(rank, action, of.next++, words.line());
  }

  void read_wait(LineWords& words, std::uint32_t rank, Rank& of, std::string_view word) {
    Action wait{.kind = ActionKind::wait};
    wait.function = builder_.function(word, words.line());
    if (word == "waitall") {
      std::vector<std::uint64_t> requests;
      for (const auto& [key, open] : of.open) requests.insert(requests.end(), open.begin(), open.end());
      std::ranges::sort(requests);
      of.open.clear();
      return builder_.wait(rank, wait, requests, words.line());
    }
    const std::uint32_t source = words.number("a source");
    const std::uint32_t destination = words.number("a destination");
    const auto open = of.open.find({source, destination, words.number("a tag")});
    if (word == "test") {
      Action test{.kind = ActionKind::overhead, .function = wait.function};
      return builder_.add(rank, test.with(Mark::test), words.line());
    }
    if (open == of.open.end()) words.refuse("found a wait for a message that no isend or irecv began");
    const std::uint64_t request = open->second.front();
    open->second.pop_front();
    if (open->second.empty()) of.open.erase(open);
    builder_.wait(rank, wait, std::span(&request, 1), words.line());
  }

  // The mean of a vector with an entry for each rank.
  double mean_of_vector(LineWords& words) const {
    double sum = 0;
    for (std::uint32_t i = 0; i < builder_.tasks(); ++i) sum += words.real("an entry of a vector");
    return sum / builder_.tasks();
  }

  void read_group(LineWords& words, std::uint32_t rank, const Rank& of, const SmpiGroupWord& word) {
    Action action{.kind = ActionKind::group, .operation = word.operation};
    action.function = builder_.function(word.word, words.line());
    const auto at = read_amounts(words, word);
    const bool has_root =
        action.operation == GroupOperation::broadcast || action.operation == GroupOperation::reduce ||
        action.operation == GroupOperation::gather || action.operation == GroupOperation::scatter;
    if (has_root && words.has_more())
      action.peer = static_cast<std::uint32_t>(words.whole("a root", builder_.tasks() - 1));
    if (action.operation != GroupOperation::barrier)
      action.bytes = size_of(words, at.elements, datatype(words, of));
    builder_.add(rank, action, words.line());
    if (at.flops > 0)
      builder_.add(rank, {.kind = ActionKind::compute, .takes = work(words, at.flops)}, words.line());
  }

  struct Amounts {
    double elements{0};
    double flops{0};
  };
  Amounts read_amounts(LineWords& words, const SmpiGroupWord& word) const {
    Amounts amounts;
    switch (word.operation) {
      case GroupOperation::barrier:
        break;
      case GroupOperation::broadcast:
        amounts.elements = words.real("a number of elements");
        break;
      case GroupOperation::reduce:
      case GroupOperation::all_reduce:
      case GroupOperation::scan:
        amounts.elements = words.real("a number of elements");
        amounts.flops = words.real("an amount of flops");
        break;
      case GroupOperation::reduce_scatter:
        amounts.elements = mean_of_vector(words) * builder_.tasks();
        amounts.flops = words.real("an amount of flops");
        break;
      case GroupOperation::all_to_all:
        if (word.word == "alltoallv") {
          (void)words.real("a size of a buffer");
          amounts.elements = mean_of_vector(words);
          (void)words.real("a size of a buffer");
          (void)mean_of_vector(words);
          break;
        }
        [[fallthrough]];
      default:
        read_gathering(words, word, amounts);
    }
    return amounts;
  }

  // A gather counts its sent bytes, a scatter its received bytes.
  void read_gathering(LineWords& words, const SmpiGroupWord& word, Amounts& amounts) const {
    const bool is_scatter = word.operation == GroupOperation::scatter;
    const bool has_vector = word.word.ends_with('v');
    const double sent = is_scatter && has_vector ? mean_of_vector(words) : words.real("a number of elements");
    const double received =
        !is_scatter && has_vector ? mean_of_vector(words) : words.real("a number of elements");
    amounts.elements = is_scatter ? received : sent;
  }

  SmpiSettings settings_;
  ProgramBuilder builder_;
  std::map<std::uint32_t, Rank> ranks_;
};

// The highest rank, and the number of words of the first line.
struct FirstLook {
  std::uint64_t ranks{0};
  bool is_list{false};
};
FirstLook look_at(std::istream& in, const std::string& source) {
  LineWords words(in, source);
  FirstLook look;
  while (words.next_line()) {
    if (look.ranks == 0 && words.words_left() == 1) {
      look.is_list = true;
      return look;
    }
    look.ranks = std::max(look.ranks, words.whole("a rank", max_tasks - 1) + 1);
  }
  return look;
}

std::ifstream open_trace(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw EnvironmentError(fmt::format("cannot read {}", file.string()));
  return stream;
}

std::vector<fs::path> files_of(const fs::path& list) {
  std::ifstream stream = open_trace(list);
  LineWords words(stream, list.string());
  std::vector<fs::path> files;
  while (words.next_line()) {
    if (files.size() >= max_tasks) words.refuse("the list has too many files");
    files.push_back(list.parent_path() / std::string(words.word("a file")));
    words.expect_end();
  }
  return files;
}

}  // namespace

Program read_smpi_trace(std::istream& in, const std::string& source, const SmpiSettings& settings) {
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::istringstream first(text);
  const FirstLook look = look_at(first, source);
  if (look.is_list) throw ConfigurationError(fmt::format("{}:1: a line needs a rank and an action", source));
  if (look.ranks == 0) throw ConfigurationError(fmt::format("{}: found no actions", source));
  std::istringstream second(text);
  LineWords words(second, source);
  SmpiReader reader(source, settings, look.ranks);
  reader.read(words);
  return reader.finish();
}

Program read_smpi_trace(const fs::path& file, const SmpiSettings& settings) {
  std::ifstream stream = open_trace(file);
  const FirstLook look = look_at(stream, file.string());
  std::vector<fs::path> files{file};
  std::uint64_t ranks = look.ranks;
  if (look.is_list) {
    files = files_of(file);
    for (const fs::path& one : files) {
      std::ifstream part = open_trace(one);
      ranks = std::max(ranks, look_at(part, one.string()).ranks);
    }
  }
  if (ranks == 0) throw ConfigurationError(fmt::format("{}: found no actions", file.string()));
  SmpiReader reader(file.string(), settings, ranks);
  for (const fs::path& one : files) {
    std::ifstream part = open_trace(one);
    LineWords words(part, one.string());
    reader.read(words);
  }
  return reader.finish();
}

}  // namespace eventspace::whatif
