/** `links explain`. It reads the database as the redirect does, with the server running or not. */
import type { Command } from "commander";
import { createCountries } from "../clicks/details/geo.ts";
import { COMMAND } from "../lib/actor.ts";
import { createAutomatedVisitors } from "../lib/automated-visitors.ts";
import { validated } from "../lib/validated.ts";
import { type CachedLink, createLinkFinder, locationOf } from "../links/cache/cached-link.ts";
import type { LinkService } from "../links/links.service.ts";
import type { CommandContext } from "../platform/cli/command.ts";
import { createDefine } from "../platform/cli/define.ts";
import type { Core } from "../platform/core.ts";
import type { Platform } from "../platform/room-shape.ts";
import { createExplain, createPathExplain, explainQuery } from "./explain.routes.ts";
import { createFallbacks } from "./fallbacks.ts";
import { sharedLink } from "./follow.ts";
import { createVisitorFacts } from "./visitor-facts.ts";

type Services = Core &
  Pick<Platform, "env" | "instance"> & { links: LinkService; origins: { ofServer(): string } };

export function addExplainCommand(group: Command, context: CommandContext<Services>): void {
  const define = createDefine(group, context);
  define("explain <code>", "say where a link leads a visitor, and why; no click is counted")
    .option("--domain <host>", "host of the link's domain")
    .option("--at <instant>", "RFC 3339; default: now")
    .option("--user-agent <text>", "the visitor's header User-Agent")
    .option("--language <text>", "the header Accept-Language")
    .option("--country <code>", "ISO 3166; default: that of the address")
    .option("--address <address>", "of the visitor")
    .option("--referrer <url>", "the header Referer, or its host")
    .option("--query <text>", "query of the request, such as utm_source=mail&ref=1")
    .result(async (options, code) => {
      const query = validated(explainQuery, options, "The command");
      const services = await context.services();
      const found = await pathExplain(services)(code, query, COMMAND, services.origins.ofServer());
      const { target, status, reason, steps, ...place } = found;
      return {
        json: found,
        show(output) {
          output.line(`${place.code}: ${target ?? "nowhere"} (${status}, ${reason})`);
          for (const { rule, holds, because } of steps) {
            const why = because.map(
              ({ condition, holds: does, actual }) =>
                `${condition} ${does ? "holds" : "does not hold"} (${actual ?? "not known"})`,
            );
            output.line(`Rule ${rule + 1} ${holds ? "decides" : "does not hold"}: ${why.join(", ")}`);
          }
        },
      };
    });
}

function pathExplain({ database, config, clock, logger, env, instance, links }: Services) {
  const enforcesPasswords = () => config.get("features.enforce_link_passwords");
  const lookUp = createLinkFinder(database, enforcesPasswords);
  async function find(key: string, now: number): Promise<CachedLink | null> {
    const row = await lookUp(links.domains.stored(key));
    if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return null;
    return { id: row.id, location: locationOf(row.target) };
  }
  const cache = {
    findIn: (text: string, from: number, to: number, now: number) => find(text.slice(from, to), now),
  };
  const explain = createExplain({
    visitors: createVisitorFacts({
      key: instance,
      places: createCountries(env.analytics.maxminddbPath, { clock, logger }),
    }),
    fallbacks: createFallbacks({
      find,
      domains: links.domains,
      publicUrl: () => config.get("features.public_url"),
    }),
    automated: createAutomatedVisitors(),
    uses: links.uses,
    shared: (code, now) => sharedLink(cache, links.domains.stored(code), now),
    servesFiles: links.servesFiles,
    enforcesPasswords,
    passUtm: () => config.get("utm.enable_passthrough"),
  });
  const forgivesTails = () => config.get("links.forgive_tails");
  return createPathExplain({ explain, links, forgivesTails, now: clock.now });
}
