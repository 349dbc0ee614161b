/** Test support: settings of clicks and their retention. */
import type { Config } from "../platform/config/config.service.ts";
import type { ConfigKey } from "../platform/config/definitions.ts";

/** The settings of click counting, read at each use. */
export const clickConfig = (settings: {
  enabled: boolean;
  flushInterval: number;
  maxClicksBeforeFlush: number;
  sampleRate?: number;
}): Config => {
  const values: Partial<Record<ConfigKey, () => unknown>> = {
    "click.enable_tracking": () => settings.enabled,
    "click.flush_interval": () => settings.flushInterval,
    "click.max_clicks_before_flush": () => settings.maxClicksBeforeFlush,
    "analytics.sample_rate": () => settings.sampleRate ?? 0,
    "analytics.enable_geo_lookup": () => false,
    "analytics.max_rows_action": () => "cleanup",
    "privacy.addresses": () => "full",
  };
  return { get: (key: ConfigKey) => values[key]!() } as unknown as Config;
};

/** The settings of retention, read at each run. `rows` bounds the log, 0: not. */
export const retentionSettings = (settings: {
  enabled?: boolean;
  log: number;
  hourly: number;
  daily: number;
  rows?: number;
}): Config => {
  const values: Partial<Record<ConfigKey, () => unknown>> = {
    "analytics.enable_auto_rollup": () => settings.enabled ?? true,
    "analytics.log_retention_days": () => settings.log,
    "analytics.hourly_retention_days": () => settings.hourly,
    "analytics.daily_retention_days": () => settings.daily,
    "analytics.max_rows_action": () => "cleanup",
    "analytics.max_log_rows": () => settings.rows ?? 0,
  };
  return { get: (key: ConfigKey) => values[key]!() } as unknown as Config;
};
