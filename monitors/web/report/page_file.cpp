#include "monitors/web/report/page_file.h"

#include <fmt/format.h>

#include <span>

#include <eventspace/error.h>
#include "monitors/web/http/asset.h"
#include "monitors/web/report/packed.h"
#include "monitors/web/report/sha256.h"

namespace eventspace::web {
namespace {

std::string_view content_of(std::string_view name) {
  const Asset* const asset = find_asset(name);
  if (asset == nullptr) throw ConfigurationError(fmt::format("the page has no file {}", name));
  return asset->content;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '<' || letter == '>' || letter == '&' || letter == '"') {
      safe += fmt::format("&#{};", static_cast<int>(letter));
    } else {
      safe += letter;
    }
  }
  return safe;
}

std::string hash_of(std::string_view text) { return fmt::format("'sha256-{}'", base64(sha256(text))); }

/// The text of an element that ends at `end`. What would end it earlier cannot be in it.
std::string inside(std::string_view text, std::string_view end) {
  if (text.find(end) != std::string_view::npos || text.find("<!--") != std::string_view::npos)
    throw ConfigurationError(fmt::format("a file of the page contains {}", end));
  return std::string(text);
}

void replace(std::string& page, std::string_view old, std::string_view by) {
  const auto at = page.find(old);
  if (at == std::string::npos) throw ConfigurationError(fmt::format("the page has no {}", old));
  page.replace(at, old.size(), by);
}

std::string policy_of(std::string_view d3, std::string_view script, std::string_view style) {
  return fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {} {}; "
      "style-src "
      "{}; img-src data:; base-uri 'none'; form-action 'none'\">",
      hash_of(d3), hash_of(script), hash_of(style));
}

std::string icon_address() {
  const std::string_view icon = content_of("icon.svg");
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(icon.data()), icon.size());
  return "data:image/svg+xml;base64," + base64(bytes);
}

}  // namespace

std::string page_file(std::string_view title, const std::vector<DataBlock>& data) {
  const std::string d3 = inside(content_of("d3.min.js"), "</script");
  const std::string script = inside(bundled("app.js", &content_of), "</script");
  const std::string style = inside(content_of("style.css"), "</style");
  std::string page(content_of("index.html"));
  replace(page, "<meta charset=\"utf-8\">", "<meta charset=\"utf-8\">\n" + policy_of(d3, script, style));
  replace(page, "<title>EventSpace</title>", fmt::format("<title>{} - EventSpace</title>", escaped(title)));
  replace(page, "/assets/icon.svg", icon_address());
  replace(page, "<link rel=\"stylesheet\" href=\"/assets/style.css\">", "<style>" + style + "</style>");
  replace(page, "<script src=\"/assets/d3.min.js\" defer></script>\n", "");
  replace(page, "<script type=\"module\" src=\"/assets/app.js\"></script>\n", "");
  replace(page, "<use href=\"/assets/icon.svg#mark\"></use>", content_of("icon.svg"));
  std::string rest;
  for (const DataBlock& block : data)
    rest += fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", block.id, block.text);
  rest += fmt::format("<script>{}</script>\n<script>{}</script>\n</body>", d3, script);
  replace(page, "</body>", rest);
  return page;
}

}  // namespace eventspace::web
