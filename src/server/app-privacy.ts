/** What is stored of visitors, by the settings. */
import type { ClickPrivacy } from "../clicks/details/gate.ts";
import type { Env } from "../platform/settings/env.ts";
import type { Language } from "../lib/language.ts";
import type { AddressMode } from "../lib/kept-address.ts";
import { type StoredThing, storedThings } from "../extras/privacy/stored.ts";
import type { Config as WholeConfig } from "../platform/config/config.service.ts";

type Config = Pick<WholeConfig, "get" | "onChange">;

export const PRIVACY_KEYS = [
  "analytics.enable_ip_logging",
  "privacy.addresses",
  "privacy.keep_referrers",
  "privacy.keep_agents",
  "privacy.keep_places",
  "privacy.keep_campaigns",
  "privacy.respect_signals",
] as const;

const addressMode = (config: Pick<Config, "get">): AddressMode =>
  config.get("analytics.enable_ip_logging") ? (config.get("privacy.addresses") as AddressMode) : "none";

export const clickPrivacy = (config: Pick<Config, "get">): ClickPrivacy => ({
  addresses: addressMode(config),
  referrers: config.get("privacy.keep_referrers"),
  agents: config.get("privacy.keep_agents"),
  places: config.get("privacy.keep_places"),
  campaigns: config.get("privacy.keep_campaigns"),
  signals: config.get("privacy.respect_signals"),
});

/** Reads the settings once per change, not per click. */
export function followPrivacy(config: Config): () => ClickPrivacy {
  let current = clickPrivacy(config);
  for (const key of PRIVACY_KEYS) config.onChange(key, () => void (current = clickPrivacy(config)));
  return () => current;
}

/** What is stored, by the settings as they are now; details of clicks by those of the start. */
export function storedBy(
  config: Pick<Config, "get">,
  { clickhouse }: Pick<Env, "clickhouse">,
): (language?: Language) => StoredThing[] {
  const details = config.get("analytics.enable_detailed_logging");
  return (language) => {
    const privacy = clickPrivacy(config);
    const settings = {
      ...privacy,
      copied: clickhouse.url !== null,
      places: privacy.places && config.get("analytics.enable_geo_lookup"),
      details,
      sampleRate: config.get("analytics.sample_rate"),
      retention: config.get("analytics.enable_auto_rollup"),
      logDays: config.get("analytics.log_retention_days"),
      hourlyDays: config.get("analytics.hourly_retention_days"),
      dailyDays: config.get("analytics.daily_retention_days"),
      sessionDays: config.get("api.refresh_token_days"),
      eventDays: config.get("events.retention_days"),
      restoreDays: config.get("links.restore_days"),
      trashDays: config.get("files.trash_days"),
    };
    return storedThings(settings, language);
  };
}
