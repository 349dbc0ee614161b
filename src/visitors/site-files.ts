/** `/favicon.ico` and `/robots.txt`, for hosts where no link has that code. */
import { iconOf } from "./icon.ts";

export type SiteFiles = ReturnType<typeof createSiteFiles>;

const CACHING = { "Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff" };

const ROBOTS_HEADERS = new Headers({ "Content-Type": "text/plain; charset=utf-8", ...CACHING });
const ICON_HEADERS = new Headers({ "Content-Type": "image/png", ...CACHING });

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

export function createSiteFiles({ accentColor }: { accentColor(): string }) {
  return {
    /** Answers a GET or HEAD, else null. `start`: index after the first slash of the path. */
    at(url: string, start: number): Response | null {
      const first = url[start];
      // Quick, because scanners ask for thousands of unknown codes.
      if (first !== "f" && first !== "r") return null;
      if (isPath(url, start, "favicon.ico"))
        return new Response(iconOf(accentColor()), { headers: ICON_HEADERS });
      if (isPath(url, start, "robots.txt")) return new Response(ROBOTS, { headers: ROBOTS_HEADERS });
      return null;
    },
  };
}

function isPath(url: string, start: number, path: string): boolean {
  if (!url.startsWith(path, start)) return false;
  const end = start + path.length;
  return end === url.length || url[end] === "?";
}
