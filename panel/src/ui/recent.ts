/** What the account opened last, in this browser, the newest first. */
import { keepDraft, readDraft } from "./forms/draft.ts";

export type RecentThing = {
  kind: "link" | "file" | "folder" | "share";
  /** A code, or an id. */
  id: string;
  domain: string | null;
  title: string;
  /** Its short URL; empty for files. */
  url: string;
};

const NAME = "recent";
const MOST = 8;

/** Anybody may have written the stored text. */
function read(text: string): RecentThing[] {
  try {
    const { kind, id, domain, title, url } = JSON.parse(text) as Record<string, unknown>;
    const isKind = kind === "link" || kind === "file" || kind === "folder" || kind === "share";
    const isDomain = domain === null || typeof domain === "string";
    const areTexts = typeof id === "string" && typeof title === "string" && typeof url === "string";
    return isKind && isDomain && areTexts ? [{ kind, id, domain, title, url }] : [];
  } catch {
    return [];
  }
}

export const recentThings = (): RecentThing[] =>
  (readDraft(NAME, { list: [] as string[] })?.list ?? []).flatMap(read);

export function noteRecent(thing: RecentThing): void {
  const others = recentThings().filter(
    ({ kind, id, domain }) => kind !== thing.kind || id !== thing.id || domain !== thing.domain,
  );
  keepDraft(NAME, { list: [thing, ...others].slice(0, MOST).map((one) => JSON.stringify(one)) });
}
