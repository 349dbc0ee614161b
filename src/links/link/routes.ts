/** What the endpoints of links have in common. */
import {
  actorOf,
  beside,
  type Caller,
  type HttpContext,
  type PathInput,
} from "../../platform/http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import { AppError } from "../../lib/errors.ts";
import { isCodeText, linkNotFound } from "./code.ts";
import {
  type domainQuery,
  type HostOf,
  type LinkView,
  linkViewSchema,
  type ShownLink,
  viewOfLink,
} from "./link.ts";

export type LinkAccess = {
  /** @throws LinkNotFound */
  by(actor: Actor): { get(key: string): Promise<ShownLink> };
  domains: {
    /** @throws BadRequest for an unknown domain */
    key(code: string, domain: string | undefined): string;
    hostOf: HostOf;
  };
};

/** The key of the code in the path. @throws BadRequest for an unknown domain, LinkNotFound */
export function keyOfPath(
  { domains }: LinkAccess,
  c: HttpContext,
  { domain }: { domain?: string | undefined },
): string {
  const code = c.req.param("code") ?? "";
  if (!isCodeText(code)) throw linkNotFound(code);
  return domains.key(code, domain);
}

type CodeSearch = {
  by(actor: Actor): {
    /** Resolves with null for a link that does not exist for the actor. */
    find(key: string): Promise<unknown>;
  };
  domains: Pick<LinkAccess["domains"], "key">;
};

export type FoundLinks = Omit<LinkAccess, "by"> & {
  by(actor: Actor): ReturnType<LinkAccess["by"]> & ReturnType<CodeSearch["by"]>;
};

/**
 * The code that the whole path would be, with what is below a code; null for a text that is none. In a path with `%2F`
 * the code is written out, and what follows it is none of it.
 */
export function wholeCodeOf(c: HttpContext, below: string): string | null {
  const code = `${c.req.param("code")}/${below}`;
  return /%2f/i.test(c.req.path) || !isCodeText(code) ? null : code;
}

/** Whether the actor has a link whose code is the whole path. */
export async function isWholeCode(
  links: CodeSearch,
  { c, account, query }: { c: HttpContext; account: Caller; query: { domain?: string | undefined } },
  below: string,
): Promise<boolean> {
  const code = wholeCodeOf(c, below);
  if (code === null) return false;
  return (await links.by(actorOf(account)).find(links.domains.key(code, query.domain))) !== null;
}

export const viewIn = ({ domains }: LinkAccess, c: HttpContext, link: ShownLink): LinkView =>
  viewOfLink(link, c.env.origin(), domains.hostOf);

export type LockableLinks = Omit<LinkAccess, "by"> & {
  lock(tx: never, keys: readonly string[]): Promise<unknown>;
  by(actor: Actor): { get(key: string, tx?: never): Promise<ShownLink> };
};

/** What endpoints share that change the link in the path: its state for If-Match. */
export const lockedLink = (links: LockableLinks) => ({
  async locked({ c, query, account }: PathInput<typeof domainQuery>, tx: never) {
    const key = keyOfPath(links, c, query);
    await links.lock(tx, [key]);
    return viewIn(links, c, await links.by(actorOf(account)).get(key, tx));
  },
});

export const EXISTING_LINK = {
  existing_link: linkViewSchema
    .optional()
    .describe("the target is a short URL of this server, of this link: use it instead of a second one"),
};

/** Responds to a write of the link, beside it with the link whose short URL is the target, if the actor may see that. */
export async function respondToWrite(
  links: LinkAccess & { ownCode(url: string, requestOrigin: string): string | null },
  c: HttpContext,
  actor: Actor,
  link: ShownLink,
) {
  const key = links.ownCode(link.target, c.env.origin());
  if (key === null || key === link.code) return viewIn(links, c, link);
  const existing = await links
    .by(actor)
    .get(key)
    .catch((error: unknown) => {
      if (error instanceof AppError && error.name === "LinkNotFound") return null;
      throw error;
    });
  const view = viewIn(links, c, link);
  return existing === null ? view : beside(view, { existing_link: viewIn(links, c, existing) });
}
