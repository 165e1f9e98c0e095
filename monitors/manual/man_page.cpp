#include "monitors/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "monitors/manual/text_file.h"

namespace eventspace {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string heading(const std::string& name, const BuildInfo& build) {
  return fmt::format(".TH {} 1 \"{}\" \"EventSpace {}\" \"EventSpace\"\n", roff(upper(name)), build.date,
                     build.version);
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(tag), roff(text));
}

std::string tagged_options(const char* title, const std::vector<OptionPage>& pages) {
  if (pages.empty()) return "";
  std::string text = fmt::format(".SH {}\n", title);
  for (const OptionPage& page : pages) text += tagged(page.form(), page.sentence());
  return text;
}

std::string statuses_of(const std::map<int, std::string>& statuses) {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : statuses) text += tagged(std::to_string(status), meaning);
  return text;
}

std::string synopsis_of(const CommandPage& page) {
  std::string text = ".SH SYNOPSIS\n.nf\n";
  for (const std::string& usage : page.usages) text += roff(usage) + '\n';
  return text + ".fi\n";
}

std::string examples_of(const CommandPage& page) {
  if (page.guide.examples.empty()) return "";
  std::string text = ".SH EXAMPLES\n";
  for (const CommandExample& example : page.guide.examples) text += tagged(example.line, example.purpose);
  return text;
}

std::string file_name(const CommandPage& page) { return "eventspace-" + page.name; }

}  // namespace

std::string roff(const std::string& text) {
  std::string out;
  bool is_bold = false;
  for (const char character : text) {
    if (character == '\\') {
      out += "\\e";
    } else if (character == '-') {
      out += "\\-";  // otherwise it is a hyphen, which cannot be copied into a command line
    } else if (character == '`') {
      is_bold = !is_bold;
      out += is_bold ? "\\fB" : "\\fR";
    } else {
      out += character;
    }
  }
  // A full stop or an apostrophe at the beginning of a line makes it a request.
  return !out.empty() && (out.front() == '.' || out.front() == '\'') ? "\\&" + out : out;
}

std::string man_page(const CommandPage& page, const BuildInfo& build) {
  std::string text = heading(file_name(page), build);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(file_name(page)), roff(page.summary));
  text += synopsis_of(page);
  text += fmt::format(".SH DESCRIPTION\n{}.\n", roff(page.summary));
  text += tagged_options("ARGUMENTS", page.arguments);
  text += tagged_options("OPTIONS", page.options);
  return text + statuses_of(page.statuses) + examples_of(page) + ".SH SEE ALSO\n.BR eventspace (1)\n";
}

std::string man_page_of_program(const std::vector<CommandPage>& pages, const BuildInfo& build) {
  std::string text = heading("eventspace", build);
  text += ".SH NAME\neventspace \\- observes the communication of parallel programs while they run\n";
  text +=
      ".SH SYNOPSIS\n.B eventspace\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
      "Each command has a page of its own, such as\n.BR eventspace\\-heartbeat (1),\n"
      "and lists its options with\n.BR \\-\\-help .\n.SH COMMANDS\n";
  for (const GroupTitle& group : group_titles) {
    std::string commands;
    for (const CommandPage& page : pages) {
      if (!page.is_hidden && page.guide.group == group.group) commands += tagged(page.name, page.summary);
    }
    if (!commands.empty()) text += fmt::format(".SS {}\n{}", group.title, commands);
  }
  text += statuses_of(exit_status_meanings()) + ".SH SEE ALSO\n";
  std::string names;
  for (const CommandPage& page : pages) {
    if (!page.is_hidden)
      names += fmt::format("{}.BR {} (1)", names.empty() ? "" : ",\n", roff(file_name(page)));
  }
  return text + names + '\n';
}

void write_man_pages(const std::filesystem::path& directory, const std::vector<CommandPage>& pages,
                     const BuildInfo& build) {
  write_text_file(directory / "eventspace.1", man_page_of_program(pages, build));
  for (const CommandPage& page : pages) {
    if (!page.is_hidden) write_text_file(directory / (file_name(page) + ".1"), man_page(page, build));
  }
}

}  // namespace eventspace
