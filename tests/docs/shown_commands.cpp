#include "tests/docs/shown_commands.h"

#include <fmt/format.h>
#include <stdlib.h>

namespace eventspace::docs {
namespace {

constexpr const char* end_of_output = "-- end of the output of a command --";

std::vector<std::vector<std::string>> split(const std::string& text) {
  std::vector<std::vector<std::string>> parts(1);
  for (const std::string& line : lines_of(text)) {
    if (line == end_of_output) {
      parts.emplace_back();
    } else {
      parts.back().push_back(line);
    }
  }
  return parts;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

void ShownCommands::find_programs_in(const std::filesystem::path& folder) {
  path_.emplace("PATH", fmt::format("{}:{}", folder.string(), ::getenv("PATH")));
}

std::vector<std::vector<std::string>> ShownCommands::outputs_of(const std::vector<ShownCommand>& commands,
                                                                const std::filesystem::path& folder) {
  std::string script = "exec 2>&1\ncd " + folder.string() + "\n";
  for (const ShownCommand& command : commands) {
    script += fmt::format("{}\n{{ status=$?; printf '%s\\n' '{}'; (exit $status); }}\n", command.words,
                          end_of_output);
  }
  auto shell = start({}, {"/bin/bash", write("page.sh", script).string()});
  EXPECT_EQ(shell.status(), 0) << shell.out();
  return split(shell.out());
}

void ShownCommands::expect_outputs(const std::vector<ShownCommand>& commands,
                                   const std::filesystem::path& folder) {
  const auto outputs = outputs_of(commands, folder);
  ASSERT_GE(outputs.size(), commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_TRUE(is_shown_by(commands[i].output, outputs[i]))
        << "line " << commands[i].line << ": $ " << commands[i].words << "\nshown:\n"
        << joined(commands[i].output) << "written:\n"
        << joined(outputs[i]);
  }
}

}  // namespace eventspace::docs
