/** English: the mails that every language has. */
import type { MailContents, MailKind, MailReason } from "./contents.ts";

export type MailText = {
  /** Also the heading. */
  subject: string;
  /** Paragraphs. */
  lines: string[];
  /** Of the button that opens the address of the content. */
  action?: string;
};

export type MailFacts = {
  instance: string;
  /** Date and time of epoch milliseconds. */
  time(at: number): string;
  /** With the language's separators. */
  number(of: number): string;
};

export type MailTexts = {
  [K in MailKind]: (content: MailContents[K], facts: MailFacts) => MailText;
} & {
  ifNot: string;
  /** Why one gets it, at the end of the mail. */
  reasons: Record<MailReason, (instance: string) => string>;
};

/** One name a line. @param names the first of them */
export const listed = (names: readonly string[], count: number, andMore: (more: number) => string): string =>
  [
    ...names.map((name) => `• ${name}`),
    ...(count > names.length ? [andMore(count - names.length)] : []),
  ].join("\n");

export const enMails: MailTexts = {
  ifNot: "If the button does not work, open this address:",
  test: (_, { instance }) => ({
    subject: `Test mail from ${instance}`,
    lines: [`Sending works: this mail took the same route as every mail from ${instance}.`],
  }),
  invitation: ({ username, by }, { instance }) => ({
    subject: `Your account on ${instance}`,
    lines: [
      `${by} created an account for you on ${instance}. Your username is ${username}.`,
      "Choose a password to begin. The link works once, within 24 hours.",
    ],
    action: "Choose a password",
  }),
  reset: ({ username }, { instance }) => ({
    subject: `New password for ${instance}`,
    lines: [
      `Somebody asked for a new password for your account ${username}.`,
      "The link works once, within one hour. Your password stays as it is until you choose another one.",
    ],
    action: "Choose a new password",
  }),
  address: ({ username }, { instance }) => ({
    subject: `Confirm your address for ${instance}`,
    lines: [
      `Confirm that mails for the account ${username} should come to this address. The link works for 24 hours.`,
    ],
    action: "Confirm this address",
  }),
  sign_in: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `New sign-in to ${instance}`,
    lines: [
      `Your account ${username} was used to sign in from a browser that we have not seen before.`,
      `Time: ${time(at)}\nAddress: ${address}\nBrowser: ${browser}`,
      "If that was you, there is nothing to do. If not, change your password at once, which ends all sessions.",
    ],
    action: "Check my account",
  }),
  passkey: ({ username, address, browser, at }, { instance, time }) => ({
    subject: `New passkey for ${instance}`,
    lines: [
      `A passkey was added to your account ${username}. Whoever has it can sign in without the password.`,
      `Time: ${time(at)}\nAddress: ${address}\nBrowser: ${browser}`,
      "If that was you, there is nothing to do. If not, remove it in your account at once, and change your password.",
    ],
    action: "Check my account",
  }),
  drop: ({ title, count, names }, facts) => ({
    subject: count === 1 ? `A file arrived in ${title}` : `${facts.number(count)} files arrived in ${title}`,
    lines: [listed(names, count, (more) => `… and ${facts.number(more)} more`)],
    action: "Show the files",
  }),
  download: ({ title, count }, { number }) => ({
    subject: count === 1 ? `${title} was downloaded` : `${title} was downloaded ${number(count)} times`,
    lines: [
      count === 1 ? "Somebody has downloaded what you share." : "People have downloaded what you share.",
    ],
    action: "Show my shares",
  }),
  share_ending: ({ title, endsAt }, { time }) => ({
    subject: endsAt === null ? `${title} has no downloads left` : `${title} ends soon`,
    lines: [
      endsAt === null
        ? "The share has been downloaded as often as it may be. Nobody can open it any more."
        : `The share ends on ${time(endsAt)}. Then nobody can open it any more.`,
      "You can change that in the list of your shares.",
    ],
    action: "Show my shares",
  }),
  share: ({ title, message, by, endsAt, password, verify }, { instance, time }) => ({
    subject: `${by} shares ${title} with you`,
    lines: [
      ...(message === null
        ? [`${by} shares ${title} with you on ${instance}.`]
        : [`Message from ${by}:`, message]),
      ...(endsAt === null ? [] : [`It is available until ${time(endsAt)}.`]),
      ...(verify ? ["The page asks for your address and sends a code to it."] : []),
      ...(password ? [`It asks for a password, which ${by} gives you separately.`] : []),
    ],
    action: "Open",
  }),
  share_code: ({ title, code, minutes }) => ({
    subject: `${code} is your code for ${title}`,
    lines: [
      `Enter this code on the page of ${title}: ${code}`,
      `It works once, within ${minutes} minutes. If you did not ask for it, ignore this mail.`,
    ],
  }),
  link_threshold: ({ link, clicks }, { number }) => ({
    subject: `${link} has reached ${number(clicks)} clicks`,
    lines: [
      "You are told at 100, 1,000, 10,000 clicks and so on, or at the number that is set for the link.",
    ],
    action: "Show the clicks",
  }),
  target_dead: ({ link, target, reason }) => ({
    subject: `The target of ${link} does not answer`,
    lines: [
      `The link leads to ${target}.`,
      `The answer was: ${reason}`,
      "Visitors still get there. Give the link another target if the page has moved.",
    ],
    action: "Show the link",
  }),
  backup: ({ reason, at }, { instance, time }) => ({
    subject: `The backup of ${instance} failed`,
    lines: [
      `The backup of ${time(at)} failed. There is no copy of what changed since the one before.`,
      reason,
    ],
  }),
  webhook: ({ receiver, isGone }) => ({
    subject: `A webhook of ${receiver} was disabled`,
    lines: [
      isGone ? "Its receiver answered that it is gone (410)." : "Every attempt of three days has failed.",
      "Nothing more is sent to it. Its log says what was missed. Enable it when the receiver is back.",
    ],
    action: "Show the webhooks",
  }),
  reasons: {
    test: () => "An administrator sent you this mail as a test.",
    share: (instance) => `You received this mail because a user of ${instance} entered your address.`,
    asked: () =>
      "You received this mail because somebody entered your address. If that was not you, ignore it.",
    chosen: (instance) => `You can turn off such mails in your account on ${instance}.`,
  },
};
