/** For owners. public.routes.ts is for visitors. */
import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../http/endpoint.ts";
import { reachesRole, type Role } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import { CODE_FORM } from "../../links/code.ts";
import { createSchema, linkViewSchema, newCode, viewOfLink } from "../../links/link.ts";
import { idIn } from "../tree/entry-id.ts";
import type { ShareRecord } from "./share.ts";
import type { Shareable, Shares } from "./service.ts";

const PASSWORD_MIN_CHARACTERS = 8;

export const shareSchema = createSchema.pick({ expires_at: true }).extend({
  code: newCode
    .nullish()
    .describe(
      "editors and administrators only: 1 to 128 of a-z A-Z 0-9 _ . - /; random when absent or empty",
    ),
  password: createSchema.shape.password
    .refine(
      (text) => !text || [...text].length >= PASSWORD_MIN_CHARACTERS,
      `takes at least ${PASSWORD_MIN_CHARACTERS} characters`,
    )
    .describe(`at least ${PASSWORD_MIN_CHARACTERS} characters; none when empty or absent`)
    .meta({ pattern: String.raw`^(?:[\s\S]{${PASSWORD_MIN_CHARACTERS},})?$` }),
  max_downloads: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .nullish()
    .describe("finished downloads, of all files together; unlimited without it"),
});
shareSchema.register(z.globalRegistry, { id: "NewShare" });

const shareView = linkViewSchema.extend({
  max_downloads: z.int().nullable(),
  downloads: z.int().describe("finished; with max_downloads also running ones"),
  url: z.url().describe("the same as short_url"),
});
shareView.register(z.globalRegistry, { id: "Share" });

/** Shares are served there only. */
const onDefaultDomain = () => null;

function viewShare(share: ShareRecord, origin: string): z.output<typeof shareView> {
  const view = viewOfLink(share, origin, onDefaultDomain);
  return { ...view, max_downloads: share.maxDownloads, downloads: share.downloads, url: view.short_url };
}

/** Who may not choose the code of a link gets no chosen one for a share either. @throws Forbidden */
export function refuseOwnCode({ role }: { role: Role }, code: string | null | undefined): void {
  if (reachesRole(role, "editor") || !code) return;
  throw appError(
    "Forbidden",
    "Only editors and administrators choose the code of a share; leave code out for a random one.",
  );
}

/** Mount them at the root. */
export const shareEndpoints = ({ shares }: { shares: Shares }): Endpoint[] =>
  (["file", "folder"] as const).flatMap((kind) => endpointsOf(shares, kind));

function endpointsOf(shares: Shares, kind: Shareable["kind"]): Endpoint[] {
  const path = `/${kind}s/:id/share`;
  const common = { access: "account", scope: "files", tag: `${kind}s` } as const;
  const placeIn = (c: HttpContext): Shareable => ({
    kind,
    id: idIn(c, kind === "file" ? "FileNotFound" : "FolderNotFound"),
  });
  return [
    endpoint({
      ...common,
      method: "POST",
      path,
      summary: `Share a ${kind} by a short link`,
      body: shareSchema,
      failures: [403, 409],
      status: 201,
      answer: shareView,
      async handle({ c, account, body }) {
        refuseOwnCode(account, body.code);
        const { max_downloads: maxDownloads, ...link } = body;
        const input = { ...link, maxDownloads: maxDownloads ?? null };
        return viewShare(
          await shares.create(account.id, placeIn(c), input, actorOf(account)),
          c.env.origin(),
        );
      },
    }),
    endpoint({
      ...common,
      method: "GET",
      path,
      summary: `The short links that share a ${kind}, newest first`,
      answer: z.array(shareView),
      async handle({ c, account }) {
        const origin = c.env.origin();
        return (await shares.list(account.id, placeIn(c))).map((share) => viewShare(share, origin));
      },
    }),
    endpoint({
      ...common,
      method: "DELETE",
      path: `${path}/:code{.+}`,
      params: { code: z.string().meta(CODE_FORM) },
      summary: `Stop sharing a ${kind} under a code`,
      answer: z.object({ message: z.string() }),
      async handle({ c, account }) {
        await shares.revoke(account.id, placeIn(c), c.req.param("code") ?? "", actorOf(account));
        return { message: "Share revoked" };
      },
    }),
  ];
}
