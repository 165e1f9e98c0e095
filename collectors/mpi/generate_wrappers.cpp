// generate_wrappers FILE: writes to standard output the C++ source of the wrappers of the functions in
// mpi_calls.h that FILE, a preprocessed mpi.h, declares. generate_wrappers --uncovered FILE: lists the
// functions that FILE declares and mpi_calls.h lacks, one per line.
//
// A wrapper records the call (pathmaps/mpi/recording.h). The functions MPI_X and PMPI_X are jumps through a
// jump table, which leads to the wrappers or, in a process of another MPI, past them with all arguments
// unchanged.
//
// Exit status: 0 done, 1 FILE cannot be read, or a function's parameters differ from mpi_calls.h, 2 usage.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/mpi/mpi_calls.h"

namespace eventspace {
namespace {

struct Declared {
  std::string parameters;          ///< as written; for variadic functions, see with_any()
  std::vector<std::string> names;  ///< of the parameters
  std::string type;                ///< of the parameters, as written
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The last identifier before an array's brackets: "const int counts[]" is counts.
std::string name_of(std::string_view parameter) {
  parameter = parameter.substr(0, parameter.find('['));
  while (!parameter.empty() && !is_word(parameter.back())) parameter.remove_suffix(1);
  std::size_t first = parameter.size();
  while (first > 0 && is_word(parameter[first - 1])) --first;
  return std::string(parameter.substr(first));
}

std::vector<std::string> names_in(const std::string& parameters) {
  std::vector<std::string> names;
  if (parameters == "void") return names;
  std::size_t from = 0;
  for (;;) {
    const std::size_t comma = parameters.find(',', from);
    names.push_back(name_of(std::string_view(parameters).substr(from, comma - from)));
    if (comma == std::string::npos) return names;
    from = comma + 1;
  }
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// MPI_Pcontrol takes any arguments after its first, and another profiler may read them. The argument
// registers of each class are filled in order, so parameters for all registers receive and pass on all
// arguments, without knowledge of which are present.
Declared with_any(Declared declared) {
  constexpr std::string_view any = ", ...";
  if (!declared.parameters.ends_with(any)) return declared;
  declared.parameters.resize(declared.parameters.size() - any.size());
  declared.names.pop_back();
  const auto add = [&declared](const char* type, int count) {
    for (int i = 0; i < count; ++i) {
      declared.names.push_back(fmt::format("any_{}_{}", type, i));
      declared.parameters += fmt::format(", {} {}", type, declared.names.back());
    }
  };
  add("long", 7);  // on AArch64; on x86-64 five in registers, and two on the stack
  add("double", 8);
  return declared;
}

// Functions whose names begin with MPI_ and that return int, in the order of their names.
std::map<std::string, Declared> declared_in(const std::string& text) {
  std::map<std::string, Declared> found;
  constexpr std::string_view before = "int";
  for (std::size_t at = text.find("MPI_"); at != std::string::npos; at = text.find("MPI_", at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::size_t type = at;
    while (type > 0 && std::isspace(static_cast<unsigned char>(text[type - 1])) != 0) --type;
    if (type == at || type < before.size() || text.substr(type - before.size(), before.size()) != before)
      continue;
    std::size_t open = end;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) ++open;
    if (open >= text.size() || text[open] != '(') continue;
    const std::size_t close = text.find(')', open);
    if (close == std::string::npos) continue;
    std::string parameters = on_one_line(std::string_view(text).substr(open + 1, close - open - 1));
    auto names = names_in(parameters);
    found.emplace(text.substr(at, end - at), with_any({parameters, std::move(names), parameters}));
  }
  return found;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// A function that is wrapped.
struct Wrapped {
  std::string name;
  std::uint16_t number{0};
  const MpiCall* call{nullptr};
  const Declared* declared{nullptr};

  // The name of "a|b" that the function has. Empty if `alternatives` is empty.
  [[nodiscard]] std::string parameter(std::string_view alternatives) const {
    if (alternatives.empty()) return {};
    for (std::string_view rest = alternatives;;) {
      const std::string_view one = rest.substr(0, rest.find('|'));
      if (std::ranges::find(declared->names, one) != declared->names.end()) return std::string(one);
      if (one.size() == rest.size()) break;
      rest.remove_prefix(one.size() + 1);
    }
    throw std::runtime_error(
        fmt::format("{} has no parameter {}; it has {}", name, alternatives, joined(declared->names)));
  }
};

std::vector<Wrapped> wrapped_in(const std::map<std::string, Declared>& declared) {
  std::vector<Wrapped> all;
  std::uint16_t number = 0;
  for (const MpiCall& call : mpi_calls()) {
    ++number;
    for (const bool is_large : {false, true}) {
      const std::string name = std::string(call.name) + (is_large ? "_c" : "");
      const auto found = declared.find(name);
      if (found == declared.end()) continue;
      all.push_back(
          {name, static_cast<std::uint16_t>(number + (is_large ? large_counts : 0)), &call, &found->second});
    }
  }
  return all;
}

// Code for the bytes of the call. Ignored parameters may have any value.
std::string bytes_of(const Wrapped& function) {
  const MpiCall& call = *function.call;
  if (call.count.empty()) return {};
  const auto counted = [&](std::string_view count, std::string_view datatype) {
    const std::string arguments =
        fmt::format("{}, {}", function.parameter(count), function.parameter(datatype));
    if (call.extent == MpiExtent::none) return fmt::format("recording.bytes({});\n", arguments);
    return fmt::format("recording.bytes_of(Recording::{}, {});\n",
                       call.extent == MpiExtent::receivers ? "receivers" : "neighbors", arguments);
  };
  std::string condition;
  if (!call.in_place.empty())
    condition = fmt::format("{} != MPI_IN_PLACE", function.parameter(call.in_place));
  if (call.of == MpiClass::collective && !call.partner.empty())
    condition += fmt::format("{}{} >= 0", condition.empty() ? "" : " && ", function.parameter(call.partner));
  std::string text = condition.empty() ? "  " : fmt::format("  if ({}) ", condition);
  text += counted(call.count, call.datatype);
  if (!call.in_place_count.empty()) text += "  else " + counted(call.in_place_count, call.in_place_datatype);
  return text;
}

// Code that describes the call before it begins.
std::string facts_of(const Wrapped& function) {
  const MpiCall& call = *function.call;
  std::string text;
  const auto say = [&](std::string_view what, std::string_view parameter) {
    if (const auto name = function.parameter(parameter); !name.empty())
      text += fmt::format("  recording.{}({});\n", what, name);
  };
  if (!call.request.empty() && !call.creates_later) {
    text += fmt::format("  recording.makes_request(MpiClass({}), {});\n",
                        static_cast<int>(call.request_of.value_or(call.of)), call.request_of.has_value());
  }
  say("communicator", call.communicator);
  say(call.of == MpiClass::collective ? "root" : "partner", call.partner);
  say("tag", call.tag);
  if (const auto name = function.parameter(call.named); !name.empty())
    text += fmt::format("  gives_name({}, {});\n", function.parameter(call.communicator), name);
  say("window", call.window);
  if (const auto freed = function.parameter(call.freed_window); !freed.empty())
    text += fmt::format("  if ({0} != nullptr) recording.window(*{0});\n", freed);
  say("lock", call.lock);
  if (call.epoch != MpiEpoch::none) {
    const char* const epoch = call.epoch == MpiEpoch::access ? "Windows::access" : "Windows::exposure";
    if (const auto group = function.parameter(call.group); !group.empty())
      text += fmt::format("  recording.begins_epoch({}, {});\n", epoch, group);
    else
      text += fmt::format("  recording.ends_epoch({});\n", epoch);
  }
  // A call with a request does not have a status with the received message.
  if (!call.received_from.empty() && call.request.empty()) {
    text += fmt::format("  recording.receives({}, {});\n", function.parameter(call.received_from),
                        function.parameter(call.received_tag));
  }
  if (const auto freed = function.parameter(call.freed); !freed.empty())
    text += fmt::format("  if ({0} != nullptr) recording.communicator(*{0});\n", freed);
  return text + bytes_of(function);
}

std::string head_of(const Wrapped& function) {
  return fmt::format(
      "template <std::size_t slot>\nint wrapped_{}({}) {{\n"
      "  const auto next = reinterpret_cast<int (*)({})>(next_of(slot));\n"
      "  Recording recording({}, MpiClass({}), __builtin_return_address(0){});\n"
      "  if (!recording) return next({});\n",
      function.name, function.declared->parameters, function.declared->type, function.number,
      static_cast<int>(function.call->of), function.call->begins_mpi ? ", Recording::joins" : "",
      joined(function.declared->names));
}

constexpr std::string_view foot = "  return error;\n}\n\n";

// Code for the completed requests, if the call reports that there are some.
std::string completed_by(const Wrapped& function) {
  const MpiCall& call = *function.call;
  const std::string status = function.parameter(call.status);
  const std::string statuses = function.parameter(call.statuses);
  const std::string completed = function.parameter(call.completed);
  switch (call.completes) {
    case MpiCompletes::none:
    case MpiCompletes::nothing:
      break;
    case MpiCompletes::one:
      return fmt::format("completion.completed_one(0, {})", status);
    case MpiCompletes::any:
      return fmt::format("completion.completed_one(*{}, {})", completed, status);
    case MpiCompletes::some:
      return fmt::format("completion.completed_some(*{}, {}, {})", completed,
                         function.parameter(call.indices), statuses);
    case MpiCompletes::all:
      return fmt::format("completion.completed_all({})", statuses);
    case MpiCompletes::removes:
      return "completion.removed()";
  }
  return {};
}

// A function that completes or starts requests.
std::string completion_of(const Wrapped& function) {
  const MpiCall& call = *function.call;
  const bool is_one = call.requests_count.empty();
  const bool is_test = function.name.find("_Test") != std::string::npos;
  std::string text = head_of(function);
  text += fmt::format(
      "  CompletionRoom<{}> room;\n  Completion completion(recording, room, Completion::{}, {}, {});\n",
      is_one ? "1" : "Completion::max_followed", is_test ? "looks" : "waits",
      function.parameter(call.requests), is_one ? "1" : function.parameter(call.requests_count));
  if (const auto status = function.parameter(call.status); !status.empty())
    text += fmt::format("  MPI_Status own_status;\n  {0} = completion.status_in({0}, own_status);\n", status);
  // The program's array, which may be a parameter of array type, is replaced by name.
  if (const auto statuses = function.parameter(call.statuses); !statuses.empty()) {
    text += fmt::format(
        "  MPI_Status own_statuses[Completion::max_statuses];\n"
        "  {0} = completion.statuses_in({0}, own_statuses);\n",
        statuses);
  }
  text +=
      fmt::format("  completion.begin();\n  const int error = next({});\n", joined(function.declared->names));
  if (const std::string completed = completed_by(function); !completed.empty()) {
    const std::string flag = function.parameter(call.flag);
    text += fmt::format("  if (error == MPI_SUCCESS{}) {};\n",
                        flag.empty() ? "" : fmt::format(" && *{} != 0", flag), completed);
  }
  return text + "  completion.end(error);\n" + std::string(foot);
}

std::string definition_of(const Wrapped& function) {
  const MpiCall& call = *function.call;
  if (call.completes != MpiCompletes::none) return completion_of(function);
  std::string text = head_of(function) + facts_of(function);
  const std::string status = call.request.empty() ? function.parameter(call.status) : "";
  const std::string moved = function.parameter(call.moved);
  for (const std::string& filled : {status, moved}) {
    if (!filled.empty())
      text += fmt::format("  MPI_Status own_status;\n  {0} = status_in({0}, own_status);\n", filled);
  }
  if (const auto freed = function.parameter(call.freed); !freed.empty())
    text += fmt::format("  frees({});\n", freed);
  if (const auto freed = function.parameter(call.freed_window); !freed.empty())
    text += fmt::format("  frees_window({});\n", freed);
  const std::string flag = function.parameter(call.flag);
  if (!flag.empty()) text += "  recording.looks();\n";
  text +=
      fmt::format("  recording.begin();\n  const int error = next({});\n", joined(function.declared->names));
  if (!flag.empty())
    text += fmt::format("  if (error == MPI_SUCCESS && *{} != 0) recording.found();\n", flag);
  if (!status.empty()) text += fmt::format("  recording.received(error, {});\n", status);
  if (!moved.empty()) text += fmt::format("  recording.moved(error, {});\n", moved);
  const auto made = [&](std::string_view how, std::string_view parameter) {
    if (const auto name = function.parameter(parameter); !name.empty())
      text += fmt::format("  {}(recording.maker(), error, {});\n", how, name);
  };
  if (call.begins_mpi) text += "  has_begun_mpi(error);\n";
  made(call.creates_later ? "makes_later" : "has_made", call.created);
  if (const auto request = function.parameter(call.request); !request.empty() && !call.creates_later)
    text += fmt::format("  recording.made(error, {});\n", request);
  made("has_made_window", call.made_window);
  return text + "  recording.end(error);\n" + std::string(foot);
}

std::string jump(std::string_view name, std::size_t slot) {
  return fmt::format("EVENTSPACE_JUMP(\"eventspace_mpi_slots\", \"{}\", \"{}\")\n", name,
                     slot * sizeof(void*));
}

void print_wrappers(const std::vector<Wrapped>& functions) {
  std::string text =
      "// Written by generate_wrappers.\n#include \"pathmaps/mpi/completion.h\"\n#include "
      "\"pathmaps/mpi/recording.h\"\n\nnamespace "
      "eventspace::mpi {\nnamespace {\n\n";
  for (const Wrapped& function : functions) text += definition_of(function);
  text += "const char* const names[] = {\n";
  for (const Wrapped& function : functions) text += fmt::format("    \"{0}\", \"P{0}\",\n", function.name);
  text += "};\nvoid* next[std::size(names)];\n\n}  // namespace\n\nextern \"C\" {\n";
  text += "__attribute__((visibility(\"hidden\"))) void* eventspace_mpi_slots[std::size(names)] = {\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    text += fmt::format(
        "    reinterpret_cast<void*>(wrapped_{0}<{1}>), reinterpret_cast<void*>(wrapped_{0}<{2}>),\n",
        functions[i].name, 2 * i, 2 * i + 1);
  }
  text +=
      "};\n}\nconst preloading::Table table{names, next, eventspace_mpi_slots};\n\n}  // namespace "
      "eventspace::mpi\n\n";
  for (std::size_t i = 0; i < functions.size(); ++i)
    text += jump(functions[i].name, 2 * i) + jump("P" + functions[i].name, 2 * i + 1);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_uncovered(const std::map<std::string, Declared>& declared, const std::vector<Wrapped>& functions) {
  for (const auto& [name, declaration] : declared) {
    if (std::ranges::find(functions, name, &Wrapped::name) == functions.end())
      std::fprintf(stdout, "%s\n", name.c_str());
  }
}

int run(const std::string& file, bool lists) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto declared = declared_in(text);
  if (declared.empty()) throw std::runtime_error(file + " declares no function of MPI");
  const auto functions = wrapped_in(declared);
  if (lists) {
    print_uncovered(declared, functions);
  } else {
    print_wrappers(functions);
  }
  return 0;
}

}  // namespace
}  // namespace eventspace

int main(int argc, char** argv) {
  const bool lists = argc == 3 && std::string_view(argv[1]) == "--uncovered";
  if (argc != 2 && !lists) {
    std::fputs("usage: generate_wrappers [--uncovered] PREPROCESSED_MPI_H\n", stderr);
    return 2;
  }
  try {
    return eventspace::run(argv[argc - 1], lists);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generate_wrappers: %s\n", error.what());
    return 1;
  }
}
