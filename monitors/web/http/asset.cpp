#include "monitors/web/http/asset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace eventspace::web {

const Asset* find_asset(std::string_view name) {
  const auto& assets = embedded_assets();
  const auto found = std::ranges::find(assets, name, &Asset::name);
  return found == assets.end() ? nullptr : &*found;
}

std::string_view type_of(const Asset& asset) noexcept {
  if (asset.name.ends_with(".html")) return "text/html; charset=utf-8";
  if (asset.name.ends_with(".css")) return "text/css; charset=utf-8";
  if (asset.name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (asset.name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

std::string etag_of(const Asset& asset) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char letter : asset.content) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  return fmt::format("\"{:016x}-{:x}\"", hash, asset.content.size());
}

}  // namespace eventspace::web
