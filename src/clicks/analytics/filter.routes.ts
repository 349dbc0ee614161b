/** The filter of every report. */
import { z } from "zod";
import { actorOf, type Caller } from "../../platform/http/endpoint.ts";
import { queryText } from "../../lib/query-text.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import { chosenQuery } from "../../links/list/chosen.ts";
import { domainQuery } from "../../links/link/link.ts";
import type { ChooseLinks } from "../../links/list/chosen.ts";
import type { Actor } from "../../lib/actor.ts";
import { type ClickFilter, ASKED_VALUES, type AskedValue, type AskedValues } from "./select.ts";

const MEANINGS: Record<AskedValue, string> = {
  referrer: "host that linked here",
  utm_source: "of the request, else of the target",
  utm_medium: "likewise",
  utm_campaign: "likewise",
  utm_term: "likewise",
  utm_content: "likewise",
  language: "the first of Accept-Language",
  channel: "how the visitor came here",
  rule: "number of the rule that decided, from 1",
  country: "ISO 3166-1 alpha-2",
  city: "a city, with country",
  device: "desktop, mobile, tablet, bot or other",
  browser: "a browser",
  os: "an operating system",
};

const valueQuery = Object.fromEntries(
  ASKED_VALUES.map((name) => [
    name,
    queryText(255).optional().describe(`clicks with this value: ${MEANINGS[name]}`),
  ]),
) as Record<AskedValue, z.ZodOptional<z.ZodString>>;

/** An empty text counts as absent. */
export const clickQuery = z.object({ ...chosenQuery, ...valueQuery });
/** For reports on one link. */
export const linkClickQuery = z.object({ ...domainQuery.shape, ...valueQuery });

export type ClickQuery = z.output<typeof clickQuery> & {
  visitors?: "all" | "human" | "automated" | "" | undefined;
};

export function valuesOf(query: { [K in AskedValue]?: string | undefined }): AskedValues {
  return Object.fromEntries(
    ASKED_VALUES.flatMap((name) => {
      const text = query[name]?.trim();
      return text ? [[name, text]] : [];
    }),
  );
}

/** @throws LinkNotFound for a link that does not exist for the account, BadRequest */
export const askedBy =
  (links: { by(actor: Actor): { chosen: ChooseLinks } }) =>
  async (account: Caller, query: ClickQuery): Promise<ClickFilter> => ({
    visitors: visitorsOf(query),
    links: await links.by(actorOf(account)).chosen(query),
    values: valuesOf(query),
  });
