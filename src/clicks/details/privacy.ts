/** What the click log keeps of a visitor: settings of the category `privacy`. */
import type { AddressMode } from "../../lib/kept-address.ts";
import type { Config } from "../../platform/config/config.service.ts";

export type ClickPrivacy = Readonly<{
  addresses: AddressMode;
  /** The place of an address is found, though the address is not kept. */
  located: boolean;
  referrers: boolean;
  agents: boolean;
  places: boolean;
  campaigns: boolean;
  /** Visitors who send Sec-GPC or DNT count in the sums only. */
  signals: boolean;
}>;

export const PRIVACY_KEYS = [
  "analytics.enable_ip_logging",
  "analytics.enable_geo_lookup",
  "privacy.addresses",
  "privacy.keep_referrers",
  "privacy.keep_user_agents",
  "privacy.keep_locations",
  "privacy.keep_campaigns",
  "privacy.respect_signals",
] as const;

export const clickPrivacy = ({ get }: Pick<Config, "get">): ClickPrivacy => ({
  addresses: get("analytics.enable_ip_logging") ? (get("privacy.addresses") as AddressMode) : "none",
  located:
    !get("analytics.enable_ip_logging") &&
    get("privacy.addresses") !== "none" &&
    get("analytics.enable_geo_lookup") &&
    get("privacy.keep_locations"),
  referrers: get("privacy.keep_referrers"),
  agents: get("privacy.keep_user_agents"),
  places: get("privacy.keep_locations"),
  campaigns: get("privacy.keep_campaigns"),
  signals: get("privacy.respect_signals"),
});

/** Reads the settings once per change, not per click. */
export function followPrivacy(config: Config): () => ClickPrivacy {
  let current = clickPrivacy(config);
  for (const key of PRIVACY_KEYS) config.onChange(key, () => void (current = clickPrivacy(config)));
  return () => current;
}
