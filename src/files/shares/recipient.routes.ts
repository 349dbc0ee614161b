/** Recipients of a share, for its owner: what they did, and their mails once more. */
import { z } from "zod";
import { CursorPage, type Endpoint, endpoint, messageResponse } from "../../platform/http/endpoint.ts";
import { cursorQuery, cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { namedObject } from "../../lib/named-object.ts";
import { createView } from "../../lib/case-names.ts";
import { CODE_FORM } from "../../links/link/code.ts";
import { recipientFields } from "../recipients/recipients.ts";
import { shareIn } from "./routes.ts";
import { treeEndpoint } from "../tree/entry-id.ts";
import type { Trees } from "../tree/trees.ts";
import type { Shares } from "./service.ts";

const visitView = namedObject("ShareVisit", {
  email: z.string().describe("verified address of the recipient"),
  action: z.enum(["open", "download", "archive"]).describe("archive: the folder as a ZIP file"),
  name: z.string().nullable().describe("of the file or folder, then"),
  at: z.iso.datetime(),
});

export const viewVisit = createView(visitView);

const sendBody = namedObject("ShareMails", {
  recipients: recipientFields.recipients.describe("whom of the share's; absent: all"),
});

type Deps = { shares: Shares; trees: Trees };

/** Mount them before those of a share, whose codes have slashes. */
export function recipientEndpoints({ shares, trees }: Deps): Endpoint[] {
  const common = { ...treeEndpoint("shares"), params: { code: z.string().meta(CODE_FORM) } };
  return [
    endpoint("GET /shares/:code{.+}/visits", {
      ...common,
      summary:
        "What verified recipients of a share opened and downloaded, newest first; the last 10,000 of the days in analytics.log_retention_days",
      query: z.object(cursorQuery),
      failures: [404],
      response: z.array(visitView),
      paged: "cursor",
      async handle({ c, account, query: { cursor, limit } }) {
        const before = placeOf(z.int(), cursor);
        const found = await shares.visits(...(await shareIn(trees, { c, account })), before, limitOf(limit));
        return new CursorPage(
          found.visits.map(viewVisit),
          found.next === null ? null : cursorText(found.next),
        );
      },
    }),
    endpoint("POST /shares/:code{.+}/mails", {
      ...common,
      summary: "Send the mail with the link of a share to its recipients again",
      body: sendBody,
      failures: [404, 409, 429],
      response: messageResponse,
      async handle({ c, account, body: { recipients } }) {
        const count = await shares.sendAgain(...(await shareIn(trees, { c, account })), recipients ?? null);
        return { message: `Mails queued: ${count}` };
      },
    }),
  ];
}
