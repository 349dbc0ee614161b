/**
 * Country and city of addresses: from a readable MaxMind file, else from an HTTP provider. Never sends addresses that
 * are not public. Caches responses, even "unknown", for 15 minutes: 10,000 entries, LRU.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Place } from "../rollups/dimensions.ts";
import { isPublicAddress } from "../../lib/public-address.ts";
import type { openMaxmindFile } from "./geo-maxmind.ts";

export type Geo = ReturnType<typeof createGeo>;

export type GeoSettings = { maxminddbPath: string | null; geoipApiUrl: string | null };

const CACHED = 10_000;
const CACHE_MS = 15 * 60_000;
/** Concurrent lookups. */
const PARALLEL = 8;
/** Then a batch continues without the missing places. */
const BATCH_MS = 5_000;

/**
 * A lookup resolves with undefined if the place is unknown now (no file, provider away): the next provider is queried.
 */
type GeoProvider = { lookup(address: string): Promise<Place | null | undefined>; close(): void };

type Deps = { clock: Clock; logger: Logger; fetch: typeof globalThis.fetch };

/** Loaded on demand: they add 6 MB of code to the flush thread. */
async function openProviders(settings: GeoSettings, deps: Deps): Promise<GeoProvider[]> {
  const providers: GeoProvider[] = [];
  if (settings.maxminddbPath !== null) {
    const { createMaxmindGeo } = await import("./geo-maxmind.ts");
    providers.push(createMaxmindGeo(settings.maxminddbPath, deps));
  }
  if (settings.geoipApiUrl !== null) {
    const { createHttpGeo } = await import("./geo-http.ts");
    providers.push(createHttpGeo(settings.geoipApiUrl, deps));
  }
  return providers;
}

export function createGeo(
  settings: GeoSettings,
  { clock, logger, fetch = globalThis.fetch }: Omit<Deps, "fetch"> & Partial<Pick<Deps, "fetch">>,
) {
  let opened: Promise<GeoProvider[]> | undefined;
  const providers = () => (opened ??= openProviders(settings, { clock, logger, fetch }));
  const cache = new Map<string, { place: Place | null; until: number }>();
  const underWay = new Map<string, Promise<Place | null | undefined>>();

  function cached(address: string): Place | null | undefined {
    const entry = cache.get(address);
    if (entry === undefined) return undefined;
    cache.delete(address);
    if (entry.until <= clock.now()) return undefined;
    cache.set(address, entry);
    return entry.place;
  }

  function remember(address: string, place: Place | null): void {
    if (cache.size >= CACHED) cache.delete(cache.keys().next().value!);
    cache.set(address, { place, until: clock.now() + CACHE_MS });
  }

  async function query(address: string): Promise<Place | null | undefined> {
    for (const provider of await providers()) {
      const place = await provider.lookup(address).catch(() => undefined);
      if (place !== undefined) return place;
    }
    return undefined;
  }

  /** One request per address at a time. */
  function lookup(address: string): Promise<Place | null | undefined> {
    let running = underWay.get(address);
    if (running === undefined) {
      running = query(address).then((place) => {
        if (place !== undefined) remember(address, place);
        underWay.delete(address);
        return place;
      });
      underWay.set(address, running);
    }
    return running;
  }

  async function lookupMany(addresses: Iterable<string>): Promise<Map<string, Place>> {
    const places = new Map<string, Place>();
    const missing: string[] = [];
    if (settings.maxminddbPath === null && settings.geoipApiUrl === null) return places;
    for (const address of new Set(addresses)) {
      if (!isPublicAddress(address)) continue;
      const place = cached(address);
      if (place === undefined) missing.push(address);
      else if (place !== null) places.set(address, place);
    }
    const deadline = performance.now() + BATCH_MS;
    const workers = Array.from({ length: Math.min(PARALLEL, missing.length) }, async () => {
      for (
        let next = missing.pop();
        next !== undefined && performance.now() < deadline;
        next = missing.pop()
      ) {
        const place = await lookup(next);
        if (place) places.set(next, place);
      }
    });
    await Promise.all(workers);
    return places;
  }

  return {
    /** Addresses without a place are missing. Asks for each address once. Never rejects. */
    lookupMany,
    close(): void {
      void opened?.then((all) => all.forEach((provider) => provider.close()));
    },
  };
}

/**
 * Finds countries of addresses for redirects, in a MaxMind file in memory that is loaded when a rule first asks for
 * one. @param path null without a file
 */
export function createCountries(path: string | null, deps: { clock: Clock; logger: Logger }) {
  let file: ReturnType<typeof openMaxmindFile> | undefined;
  let opening: Promise<void> | undefined;

  async function open(from: string): Promise<void> {
    const { openMaxmindFile } = await import("./geo-maxmind.ts");
    const opened = openMaxmindFile(from, deps);
    await opened.refresh();
    file = opened;
  }

  return {
    /** Returns null unless the first file is loading. Never rejects. Call it before `countryOf`. */
    loading(): Promise<void> | null {
      if (path === null) return null;
      if (file === undefined) return (opening ??= open(path));
      void file.refresh();
      return null;
    },
    /** Returns null without a file, and for addresses that are not public. */
    countryOf: (address: string): string | null =>
      file === undefined || !isPublicAddress(address) ? null : (file.find(address)?.country ?? null),
  };
}
