/** Messages between main thread and flush thread. */
import type { DatabaseSettings } from "../platform/db/database.ts";
import type { FlushTrigger } from "./flush/flush.ts";
import type { SettledClicks, SourceState } from "./flush/source.ts";
import type { AddressMode } from "../lib/kept-address.ts";
import type { GeoSettings } from "./details/geo.ts";

export type DetailSettings = {
  /** analytics.enable_geo_lookup */
  locates: boolean;
  /** See FlushWork. */
  mostLogRows: number;
  /** What is kept of addresses, after their places are found. */
  addresses: AddressMode;
};

export type FlushStart = {
  database: DatabaseSettings;
  /** UUID of the database. */
  instance: string;
  journalDir: string;
  /** Slot of this process. */
  ownDir: string;
  intervalMs: number;
  geo: GeoSettings;
  details: DetailSettings;
  logLevel: string;
};

/** `start` comes first. */
export type FlushCalls = {
  /** The database may be away. */
  start(start: FlushStart & { sources: SourceState[] }): Promise<void>;
  /** Starts flushing and reporting. */
  begin(): Promise<void>;
  add(source: SourceState): Promise<void>;
  seal(path: string): Promise<void>;
  due(): Promise<void>;
  setInterval(ms: number): Promise<void>;
  setDetails(settings: DetailSettings): Promise<void>;
  flush(): Promise<void>;
  pendingLinks(): Promise<number>;
  /** After a last flush. */
  close(): Promise<void>;
};

export type FlushEvents = {
  settled(settled: SettledClicks): void;
  /** A segment of this process's slot is gone. */
  retired(path: string): void;
  flushed(report: FlushReport): void;
  log(line: string): void;
};

export type FlushReport = {
  trigger: FlushTrigger;
  status: "success" | "failed";
  durationMs: number;
  /** Counted by this flush. */
  clicks: number;
  /** Changed rows of link_clicks. */
  links: number;
};
