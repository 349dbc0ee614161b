/** For owners. public.routes.ts is for visitors. */
import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import { reachesRole, type Role } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import { CODE_FORM, isCodeText } from "../../links/link/code.ts";
import { entryIn, treeEndpoint } from "../tree/entry-id.ts";
import { folderShareSchema, shareSchema, shareView, viewOfShare } from "../serving/schemas.ts";
import { shareNotFound } from "../serving/changes.ts";
import type { Shareable } from "../serving/served.ts";
import type { Asking, Trees } from "../tree/trees.ts";
import type { Shares } from "./service.ts";

/** Parameter `code` of the path. @throws LinkNotFound for an impossible code */
export function shareCodeIn(c: HttpContext): string {
  const code = c.req.param("code") ?? "";
  if (!isCodeText(code)) throw shareNotFound();
  return code;
}

/** The tree and the code of the share in the path. @throws LinkNotFound, Forbidden for viewers */
export async function shareIn(
  trees: Pick<Trees, "with">,
  { c, account }: Asking & { c: HttpContext },
): Promise<[tree: number, code: string]> {
  const share = shareCodeIn(c);
  return [await trees.with({ c, account }, { share }), share];
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
  const common = treeEndpoint(`${kind}s`);
  const placed = async (asking: Asking & { c: HttpContext }): Promise<[number, Shareable]> => {
    const [tree, id] = await entryIn(trees, asking, kind === "file" ? "FileNotFound" : "FolderNotFound");
    return [tree, { kind, id }];
  };
  return [
    endpoint(`POST ${path}`, {
      ...common,
      tagged: true,
      summary: `Share a ${kind} by a short link`,
      body: kind === "file" ? shareSchema : folderShareSchema,
      failures: [403, 409],
      status: 201,
      response: shareView,
      async handle({ c, account, body }) {
        refuseOwnCode(account, body.code);
        const made = await shares.create(...(await placed({ c, account })), body, actorOf(account));
        return viewOfShare(made, c.env.origin());
      },
    }),
    endpoint(`GET ${path}`, {
      ...common,
      summary: `The short links that share a ${kind}, newest first`,
      response: z.array(shareView),
      async handle({ c, account }) {
        const origin = c.env.origin();
        return (await shares.list(...(await placed({ c, account })))).map((share) =>
          viewOfShare(share, origin),
        );
      },
    }),
    endpoint(`DELETE ${path}/:code{.+}`, {
      ...common,
      params: { code: z.string().meta(CODE_FORM) },
      summary: `Stop sharing a ${kind} under a code`,
      done: "Share revoked",
      handle: async ({ c, account }) =>
        shares.revoke(...(await placed({ c, account })), shareCodeIn(c), actorOf(account)),
    }),
  ];
}
