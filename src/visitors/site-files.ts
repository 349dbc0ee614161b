/** `/favicon.ico` and `/robots.txt`, for hosts where no link has that code. */
import type { Identity } from "./identity.ts";
import { wholeResponse } from "../lib/whole-response.ts";

export type SiteFiles = ReturnType<typeof createSiteFiles>;

const CACHING = { "Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff" };

const ROBOTS_HEADERS = new Headers({ "Content-Type": "text/plain; charset=utf-8", ...CACHING });

/** Pages show the logo from there too. */
export const ICON_PATH = "favicon.ico";
const ICON_PIXELS = 64;

/**
 * A crawler that may not fetch a redirect can't index it. Makers of link previews keep no index and may read the title
 * of a page.
 */
const ROBOTS = `${[
  "Discordbot",
  "facebookexternalhit",
  "Iframely",
  "LinkedInBot",
  "Mastodon",
  "SkypeUriPreview",
  "Slackbot",
  "Slackbot-LinkExpanding",
  "TelegramBot",
  "Twitterbot",
  "WhatsApp",
]
  .map((name) => `User-agent: ${name}\n`)
  .join("")}Allow: /

User-agent: *
Disallow: /
`;

export function createSiteFiles({ icon, logo }: Pick<Identity, "icon" | "logo">) {
  return {
    /** Responds to a GET or HEAD, else returns null. `start`: index after the first slash of the path. */
    at(url: string, start: number): Response | null {
      const first = url[start];
      // Quick, because scanners ask for thousands of unknown codes.
      if (first !== "f" && first !== "r") return null;
      if (isPath(url, start, ICON_PATH)) {
        const { type, bytes } = logo() ?? icon(ICON_PIXELS);
        return wholeResponse(bytes, { headers: { "Content-Type": type, ...CACHING } });
      }
      if (isPath(url, start, "robots.txt")) return wholeResponse(ROBOTS, { headers: ROBOTS_HEADERS });
      return null;
    },
  };
}

function isPath(url: string, start: number, path: string): boolean {
  if (!url.startsWith(path, start)) return false;
  const end = start + path.length;
  return end === url.length || url[end] === "?";
}
