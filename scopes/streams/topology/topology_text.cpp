#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/topology.h>

namespace eventspace::streams {
namespace {

constexpr std::string_view known_forms =
    "flat:N, F^D, FxFxF, kary:F:N, K@N, generic:N:N,N, or a tree that is written out as HOST:NUMBER => "
    "HOST:NUMBER ... ;";

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

/// The numbers between separators; empty if one of the parts is invalid.
std::vector<std::size_t> numbers_of(std::string_view text, char separator) {
  std::vector<std::size_t> numbers;
  while (true) {
    const std::size_t end = text.find(separator);
    const auto number = number_of(text.substr(0, end));
    if (!number) return {};
    numbers.push_back(*number);
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::vector<std::vector<std::size_t>>> levels_of(std::string_view text) {
  std::vector<std::vector<std::size_t>> levels;
  while (true) {
    const std::size_t end = text.find(':');
    levels.push_back(numbers_of(text.substr(0, end), ','));
    if (levels.back().empty()) return std::nullopt;
    if (end == std::string_view::npos) return levels;
    text.remove_prefix(end + 1);
  }
}

bool begins(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// F^D as the fan-outs of D levels; nullopt if the tree is too deep.
std::optional<std::vector<std::size_t>> power_of(const std::vector<std::size_t>& both) {
  constexpr std::size_t deepest = 64;
  if (both.size() != 2 || both[1] == 0 || both[1] > deepest) return std::nullopt;
  return std::vector<std::size_t>(both[1], both[0]);
}

/// A tree of one of the generated forms; nullopt if the text has another form.
std::optional<Topology> generated(std::string_view text) {
  if (begins(text, "generic:")) {
    const auto levels = levels_of(text);
    return levels ? std::optional(Topology::generic(*levels)) : std::nullopt;
  }
  if (begins(text, "kary:")) {
    const auto both = numbers_of(text, ':');
    return both.size() == 2 ? std::optional(Topology::k_ary(both[0], both[1])) : std::nullopt;
  }
  if (begins(text, "flat:")) {
    const auto count = number_of(text);
    return count ? std::optional(Topology::flat(*count)) : std::nullopt;
  }
  if (text.find('@') != std::string_view::npos) {
    const auto both = numbers_of(text, '@');
    return both.size() == 2 ? std::optional(Topology::k_nomial(both[0], both[1])) : std::nullopt;
  }
  if (text.find('^') != std::string_view::npos) {
    const auto fan_outs = power_of(numbers_of(text, '^'));
    return fan_outs ? std::optional(Topology::balanced(*fan_outs)) : std::nullopt;
  }
  begins(text, "balanced:");
  const auto fan_outs = numbers_of(text, 'x');
  return fan_outs.empty() ? std::nullopt : std::optional(Topology::balanced(fan_outs));
}

struct Word {
  std::string_view text;
  int line{1};
  int column{1};
};

/// Splits a text into words: names, "=>" and ";".
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  int line = 1;
  std::size_t line_begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '#') {
      end = std::min(text.find('\n', at), text.size());
    } else if (c == '\n') {
      ++line;
      line_begin = end;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      if (c != ';') end = std::min(text.find_first_of(" \t\r\n;#", at), text.size());
      words.push_back({text.substr(at, end - at), line, static_cast<int>(at - line_begin) + 1});
    }
    at = end;
  }
  return words;
}

bool is_host(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  // A launcher would take a name with '-' in front for an option.
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, allowed);
}

}  // namespace

/// Parses a written tree. Collects all faults.
class WrittenTopology {
 public:
  explicit WrittenTopology(std::string_view text) : words_(words_of(text)) {
    while (at_ < words_.size()) read_line();
    find_root();
  }

  std::variant<Topology, std::vector<TopologyFault>> result() {
    if (!faults_.empty()) return std::move(faults_);
    Topology made;
    fill(made);
    if (made.size() != processes_.size()) {
      report({}, "the processes are not one tree: some are children of each other in a circle");
      return std::move(faults_);
    }
    made.finish();
    return made;
  }

 private:
  struct Written {
    std::string host;
    std::uint32_t instance{0};
    std::optional<std::size_t> parent{};
    std::vector<std::size_t> children{};
    Word first{};
  };

  void report(const Word& at, std::string text) { faults_.push_back({at.line, at.column, std::move(text)}); }

  void read_line() {
    const Word first = words_[at_];
    const auto parent = read_process();
    if (at_ >= words_.size() || words_[at_].text != "=>") {
      report(at_ < words_.size() ? words_[at_] : first,
             fmt::format("'{}' is not followed by '=>' and its children; a topology is one of {}", first.text,
                         known_forms));
      return skip_line();
    }
    ++at_;
    std::size_t children = 0;
    for (; at_ < words_.size() && words_[at_].text != ";"; ++children) read_child(parent);
    if (children == 0) report(first, fmt::format("'{}' has no children", first.text));
    if (at_ >= words_.size())
      report(first, fmt::format("the children of '{}' do not end with ';'", first.text));
    ++at_;
  }

  void skip_line() {
    while (at_ < words_.size() && words_[at_].text != ";") ++at_;
    ++at_;
  }

  void read_child(std::optional<std::size_t> parent) {
    const Word word = words_[at_];
    const auto child = read_process();
    if (!child || !parent) return;
    if (processes_[*child].parent) {
      report(word, fmt::format("'{}' is a child of '{}' already; each HOST:NUMBER is one process", word.text,
                               processes_[*processes_[*child].parent].first.text));
    } else if (child == parent) {
      report(word, fmt::format("'{}' is a child of itself", word.text));
    } else {
      processes_[*child].parent = parent;
      processes_[*parent].children.push_back(*child);
    }
  }

  std::optional<std::size_t> read_process() {
    const Word word = words_[at_++];
    const std::size_t colon = word.text.rfind(':');
    const auto number =
        colon == std::string_view::npos ? std::nullopt : number_of(word.text.substr(colon + 1));
    const std::string_view host = word.text.substr(0, colon);
    if (!number || *number > Topology::max_processes || !is_host(host)) {
      report(word, fmt::format("'{}' is not HOST:NUMBER, such as n1.site:0", word.text));
      return std::nullopt;
    }
    const auto [known, is_new] = names_.try_emplace({std::string(host), *number}, processes_.size());
    if (is_new) processes_.push_back({std::string(host), static_cast<std::uint32_t>(*number), {}, {}, word});
    return known->second;
  }

  void find_root() {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (processes_[i].parent) continue;
      if (!root_) {
        root_ = i;
      } else {
        report(processes_[i].first,
               fmt::format("both '{}' and '{}' lack a parent; only the front-end has no parent",
                           processes_[i].first.text, processes_[*root_].first.text));
      }
    }
    if (!root_ && faults_.empty())
      report({}, processes_.empty() ? fmt::format("the topology is empty; known: {}", known_forms)
                                    : "no process is the front-end: each one is a child of another");
  }

  void fill(Topology& made) const {
    std::vector<std::pair<std::size_t, std::uint32_t>> waiting{{*root_, 0}};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const auto [written, number] = waiting[i];
      made.processes_[number].host = processes_[written].host;
      made.processes_[number].instance = processes_[written].instance;
      for (const std::size_t child : processes_[written].children)
        waiting.emplace_back(child, made.add(number));
    }
  }

  std::vector<Word> words_;
  std::size_t at_{0};
  std::vector<Written> processes_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> names_;
  std::optional<std::size_t> root_;
  std::vector<TopologyFault> faults_;
};

std::string to_string(const TopologyFault& fault) {
  return fmt::format("{}:{}: error: {}", fault.line, fault.column, fault.text);
}

std::variant<Topology, std::vector<TopologyFault>> Topology::parse(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view rest = text.substr(begin);
  const std::string_view word = rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
  try {
    if (!word.empty() && word.find_first_of(" \t\n;=#") == std::string_view::npos) {
      if (auto made = generated(word)) return std::move(*made);
      return std::vector{TopologyFault{1, static_cast<int>(begin) + 1,
                                       fmt::format("'{}' is not a topology; known: {}", word, known_forms)}};
    }
    return WrittenTopology(text).result();
  } catch (const ConfigurationError& error) {
    return std::vector{TopologyFault{1, static_cast<int>(begin) + 1, error.what()}};
  }
}

Topology Topology::of_text(std::string_view text, std::string_view source) {
  auto parsed = parse(text);
  if (auto* const made = std::get_if<Topology>(&parsed)) return std::move(*made);
  std::string faults;
  for (const TopologyFault& fault : std::get<std::vector<TopologyFault>>(parsed))
    faults += fmt::format("{}{}:{}", faults.empty() ? "" : "\n", source, to_string(fault));
  throw ConfigurationError(faults);
}

std::string Topology::to_text() const {
  std::string text;
  std::set<std::string> names;
  for (const TreeProcess& process : processes_) names.insert(process.name());
  // Unplaced processes do not have names.
  const bool named = names.size() == size();
  const auto name = [&](std::uint32_t i) { return named ? processes_[i].name() : fmt::format("any:{}", i); };
  std::vector<std::uint32_t> level_by_level{0};
  for (std::size_t at = 0; at < level_by_level.size(); ++at) {
    const std::vector<std::uint32_t>& children = processes_[level_by_level[at]].children;
    if (children.empty()) continue;
    text += name(level_by_level[at]) + " =>";
    for (const std::uint32_t child : children) text += ' ' + name(child);
    text += " ;\n";
    level_by_level.insert(level_by_level.end(), children.begin(), children.end());
  }
  return text;
}

}  // namespace eventspace::streams
