#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/processes/open_files.h"
#include "monitors/probing/processes/process_modules.h"
#include "monitors/probing/tracing/process_memory.h"
#include "tests/monitors/probing/target.h"

namespace eventspace::testing_probing {

/// The probe regions of a process.
inline std::vector<ProbeArea> areas_of(std::int32_t pid) {
  return areas_in(ProcessMemory(pid), mapped_ranges(pid));
}

/// The properties of a process that must be as before when probes were removed: the mappings of files, the
/// bytes of code in them, and the open files.
inline std::vector<std::string> traces_of(std::int32_t pid) {
  std::vector<std::string> traces;
  const ProcessMemory memory(pid);
  for (const MappedRange& range : mapped_ranges(pid)) {
    if (range.inode == 0) continue;
    std::ostringstream line;
    line << range.begin << '-' << range.end << ' ' << range.path << (range.is_writable ? " w" : "");
    if (range.is_executable) {
      std::string code(range.end - range.begin, '\0');
      code.resize(memory.read_some(range.begin, std::as_writable_bytes(std::span(code))));
      line << " x " << code.size() << ' ' << std::hash<std::string_view>()(code);
    }
    traces.push_back(line.str());
  }
  for (const OpenFile& file : open_files_of(pid))
    traces.push_back(std::to_string(file.descriptor) + " " + file.path);
  std::ranges::sort(traces);
  return traces;
}

/// The size of the process's private copies of file-backed code, in kilobytes.
inline std::uint64_t own_code_kb(std::int32_t pid) {
  std::istringstream lines(text_of("/proc/" + std::to_string(pid) + "/smaps"));
  std::uint64_t sum = 0;
  bool is_code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("-p ") != std::string::npos || line.find(" r-xp ") != std::string::npos ||
        line.find(" rw-p ") != std::string::npos)
      is_code = line.find(" r-xp ") != std::string::npos && line.find('/') != std::string::npos;
    if (is_code && line.starts_with("Private_Dirty:")) sum += std::stoull(line.substr(14));
  }
  return sum;
}

}  // namespace eventspace::testing_probing
