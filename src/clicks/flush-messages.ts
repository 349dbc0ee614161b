/** What the main thread and the flush thread tell each other. */
import type { DatabaseSettings } from "../db/database.ts";
import type { ErrorName } from "../lib/errors.ts";
import type { FlushTrigger } from "./flush/flush.ts";
import type { Settled, SourceState } from "./flush/source.ts";
import type { GeoSettings } from "./details/geo.ts";

/** What the configuration says of details. */
export type DetailSettings = {
  /** analytics.enable_geo_lookup */
  locates: boolean;
  /** See FlushWork. */
  mostLogRows: number;
};

export type FlushStart = {
  database: DatabaseSettings;
  journalDir: string;
  /** The slot of this process. */
  ownDir: string;
  intervalMs: number;
  geo: GeoSettings;
  details: DetailSettings;
  logLevel: string;
};

export type FlushRequest =
  | ({ type: "start"; sources: SourceState[] } & FlushStart)
  /** Follows "start" when the asking side is ready for reports. */
  | { type: "begin" }
  | { type: "add"; source: SourceState }
  | { type: "seal"; path: string }
  | { type: "due" }
  | { type: "interval"; ms: number }
  | { type: "details"; settings: DetailSettings }
  | { type: "flush"; id: number }
  | { type: "pendingLinks"; id: number }
  | { type: "close"; id: number };

export type FlushReport = {
  trigger: FlushTrigger;
  status: "success" | "failed";
  durationMs: number;
  /** Counted by this flush. */
  clicks: number;
  /** Rows of link_clicks that it touched. */
  links: number;
};

export type FlushAnswer =
  | { type: "started"; instance: string }
  | { type: "failed"; error: SentError }
  | { type: "answer"; id: number; value?: number; error?: SentError }
  | { type: "settled"; settled: Settled }
  | { type: "retired"; path: string }
  | { type: "flushed"; report: FlushReport }
  | { type: "log"; line: string };

/** An AppError on its way between threads. */
export type SentError = { name: ErrorName; message: string };
