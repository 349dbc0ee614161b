/** The values of a link's form, and their form in the API. */
import type { ApiError, Link, LinkPatch, NewLink } from "../../base/api.ts";
import { withScheme } from "./with-scheme.ts";

export type LinkValues = {
  target: string;
  code: string;
  /** A host; empty: the default domain. */
  domain: string;
  title: string;
  note: string;
  tags: string[];
  /** RFC 3339, or empty. */
  starts_at: string;
  expires_at: string;
  max_clicks: string;
  fallback_url: string;
  redirect_status: string;
  forward_query: boolean;
  /** A new one. */
  password: string;
  removes_password: boolean;
  keep_old: boolean;
};
export type LinkFieldName = keyof LinkValues;

export const valuesOf = (link: Link | null): LinkValues => ({
  target: link?.target ?? "",
  code: link?.code ?? "",
  domain: link?.domain ?? "",
  title: link?.title ?? "",
  note: link?.note ?? "",
  tags: link?.tags ?? [],
  starts_at: link?.starts_at ?? "",
  expires_at: link?.expires_at ?? "",
  max_clicks: link?.max_clicks?.toString() ?? "",
  fallback_url: link?.fallback_url ?? "",
  redirect_status: String(link?.redirect_status ?? 307),
  forward_query: link?.forward_query ?? false,
  password: "",
  removes_password: false,
  keep_old: true,
});

const filled = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** Besides code and password. */
const contentOf = (values: LinkValues) => ({
  target: withScheme(values.target),
  domain: values.domain,
  title: filled(values.title),
  note: values.note === "" ? null : values.note,
  tags: values.tags,
  starts_at: filled(values.starts_at),
  expires_at: filled(values.expires_at),
  max_clicks: values.max_clicks === "" ? null : Number(values.max_clicks),
  fallback_url: filled(withScheme(values.fallback_url)),
  redirect_status: Number(values.redirect_status) as Link["redirect_status"],
  forward_query: values.forward_query,
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

/** The server's messages by field. */
export function linkErrorsOf(error: ApiError): Partial<Record<LinkFieldName, string>> {
  const known = valuesOf(null);
  const named = error.details.map(({ field, message }) => {
    const [name] = /^\w+(?=: )/.exec(message) ?? [field.split(".")[0]!];
    return [name, message.replace(`${name}: `, "")] as const;
  });
  const found = named.filter(([field]) => Object.hasOwn(known, field));
  if (found.length > 0) return Object.fromEntries(found);
  if (error.error === "LinkAlreadyExists") return { code: error.message };
  return {};
}
