import type { Place } from "../rollups/dimensions.ts";

/** Answers undefined when it can't tell now (no file, provider away): the next provider is asked. */
export type GeoProvider = { lookup(address: string): Promise<Place | null | undefined>; close(): void };
