#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "scopes/recordings/recording_reader.h"
#include "scopes/recordings/recording_writer.h"
#include "tests/scopes/scope_talk.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::test {

inline constexpr std::int64_t ms = 1'000'000;

/// Makes recordings in its own folder. Clocks are nanoseconds; thread 1 is in process 0, thread 11 in process
/// 1, and so on.
class Recorded : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& name = "run.evs") const {
    return directory_.path() / name;
  }
  [[nodiscard]] RecordingWriter::Config config(const std::string& name = "run.evs") const {
    return {.file = file(name),
            .session = {"gas", "pathmap: 1\n", "n1", "0.1", 0, 1'000'000'000'000, "clock a"},
            .names = &names_,
            .collects = std::chrono::nanoseconds(0)};
  }

  static View view_of(std::vector<TraceTuple> records, const std::vector<std::uint32_t>& processes = {0}) {
    View view;
    view.records = Records(std::move(records));
    for (const std::uint32_t process : processes) {
      ProcessReport& report = view.processes.emplace_back();
      report.process = process;
      report.pid = 70 + static_cast<std::int32_t>(process);
    }
    return view;
  }

  [[nodiscard]] std::string octets(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void store(const std::string& octets, const std::string& name) const {
    std::ofstream(file(name), std::ios::binary | std::ios::trunc) << octets;
  }

  /// The numbers of all events, in order; "-" for a chunk that is refused.
  static std::string told(const RecordingReader& reader) {
    std::string text;
    for (std::size_t i = 0; i < reader.chunks().size(); ++i) {
      if (reader.chunks()[i].kind != RecordingReader::Kind::events) continue;
      try {
        text += (text.empty() ? "" : " ") + test::told(reader.view(i));
      } catch (const EnvironmentError&) {
        text += (text.empty() ? "-" : " -");
      }
    }
    return text;
  }
  [[nodiscard]] std::string told(const std::string& name = "run.evs") const {
    return told(RecordingReader(file(name)));
  }
  /// The text with which a function refuses; empty if it does not.
  template <class Function>
  static std::string refusal(Function function) {
    try {
      function();
    } catch (const EnvironmentError& error) {
      return error.what();
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "";
  }

  PlainNames names_;
  TemporaryDirectory directory_;
};

}  // namespace eventspace::test
