/** Parses User-Agent headers with bowser. Remembers results per string. */
import { type Parser, parse } from "bowser";
import { isAutomatedAgent } from "../../lib/automated-visitors.ts";
import { remembered } from "../../lib/remembered.ts";

export type DeviceName = "desktop" | "mobile" | "tablet" | "bot" | "other";

export type Agent = {
  /** Without version, such as `Chrome`; for a bot its own name. */
  browser: string;
  /** Such as `Windows`, `Android`. */
  os: string;
  device: DeviceName;
  isBot: boolean;
};

/** The rest of a header is not parsed. */
export const AGENT_LENGTH = 1_024;
const NAME_LENGTH = 64;
const REMEMBERED = 10_000;

const DEVICES: Record<string, DeviceName> = {
  desktop: "desktop",
  mobile: "mobile",
  tablet: "tablet",
  bot: "bot",
};

export function createAgents(): { describe(userAgent: string): Agent } {
  const describe = remembered(parseAgent, { most: REMEMBERED });
  return { describe: (userAgent) => describe(userAgent.slice(0, AGENT_LENGTH)) };
}

/** Never throws. Unknown parts are `Other`. */
export function parseAgent(text: string): Agent {
  const isBot = isAutomatedAgent(text);
  const parsed = parseSafely(text);
  if (isBot)
    return { browser: botName(text, parsed?.browser.name), os: clean(parsed?.os.name), device: "bot", isBot };
  const platform = DEVICES[parsed?.platform.type ?? ""] ?? "other";
  return {
    browser: clean(parsed?.browser.name),
    os: clean(parsed?.os.name),
    device: platform,
    isBot: platform === "bot",
  };
}

function parseSafely(text: string): Parser.ParsedResult | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** `Mozilla/5.0 (compatible; Googlebot/2.1; …)` → `Googlebot`, `curl/8.5.0` → `curl`. */
function botName(text: string, browser: string | undefined): string {
  const inComment = /compatible;\s*([\w .-]{2,40}?)[/;) ]/i.exec(text)?.[1];
  const words = text.split(/[^\w-]+/);
  const named = words
    .find((word) => /bot|crawler|spider|preview/i.test(word))
    ?.replaceAll(/^-+|(?<!-)-+$/g, "");
  const first = /^([A-Za-z][\w.-]{1,40})(?:\/|$|\s)/.exec(text)?.[1];
  const own = named ?? inComment ?? (first === "Mozilla" ? undefined : first);
  return clean(own ?? browser);
}

/** Printable, bounded, without tabs, which separate the parts of a stored profile. */
function clean(name: string | undefined): string {
  const printable = (name ?? "")
    .replaceAll(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, NAME_LENGTH);
  return printable === "" ? "Other" : printable;
}
