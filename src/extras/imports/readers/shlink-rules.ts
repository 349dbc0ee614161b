/** Rules of Shlink as rules of Waymark, where they mean the same. */
import { z } from "zod";

const text = z.string().max(8_192);
export const shlinkRules = z
  .array(
    z.object({
      longUrl: text,
      conditions: z
        .array(z.object({ type: text, matchKey: text.nullish(), matchValue: text.nullish() }))
        .max(100),
    }),
  )
  .max(1_000);

type Condition = z.infer<typeof shlinkRules>[number]["conditions"][number];
type Made = Record<string, unknown>;

const DEVICES: Readonly<Record<string, Made>> = {
  android: { os: "Android" },
  ios: { os: "iOS" },
  windows: { os: "Windows" },
  macos: { os: "macOS" },
  linux: { os: "Linux" },
  chromeos: { os: "Chrome OS" },
  mobile: { device: ["mobile", "tablet"] },
  desktop: { device: "desktop" },
};
const BROWSERS: Readonly<Record<string, Made>> = {
  chrome: { browser: "Chrome" },
  firefox: { browser: "Firefox" },
  edge: { browser: "Microsoft Edge" },
  safari: { browser: "Safari" },
  opera: { browser: "Opera" },
};

/** `11.22.*.*` as a range. */
function rangeOf(pattern: string): string {
  const [, kept] = /^(\d{1,3}(?:\.\d{1,3}){0,2})(?:\.\*){1,3}$/.exec(pattern) ?? [];
  if (kept === undefined) return pattern;
  const parts = kept.split(".");
  return `${[...parts, "0", "0", "0"].slice(0, 4).join(".")}/${parts.length * 8}`;
}

/** Null: Waymark has none that means the same. */
function conditionOf({ type, matchKey, matchValue }: Condition): Made | null {
  const [key, value] = [matchKey ?? "", matchValue ?? ""];
  switch (type) {
    case "device":
      return (Object.hasOwn(DEVICES, value) && DEVICES[value]) || null;
    case "browser":
      return (Object.hasOwn(BROWSERS, value) && BROWSERS[value]) || null;
    case "language":
      return { language: value.replaceAll("_", "-") };
    case "query-param":
      return { query: { [key]: value } };
    case "any-value-query-param":
      return { query: { [key]: true } };
    case "ip-address":
      return { address: rangeOf(value) };
    case "geolocation-country-code":
      return { country: value };
    case "before-date":
      return { before: value };
    case "after-date":
      return { after: value };
    default:
      return null;
  }
}

export function rulesOf(given: z.infer<typeof shlinkRules>): {
  rules: { if: Made; target: string }[];
  lost: string[];
} {
  const rules: { if: Made; target: string }[] = [];
  const lost: string[] = [];
  for (const [at, { longUrl: target, conditions }] of given.entries()) {
    const all: Made = {};
    const wrong = conditions.find((condition) => {
      const made = conditionOf(condition);
      if (made === null) return true;
      const query = made["query"];
      const [name = ""] = Object.keys(made);
      if (query === undefined ? name in all : hasAny(all["query"], Object.keys(query as object))) return true;
      Object.assign(
        all,
        query === undefined
          ? made
          : { query: { ...(all["query"] as object | undefined), ...(query as object) } },
      );
      return false;
    });
    if (wrong !== undefined) {
      lost.push(
        `Rule ${at + 1} has a condition that Waymark can't have beside the others: ${wrong.type.slice(0, 50)}.`,
      );
    } else if (conditions.length > 0) rules.push({ if: all, target });
    else lost.push(`Rule ${at + 1} has no condition.`);
  }
  return { rules, lost };
}

const hasAny = (known: unknown, keys: readonly string[]): boolean =>
  typeof known === "object" && known !== null && keys.some((key) => Object.hasOwn(known, key));
