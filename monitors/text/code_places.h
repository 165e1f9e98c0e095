#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace eventspace {

/// Translates a place in a program to function, file and line: "main (app.c:12)". A place has the form of
/// records (PlanNames::site_name): "MODULE+0xADDRESS", where MODULE is the path of a program or shared
/// library on this machine and ADDRESS is an address in that file.
///
/// The file and its debugging information are read at the first request for one of its places, which takes a
/// while for large programs; each place is looked up once. Without debugging information, only the function
/// is known ("main"). Without symbols, if the file is missing, or if EventSpace was built without elfutils,
/// the text stays unchanged. Thread-safe.
class CodePlaces {
 public:
  static constexpr std::size_t max_places = 100'000;  ///< that are cached

  CodePlaces();
  ~CodePlaces();
  CodePlaces(const CodePlaces&) = delete;
  CodePlaces& operator=(const CodePlaces&) = delete;
  /// The instance of this process.
  static CodePlaces& instance();

  [[nodiscard]] std::string describe(std::string_view place);
  /// "app.c:12" for an address in a file; empty if the file lacks debugging information about it. Not cached.
  [[nodiscard]] std::string source_of(const std::string& file, std::uint64_t address);

 private:
  struct Files;
  std::mutex mutex_;  // guards the members below
  std::unique_ptr<Files> files_;
  std::unordered_map<std::string, std::string> known_;
};

/// Returns the translation of CodePlaces::instance(); for an unknown place, the text without the folder of
/// its file, for tables.
std::string short_place(std::string_view place);

}  // namespace eventspace
