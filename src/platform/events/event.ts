import type { RowFields } from "../db/schema.ts";
import { z } from "zod";
import { formatRfc3339 } from "../../lib/rfc3339.ts";

/** As stored. `before` and `after` are JSON. */
export type StoredEvent = Omit<RowFields<"events">, "subjectId" | "bulk" | "untold">;

export const EVENT_WAYS = ["panel", "api", "token", "cli", "import", "system"] as const;

const state = z.record(z.string(), z.unknown()).optional();

export const eventView = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  actor: z.string().describe("an account's name, token:{name}, cli or system"),
  via: z.enum(EVENT_WAYS),
  tool: z.string().optional().describe("of the MCP server, such as shorten"),
  action: z.string().describe("such as link.update"),
  subject: z.string().describe("what was changed, such as a code or a user name"),
  before: state.describe("absent if there was nothing; secrets are masked"),
  after: state.describe("absent if there is nothing; secrets are masked"),
});

export const viewOfEvent = (event: StoredEvent) => ({
  id: event.id,
  at: formatRfc3339(event.at),
  actor: event.actor,
  via: event.via,
  ...(event.tool !== null && { tool: event.tool }),
  action: event.action,
  subject: event.subject,
  ...(event.before !== null && { before: JSON.parse(event.before) as object }),
  ...(event.after !== null && { after: JSON.parse(event.after) as object }),
});
