/** What is stored of visitors and accounts, how long and why, by the settings. */
import { z } from "zod";
import { namedObject } from "../lib/named-object.ts";

export const storedView = namedObject("StoredThing", {
  name: z.string(),
  of: z.enum(["visitors", "accounts"]),
  holds: z.array(z.string()).describe("what is stored; empty: nothing"),
  purpose: z.string(),
  days: z.int().nullable().describe("null: see `until`"),
  until: z.string().nullable(),
});
export type StoredThing = z.output<typeof storedView>;

export type StoredSettings = {
  /** analytics.enable_detailed_logging at the start */
  details: boolean;
  sampleRate: number;
  addresses: "none" | "truncated" | "full";
  referrers: boolean;
  agents: boolean;
  places: boolean;
  campaigns: boolean;
  signals: boolean;
  /** The retention task runs. */
  retention: boolean;
  logDays: number;
  hourlyDays: number;
  dailyDays: number;
  sessionDays: number;
  eventDays: number;
  restoreDays: number;
  trashDays: number;
};

const ADDRESSES = {
  none: [],
  truncated: ["network of the IP address (/24 of IPv4, /48 of IPv6)"],
  full: ["IP address"],
};

export function storedThings(settings: StoredSettings): StoredThing[] {
  const kept = (days: number) =>
    settings.retention ? { days, until: null } : { days: null, until: "an administrator deletes it" };
  const details = [
    ...(settings.referrers ? ["page from which the visitor came"] : []),
    ...(settings.campaigns ? ["campaign (utm_…)"] : []),
    ...(settings.agents ? ["User-Agent", "preferred language"] : []),
    ...ADDRESSES[settings.addresses],
    ...(settings.places && settings.addresses !== "none" ? ["country and city"] : []),
    "link and time",
  ];
  const asked = settings.signals ? " Not of visitors whose browser sends Sec-GPC: 1 or DNT: 1." : "";
  return [
    {
      name: "Sums of clicks",
      of: "visitors",
      holds: ["number of clicks by link and hour"],
      purpose: "Counting. A sum tells nothing of a single visitor.",
      days: null,
      until: settings.retention
        ? `those of hours are ${settings.hourlyDays} days old and those of days ${settings.dailyDays}; those of months stay`
        : "an administrator deletes it",
    },
    {
      name: "Details of clicks",
      of: "visitors",
      holds: settings.details && settings.sampleRate > 0 ? details : [],
      purpose: `Reports of how links are used.${asked}`,
      ...kept(settings.logDays),
    },
    {
      name: "Journal of clicks",
      of: "visitors",
      holds: settings.details && settings.sampleRate > 0 ? details : ["link and time"],
      purpose: "Counts no click twice and loses none when the server or its database fails.",
      days: 1,
      until: null,
    },
    {
      name: "Files that visitors send to drop boxes",
      of: "visitors",
      holds: [
        "the file",
        "the name that the sender gives",
        "a random number from a cookie",
        "while an upload is not complete, a hash of the network address",
      ],
      purpose: "The owner of the box gets the file; the sender sees what was sent.",
      days: null,
      until: `the owner deletes the file; the event of its arrival keeps both names for ${settings.eventDays} days`,
    },
    {
      name: "Reports about links",
      of: "visitors",
      holds: ["reason and text that the visitor sends"],
      purpose: "Administrators take harmful links down.",
      days: null,
      until: "the link is deleted",
    },
    {
      name: "Cookies for passwords",
      of: "visitors",
      holds: ["in the visitor's browser only: that a password was right"],
      purpose: "The visitor need not give the password of a link or share again.",
      days: 1,
      until: null,
    },
    ...ofAccounts(settings),
  ];
}

const ofAccounts = (settings: StoredSettings): StoredThing[] => [
  {
    name: "Accounts",
    of: "accounts",
    holds: ["name", "mail address", "hash of the password", "role", "keys for signing in"],
    purpose: "Signing in.",
    days: null,
    until: "an administrator deletes the account",
  },
  {
    name: "Sessions",
    of: "accounts",
    holds: ["time", "IP address", "browser and system"],
    purpose: "Staying signed in, and seeing where one is.",
    days: settings.sessionDays,
    until: null,
  },
  {
    name: "Mails",
    of: "accounts",
    holds: ["mail address of the recipient", "kind and time", "content until it is sent"],
    purpose: "Sending them, and seeing what became of them.",
    days: 30,
    until: null,
  },
  {
    name: "Failed sign-ins",
    of: "accounts",
    holds: ["name", "number and time"],
    purpose: "Slowing down those who guess passwords.",
    days: 1,
    until: null,
  },
  {
    name: "Events",
    of: "accounts",
    holds: ["who changed what, and when"],
    purpose: "Traceability, and undo.",
    days: settings.eventDays,
    until: null,
  },
  {
    name: "Deleted links",
    of: "accounts",
    holds: ["the link with its fields"],
    purpose: "Putting links back.",
    days: settings.restoreDays,
    until: null,
  },
  {
    name: "Trash",
    of: "accounts",
    holds: ["files and folders"],
    purpose: "Putting files back.",
    days: settings.trashDays,
    until: null,
  },
];

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
h2{margin:2rem 0 0;font-size:1.1rem}dl{margin:.25rem 0}dt{float:left;clear:left;width:6rem;opacity:.75}dd{margin-left:7rem;overflow-wrap:anywhere}`;

/** In English, which the API speaks. */
export function pageOfStored(things: readonly StoredThing[]): string {
  const entry = ({ name, holds, purpose, days, until }: StoredThing) => `<h2>${Bun.escapeHTML(name)}</h2>
<dl><dt>Stored</dt><dd>${Bun.escapeHTML(holds.length === 0 ? "nothing" : holds.join(", "))}</dd>
<dt>Why</dt><dd>${Bun.escapeHTML(purpose)}</dd>
<dt>How long</dt><dd>${Bun.escapeHTML(days === null ? `until ${until}` : days === 1 ? "1 day" : `${days} days`)}</dd></dl>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>What is stored</title><style>${STYLE}</style></head>
<body><h1>What is stored</h1>
<p>Made from the settings of this installation.</p>
${things.map(entry).join("\n")}
</body></html>
`;
}
