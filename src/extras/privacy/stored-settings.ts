import { clickPrivacy } from "../../clicks/details/privacy.ts";
import type { Language } from "../../lib/language.ts";
import type { Config } from "../../platform/config/config.service.ts";
import { type StoredData, storedThings } from "./stored.ts";

/**
 * Tells what is stored, by the settings as they are now. Details of clicks follow the settings of the start.
 * @param copied whether details are copied to ClickHouse
 */
export function storedBy(config: Config, copied: boolean): (language?: Language) => StoredData[] {
  const details = config.get("analytics.enable_detailed_logging");
  return (language) => {
    const privacy = clickPrivacy(config);
    const settings = {
      ...privacy,
      copied,
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
