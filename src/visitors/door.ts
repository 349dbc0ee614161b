/** Pages, passwords and cookies for the visitors of links and shares. */
import type { BodyMemory } from "../platform/http/body-memory.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { createUnlockCookies } from "./cookie.ts";
import type { Identity } from "./identity.ts";
import { createVisitorPages } from "./look.ts";
import { createLostPages } from "./lost-pages.ts";
import type { Protected } from "./messages.ts";
import { createSiteFiles } from "./site-files.ts";
import { createFormReader, createTries, createUnlock, type UnlockGuards } from "./unlock.ts";

type VisitorSettings = {
  "api.jwt_secret": string;
  "api.cookie_secure": boolean;
};

export type DoorDeps = {
  config: { get<K extends keyof VisitorSettings>(key: K): VisitorSettings[K] };
  guards: Pick<UnlockGuards, "takeTry" | "clientAddress"> & {
    checkVisitorPassword(attempt: {
      linkId: number;
      password: string;
      passwordHash: string;
      what: Protected;
    }): Promise<boolean>;
  };
  /** Replaces a hash of another product after a right password. The hash that the link has from now on. */
  renewHash(attempt: { linkId: number; password: string; passwordHash: string }): Promise<string>;
  identity: Identity;
  bodies: BodyMemory;
  clock: Clock;
  logger: Logger;
};

export type VisitorDoor = ReturnType<typeof createVisitorDoor>;

export function createVisitorDoor({ config, guards, renewHash, identity, bodies, clock, logger }: DoorDeps) {
  const { takeTry, clientAddress, checkVisitorPassword: check } = guards;
  const pages = createVisitorPages(identity);
  const cookies = createUnlockCookies({
    secret: () => config.get("api.jwt_secret"),
    isSecure: () => config.get("api.cookie_secure"),
  });
  /** The next right password tries again. */
  const renewed: DoorDeps["renewHash"] = (attempt) =>
    renewHash(attempt).catch((err: unknown) => {
      logger.warn({ err, link: attempt.linkId }, "the hash of a password was not replaced");
      return attempt.passwordHash;
    });
  const unlock = (what: Protected) =>
    createUnlock({
      what,
      pages,
      cookies,
      guards: {
        takeTry,
        clientAddress,
        checkPassword: async (attempt) => ((await check({ ...attempt, what })) ? renewed(attempt) : null),
      },
      bodies,
      clock,
    });
  return {
    identity,
    cookies,
    pages,
    lostPages: createLostPages(pages),
    siteFiles: createSiteFiles(identity),
    bodies,
    guards: { takeTry, clientAddress },
    readForm: createFormReader(bodies),
    createTries: (again: Parameters<typeof createTries>[1]) => createTries({ pages, guards, bodies }, again),
    clientAddress,
    isSecure: () => config.get("api.cookie_secure"),
    shares: unlock("share"),
    links: unlock("link"),
    reports: unlock("report"),
  };
}
