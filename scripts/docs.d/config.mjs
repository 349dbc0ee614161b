/** The site's settings. `site.json` beside the pages is what scripts/docs.ts found. */
import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const { base, sidebar, version } = JSON.parse(readFileSync(new URL("./site.json", import.meta.url), "utf8"));

// oxlint-disable-next-line no-default-export -- VitePress reads it.
export default defineConfig({
  base,
  title: "Waymark",
  description: "Short links, their clicks, and the files behind them, on a server of your own",
  lang: "en",
  cleanUrls: false,
  // A link that leads to no page fails the build.
  ignoreDeadLinks: [/^https?:\/\/(127\.0\.0\.1|localhost)/],
  head: [["link", { rel: "icon", href: "data:," }]],
  themeConfig: {
    sidebar,
    outline: [2, 3],
    nav: [{ text: version, link: "/CHANGELOG" }],
    search: { provider: "local", options: { detailedView: true } },
    docFooter: { prev: false, next: false },
  },
});
