/** The kinds of mails. */

/** What each kind of mail says. Every text may come from strangers; `url` is ours. */
export type MailContents = {
  test: Record<string, never>;
  invitation: { username: string; by: string; url: string };
  reset: { username: string; url: string };
  address: { username: string; url: string };
  sign_in: { username: string; address: string; browser: string; at: number; url: string };
  passkey: { username: string; address: string; browser: string; at: number; url: string };
  drop: { title: string; count: number; names: string[]; url: string };
  download: { title: string; count: number; url: string };
  share_ending: { title: string; endsAt: number | null; url: string };
  /** To a recipient of a share. */
  share: {
    title: string;
    /** With its lines. */
    message: string | null;
    by: string;
    endsAt: number | null;
    password: boolean;
    verify: boolean;
    url: string;
  };
  /** Proves that somebody gets the mails of a recipient. */
  share_code: { title: string; code: string; minutes: number };
  link_threshold: { link: string; clicks: number; url: string };
  target_dead: { link: string; target: string; reason: string; url: string };
  backup: { reason: string; at: number };
  /** `receiver`: its host. */
  webhook: { receiver: string; isGone: boolean; url: string };
};
export type MailKind = keyof MailContents;

/** Why one gets a mail. `asked`: somebody entered the address. `chosen`: the account can turn such mails off. */
export type MailReason = "test" | "asked" | "chosen" | "share";
export const REASON_OF: Readonly<Record<MailKind, MailReason>> = {
  test: "test",
  invitation: "asked",
  reset: "asked",
  address: "asked",
  sign_in: "chosen",
  passkey: "chosen",
  drop: "chosen",
  download: "chosen",
  share_ending: "chosen",
  share: "share",
  share_code: "asked",
  link_threshold: "chosen",
  target_dead: "chosen",
  backup: "chosen",
  webhook: "chosen",
};
