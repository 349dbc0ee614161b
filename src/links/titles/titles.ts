/**
 * Gives links that were made without a title that of their target's page. A link waits in a row, which is removed
 * before the page is requested: each page is requested once at most, also when the process ends in between. A pass
 * takes a few links of each host from a portion, so that many links of one host keep no others waiting.
 */
import { SYSTEM } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { inHostTurns } from "../../lib/host-turns.ts";
import { type Outbound, OutboundFailure, unchunkedBody } from "../../lib/outbound.ts";
import { pageTitle } from "../../lib/page-title.ts";
import { rest } from "../../lib/rest.ts";
import { isHttpUrl } from "../../lib/target-url.ts";
import { VERSION } from "../../lib/version.ts";
import { changeEvents, type RecordLinkEvents } from "../link/events.ts";
import { readOptions } from "../link/field-values.ts";
import type { LinkChanges } from "../write/changes.ts";
import type { LinkRepository } from "../write/repository.ts";
import type { TitleRepository, UntitledLink } from "./repository.ts";

type Deps = {
  repository: TitleRepository;
  links: Pick<LinkRepository, "lockIds">;
  changes: Pick<LinkChanges, "write">;
  record: RecordLinkEvents;
  outbound: Outbound;
  isEnabled(): boolean;
  /** Whether a URL leads to a link of ours: a request to it would count a click. */
  isOwn(url: string): boolean;
  clock: Clock;
  /** Between requests to one host. */
  restMs?: number;
};

const EVERY_MS = 10_000;
const PORTION = 200;
const MOST_OF_HOST = 10;
const REST_MS = 500;
const REQUEST = {
  method: "GET",
  timeoutMs: 3_000,
  mostBytes: 64 * 1024,
  redirects: 5,
  headers: { "User-Agent": `Waymark/${VERSION} (reads the titles of short links)`, Accept: "text/html" },
} as const;

export function createTitles(deps: Deps) {
  const { repository, links, changes, record, outbound, isEnabled, isOwn, clock, restMs = REST_MS } = deps;

  async function titleOf(url: string): Promise<string | null> {
    try {
      const response = await outbound({ ...REQUEST, url });
      if (response.status !== 200) return null;
      return pageTitle(unchunkedBody(response), response.headers.get("content-type"));
    } catch (error) {
      if (error instanceof OutboundFailure) return null;
      throw error;
    }
  }

  /** Unless somebody gave it a title meanwhile, or another target. */
  const setTitle = ({ id, target }: UntitledLink, title: string): Promise<void> =>
    changes.write(async (tx) => {
      const before = (await links.lockIds(tx.db, [id])).get(id);
      if (before === undefined || before.title !== null || before.target !== target) return;
      const now = clock.now();
      await repository.setTitle(tx.db, { id, title, now });
      tx.changed("links", [before.code]);
      const after = { ...before, title };
      await record(tx.db, changeEvents({ actor: SYSTEM, now, verb: "update" }, { id, before, after }));
    });

  const needsTitle = ({ target, title, options }: UntitledLink): boolean =>
    title === null && isHttpUrl(target) && readOptions(options).held === null && !isOwn(target);

  async function fetchTitle(link: UntitledLink, signal: AbortSignal): Promise<void> {
    if (!(await repository.take(link.id)) || !needsTitle(link)) return;
    const title = await titleOf(link.target);
    if (title !== null) await setTitle(link, title);
    await rest(restMs, signal);
  }

  return {
    name: "links-fetch-titles",
    everyMs: () => EVERY_MS,
    /** One pass over the links that wait. */
    async run(signal: AbortSignal): Promise<void> {
      const isOver = () => signal.aborted || !isEnabled();
      for (let after = 0; !isOver(); ) {
        const portion = await repository.portion(after, PORTION);
        await inHostTurns(portion, isOver, (link) => fetchTitle(link, signal), MOST_OF_HOST);
        if (portion.length < PORTION) return;
        after = portion.at(-1)!.id;
      }
    },
  };
}
