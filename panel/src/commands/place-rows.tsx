/** Rows that lead to a page, perhaps with a filter. */
import { useLingui } from "@lingui/react/macro";
import { IconSettings, IconTag, IconUser, IconWorld } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { usePages } from "../base/pages.ts";
import { wordsOf } from "../config/words/setting-words.ts";
import type { CommandRow } from "./command-row.ts";
import type { Findings } from "./findings.ts";

const matches = (typed: string, words: string): boolean => {
  const whole = words.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
};

/** What the text finds by its words; all for an empty one. */
export const foundByWords = (text: string, rows: readonly (CommandRow & { words: string })[]): CommandRow[] =>
  rows.filter(({ names, words }) => matches(text, `${names.join(" ")} ${words}`));

export function usePlaceRows() {
  const { t } = useLingui();
  const navigate = useNavigate();
  /** Other words for the pages. */
  const words: Readonly<Record<string, string>> = {
    "/": t`start home dashboard`,
    "/analytics": t`statistics reports charts clicks campaigns UTM sites referrers countries devices export`,
    "/links": t`QR codes`,
    "/shares": t`drop boxes`,
    "/events": t`history log audit undo who changed what`,
    "/users": t`people team members invite`,
    "/domains": t`hosts upper lower case HTTPS`,
    "/policies": t`disk quota bucket linked folder move files`,
    "/teams": t`groups members`,
    "/mail": t`e-mail SMTP outbox`,
    "/health": t`status jobs`,
    "/tokens": t`keys programs`,
    "/api": t`reference documentation`,
    "/settings": t`options configuration`,
  };
  return {
    accounts: ({ accounts }: Findings): CommandRow[] =>
      accounts.map(({ id, username, role }) => ({
        id: `account ${id}`,
        icon: IconUser,
        title: username,
        more: role,
        names: [username],
        act: () => navigate({ to: "/users", search: { q: username } }),
        actions: [],
      })),
    tags: ({ tags }: Findings): CommandRow[] =>
      tags.map(({ tag }) => ({
        id: `tag ${tag}`,
        icon: IconTag,
        title: tag,
        names: [tag],
        act: () => navigate({ to: "/links", search: { tag: [tag] } }),
        actions: [],
      })),
    domains: ({ domains }: Findings): CommandRow[] =>
      domains.map(({ id, host }) => ({
        id: `domain ${id}`,
        icon: IconWorld,
        title: host,
        names: [host],
        act: () => navigate({ to: "/links", search: { domain: host } }),
        actions: [],
      })),
    settings: ({ settings }: Findings): CommandRow[] =>
      settings.map((setting) => {
        const { name } = wordsOf(setting);
        return {
          id: `setting ${setting.key}`,
          icon: IconSettings,
          title: name,
          more: setting.key,
          names: [name, setting.key],
          act: () => navigate({ to: "/settings", search: { q: setting.key } }),
          actions: [],
        };
      }),
    pages: (text: string, pages: ReturnType<typeof usePages>): CommandRow[] =>
      foundByWords(
        text,
        pages.map(({ to, label, icon }) => ({
          id: `page ${to}`,
          icon,
          title: label,
          names: [label, to],
          words: words[to] ?? "",
          act: () => navigate({ to }),
          actions: [],
        })),
      ),
  };
}
