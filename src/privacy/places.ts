/**
 * Where the database has what belongs to a person: texts that are the address or the name of the account, and texts of
 * JSON that contain it under certain names. Rows of an account itself, such as its sessions, are read by its id.
 */
export type Subject =
  | { kind: "address"; value: string }
  /** `id`: null once the account is deleted. */
  | { kind: "account"; value: string; id: number | null; email: string | null };

/** `key`: a whole number, by which the table is read in portions. */
export type TextPlace = { table: string; key: string; column: string; not?: readonly string[] };

const EVENTS = { table: "events", key: "id" } as const;

/** Starts of the actions whose subject is another thing, which may have the same name. */
const NO_ACCOUNTS = [
  "link.",
  "share.",
  "drop.",
  "domain.",
  "team.",
  "setting.",
  "tag.",
  "file.",
  "folder.",
  "token.",
];

const TEXTS: Record<Subject["kind"], readonly TextPlace[]> = {
  address: [{ table: "click_log", key: "id", column: "ip_address" }],
  account: [
    { ...EVENTS, column: "actor" },
    { ...EVENTS, column: "subject", not: NO_ACCOUNTS },
    { table: "links", key: "id", column: "created_by" },
    { table: "deleted_links", key: "link_id", column: "deleted_by" },
    { table: "settings_history", key: "id", column: "changed_by" },
    { table: "link_reports", key: "id", column: "resolved_by" },
  ],
};

const JSONS: Record<Subject["kind"], readonly TextPlace[]> = {
  address: [
    { ...EVENTS, column: "before" },
    { ...EVENTS, column: "after" },
    { table: "mails", key: "id", column: "content" },
  ],
  account: [
    { ...EVENTS, column: "before" },
    { ...EVENTS, column: "after" },
    { table: "deleted_links", key: "link_id", column: "content" },
  ],
};

export const textsOf = ({ kind }: Subject): readonly TextPlace[] => TEXTS[kind];
export const jsonsOf = ({ kind }: Subject): readonly TextPlace[] => JSONS[kind];

/** Names under which JSON has accounts, addresses and mail addresses. Elsewhere the same text is something else. */
const NAMES = new Set([
  "account",
  "actor",
  "address",
  "createdBy",
  "created_by",
  "deleted_by",
  "email",
  "owner",
  "resolved_by",
  "transfer_to",
  "username",
]);

/** Undefined if it does not have them. */
export function replacedIn(json: string, wanted: readonly string[], by: string): string | undefined {
  let isFound = false;
  const replaced = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => replaced(one, name));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, key)]));
    if (typeof value !== "string" || !NAMES.has(name) || !wanted.includes(value)) return value;
    isFound = true;
    return by;
  };
  const result = replaced(JSON.parse(json), "");
  return isFound ? JSON.stringify(result) : undefined;
}
