/** What is offered to who makes a link to a short URL of ours: the link that has it. */
import { AppError } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import { beside, type HttpContext } from "../../http/endpoint.ts";
import { type CreateInput, type HostOf, linkViewSchema, type ShownLink, viewOfLink } from "./link.ts";

export const OFFERED = {
  offered: linkViewSchema
    .optional()
    .describe("the link whose short URL the target is: hand out that one instead"),
};

type OfferedLinks = {
  by(actor: Actor): {
    create(body: CreateInput): Promise<ShownLink>;
    /** @throws LinkNotFound */
    get(key: string): Promise<ShownLink>;
  };
  ownCode(url: string): string | null;
  domains: { hostOf: HostOf };
};

/** Nothing is offered to who may not see that link. */
export async function createOffering(links: OfferedLinks, c: HttpContext, actor: Actor, body: CreateInput) {
  const own = links.by(actor);
  const view = (one: ShownLink) => viewOfLink(one, c.env.origin(), links.domains.hostOf);
  const link = await own.create(body);
  const key = links.ownCode(link.target);
  if (key === null) return view(link);
  const offered = await own.get(key).catch((error: unknown) => {
    if (error instanceof AppError && error.name === "LinkNotFound") return null;
    throw error;
  });
  return offered === null ? view(link) : beside(view(link), { offered: view(offered) });
}
