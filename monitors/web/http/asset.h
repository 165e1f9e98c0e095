#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eventspace::web {

/// A file of the page that the build has embedded in the program.
struct Asset {
  std::string_view name;     ///< "index.html", "views/overview.js"
  std::string_view content;  ///< static
};

/// All assets, by name. cmake generates the function from the files in monitors/web/assets/ and d3.
const std::vector<Asset>& embedded_assets();

/// The asset with this name; null for any other text. Reads no file.
const Asset* find_asset(std::string_view name);
/// The media type of an asset, by the end of its name.
std::string_view type_of(const Asset& asset) noexcept;
/// A text in quotes that changes when the content does.
std::string etag_of(const Asset& asset);

}  // namespace eventspace::web
