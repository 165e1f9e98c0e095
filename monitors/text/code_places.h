#pragma once

// Private to monitors/.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace eventspace {

/// Says which function, file and line a place in a program is: "main (app.c:12)". A place is as records have
/// it (PlanNames::site_name): "MODULE+0xADDRESS", where MODULE is the path of a program or shared library on
/// this machine and ADDRESS is one in that file.
///
/// The file and its debugging information are read when the first of its places is asked for, which takes a
/// while for large programs; each place is looked up once. Without debugging information the function alone
/// is known ("main"), and without symbols, or if the file is not here, or EventSpace was built without
/// elfutils, the text stays as it is. Thread-safe.
class CodePlaces {
 public:
  static constexpr std::size_t most_places = 100'000;  ///< that are remembered

  CodePlaces();
  ~CodePlaces();
  CodePlaces(const CodePlaces&) = delete;
  CodePlaces& operator=(const CodePlaces&) = delete;
  /// The one of this process.
  static CodePlaces& instance();

  [[nodiscard]] std::string describe(std::string_view place);
  /// "app.c:12" of an address in a file; empty if the file has no debugging information about it. Not
  /// remembered.
  [[nodiscard]] std::string source_of(const std::string& file, std::uint64_t address);

 private:
  struct Files;
  std::mutex mutex_;  // guards the members below
  std::unique_ptr<Files> files_;
  std::unordered_map<std::string, std::string> known_;
};

/// Returns what CodePlaces::instance() says of the place; of one that it does not know, the text without the
/// folder of its file, for tables.
std::string short_place(std::string_view place);

}  // namespace eventspace
