/**
 * What the provider says of itself (OpenID Connect Discovery 1.0). It is read at the first use, kept, and renewed each
 * hour; the old one serves while a renewal fails.
 */
import type * as OpenId from "openid-client";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { boundedFetch, isInsecure, loadOpenId, TIMEOUT_S } from "./requests.ts";
import type { OidcClient } from "./settings.ts";

const RENEWED_MS = 3_600_000;
/** After a failure nobody waits for the provider again. */
const REST_MS = 5_000;

type Description = { of: string; metadata: OpenId.ServerMetadata; readAt: number };

export function createDescriptions({ clock, logger }: { clock: Clock; logger: Logger }) {
  let known: Description | null = null;
  let failed: { of: string; at: number; error: unknown } | null = null;
  let reading: { of: string; done: Promise<Description> } | null = null;

  async function read(client: OidcClient): Promise<Description> {
    const openId = await loadOpenId();
    const found = await openId.discovery(new URL(client.issuer), client.clientId, undefined, openId.None(), {
      timeout: TIMEOUT_S,
      [openId.customFetch]: boundedFetch,
      ...(isInsecure(client) && { execute: [openId.allowInsecureRequests] }),
    });
    return { of: client.issuer, metadata: found.serverMetadata(), readAt: clock.now() };
  }

  /** One request for all who ask meanwhile. @throws ProviderAway, or an error that says what is wrong with the description */
  return async function describe(client: OidcClient): Promise<OpenId.ServerMetadata> {
    const of = client.issuer;
    const now = clock.now();
    const kept = known?.of === of ? known : null;
    if (kept !== null && Math.abs(now - kept.readAt) < RENEWED_MS) return kept.metadata;
    if (failed?.of === of && Math.abs(now - failed.at) < REST_MS) {
      if (kept !== null) return kept.metadata;
      throw failed.error;
    }
    if (reading?.of !== of) reading = { of, done: read(client) };
    const mine = reading;
    try {
      known = await mine.done;
      return known.metadata;
    } catch (error) {
      failed = { of, at: clock.now(), error };
      if (kept === null) throw error;
      logger.warn(
        { err: error, issuer: of },
        "the provider's description was not renewed; the old one serves",
      );
      return kept.metadata;
    } finally {
      if (reading === mine) reading = null;
    }
  };
}
