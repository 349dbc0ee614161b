/** What is offered to who lets a link lead to a short URL of ours: the link that has it. */
import { AppError } from "../../lib/errors.ts";
import type { Actor } from "../../lib/actor.ts";
import { beside, type HttpContext } from "../../platform/http/endpoint.ts";
import { type HostOf, linkViewSchema, type ShownLink, viewOfLink } from "./link.ts";

export const OFFERED = {
  offered: linkViewSchema
    .optional()
    .describe("the link whose short URL the target is: hand out that one instead"),
};

type OfferedLinks = {
  /** `get` throws LinkNotFound. */
  by(actor: Actor): { get(key: string): Promise<ShownLink> };
  /** @param asked the origin of the request */
  ownCode(url: string, asked: string): string | null;
  domains: { hostOf: HostOf };
};

/** The answer to a write of the link. Nothing is offered to who may not see the other one. */
export async function answerOffering(links: OfferedLinks, c: HttpContext, actor: Actor, link: ShownLink) {
  const view = (one: ShownLink) => viewOfLink(one, c.env.origin(), links.domains.hostOf);
  const key = links.ownCode(link.target, c.env.origin());
  if (key === null || key === link.code) return view(link);
  const offered = await links
    .by(actor)
    .get(key)
    .catch((error: unknown) => {
      if (error instanceof AppError && error.name === "LinkNotFound") return null;
      throw error;
    });
  return offered === null ? view(link) : beside(view(link), { offered: view(offered) });
}
