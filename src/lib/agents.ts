/** Parses User-Agent headers with bowser, and names browsers and systems that it lacks. Remembers results per string. */
import { type Parser, parse } from "bowser";
import { isAutomatedAgent } from "./automated-visitors.ts";
import { remembered } from "./remembered.ts";

type DeviceName = "desktop" | "mobile" | "tablet" | "bot" | "other";

type Agent = {
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

/** Browsers within apps, and one that calls itself by others' names. The first that fits. */
const BROWSERS: [RegExp, string][] = [
  [/\bBarcelona \d/, "Threads"],
  [/\bInstagram \d/, "Instagram"],
  [/\bFBAN\/Messenger|\bFB_IAB\/Orca/, "Messenger"],
  [/\bFBA[NV]\/|\bFB_IAB\//, "Facebook"],
  [/\bLinkedInApp\b/, "LinkedIn"],
  [/\b(?:musical_ly|trill)_\d|\bBytedanceWebview\/|\bTikTok /, "TikTok"],
  [/\bMicroMessenger\//, "WeChat"],
  [/\bLine\/\d/, "LINE"],
  [/\bSnapchat\/\d/, "Snapchat"],
  [/\[Pinterest\//, "Pinterest"],
  [/\b(?:DuckDuckGo|Ddg)\/\d/, "DuckDuckGo"],
];

/** Consoles and televisions, as systems; the most general last. */
const SYSTEMS: [RegExp, string, browser?: string][] = [
  [/\bPlayStation 5\b/, "PlayStation 5", "PlayStation"],
  [/\bPlayStation 4\b/, "PlayStation 4", "PlayStation"],
  [/\bPlayStation\b/i, "PlayStation", "PlayStation"],
  [/\bXbox\b/i, "Xbox"],
  [/\bNintendo Switch\b/, "Nintendo Switch", "Nintendo"],
  [/\bNintendo\b/, "Nintendo", "Nintendo"],
  [/\bWeb0S\b|\bwebOSTV\b/i, "WebOS"],
  [/\bTizen\b/, "Tizen", "Samsung Internet"],
  [/[;/] ?AFT[A-Z]\w{0,6}\b/, "Fire TV"],
  [/\bCrKey\b/, "Chromecast"],
  [/^Roku|\bRoku\b/, "Roku", "Roku"],
  [/\bVIDAA\b/, "VIDAA"],
  [/\bAndroid ?TV\b|\bGoogle ?TV\b|\bBRAVIA\b/i, "Android TV"],
  [/\bApple ?TV\b/, "tvOS"],
  [/\bHbbTV\/|\bSmart-?TV\b|\bNetCast\b|\bViera\b/i, "Smart TV"],
];

export function createAgents(): { describe(userAgent: string): Agent } {
  const describe = remembered(parseAgent, { most: REMEMBERED });
  return { describe: (userAgent) => describe(userAgent.slice(0, AGENT_LENGTH)) };
}

/** Never throws. Unknown parts are `Other`. */
export function parseAgent(text: string): Agent {
  const parsed = parseSafely(text);
  const os = clean(parsed?.os.name);
  if (isAutomatedAgent(text))
    return { browser: botName(text, parsed?.browser.name), os, device: "bot", isBot: true };
  const own = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const [, system, browserOfSystem] = SYSTEMS.find(([pattern]) => pattern.test(text)) ?? [];
  const browser = own ?? browserOfSystem ?? clean(parsed?.browser.name);
  if (system !== undefined) return { browser, os: system, device: "other", isBot: false };
  const device = os === "Chrome OS" ? "desktop" : (DEVICES[parsed?.platform.type ?? ""] ?? "other");
  return { browser, os, device, isBot: device === "bot" };
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
