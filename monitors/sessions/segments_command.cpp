#include <iostream>

#include <eventspace/session.h>
#include "monitors/cli/commands.h"
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/servers/segment_list.h"
#include "monitors/text/plain_output.h"

namespace eventspace {
namespace {

struct SegmentsOptions {
  std::filesystem::path pathmap;
  std::string session;
  bool remove{false};
  Format format{Format::text};
};

void print(const std::vector<SegmentEntry>& entries, Format format) {
  ResultTable table({"session", "node", "process", "pid", "state", "trace_elements", "bytes", "events", "age",
                     "file", "refusal", "kind", "elements"});
  for (const SegmentEntry& entry : entries) {
    table.add({entry.identity.session, entry.identity.node, entry.identity.process, entry.pid,
               to_string(entry.state), entry.trace_elements, entry.bytes, entry.events,
               age_cell(entry.age, format), entry.file.string(), entry.refusal, to_string(entry.kind),
               entry.elements});
  }
  table.print(std::cout, format);
}

int list_or_remove(const SegmentsOptions& options) {
  std::string session = options.session;
  std::vector<std::filesystem::path> annex_directories;
  if (!options.pathmap.empty()) {
    const auto plan = read_pathmap(options.pathmap);
    session = session_name(*plan, session);
    annex_directories = plan->annex_directories();
  }
  const std::vector<SegmentEntry> entries = list_segments(session, annex_directories);
  if (options.format != Format::text || !entries.empty())
    print(entries, options.format);
  else
    print_message("no files of " + (session.empty() ? "a session" : "session " + session) +
                  " in shared memory on this machine");
  if (options.remove)
    std::cerr << "eventspace: removed " << remove_orphans(entries) << " files of dead processes\n";
  return exit_fine;
}

}  // namespace

Command segments_command() {
  const CommandGuide guide{
      .group = CommandGroup::machine,
      .examples = {
          {"eventspace segments", "the files in shared memory, of all sessions"},
          {"eventspace segments app.yaml --remove", "removes files of dead processes of its session"}}};
  return {"segments", "List the segments and element files in this machine's shared memory",
          with_options<SegmentsOptions>(
              [](CLI::App& app, SegmentsOptions& options) {
                app.add_option("PATHMAP", options.pathmap, "Pathmap of the session [all sessions]");
                add_session(app, options.session);
                add_format(app, options.format);
                app.add_flag("--remove", options.remove, "Remove files of dead processes");
              },
              list_or_remove),
          guide};
}

}  // namespace eventspace
