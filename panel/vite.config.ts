import { lingui, linguiTransformerBabelPreset } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { CHUNKS } from "./chunks.ts";

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
    // For the pages' preloads: scripts/panel.ts.
    manifest: true,
    target: "es2023",
    assetsInlineLimit: 0,
    // One style sheet: a page waits for none after its script.
    cssCodeSplit: false,
    modulePreload: { polyfill: false, resolveDependencies: withoutLoaded },
    sourcemap: false,
    // One of them is React, Mantine and all else that the sign-in page needs.
    chunkSizeWarningLimit: 600,
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
  server: { proxy: Object.fromEntries(API.map((path) => [path, { target: SERVER, bypass: pageOf }])) },
});

/** What is loaded with a part, by the part; with the page itself, by "". */
const loaded = new Map<string, readonly string[]>();

/** Of the parts that an import needs, those to load with it. Lists of all would be a tenth of a page's script. */
function withoutLoaded(
  name: string,
  parts: string[],
  { hostId, hostType }: { hostId: string; hostType: "html" | "js" },
): string[] {
  loaded.set(hostType === "html" ? "" : name, parts);
  if (hostType === "html") return parts;
  const there = new Set([...(loaded.get("") ?? []), ...(loaded.get(hostId) ?? [])]);
  return parts.filter((part) => !there.has(part));
}

/** Where a reload finds the panel; undefined: ask the server. */
function pageOf({ url = "", headers }: { url?: string; headers: { accept?: string } }): string | undefined {
  return PAGE.test(url) && headers.accept?.includes("text/html") ? "/index.html" : undefined;
}
