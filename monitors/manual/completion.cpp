#include "monitors/manual/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace eventspace {
namespace {

std::vector<CommandPage> listed(const std::vector<CommandPage>& pages) {
  std::vector<CommandPage> shown;
  std::ranges::copy_if(pages, std::back_inserter(shown), [](const auto& page) { return !page.is_hidden; });
  return shown;
}

bool takes_file(const OptionPage& page) {
  return page.value == "FILE" || page.names.front() == "PATHMAP" || page.names.front() == "CMD";
}

// The kind of names (words_command.h) that an argument or option takes; empty for others.
std::string_view kind_of_names(const OptionPage& page) {
  const std::string& name = page.names.front();
  const auto has = [&](std::string_view option) {
    return std::ranges::find(page.names, option) != page.names.end();
  };
  if (name == "METRIC" || has("--metric")) return "metrics";
  if (has("--scope")) return "scopes";
  if (has("--threads") && page.choices.empty()) return "threads";
  if (has("--session") || name == "SESSION") return "sessions";
  return name == "PATHMAP" && page.text.find("session") != std::string::npos ? "sessions" : "";
}

std::vector<std::string> names_of(const std::vector<CommandPage>& pages) {
  std::vector<std::string> names;
  names.reserve(pages.size());
  for (const CommandPage& page : pages) names.push_back(page.name);
  return names;
}

// In single quotes, for all three shells.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

// --- bash ----------------------------------------------------------------------------------------------

// The values of an option: words, names, files, or unknown.
std::string bash_action(const OptionPage& option) {
  if (!option.choices.empty()) return fmt::format("words=\"{}\"", fmt::join(option.choices, " "));
  if (const auto kind = kind_of_names(option); !kind.empty()) return fmt::format("names={}", kind);
  return takes_file(option) ? "files=yes" : "return";
}

std::string bash_values(const CommandPage& page) {
  std::string cases;
  for (const OptionPage& option : page.options) {
    if (option.value.empty()) continue;
    const std::string action = bash_action(option);
    cases += fmt::format("        {}) {} ;;\n", fmt::join(option.names, "|"), action);
  }
  return cases;
}

std::string bash_case(const CommandPage& page) {
  std::string options = "--help";
  for (const OptionPage& option : page.options) options += fmt::format(" {}", fmt::join(option.names, " "));
  std::string words;
  std::string names;
  bool files = false;
  for (const OptionPage& argument : page.arguments) {
    if (!argument.choices.empty()) words += fmt::format(" {}", fmt::join(argument.choices, " "));
    files = files || takes_file(argument);
    if (const auto kind = kind_of_names(argument); !kind.empty()) names += fmt::format(" {}", kind);
  }
  return fmt::format(
      "    {})\n      case $previous in\n{}        *) words=\"{}{}\" names=\"{}\" files={} ;;\n      esac "
      ";;\n",
      page.name, bash_values(page), options, words, names.empty() ? names : names.substr(1),
      files ? "yes" : "");
}

std::string bash_script(const std::vector<CommandPage>& pages) {
  std::string cases;
  for (const CommandPage& page : pages) cases += bash_case(page);
  return fmt::format(
      R"(# Completes command lines of eventspace in bash; written by `eventspace completion bash`.
_eventspace() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command="" words="" names="" files="" target="" name i
  COMPREPLY=()
  # Readline makes a word of the `=` in --format=json.
  if [[ $word == "=" ]]; then
    word=""
  elif [[ $previous == "=" ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      command=${{COMP_WORDS[i]}}
      [[ $((i + 1)) -ge $COMP_CWORD || ${{COMP_WORDS[i + 1]}} == -* ]] || target=${{COMP_WORDS[i + 1]}}
      break
    fi
  done
  case $command in
    "") words="{} --help --version" ;;
{}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ $word != -* ]]; then
    for name in $names; do
      while IFS= read -r i; do
        [[ $i != "$word"* ]] || COMPREPLY+=("$i")
      done < <(eventspace words "$name" $target 2>/dev/null)
    done
  fi
  if [[ -n $files && $word != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _eventspace eventspace
)",
      fmt::join(names_of(pages), " "), cases);
}

// --- zsh -----------------------------------------------------------------------------------------------

// Brackets and colons end the parts of a specification of _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char character : text) {
    if (character == '[' || character == ']' || character == ':' || character == '\\') out += '\\';
    out += character;
  }
  return out;
}

std::string zsh_action(const OptionPage& page) {
  if (!page.choices.empty()) return fmt::format("({})", fmt::join(page.choices, " "));
  const std::string_view kind = kind_of_names(page);
  if (takes_file(page)) return kind.empty() ? "_files" : "_eventspace_names_or_files";
  return kind.empty() ? " " : fmt::format("_eventspace_names {}", kind);
}

std::string zsh_specs(const CommandPage& page) {
  std::string specs = "        " + quoted("--help[List the options]");
  for (const OptionPage& option : page.options) {
    const std::string value =
        option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
    for (const std::string& name : option.names)
      specs += " \\\n        " + quoted(fmt::format("{}{}[{}]{}", option.may_repeat ? "*" : "", name,
                                                    zsh_text(option.text), value));
  }
  for (const OptionPage& argument : page.arguments)
    specs += " \\\n        " + quoted(fmt::format("{}:{}:{}", argument.is_required ? "" : ":",
                                                  argument.names.front(), zsh_action(argument)));
  return specs;
}

std::string zsh_script(const std::vector<CommandPage>& pages) {
  std::string commands;
  std::string cases;
  for (const CommandPage& page : pages) {
    commands += fmt::format("    {}\n", quoted(page.name + ":" + zsh_text(page.summary)));
    cases += fmt::format("      {})\n        _arguments \\\n{} ;;\n", page.name, zsh_specs(page));
  }
  return fmt::format(R"zsh(#compdef eventspace
# Completes command lines of eventspace in zsh; written by `eventspace completion zsh`.
_eventspace_names() {{
  local -a names
  names=(${{(f)"$(eventspace words $1 ${{words[2]:#-*}} 2>/dev/null)"}})
  compadd -a names
}}
_eventspace_names_or_files() {{
  _eventspace_names sessions
  _files
}}
_eventspace() {{
  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
{})
  _arguments -C '--help[List the commands]' '--version[Say which version this is]' \
    '1: :->command' '*:: :->rest'
  case $state in
  command) _describe command commands ;;
  rest)
    case $words[1] in
{}    esac ;;
  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _eventspace "$@"
else
  compdef _eventspace eventspace
fi
)zsh",
                     commands, cases);
}

// --- fish ----------------------------------------------------------------------------------------------

std::string fish_option(const std::string& command, const OptionPage& option) {
  std::string line = fmt::format("complete -c eventspace -n '__fish_seen_subcommand_from {}'", command);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty())
    line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  else if (const auto kind = kind_of_names(option); !kind.empty())
    line += fmt::format(" -x -a '(__eventspace_names {})'", kind);
  else if (!option.value.empty())
    line += takes_file(option) ? " -r -F" : " -x";
  return line + " -d " + quoted(option.text) + '\n';
}

std::string fish_argument(const std::string& command, const OptionPage& argument) {
  const std::string line = fmt::format("complete -c eventspace -n '__fish_seen_subcommand_from {}'", command);
  if (!argument.choices.empty()) return fmt::format("{} -a '{}'\n", line, fmt::join(argument.choices, " "));
  std::string lines = takes_file(argument) ? line + " -F\n" : "";
  if (const auto kind = kind_of_names(argument); !kind.empty())
    lines += fmt::format("{} -a '(__eventspace_names {})'\n", line, kind);
  return lines;
}

std::string fish_script(const std::vector<CommandPage>& pages) {
  std::string text =
      "# Completes command lines of eventspace in fish; written by `eventspace completion fish`.\n"
      "function __eventspace_names\n"
      "  set -l typed (commandline -opc)\n"
      "  eventspace words $argv[1] (string match -v -- '-*' $typed[3]) 2>/dev/null\n"
      "end\n"
      "complete -c eventspace -f\n"
      "complete -c eventspace -l help -d 'List the options'\n"
      "complete -c eventspace -n __fish_use_subcommand -l version -d 'Say which version this is'\n";
  for (const CommandPage& page : pages) {
    text += fmt::format("complete -c eventspace -n __fish_use_subcommand -a {} -d {}\n", page.name,
                        quoted(page.summary));
    for (const OptionPage& argument : page.arguments) text += fish_argument(page.name, argument);
    for (const OptionPage& option : page.options) text += fish_option(page.name, option);
  }
  return text;
}

}  // namespace

std::string completion_script(Shell shell, const std::vector<CommandPage>& pages) {
  switch (shell) {
    case Shell::bash:
      return bash_script(listed(pages));
    case Shell::zsh:
      return zsh_script(listed(pages));
    case Shell::fish:
      return fish_script(listed(pages));
  }
  return "";
}

}  // namespace eventspace
