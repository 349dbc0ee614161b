import { lingui, linguiTransformerBabelPreset } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** A running server, for `npm run dev`. */
const SERVER = process.env["WAYMARK_URL"] ?? "http://127.0.0.1:8080";
const API = ["/admin", "/files", "/folders", "/shares", "/trash"];
/** Pages of the panel whose paths begin like the API's. */
const PAGE = /^\/(?:files|files\/trash|shares)(?:\?|$)/;
// It offers a transform that needs a newer Node, at each start.
process.env["LINGUI_SUPPRESS_BABEL_WARNING"] = "1";

// oxlint-disable-next-line import/no-default-export -- Vite asks for it
export default defineConfig({
  root: import.meta.dirname,
  // Relative: the panel works under every prefix and behind a proxy with a path.
  base: "./",
  plugins: [
    react(),
    lingui({ failOnMissing: process.env["PANEL_DRAFT"] === undefined }),
    babel({ presets: [linguiTransformerBabelPreset()] }),
  ],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false, resolveDependencies: withoutFirst },
    sourcemap: false,
  },
  server: { proxy: Object.fromEntries(API.map((path) => [path, { target: SERVER, bypass: pageOf }])) },
});

/** Parts that the page itself loads. */
let first: string[] = [];

/** Of the parts that an import needs, those to load with it. Lists of all would be a tenth of a page's script. */
function withoutFirst(_: string, parts: string[], { hostType }: { hostType: "html" | "js" }): string[] {
  if (hostType === "html") first = parts;
  return hostType === "html" ? parts : parts.filter((part) => !first.includes(part));
}

/** Where a reload finds the panel; undefined: ask the server. */
function pageOf({ url = "", headers }: { url?: string; headers: { accept?: string } }): string | undefined {
  return PAGE.test(url) && headers.accept?.includes("text/html") ? "/index.html" : undefined;
}
