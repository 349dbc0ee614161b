import { join } from "node:path";
import { defineConfig } from "@lingui/conf";
import { formatter } from "@lingui/format-po";

// oxlint-disable-next-line import/no-default-export -- Lingui asks for it
export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: "en",
  locales: ["en", "de", "fr", "ja", "zh"],
  catalogs: [
    {
      path: join("<rootDir>", "src/locales/{locale}"),
      include: ["<rootDir>/src"],
      exclude: ["<rootDir>/src/config/words"],
    },
    // Loaded where settings show.
    { path: join("<rootDir>", "src/locales/settings/{locale}"), include: ["<rootDir>/src/config/words"] },
  ],
  // Without places in the sources: a change of a line changes no catalog.
  format: formatter({ origins: false }),
  compileNamespace: "ts",
});
