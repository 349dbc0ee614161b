/** For owners. public.routes.ts is for visitors. */
import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../http/endpoint.ts";
import { reachesRole, type Role } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import { CODE_FORM, isCodeText } from "../../links/link/code.ts";
import { idIn } from "../tree/entry-id.ts";
import { folderShareSchema, shareInput, shareSchema } from "../serving/share-input.ts";
import { shareView, viewOfShare } from "../serving/share-view.ts";
import { shareNotFound } from "../serving/changes.ts";
import type { Shareable } from "../serving/served.ts";
import type { Trees } from "../tree/trees.ts";
import type { Shares } from "./service.ts";

/** The file or folder of the path. @throws FileNotFound, FolderNotFound for an impossible id */
export const placeIn = (c: HttpContext, kind: Shareable["kind"]): Shareable => ({
  kind,
  id: idIn(c, kind === "file" ? "FileNotFound" : "FolderNotFound"),
});

/** Parameter `code` of the path. @throws LinkNotFound for an impossible code */
export function shareCodeIn(c: HttpContext): string {
  const code = c.req.param("code") ?? "";
  if (!isCodeText(code)) throw shareNotFound();
  return code;
}

/** Roles that may not choose the code of a link may not choose a share's. @throws Forbidden */
export function refuseOwnCode({ role }: { role: Role }, code: string | null | undefined): void {
  if (reachesRole(role, "editor") || !code) return;
  throw appError(
    "Forbidden",
    "Only editors and administrators choose the code of a share; leave code out for a random one.",
  );
}

export const shareEndpoints = (deps: Deps): Endpoint[] =>
  (["file", "folder"] as const).flatMap((kind) => endpointsOf(deps, kind));

type Deps = { shares: Shares; trees: Trees };

function endpointsOf({ shares, trees }: Deps, kind: Shareable["kind"]): Endpoint[] {
  const path = `/${kind}s/:id/share`;
  const common = { access: "account", scope: "files", tag: `${kind}s` } as const;
  return [
    endpoint({
      ...common,
      method: "POST",
      path,
      summary: `Share a ${kind} by a short link`,
      body: kind === "file" ? shareSchema : folderShareSchema,
      failures: [403, 409],
      status: 201,
      answer: shareView,
      async handle({ c, account, body }) {
        refuseOwnCode(account, body.code);
        const input = shareInput(body);
        const place = placeIn(c, kind);
        const tree = await trees.with({ c, account }, { entry: place.id });
        return viewOfShare(await shares.create(tree, place, input, actorOf(account)), c.env.origin());
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
        const place = placeIn(c, kind);
        const tree = await trees.with({ c, account }, { entry: place.id });
        return (await shares.list(tree, place)).map((share) => viewOfShare(share, origin));
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
        const place = placeIn(c, kind);
        const tree = await trees.with({ c, account }, { entry: place.id });
        await shares.revoke(tree, place, shareCodeIn(c), actorOf(account));
        return { message: "Share revoked" };
      },
    }),
  ];
}
