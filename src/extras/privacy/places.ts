/**
 * Where the database has what belongs to a person: texts that are the address or name, and texts of JSON that contain it
 * under certain names. Rows of an account itself, such as its tokens, are read by its id.
 */
export type Subject =
  | { kind: "address" | "mail" | "sender"; value: string }
  /** `id`: null once the account is deleted, like the rest. */
  | {
      kind: "account";
      value: string;
      id: number | null;
      email: string | null;
      displayName: string | null;
    };

/** What the person gave in drop boxes. An account gives its mail address only. */
export function dropPersonOf(subject: Subject): { kind: "sender" | "mail"; value: string } | null {
  const { kind, value } = subject;
  if (kind === "sender" || kind === "mail") return { kind, value };
  const email = kind === "account" ? subject.email : null;
  return email === null ? null : { kind: "mail", value: email };
}

type Place = {
  table: string;
  /** A whole number, by which the table is read in portions; null: the table is small. */
  key: string | null;
  column: string;
};
export type TextPlace = Place & {
  not?: readonly string[];
  /** What stands before the text. */
  start?: string;
  /** Without secrets. Default: all. */
  shown?: readonly string[];
  /** Instead of the replacement of the text; null: the row goes. */
  set?: Readonly<Record<string, null | "">> | null;
};
export type JsonPlace = Place & { key: string };

const EVENTS = { table: "events", key: "id" } as const;

/** Starts of the actions whose subject is another thing, which may have the same name. */
const NO_ACCOUNTS = [
  "link.",
  "share.",
  "report.",
  "drop.",
  "domain.",
  "team.",
  "setting.",
  "tag.",
  "file.",
  "folder.",
  "token.",
];

const UPLOADED = ["id", "size", "mime_type", "modified_at", "created_at", "created_by"];

const TEXTS: Record<Subject["kind"], readonly TextPlace[]> = {
  address: [
    { table: "click_log", key: "id", column: "ip_address", set: { ip_address: null, referrer: null } },
    {
      table: "sessions",
      key: null,
      column: "address",
      shown: ["user_id", "created_at", "browser", "os", "address"],
      set: { address: null },
    },
  ],
  mail: [
    { table: "account_mail", key: null, column: "email", set: { email: null, proved_at: null } },
    {
      table: "mails",
      key: "id",
      column: "recipient",
      // The content has addresses that set passwords.
      shown: ["kind", "recipient", "state", "error", "created_at", "sent_at"],
      set: null,
    },
    { table: "share_recipients", key: "id", column: "email", shown: ["link_id", "email"], set: null },
    { table: "share_visits", key: "id", column: "email", set: null },
    {
      table: "report_readers",
      key: "id",
      column: "email",
      shown: ["mail_id", "email", "state", "changed_at"],
      set: null,
    },
    { table: "drop_files", key: "entry_id", column: "sender_email", set: { sender_email: null } },
    { table: "uploads", key: null, column: "sender_email", set: { sender_email: null, metadata: "" } },
  ],
  sender: [
    { table: "drop_files", key: "entry_id", column: "sender_name", set: { sender_name: null } },
    { table: "uploads", key: null, column: "sender_name", set: { sender_name: null, metadata: "" } },
  ],
  account: [
    { ...EVENTS, column: "actor" },
    { ...EVENTS, column: "subject", not: NO_ACCOUNTS },
    { table: "links", key: "id", column: "created_by" },
    { table: "deleted_links", key: "link_id", column: "deleted_by" },
    { table: "entries", key: "id", column: "created_by", shown: UPLOADED },
    { table: "file_versions", key: "id", column: "created_by", shown: UPLOADED },
    { table: "settings", key: null, column: "updated_by", shown: ["key", "updated_at", "updated_by"] },
    { table: "settings_history", key: "id", column: "changed_by" },
    { table: "link_reports", key: "id", column: "resolved_by" },
    { table: "report_mails", key: "id", column: "created_by" },
    { table: "bulk_changes", key: "id", column: "actor", shown: ["at", "actor", "action", "links"] },
    { table: "bulk_changes", key: "id", column: "undone_by", shown: ["at", "undone_by", "undone_at"] },
    { table: "presets", key: "id", column: "created_by" },
    { table: "login_failures", key: null, column: "account", set: null },
    { table: "login_failures", key: null, column: "account", start: "factor ", set: null },
  ],
};

/** Where a subject is, each with the text. An account's own row of `account_mail` is read by its id. */
export function textsOf(subject: Subject): { place: TextPlace; value: string }[] {
  const textsAs = (kind: Subject["kind"], value: string) => TEXTS[kind].map((place) => ({ place, value }));
  const texts = textsAs(subject.kind, subject.value);
  if (subject.kind !== "account" || subject.email === null) return texts;
  const mails = textsAs("mail", subject.email);
  return [...texts, ...mails.filter(({ place }) => place.table !== "account_mail")];
}

const BEFORE = { ...EVENTS, column: "before" } as const;
const AFTER = { ...EVENTS, column: "after" } as const;
const MAILS = { table: "mails", key: "id", column: "content" } as const;

export const JSONS: Record<Subject["kind"], readonly JsonPlace[]> = {
  address: [BEFORE, AFTER, MAILS],
  mail: [BEFORE, AFTER],
  sender: [BEFORE, AFTER],
  account: [
    BEFORE,
    AFTER,
    MAILS,
    { table: "links", key: "id", column: "options" },
    { table: "deleted_links", key: "link_id", column: "content" },
    { table: "report_pages", key: "link_id", column: "filter" },
    { table: "bulk_changes", key: "id", column: "before" },
    { table: "bulk_changes", key: "id", column: "after" },
  ],
};

/** Names under which JSON has accounts, addresses and mail addresses. Elsewhere the same text is something else. */
const NAMES = new Set([
  "account",
  "actor",
  "address",
  "by",
  "createdBy",
  "created_by",
  "deleted_by",
  "email",
  "owner",
  "recipients",
  "resolved_by",
  "sender_email",
  "transfer_to",
  "username",
]);

const NAMES_OF_SENDERS = new Set(["sender_name"]);

/** `isOwn`: it describes the account, so that each `display_name` is the account's. `by`: an author in a mail. */
export type Sought = {
  kind: Subject["kind"];
  searched: readonly string[];
  isOwn: boolean;
  by: string | null;
};

/** Undefined if it does not have them. */
export function replacedIn(json: string, { kind, searched, isOwn, by }: Sought, text: string) {
  const names = kind === "sender" ? NAMES_OF_SENDERS : NAMES;
  const isSought = (name: string, value: string): boolean =>
    (names.has(name) && searched.includes(value)) ||
    (isOwn && name === "display_name") ||
    (name === "by" && value === by);
  let isFound = false;
  const replaced = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => replaced(one, name));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, key)]));
    if (typeof value !== "string" || !isSought(name, value)) return value;
    isFound = true;
    return text;
  };
  const result = replaced(JSON.parse(json), "");
  return isFound ? JSON.stringify(result) : undefined;
}
