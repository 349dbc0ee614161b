/** Options of commands for fields.ts. */
import type { Command } from "commander";
import type { LinkFieldsInput } from "./fields.ts";
import type { LinkView } from "./link.ts";

export type FieldOptions = {
  title?: string;
  note?: string;
  starts?: string;
  maxClicks?: string;
  fallback?: string;
  status?: string;
  forwardQuery?: boolean;
};

export const addFieldOptions = (command: Command, advice = ""): Command =>
  command
    .option("--title <text>", `title, at most 200 characters${advice}`)
    .option("--note <text>", `note, at most 2,000 characters${advice}`)
    .option("--starts <when>", `not found before: RFC 3339, or a duration such as 7d${advice}`)
    .option("--max-clicks <number>", `people who may pass${advice}`)
    .option("--fallback <url>", `where it leads before its start, after its expiry or when used up${advice}`)
    .option("--status <code>", `301, 302, 307 (default) or 308${advice}`)
    .option("--forward-query", "pass the query of the request to the target");

/** As in a request; an empty text clears. */
export const fieldInput = ({
  title,
  note,
  starts,
  maxClicks,
  fallback,
  status,
  forwardQuery,
}: FieldOptions) => ({
  title,
  note,
  starts_at: starts,
  max_clicks: numberOr(maxClicks),
  fallback_url: fallback,
  redirect_status: numberOr(status) as LinkFieldsInput["redirect_status"],
  forward_query: forwardQuery,
});

const numberOr = (text: string | undefined): number | null | undefined =>
  text === undefined ? undefined : text.trim() === "" ? null : Number(text);

/** The fields that `links get` shows. */
export function shownFields(view: LinkView): [string, string | number][] {
  const rows: [string, string | number | null][] = [
    ["TITLE", view.title],
    ["NOTE", view.note],
    ["BY", view.created_by],
    ["STARTS", view.starts_at],
    ["MAX", view.max_clicks],
    ["FALLBACK", view.fallback_url],
    ["STATUS", view.redirect_status === 307 ? null : view.redirect_status],
    ["QUERY", view.forward_query ? "forwarded" : null],
  ];
  return rows.filter((row): row is [string, string | number] => row[1] !== null);
}
