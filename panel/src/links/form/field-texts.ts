import { useLingui } from "@lingui/react/macro";
import { useAsksPasswords } from "./link-passwords.ts";
import type { LinkFieldName } from "./link-values.ts";

/** Name and purpose of each field of a link. Visitors of a share are always asked for its password. */
export function useFieldTexts(isShare = false): Record<LinkFieldName, { label: string; does: string }> {
  const { t } = useLingui();
  const asksPasswords = useAsksPasswords() || isShare;
  return {
    target: { label: t`Target`, does: t`Where the link leads.` },
    code: { label: t`Code`, does: t`The end of the short URL. Leave empty for a random one.` },
    domain: { label: t`Domain`, does: t`The host of the short URL.` },
    owner: { label: t`Owner`, does: t`An account, or a team whose members share the link.` },
    title: { label: t`Title`, does: t`Shown in lists. Visitors don't see it.` },
    note: { label: t`Note`, does: t`For you and others who manage the link. Searchable.` },
    tags: { label: t`Tags`, does: t`Group links, to filter and change them together. At most 16.` },
    starts_at: { label: t`Starts`, does: t`Until this time, the link doesn't work yet.` },
    expires_at: { label: t`Expires`, does: t`From this time on, the link no longer works.` },
    max_clicks: {
      label: t`Max. visitors`,
      does: t`After this many visitors the link is used up. Bots and previews don't count.`,
    },
    fallback_url: {
      label: t`Fallback`,
      does: t`The target for visitors before the start, after the end, or when the link is used up.`,
    },
    redirect_status: {
      label: t`Redirect`,
      does: t`Tells search engines whether the move is permanent. Every click is counted either way.`,
    },
    forward_query: {
      label: t`Pass the query on`,
      does: t`What follows the ? of the short URL goes to the target too.`,
    },
    forward_path: {
      label: t`Pass the path on`,
      does: t`/code/some/page leads to /some/page below the target.`,
    },
    password: {
      label: t`Password`,
      does: asksPasswords
        ? t`Visitors have to enter it before they go on.`
        : t`It is stored only: visitors are not asked for it.`,
    },
    card_title: {
      label: t`Preview title`,
      does: t`What messaging apps and social networks show for the link, instead of the target's page.`,
    },
    card_description: { label: t`Preview description`, does: t`The text under the title.` },
    card_image: { label: t`Preview image`, does: t`Address of a picture that begins with https://.` },
    click_threshold: {
      label: t`Notify at clicks`,
      does: t`The owner gets a mail at this many human clicks. Empty: at 100, 1,000, 10,000 and so on.`,
    },
    removes_password: { label: t`Remove the password`, does: "" },
    keep_old: {
      label: t`Keep the old code`,
      does: t`It stays as an alias, so that printed short URLs still lead here.`,
    },
  };
}

/** Names of what limits a share or a drop box, and of what only events tell. */
export function useLimitNames(): Record<string, string> {
  const { t } = useLingui();
  return {
    card: t`Link preview`,
    held: t`Safety`,
    items: t`Items`,
    message: t`Message`,
    recipients: t`Recipients`,
    rules: t`Rules`,
    verify: t`For recipients only`,
    max_downloads: t`Max. downloads`,
    max_bytes: t`Total size`,
    max_files: t`Max. files`,
    max_file_size: t`Largest file`,
    require: t`Senders give`,
    types: t`File types`,
    sender_folders: t`A folder for each sender`,
  };
}

/** How browsers treat the answer. */
export function useRedirectKinds(): Record<string, string> {
  const { t } = useLingui();
  return {
    "307": t`307 · temporary (default)`,
    "302": t`302 · temporary, for old clients`,
    "301": t`301 · permanent`,
    "308": t`308 · permanent, keeps the method`,
  };
}
