import { useRef, useState } from "react";
import { ApiError } from "../base/api.ts";
import { keepDraft, readDraft } from "../ui/forms/draft.ts";
import { type ShownSetting, storedText } from "./setting-queries.ts";

const NAME = "settings";

/** By key; null is the default. */
export type Drafts = Readonly<Record<string, string | null>>;

export type SettingFaults = Readonly<Record<string, string>>;

const textsOf = (settings: readonly ShownSetting[]): Record<string, string> =>
  Object.fromEntries(settings.map((shown) => [shown.definition.key, storedText(shown)]));

const without = <T>(all: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(
    Object.entries(all).filter(([name]) => !keys.some((key) => name === key || name.startsWith(`${key}.`))),
  );

/** Changes that are typed but not saved. All except secrets outlive leaving the page. */
export function useSettingDrafts(settings: readonly ShownSetting[]) {
  const stored = textsOf(settings);
  const secrets = settings.filter(({ setting }) => setting.is_sensitive).map(({ setting }) => setting.key);
  const [typed, setTyped] = useState<Drafts>(() => without(readDraft(NAME, stored) ?? {}, secrets) as Drafts);
  const [faults, setFaults] = useState<SettingFaults>({});
  // A value that somebody else has stored meanwhile is no longer a change.
  const drafts = Object.fromEntries(Object.entries(typed).filter(([key, text]) => text !== stored[key]));

  // An answer may come to an older render than what is typed by then.
  const now = useRef(typed);
  function keep(next: Drafts): void {
    now.current = next;
    setTyped(next);
    keepDraft(NAME, without(next, secrets));
  }

  function forget(keys: readonly string[]): void {
    setFaults((known) => without(known, keys));
    keep(without(now.current, keys));
  }

  return {
    drafts: drafts as Drafts,
    /** The server's sentences by key, or by key and item such as `api.trusted_proxies.1`. */
    faults,
    change(key: string, text: string | null): void {
      setFaults((known) => without(known, [key]));
      const isUnchanged = text === stored[key] || (text === "" && secrets.includes(key));
      keep(isUnchanged ? without(drafts, [key]) : { ...drafts, [key]: text });
    },
    forget,
    /** What was typed on since it was sent stays. */
    forgetSent: (sent: Drafts): void =>
      forget(Object.keys(sent).filter((key) => now.current[key] === sent[key])),
    refuse(keys: readonly string[], error: Error): void {
      const details = error instanceof ApiError ? error.details : [];
      const own = Object.fromEntries(details.map(({ field, message }) => [field, message]));
      setFaults((known) => ({ ...without(known, keys), ...own }));
    },
    accept: (keys: readonly string[]): void => setFaults((known) => without(known, keys)),
  };
}
