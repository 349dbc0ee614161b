/** The fields of a link in forms, settings and CSV files, and their values in the API. */
import type { ApiError, Link, LinkPatch, NewLink } from "../../base/api.ts";
import { withScheme } from "./with-scheme.ts";

export type Row = {
  kind: "address" | "choice" | "count" | "line" | "lines" | "password" | "switch" | "tags" | "time";
  /** Characters. */
  most?: number;
  /** In the part of the form that opens. */
  isMore?: true;
  /** Of the settings; without one: what the link is. */
  group?: "leads" | "when" | "protection" | "preview";
};

type Card = NonNullable<Link["card"]>;
type CardField = `card_${keyof Card}`;
const CARD = ["title", "description", "image"] as const satisfies readonly (keyof Card)[];

/** One row a field besides code, target, domain and rules, in the order of the settings. */
export const FIELDS = {
  title: { kind: "line", most: 200 },
  tags: { kind: "tags" },
  note: { kind: "lines", most: 2000 },
  expires_at: { kind: "time", group: "when" },
  starts_at: { kind: "time", isMore: true, group: "when" },
  max_clicks: { kind: "count", isMore: true, group: "when" },
  fallback_url: { kind: "address", isMore: true, group: "when" },
  redirect_status: { kind: "choice", isMore: true, group: "leads" },
  password: { kind: "password", isMore: true, group: "protection" },
  forward_query: { kind: "switch", isMore: true, group: "leads" },
  forward_path: { kind: "switch", isMore: true, group: "leads" },
  card_title: { kind: "line", most: 200, isMore: true, group: "preview" },
  card_description: { kind: "line", most: 500, isMore: true, group: "preview" },
  card_image: { kind: "address", isMore: true, group: "preview" },
  click_threshold: { kind: "count", isMore: true },
} as const satisfies Record<
  | Exclude<keyof NewLink, "code" | "target" | "domain" | "owner" | "force" | "reuse" | "rules" | "card">
  | CardField,
  Row
>;
type FieldName = keyof typeof FIELDS;

const NAMES = Object.keys(FIELDS) as FieldName[];
const MORE = NAMES.filter((name) => "isMore" in FIELDS[name]);
export const SETTINGS = ["target", "code", "domain", "owner", ...NAMES] as const;
/** Shares have no target and nothing that only redirects have; what they lead to has a form of its own. */
const OF_SHARES = new Set<string>(["code", "title", "tags", "note", "expires_at", "password"]);
/** In the part of the form that opens. */
export const moreFieldsOf = (isShare: boolean): FieldName[] =>
  MORE.filter((name) => !isShare || OF_SHARES.has(name));
export const settingsOf = (isShare: boolean) => SETTINGS.filter((name) => !isShare || OF_SHARES.has(name));
export type LinkSettingName = (typeof SETTINGS)[number];
type Group = NonNullable<Row["group"]> | "about";
export function groupOf(name: LinkSettingName): Group {
  if (name === "target") return "leads";
  const row: Row | undefined = (FIELDS as Record<string, Row>)[name];
  return row?.group ?? "about";
}

type ValueOf<K> = K extends "tags" ? string[] : K extends "switch" ? boolean : string;
export type LinkValues = { -readonly [N in FieldName]: ValueOf<(typeof FIELDS)[N]["kind"]> } & {
  target: string;
  code: string;
  /** A host; empty: the default domain. */
  domain: string;
  /** Empty: who makes it. */
  owner: string;
  removes_password: boolean;
  keep_old: boolean;
};
export type LinkFieldName = keyof LinkValues;

const EMPTY: { [K in Row["kind"]]?: ValueOf<K> } = { choice: "307", switch: false, tags: [] };

/** The link's value of a field. */
export function shownOf(link: Link, name: LinkSettingName) {
  const part = CARD.find((one) => name === `card_${one}`);
  return part === undefined ? link[name as Exclude<LinkSettingName, CardField>] : (link.card?.[part] ?? null);
}

function valueOf(link: Link | null, name: FieldName): ValueOf<Row["kind"]> {
  const { kind } = FIELDS[name];
  const shown = kind === "password" || link === null ? null : shownOf(link, name);
  if (shown === null) return EMPTY[kind] ?? "";
  return typeof shown === "number" ? String(shown) : shown;
}

export const valuesOf = (link: Link | null): LinkValues => ({
  ...(Object.fromEntries(NAMES.map((name) => [name, valueOf(link, name)])) as Pick<LinkValues, FieldName>),
  target: link?.target ?? "",
  code: link?.code ?? "",
  domain: link?.domain ?? "",
  owner: link?.owner ?? "",
  removes_password: false,
  keep_old: true,
});

const filled = (text: string): string | null => (text.trim() === "" ? null : text.trim());

function sent(kind: Row["kind"], value: ValueOf<Row["kind"]>): unknown {
  if (typeof value !== "string") return value;
  if (kind === "count" || kind === "choice") return value === "" ? null : Number(value);
  if (kind === "lines") return value === "" ? null : value;
  return filled(kind === "address" ? withScheme(value) : value);
}

function cardOf(values: LinkValues): NonNullable<NewLink["card"]> | null {
  const parts = CARD.map(
    (part) => [part, sent(FIELDS[`card_${part}`].kind, values[`card_${part}`])] as const,
  );
  return parts.every(([, value]) => value === null) ? null : Object.fromEntries(parts);
}

/** Besides code and password. */
const contentOf = (values: LinkValues) => ({
  ...(Object.fromEntries(
    NAMES.filter((name) => name !== "password" && !name.startsWith("card_")).map((name) => [
      name,
      sent(FIELDS[name].kind, values[name]),
    ]),
  ) as Pick<NewLink, Exclude<FieldName, "password" | CardField>>),
  card: cardOf(values),
  target: withScheme(values.target),
  domain: values.domain,
  ...(filled(values.owner) !== null && { owner: filled(values.owner) }),
});

export const newLinkOf = (values: LinkValues): NewLink => ({
  ...contentOf(values),
  code: filled(values.code),
  password: values.password === "" ? null : values.password,
});

/** The fields that differ, so others' changes to other fields stay. */
export function linkPatchOf(values: LinkValues, link: Link): LinkPatch {
  const before: Record<string, unknown> = contentOf(valuesOf(link));
  const changed = Object.entries(contentOf(values)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  const code = values.code.trim();
  const isMoved = code !== link.code || values.domain !== (link.domain ?? "");
  return {
    ...(Object.fromEntries(changed) as LinkPatch),
    ...(code !== link.code && { code }),
    ...(isMoved && { keep_old: values.keep_old }),
    ...(values.removes_password
      ? { password: null }
      : values.password !== "" && { password: values.password }),
  };
}

const nameOf = (field: string): string =>
  field.startsWith("card.") ? field.replace(".", "_") : field.split(".")[0]!;

/** The server's messages by field. */
export function linkErrorsOf(error: ApiError): Partial<Record<LinkFieldName, string>> {
  const known = valuesOf(null);
  const named = error.details.map(({ field, message }) => {
    const [name] = /^\w+(?=: )/.exec(message) ?? [nameOf(field)];
    return [name, message.replace(/^[\w.]+: /, "")] as const;
  });
  const found = named.filter(([field]) => Object.hasOwn(known, field));
  if (found.length > 0) return Object.fromEntries(found);
  if (error.error === "LinkAlreadyExists") return { code: error.message };
  return {};
}
