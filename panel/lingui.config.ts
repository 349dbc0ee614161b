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
      exclude: [
        "<rootDir>/src/config/words",
        "<rootDir>/src/health",
        "<rootDir>/src/links/moves",
        "<rootDir>/src/mail",
        "<rootDir>/src/webhooks",
        "<rootDir>/src/auth/by-mail",
        "<rootDir>/src/auth/proof",
        "<rootDir>/src/auth/security",
      ],
    },
    // Loaded where settings show.
    { path: join("<rootDir>", "src/locales/settings/{locale}"), include: ["<rootDir>/src/config/words"] },
    // Loaded with the pages that are about mails.
    {
      path: join("<rootDir>", "src/locales/mail/{locale}"),
      include: ["<rootDir>/src/mail", "<rootDir>/src/auth/by-mail"],
    },
    // Loaded with the page of webhooks.
    { path: join("<rootDir>", "src/locales/webhooks/{locale}"), include: ["<rootDir>/src/webhooks"] },
    // Loaded with the pages of moves from other services.
    { path: join("<rootDir>", "src/locales/moves/{locale}"), include: ["<rootDir>/src/links/moves"] },
    // Loaded with the page of the server's health.
    { path: join("<rootDir>", "src/locales/health/{locale}"), include: ["<rootDir>/src/health"] },
    // Loaded with the page of the own account and the second step of a sign-in.
    {
      path: join("<rootDir>", "src/locales/security/{locale}"),
      include: ["<rootDir>/src/auth/security", "<rootDir>/src/auth/proof"],
    },
  ],
  // Without places in the sources: a change of a line changes no catalog.
  format: formatter({ origins: false }),
  compileNamespace: "ts",
});
