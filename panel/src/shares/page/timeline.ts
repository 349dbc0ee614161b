/** One list of what visitors opened, downloaded and sent. What one visitor does at a stretch is one entry. */
import type { ReceivedFile, ShareVisit } from "../../base/api.ts";

export type TimelineAction = ShareVisit["action"] | "send";
/** `id`: of a received file. */
type Named = { name: string; id: number | null };

export type TimelineEntry = {
  at: string;
  action: TimelineAction;
  /** An address or name; null for somebody. */
  who: string | null;
  browser: string | null;
  os: string | null;
  /** By a bot or another program. */
  isBot: boolean;
  names: Named[];
};

const STRETCH_MS = 3_600_000;

type Step = Omit<TimelineEntry, "names"> & { named: Named | null; key: string };

const stepOfVisit = ({ at, action, email, name, browser, os, automated: isBot }: ShareVisit): Step => ({
  at,
  action,
  who: email,
  browser,
  os,
  isBot,
  named: name === null ? null : { name, id: null },
  key: [action, email, browser, os, isBot].join("\n"),
});

const stepOfFile = ({ at, name, path, file_id: id, sender, ...by }: ReceivedFile): Step => ({
  at,
  action: "send",
  who: [by.sender_name, by.sender_email].filter((given) => given !== null).join(", ") || null,
  browser: null,
  os: null,
  isBot: false,
  named: { name: path === null ? name : `${path}/${name}`, id },
  key: ["send", sender, by.sender_name].join("\n"),
});

/** Newest first. `horizon`: what is older may not be complete yet. */
export function timelineOf(
  visits: readonly ShareVisit[],
  received: readonly ReceivedFile[],
  horizon: string,
): TimelineEntry[] {
  const steps = [...visits.map(stepOfVisit), ...received.map(stepOfFile)]
    .filter(({ at }) => at >= horizon)
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  const entries: (TimelineEntry & { key: string })[] = [];
  for (const { named, ...step } of steps) {
    const last = entries.at(-1);
    const isOne = last?.key === step.key && Date.parse(last.at) - Date.parse(step.at) < STRETCH_MS;
    const entry = isOne ? last : { ...step, names: [] };
    if (!isOne) entries.push(entry);
    const isKnown = entry.names.some(({ name, id }) => name === named?.name && id === named.id);
    if (named !== null && !isKnown) entry.names.push(named);
  }
  return entries;
}
