#include "monitors/doctor/diagnosis.h"

#include <fmt/format.h>

#include <limits>

#include "monitors/servers/descriptor_limit.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {
namespace {

using Findings = std::vector<Finding>;

constexpr std::uint64_t mebibyte = 1 << 20;

void judge_program(const MachineFacts& facts, Findings& findings) {
  const std::string commit = facts.build.commit.empty() ? "unknown" : facts.build.commit;
  findings.push_back(
      {"program", Diagnosis::ok,
       fmt::format("eventspace {}, commit {}, {}", facts.build.version, commit, facts.build.type), ""});
}

Finding judge_space(const DirectoryFacts& memory) {
  const std::string found = fmt::format("{}: {} free of {}", memory.directory.string(),
                                        short_size(memory.free_bytes), short_size(memory.all_bytes));
  if (memory.free_bytes < mebibyte) {
    return {"shared memory", Diagnosis::fail, found,
            "a process needs 1 MiB or more: remove files there (`eventspace segments --remove`), enlarge it "
            "(`mount -o remount,size=...`), or set EVENTSPACE_SHM_DIR"};
  }
  // Measured: 141 threads with 2240 trace elements of 200 records, as examples/windtunnel has them.
  if (memory.free_bytes < 29 * mebibyte) {
    return {"shared memory", Diagnosis::warn, found,
            "an application of 141 threads with 2240 trace elements of 200 records takes 29 MiB: enlarge it "
            "(containers: --shm-size), or record less (`collect:` in the pathmap)"};
  }
  return {"shared memory", Diagnosis::ok, found, ""};
}

void judge_shared_memory(const MachineFacts& facts, Findings& findings) {
  const DirectoryFacts& memory = facts.shared_memory;
  if (!memory.refusal.empty()) {
    findings.push_back({"shared memory", Diagnosis::fail,
                        fmt::format("{}: {}", memory.directory.string(), memory.refusal),
                        "nothing can be recorded: make the directory writable, or set EVENTSPACE_SHM_DIR to "
                        "a writable directory of a tmpfs"});
    return;
  }
  findings.push_back(judge_space(memory));
  if (!memory.is_in_memory) {
    findings.push_back(
        {"shared memory", Diagnosis::warn,
         fmt::format("{} is not in memory (tmpfs)", memory.directory.string()),
         "recording writes to the disk: set EVENTSPACE_SHM_DIR to a directory of a tmpfs, or unset it"});
  }
}

void judge_orphans(const MachineFacts& facts, Findings& findings) {
  if (facts.unknown_files > 0) {
    findings.push_back({"unknown processes", Diagnosis::warn,
                        fmt::format("{} in shared memory belong to processes in another PID namespace, such "
                                    "as a container; it is unknown whether they are alive",
                                    counted(facts.unknown_files, "file")),
                        "`eventspace segments --remove` keeps them; run it in the namespace of these "
                        "processes, where it can tell which processes are dead"});
  }
  if (facts.orphans == 0) {
    findings.push_back({"left files", Diagnosis::ok, "no files of dead processes in shared memory", ""});
    return;
  }
  findings.push_back({"left files", Diagnosis::warn,
                      fmt::format("{} files of dead processes in shared memory, {}", facts.orphans,
                                  short_size(facts.orphan_bytes)),
                      "`eventspace segments` lists them, `eventspace segments --remove` removes them"});
}

void judge_runtime(const MachineFacts& facts, Findings& findings) {
  if (!facts.runtime.refusal.empty()) {
    findings.push_back({"runtime directory", Diagnosis::fail,
                        fmt::format("{}: {}", facts.runtime.directory.string(), facts.runtime.refusal),
                        "servers and monitors cannot find each other: set XDG_RUNTIME_DIR to a directory "
                        "that you own, with mode 0700"});
    return;
  }
  findings.push_back({"runtime directory", Diagnosis::ok, facts.runtime.directory.string(), ""});
  for (const std::string& line : facts.taken_names)
    findings.push_back({"runtime directory", Diagnosis::warn, line,
                        "no action is needed; if that user should not do so, ask the administrator"});
}

void judge_clock(const MachineFacts& facts, Findings& findings) {
  const std::string source = facts.clock_source.empty() ? "unknown" : facts.clock_source;
  if (!facts.clock_refusal.empty()) {
    findings.push_back({"clock", Diagnosis::fail, facts.clock_refusal, "unset EVENTSPACE_CLOCK"});
  } else if (facts.uses_tsc) {
    findings.push_back({"clock", Diagnosis::ok,
                        fmt::format("the processor's counter (TSC); the kernel's clock source is {}", source),
                        ""});
  } else {
    findings.push_back(
        {"clock", Diagnosis::warn,
         fmt::format("CLOCK_MONOTONIC; the kernel's clock source is {}{}", source,
                     facts.clock_override.empty() ? "" : ", and EVENTSPACE_CLOCK=" + facts.clock_override),
         facts.clock_override.empty()
             ? "each event costs more: the kernel does not trust the counter; a virtual machine may need "
               "the flags constant_tsc and nonstop_tsc (such as `-cpu host,+invtsc`)"
             : "each event costs more: unset EVENTSPACE_CLOCK unless you need it"});
  }
}

void judge_descriptors(const MachineFacts& facts, Findings& findings) {
  const std::string found =
      fmt::format("{} now, {} at most (ulimit -n)", facts.soft_descriptors, facts.hard_descriptors);
  if (facts.hard_descriptors < 64) {
    findings.push_back({"descriptors", Diagnosis::fail, found,
                        "servers need 64 or more to start: raise the limit (`ulimit -Hn`, limits.conf(5))"});
  } else if (!warn_of_few_descriptors(facts.hard_descriptors, LimitsPlan{}.connections).empty()) {
    findings.push_back({"descriptors", Diagnosis::warn, found,
                        "a server can admit fewer connections than `limits: connections` says: raise the "
                        "limit (`ulimit -Hn`, limits.conf(5))"});
  } else {
    findings.push_back({"descriptors", Diagnosis::ok, found, ""});
  }
  if (!facts.may_watch_directories) {
    findings.push_back({"inotify", Diagnosis::warn, "no more directories can be watched",
                        "servers may miss runs that begin and end between two pulls: raise "
                        "fs.inotify.max_user_instances (sysctl)"});
  }
}

// EventSpace does not lock memory, so any limit is sufficient.
void judge_locked_memory(const MachineFacts& facts, Findings& findings) {
  const bool has_limit = facts.locked_bytes != std::numeric_limits<std::uint64_t>::max();
  const std::string limit = has_limit ? short_size(facts.locked_bytes) : "no limit";
  findings.push_back({"locked memory", Diagnosis::ok, limit + " (ulimit -l); EventSpace locks none", ""});
}

void judge_rights(const MachineFacts& facts, Findings& findings) {
  const int scope = facts.ptrace_scope.value_or(0);
  const std::string traced =
      fmt::format("kernel.yama.ptrace_scope is {}", facts.ptrace_scope ? std::to_string(scope) : "not set");
  if (scope == 0 || facts.has_ptrace_right) {
    findings.push_back({"ptrace", Diagnosis::ok, traced, ""});
  } else {
    findings.push_back(
        {"ptrace", Diagnosis::warn, traced,
         "EventSpace works without it, but debuggers cannot attach to a stalled process: `sysctl "
         "kernel.yama.ptrace_scope=0`, or start the program under the debugger"});
  }
  const bool may_count = facts.perf_paranoid && (*facts.perf_paranoid <= 2 || facts.has_perf_right);
  const std::string counted = facts.perf_paranoid
                                  ? fmt::format("kernel.perf_event_paranoid is {}", *facts.perf_paranoid)
                                  : "the kernel has no perf events";
  const std::string advice = "EventSpace works without it, but profilers cannot be used with it: ";
  if (may_count) {
    findings.push_back({"perf", Diagnosis::ok, counted, ""});
  } else {
    findings.push_back(
        {"perf", Diagnosis::warn, counted,
         advice + (facts.perf_paranoid ? "`sysctl kernel.perf_event_paranoid=2`"
                                       : "another kernel, or another container, may have them")});
  }
}

void judge_keys(const MachineFacts& facts, Findings& findings) {
  for (const KeyFileFacts& keys : facts.keys) {
    if (!keys.refusal.empty())
      findings.push_back({"keys", Diagnosis::fail, keys.refusal,
                          fmt::format("make {} a regular file that you own, with mode 0600, or remove it and "
                                      "start the session again",
                                      keys.file.string())});
    else
      findings.push_back({"keys", Diagnosis::ok, keys.file.string(), ""});
  }
  if (facts.keys.empty())
    findings.push_back({"keys", Diagnosis::ok, "no session has keys on this machine", ""});
}

void judge_servers(const MachineFacts& facts, Findings& findings) {
  const std::string own = fmt::format("{} {}", facts.build.version, facts.build.commit);
  for (const ServerFacts& server : facts.servers) {
    const std::string who = fmt::format("pid {}: {}", server.pid, server.command);
    if (server.is_same_program || server.build == own) {
      findings.push_back({"server", Diagnosis::ok, who, ""});
      continue;
    }
    findings.push_back(
        {"server", Diagnosis::warn,
         fmt::format("{}; it runs {}", who,
                     server.build.empty() ? "an unknown version" : "eventspace " + server.build),
         "if monitors cannot use it, restart it: `eventspace down PATHMAP` with that "
         "version, then `eventspace up PATHMAP`"});
  }
  if (facts.servers.empty())
    findings.push_back({"server", Diagnosis::ok, "no server of this user runs on this machine", ""});
}

void judge_graphviz(const MachineFacts& facts, Findings& findings) {
  if (facts.graphviz) {
    findings.push_back({"graphviz", Diagnosis::ok, facts.graphviz->string(), ""});
  } else {
    findings.push_back({"graphviz", Diagnosis::warn, "the program `dot` was not found",
                        "`draw` writes only .dot without it: install graphviz"});
  }
}

}  // namespace

std::string_view to_string(Diagnosis diagnosis) noexcept {
  switch (diagnosis) {
    case Diagnosis::ok:
      return "ok";
    case Diagnosis::warn:
      return "warn";
    case Diagnosis::fail:
      return "fail";
  }
  return "?";
}

std::vector<Finding> diagnose(const MachineFacts& facts) {
  Findings findings;
  judge_program(facts, findings);
  judge_shared_memory(facts, findings);
  judge_orphans(facts, findings);
  judge_runtime(facts, findings);
  judge_clock(facts, findings);
  judge_descriptors(facts, findings);
  judge_locked_memory(facts, findings);
  judge_rights(facts, findings);
  judge_keys(facts, findings);
  judge_servers(facts, findings);
  judge_graphviz(facts, findings);
  return findings;
}

}  // namespace eventspace
