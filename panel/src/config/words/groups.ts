/** Where settings stand: by what one wants to do. */
import { useLingui } from "@lingui/react/macro";
import { GROUPS, type SettingGroup } from "../setting-search.ts";

const GROUPED: Record<SettingGroup, readonly string[]> = {
  general: [
    "features.public_url",
    "features.default_url",
    "analytics.time_zone",
    "events.retention_days",
    "features.enable_admin_panel",
  ],
  branding: [
    "features.instance_name",
    "features.accent_color",
    "features.logo",
    "privacy.imprint_url",
    "privacy.notice_url",
  ],
  links: [
    "features.random_code_length",
    "links.ignore_case",
    "links.forgive_tails",
    "features.fetch_titles",
    "links.check_targets",
    "features.enforce_link_passwords",
    "features.report_links",
    "links.restore_days",
    "links.targets.allow",
    "links.targets.deny",
  ],
  analytics: [
    "click.enable_tracking",
    "analytics.enable_detailed_logging",
    "analytics.unique_visitors",
    "analytics.enable_geo_lookup",
    "utm.enable_passthrough",
    "analytics.log_retention_days",
    "analytics.hourly_retention_days",
    "analytics.daily_retention_days",
  ],
  privacy: [
    "analytics.enable_ip_logging",
    "privacy.addresses",
    "privacy.keep_referrers",
    "privacy.keep_user_agents",
    "privacy.keep_locations",
    "privacy.keep_campaigns",
    "privacy.respect_signals",
  ],
  files: [
    "files.share_policy.roles",
    "files.share_policy.default_days",
    "files.share_policy.max_days",
    "files.share_policy.password",
    "files.share_policy.max_downloads",
    "files.share_policy.verify",
    "files.share_policy.recipient_domains",
    "files.trash_days",
    "files.versions_keep",
    "files.versions_days",
  ],
  mail: ["mail.host", "mail.port", "mail.tls", "mail.user", "mail.password", "mail.from"],
  "sign-in": [
    "api.second_factor_roles",
    "api.refresh_token_days",
    "oidc.issuer",
    "oidc.client_id",
    "oidc.client_secret",
    "oidc.allowed_domains",
    "oidc.password_sign_in",
  ],
  advanced: [],
};

const PLACES = new Map<string, { group: SettingGroup; at: number }>(
  GROUPS.flatMap((group) => GROUPED[group].map((key, at) => [key, { group, at }] as const)),
);

/** What no task needs is under Advanced. */
export const settingGroupOf = (key: string): SettingGroup => PLACES.get(key)?.group ?? "advanced";

/** For sorting within the group. */
export const placeInGroup = (key: string): number => PLACES.get(key)?.at ?? PLACES.size;

export function useGroupNames(): Record<SettingGroup, string> {
  const { t } = useLingui();
  return {
    general: t`General`,
    branding: t`Branding`,
    links: t`Links`,
    analytics: t`Analytics`,
    privacy: t`Privacy`,
    files: t`Files and sharing`,
    mail: t({ message: "Mail", context: "settings" }),
    "sign-in": t`Sign-in`,
    advanced: t`Advanced`,
  };
}
