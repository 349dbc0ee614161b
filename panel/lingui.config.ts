import { join } from "node:path";
import { defineConfig } from "@lingui/conf";

// oxlint-disable-next-line import/no-default-export -- Lingui asks for it
export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: "en",
  locales: ["en", "de", "fr", "ja", "zh"],
  catalogs: [{ path: join("<rootDir>", "src/locales/{locale}"), include: ["<rootDir>/src"] }],
  compileNamespace: "ts",
});
