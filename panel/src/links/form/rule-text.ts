/** Conditions of rules as people write them in one line. */
import type { LinkRule } from "../../base/api.ts";
import { type ConditionName, type Conditions, conditionText } from "./condition-value.ts";

/** In the order of the choice, with what such a line looks like. */
export const EXAMPLES: Record<ConditionName, string> = {
  device: "mobile, tablet",
  os: "iOS, Android",
  browser: "Firefox",
  language: "de, pt-BR",
  country: "DE, AT",
  referrer: "news.example.com",
  query: "ref=mail&lang",
  before: "2026-12-01T18:00:00Z",
  after: "2026-12-01T18:00:00Z",
  hours: "mon, tue 09:00-17:00 Europe/Berlin",
  address: "192.0.2.0/24",
  percent: "50",
};
export const CONDITIONS = Object.keys(EXAMPLES) as ConditionName[];

const TIMES = /^(\d\d:\d\d)?-(\d\d:\d\d)?$/;

/** As the API takes it. It judges what it can't read. */
export function valueOf(name: ConditionName, text: string): unknown {
  const line = text.trim();
  if (name === "percent") return line === "" ? line : Number(line.replace(",", ".").replace(/\s*%$/, ""));
  if (name === "before" || name === "after") return line;
  if (name === "query") {
    const pairs = line.split("&").filter((pair) => pair !== "");
    return Object.fromEntries(
      pairs.flatMap((pair) =>
        [...new URLSearchParams(pair)].map(([key, value]) => [key, pair.includes("=") ? value : true]),
      ),
    );
  }
  if (name === "hours") return hoursOf(line);
  const values = line
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return values.length === 1 ? values[0] : values;
}

function hoursOf(line: string): object {
  const words = line.split(/[\s,]+/).filter((word) => word !== "");
  const times = words.map((word) => TIMES.exec(word)).find((match) => match !== null);
  const names = words.filter((word) => !TIMES.test(word));
  const days = names.slice(0, -1).map((day) => day.toLowerCase());
  return {
    ...(days.length > 0 && { days }),
    ...(times?.[1] !== undefined && { from: times[1] }),
    ...(times?.[2] !== undefined && { to: times[2] }),
    zone: names.at(-1) ?? "",
  };
}

/** A rule in a form. `id` tells it from others while they move. */
export type DraftRule = { id: number; target: string; conditions: { name: ConditionName; text: string }[] };

let made = 0;
export const newRule = (): DraftRule => ({
  id: ++made,
  target: "",
  conditions: [{ name: "device", text: "" }],
});

export const draftOf = (rules: readonly LinkRule[]): DraftRule[] =>
  rules.map((rule) => ({
    id: ++made,
    target: rule.target,
    conditions: CONDITIONS.flatMap((name) => {
      const value = rule.if[name];
      return value === undefined ? [] : [{ name, text: conditionText(name, value) }];
    }),
  }));

export const rulesOf = (drafts: readonly DraftRule[]): LinkRule[] =>
  drafts.map(({ target, conditions }) => ({
    if: Object.fromEntries(conditions.map(({ name, text }) => [name, valueOf(name, text)])) as Conditions,
    target: target.trim(),
  }));
