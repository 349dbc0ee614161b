import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { readBounded } from "../../lib/bounded-text.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Place } from "../rollups/dimensions.ts";
import { cleanText } from "./origin.ts";

const TIMEOUT_MS = 2_000;
const MOST_RESPONSE_BYTES = 64 * 1024;
const tooLong = () => new Error("answered more than 64 KiB");
const CITY_BYTES = 128;
/** Pause after a failure, so that a dead provider does not slow every flush. */
const REST_MS = 30_000;

/** Fields of the usual providers. */
const responseSchema = z.object({
  countryCode: z.string().optional(),
  country_code: z.string().optional(),
  country: z.string().optional(),
  city: z.string().nullish(),
});

/**
 * Requests a JSON object with a two-letter country code and a city. The address replaces `{ip}` in `url`, or becomes
 * the last path segment.
 */
export function createHttpGeo(
  url: string,
  { clock, logger, fetch }: { clock: Clock; logger: Logger; fetch: typeof globalThis.fetch },
) {
  let restsUntil = Number.NEGATIVE_INFINITY;
  const host = URL.parse(url)?.host ?? "the geo provider";

  async function request(address: string): Promise<Place | null> {
    const escaped = encodeURIComponent(address);
    const place = url.includes("{ip}")
      ? url.replaceAll("{ip}", escaped)
      : `${url.replace(/\/$/, "")}/${escaped}`;
    const response = await fetch(place, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "error",
      headers: { Accept: "application/json" },
    });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return readPlace(await readBounded(response, MOST_RESPONSE_BYTES, tooLong));
  }

  return {
    async lookup(address: string): Promise<Place | null | undefined> {
      if (clock.now() < restsUntil) return undefined;
      try {
        return await request(address);
      } catch (error) {
        restsUntil = clock.now() + REST_MS;
        logger.warn({ host, reason: messageOf(error) }, "geo lookup failed");
        return undefined;
      }
    },
    close() {
      restsUntil = Number.POSITIVE_INFINITY;
    },
  };
}

function readPlace(text: string): Place | null {
  const place = responseSchema.parse(JSON.parse(text));
  const country = [place.countryCode, place.country_code, place.country]
    .map((code) => code?.toUpperCase())
    .find((code) => code !== undefined && /^[A-Z]{2}$/.test(code));
  if (country === undefined) return null;
  return { country, city: cleanText(place.city ?? "", CITY_BYTES) || null };
}
