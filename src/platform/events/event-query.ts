import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import { queryText } from "../../lib/query-text.ts";
import { parseRfc3339 } from "../../lib/rfc3339.ts";

const text = (meaning: string) => queryText(300).optional().describe(meaning);

export const eventQuery = z.object({
  actor: text("name of who did it"),
  via: text("panel, api, token, cli, import or system"),
  action: text("such as link.update"),
  subject: text("such as a code or a user name"),
  from: z.string().optional().describe("RFC 3339; this instant or later"),
  to: z.string().optional().describe("RFC 3339; this instant or earlier"),
});

/** An empty text counts as absent. @throws InvalidDateFormat */
export const eventFilterOf = ({ from, to, ...exact }: z.output<typeof eventQuery>) => ({
  ...Object.fromEntries(Object.entries(exact).filter(([, value]) => value)),
  ...(from && { from: instantOf("from", from) }),
  ...(to && { to: instantOf("to", to) }),
});

function instantOf(name: string, given: string): number {
  // An unescaped plus sign arrives as a space.
  const instant = parseRfc3339(given.replace(/ (?=\d{2}:\d{2}$)/, "+"));
  if (instant !== null) return instant;
  throw appError("InvalidDateFormat", `${name} must be an RFC 3339 instant such as 2026-11-20T13:00:00Z.`);
}
