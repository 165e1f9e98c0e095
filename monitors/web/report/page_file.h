#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eventspace::web {

/// Data in a page: the text of an element that no browser runs.
struct DataBlock {
  std::string id;    ///< of the element; letters, digits, '-' and '/'
  std::string text;  ///< of the letters of base64
};

/// The page as one file: its modules as one script, with d3 and the style, and the data. A content security
/// policy allows these scripts only, by their hashes, and no request to anywhere. `title`: any text.
std::string page_file(std::string_view title, const std::vector<DataBlock>& data);

/// The modules that `entry` imports, directly or not, and itself, as one script that is not a module. `read`
/// returns the text of a module by its name. Understands the imports and exports that the page uses:
///
///     import { a, B } from "./x.js";
///     import * as y from "../y.js";
///     export function f() {}        (async function, class and const, too)
///
/// Throws ConfigurationError for any other form, and for modules that import each other.
std::string bundled(std::string_view entry, std::string_view (*read)(std::string_view name));

}  // namespace eventspace::web
