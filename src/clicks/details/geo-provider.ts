import type { Place } from "../rollups/dimensions.ts";

/** Undefined: unknown now (no file, provider away), ask the next provider. */
export type GeoProvider = { lookup(address: string): Promise<Place | null | undefined>; close(): void };
