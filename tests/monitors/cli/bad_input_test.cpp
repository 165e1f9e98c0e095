#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "tests/monitors/cli/json_page.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/top/terminal_program.h"
#include "tests/monitors/workplace.h"

// Each command of the help with input that is not a pathmap, and beside a running application with broken
// outputs, environments and terminals. The command lines are made from the commands' own usage, so that a new
// command is tested as soon as it is listed.

namespace eventspace {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing_commands::all_pages;
using testing_commands::Call;
using testing_commands::call_program;
using testing_commands::JsonPage;
using testing_commands::ProgramCall;
using testing_commands::TerminalProgram;
using Words = std::vector<std::string>;

bool takes_pathmap(const CommandPage& page) {
  return std::ranges::any_of(page.arguments, [](const auto& one) { return one.names.front() == "PATHMAP"; });
}

/// The words of the shortest command line by the first usage: those outside of brackets. `values` has the
/// values of options and arguments.
Words shortest_line(const CommandPage& page, const std::map<std::string, std::string>& values) {
  std::istringstream usage(page.usages.front());
  Words words;
  std::string word;
  usage >> word;  // "eventspace"
  while (usage >> word) {
    if (word.starts_with('[')) break;  // options and optional words come last
    const bool is_fixed = word == page.name || word.starts_with("--");
    const std::string before = words.empty() ? "" : words.back();
    const std::string key = before.starts_with("--") ? before : word;
    if (!is_fixed && !values.contains(key))
      ADD_FAILURE() << "this test has no value for " << key << " of " << page.name;
    words.push_back(is_fixed ? word : values.at(key));
  }
  return words;
}

// --- input that is not a pathmap ------------------------------------------------------------------------

const std::map<std::string, std::string> plain_values{{"--node", "n1"},
                                                      {"--scope", "heartbeat"},
                                                      {"--max-slowdown", "100"},
                                                      {"--output", "none/out.evs"},
                                                      {"--probe", "main"},
                                                      {"FILE", "missing"},
                                                      {"FILES", "missing"},
                                                      {"--to", "csv"},
                                                      {"METRIC", "Send_count"},
                                                      {"PATHMAP", "missing"},
                                                      {"RECORDING", "missing"},
                                                      {"{bash,zsh,fish}", "zsh"},
                                                      {"EVENT", "verb == 'write'"}};

ProgramCall call_with(const CommandPage& page, const std::string& pathmap) {
  auto values = plain_values;
  values["PATHMAP"] = pathmap;
  Words words = shortest_line(page, values);
  if (page.name == "probe" || page.name == "functions") words.emplace_back("main");  // a pattern first
  if (std::ranges::find(words, pathmap) == words.end()) words.push_back(pathmap);    // it may be optional
  return call_program(words);
}

class NoPathmap : public testing_commands::Workplace {
 protected:
  /// All commands refuse the file with this reason and its name.
  void expect_refused(const std::string& pathmap, const std::string& reason) {
    std::size_t commands = 0;
    for (const CommandPage& page : all_pages()) {
      if (!takes_pathmap(page) || page.name == "group") continue;  // `group` first looks for the group
      ++commands;
      const ProgramCall call = call_with(page, pathmap);
      EXPECT_EQ(call.status, exit_usage) << page.name << ": " << call.err;
      EXPECT_EQ(call.out, "") << page.name;
      EXPECT_THAT(call.err, AllOf(HasSubstr(pathmap), HasSubstr(reason))) << page.name;
    }
    EXPECT_GE(commands, 15U);
  }
};

TEST_F(NoPathmap, IsThere) { expect_refused(file("missing.yaml"), "no such file"); }

TEST_F(NoPathmap, ButADirectory) {
  std::filesystem::create_directory(file("directory.yaml"));
  expect_refused(file("directory.yaml"), "not a regular file");
}

TEST_F(NoPathmap, ButABinaryFile) {
  std::ofstream out(file("binary.yaml"), std::ios::binary);
  for (int i = 0; i < 4096; ++i) out.put(static_cast<char>(i * 37 % 256));
  out.close();
  expect_refused(file("binary.yaml"), "error: ");
}

TEST_F(NoPathmap, ButAProgram) {
  expect_refused(EVENTSPACE_PROGRAM, "is a program; expected a pathmap or the name of a session");
}

TEST_F(NoPathmap, ButAnEmptyFile) { expect_refused(write("empty.yaml", ""), "found nothing; expected"); }

TEST_F(NoPathmap, ButAFileWithoutTheRightToReadIt) {
  const auto unreadable = write("unreadable.yaml", "pathmap: 1\n");
  if (::geteuid() != 0) {
    ::chmod(unreadable.c_str(), 0);
    expect_refused(unreadable, "Permission denied");
  } else {
    expect_refused("/proc/self/mem", "cannot be read: Input/output error");  // root may read all other files
  }
}

// --- beside a running application -----------------------------------------------------------------------

class EachCommand : public testing_commands::Workplace {
 protected:
  void SetUp() override {
    start_servers_of(pathmap_);
    application_.emplace(start_application_of(pathmap_, {TINY_APP}));
    EXPECT_EQ(call({"snapshot", pathmap_, "--output", file("run.evs")}).status(), 0);
  }

  /// The commands that end by themselves, each with a command line that ends soon. Commands that start and
  /// stop servers or sessions do so in a session of their own, without an application.
  [[nodiscard]] std::vector<std::pair<CommandPage, Words>> lines() const {
    auto values = plain_values;
    values["PATHMAP"] = pathmap_;
    values["FILE"] = file("run.evs");
    values["FILES"] = file("run.evs");
    values["RECORDING"] = file("run.evs");
    values["--output"] = file("new.evs");
    const std::set<std::string> do_not_end{"serve", "share", "web"};
    std::vector<std::pair<CommandPage, Words>> lines;
    for (const CommandPage& page : all_pages()) {
      if (page.is_hidden || do_not_end.contains(page.name)) continue;
      // These change running programs: see tests/monitors/probing.
      if (page.name == "probe" || page.name == "attach" || page.name == "detach" || page.name == "group" ||
          page.name == "balance")
        continue;
      Words words = shortest_line(page, values);
      if (page.name == "run") words = {"run", other_, "--session", "other", "--", TINY_APP, "3"};
      if (page.name == "up" || page.name == "down" || page.name == "unshare")
        words = {page.name, other_, "--session", "other"};
      if (page.name == "functions") words = {"functions", "--file", TINY_APP, "main"};
      if (page.name == "init") words = {"init", "-"};  // at the second time, a file would exist
      if (page.find_option("--once") != nullptr)
        words.emplace_back("--once");
      else if (page.find_option("--for") != nullptr)
        words.insert(words.end(), {"--for", page.name == "tune" ? "1s" : "200ms"});
      if (page.find_option("--force") != nullptr) words.emplace_back("--force");
      if (page.name == "tune") words.insert(words.end(), {"--progress", "log", "--slice", "20ms"});
      lines.emplace_back(page, words);
    }
    return lines;
  }

  static std::string text_of(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
  }

  /// The command has ended by itself, with a documented status, and without a message of the C++ library.
  static void expect_orderly(Call& call, const Words& words) {
    EXPECT_THAT(call.status(), AllOf(Ge(0), Le(3))) << text_of(words) << call.err();
    EXPECT_THAT(call.err(), Not(HasSubstr("terminate"))) << text_of(words);
  }

  /// A command with output reports that it cannot be written, and a command without output ends as always.
  void expect_output_failure(const std::string& redirection) {
    for (const auto& [page, words] : lines()) {
      auto fine = call(words);
      expect_orderly(fine, words);
      const std::string message = "cannot write to standard output";
      const auto fails = [&, words = words] {
        auto failed = start(words, {"sh", "-c", "exec \"$@\" " + redirection, "sh"});
        expect_orderly(failed, words);
        return failed.status() == exit_unreachable && failed.err().find(message) != std::string::npos;
      };
      const bool was_refused = fails();
      if (fine.out().empty() || page.name == "run") continue;  // the output of `run` is the application's
      // On a busy machine a monitor may see no events in its time, and then writes nothing.
      EXPECT_TRUE(was_refused || testing_commands::eventually(fails)) << text_of(words);
    }
  }

  /// The same pathmap with other ports, for a second session.
  [[nodiscard]] std::filesystem::path other_pathmap() const {
    std::filesystem::rename(tiny(), file("other.yaml"));
    return file("other.yaml");
  }

  std::filesystem::path other_ = other_pathmap();
  std::filesystem::path pathmap_ = tiny(testing_commands::free_port(), testing_commands::free_port(),
                                        std::string(testing_commands::monitors_scopes));
  std::optional<Call> application_;
};

TEST_F(EachCommand, ReportsAClosedOutput) { expect_output_failure(">&-"); }

TEST_F(EachCommand, ReportsAFullDisk) { expect_output_failure(">/dev/full"); }

TEST_F(EachCommand, NeedsNoTerminalNoHomeNoLocaleAndNoInput) {
  const Words bare{"env",
                   "-i",
                   "PATH=/usr/bin:/bin",
                   "TERM=dumb",
                   "LC_ALL=no_SUCH.locale",
                   "EVENTSPACE_SHM_DIR=" + file("shm").string(),
                   "XDG_RUNTIME_DIR=" + file("").string(),
                   "sh",
                   "-c",
                   "exec \"$@\" <&-",
                   "sh"};
  for (const auto& [page, words] : lines()) {
    auto call = start(words, bare);
    expect_orderly(call, words);
    for (const std::string& text : {call.out(), call.err()})
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << text_of(words);
  }
}

TEST_F(EachCommand, MayRunTwiceAtOnce) {
  for (const auto& [page, words] : lines()) {
    auto one = start(words);
    auto other = start(words);
    expect_orderly(one, words);
    expect_orderly(other, words);
  }
}

TEST_F(EachCommand, EndsInATinyWindow) {
  for (const auto& [page, words] : lines()) {
    Words command{EVENTSPACE_PROGRAM};
    command.insert(command.end(), words.begin(), words.end());
    TerminalProgram program(command, 5, 20);
    EXPECT_THAT(program.status(), AllOf(Ge(0), Le(3))) << text_of(words) << program.bytes();
  }
}

// Samples the moments: at once, while the program is loaded, while it works, and near its end. Before a
// command has taken over SIGINT, the signal kills it, as it should.
TEST_F(EachCommand, EndsOnCtrlCAtAnyTime) {
  for (const auto& [page, words] : lines()) {
    Words without_end = words;
    std::erase(without_end, "--once");
    for (const int milliseconds : {0, 4, 16, 64}) {
      auto call = start(without_end);
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      call.signal(SIGINT);
      const int status = call.status();
      EXPECT_TRUE((status >= 0 && status <= 3) || status == -SIGINT || status == 128 + SIGINT)
          << text_of(without_end) << status << call.err();
      EXPECT_THAT(call.err(), Not(HasSubstr("terminate"))) << text_of(words);
    }
  }
  // The interrupted commands leave nothing behind: the servers of the other session can be started and
  // stopped.
  for (const char* const command : {"up", "down"}) {
    auto again = call({command, other_, "--session", "other"});
    EXPECT_EQ(again.status(), 0) << again.out() << again.err();
  }
  EXPECT_EQ(processes_with("serve").size(), 2U);
}

// Fails for each member of the value, and of values in it, that the page does not have.
void expect_documented(const JsonPage& page, const std::string& section, const nlohmann::json& value) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      EXPECT_TRUE(page.has(section, name)) << name << " of " << section;
      expect_documented(page, section, member);
    }
  }
  if (value.is_array())
    for (const auto& member : value) expect_documented(page, section, member);
}

TEST_F(EachCommand, WritesNoMemberInJsonThatIsNotDocumented) {
  const JsonPage page_of_json = JsonPage::of_docs();
  for (const auto& [page, words] : lines()) {
    if (page.find_option("--format") == nullptr) continue;
    Words with_format = words;
    with_format.insert(with_format.end(), {"--format", "json"});
    const std::string section = page.name == "up" || page.name == "down" ? "up and down" : page.name;
    ASSERT_TRUE(page_of_json.has_section(section)) << "docs/json.md has no section " << section;
    const auto writes_objects = [&] {
      auto call = this->call(with_format);
      expect_orderly(call, with_format);
      const auto objects = testing_commands::objects_in(call.out());
      for (const auto& object : objects) expect_documented(page_of_json, section, object);
      return !objects.empty();
    };
    // Networks belong to the user, not to the session, so another test may have some now. Their output is
    // checked in tests/monitors/streams.
    if (page.name == "streams") {
      (void)writes_objects();
      continue;
    }
    // On a busy machine a monitor may see no events in its time. The application does not have collectives or
    // an MPI job.
    const bool has_results = page.name != "collectives" && page.name != "whatif";
    EXPECT_TRUE(has_results ? testing_commands::eventually(writes_objects) : !writes_objects())
        << text_of(with_format);
  }
}

}  // namespace
}  // namespace eventspace
