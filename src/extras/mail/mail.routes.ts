import { z } from "zod";
import { CursorPage, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { cursorText, limitOf, placeOf } from "../../lib/cursor.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { createLanguageChoice } from "../../lib/language.ts";
import { namedObject } from "../../lib/named-object.ts";
import { mailQuery, mailServerView, mailView, viewMail } from "./mail.ts";
import type { Mail } from "./mail.service.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

const testBody = namedObject("TestMail", { to: emailSchema });

/** Relative to {admin}/v1. */
export function mailEndpoints({ outbox, server }: Pick<Mail, "outbox" | "server">): Endpoint[] {
  const shared = { access: "admin", scope: "admin", tag: "mail", response: mailView } as const;
  const chooseLanguage = createLanguageChoice();
  return [
    endpoint("GET /mail", {
      ...shared,
      summary: "What was sent in the last 30 days, what waits and what failed, newest first",
      query: mailQuery,
      response: z.array(mailView),
      paged: "cursor",
      async handle({ query: { cursor, limit, state, recipient } }) {
        const filter = { state: state || undefined, recipient: asciiLower(recipient ?? "") || undefined };
        const { mails, next } = await outbox.page(filter, placeOf(z.int(), cursor), limitOf(limit));
        return new CursorPage(mails.map(viewMail), next === null ? null : cursorText(next));
      },
    }),
    endpoint("GET /mail/server", {
      ...shared,
      summary: "Whether mails can be sent",
      response: mailServerView,
      handle: server,
    }),
    endpoint("POST /mail/test", {
      ...shared,
      summary: "Send a test mail, which goes the way of every mail",
      body: testBody,
      failures: [409],
      status: 201,
      async handle({ c, body }) {
        const language = chooseLanguage(c.req.header("Accept-Language") ?? null);
        return viewMail(await outbox.test({ accountId: null, email: body.to, language }));
      },
    }),
    endpoint("GET /mail/:id", {
      ...shared,
      summary: "One mail",
      handle: async ({ c }) => viewMail(await outbox.get(idOf(c))),
    }),
    endpoint("POST /mail/:id/retry", {
      ...shared,
      summary: "Send a mail that waits or has failed at once",
      failures: [409],
      handle: async ({ c }) => viewMail(await outbox.retry(idOf(c))),
    }),
  ];
}

const idOf = (c: HttpContext): number => idParameter(c, "NotFound", "There is no such mail.");
