import { expect, test } from "bun:test";
import { findPrefixConflict } from "./route-prefixes.ts";

const trio = (admin: string, health: string, frontend: string) => ({
  "routes.admin_prefix": admin,
  "routes.health_prefix": health,
  "routes.frontend_prefix": frontend,
});

test.each([
  trio("/admin", "/health", "/panel"),
  trio("/api/admin", "/api/health", "/api/panel"),
  trio("/admin", "/administration", "/admin-panel"),
  trio("/filesystem", "/my/files", "/folders2"),
])("%p do not conflict", (prefixes) => {
  expect(findPrefixConflict((key) => prefixes[key])).toBeNull();
});

test.each([
  [trio("/a", "/a", "/panel"), "routes.admin_prefix"],
  [trio("/a", "/h", "/a"), "routes.admin_prefix"],
  [trio("/a", "/h", "/h"), "routes.health_prefix"],
  [trio("/a", "/a/health", "/panel"), "routes.admin_prefix"],
  [trio("/panel/api", "/h", "/panel"), "routes.admin_prefix"],
  [trio("/files", "/h", "/p"), "'/files'"],
  [trio("/a", "/folders/health", "/p"), "'/folders'"],
])("%p conflict", (prefixes, named) => {
  expect(findPrefixConflict((key) => prefixes[key])).toContain(named);
});
