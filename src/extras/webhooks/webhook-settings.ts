import { settingKinds, type SettingSection } from "../../platform/settings/env-settings.ts";

const rows = {
  allow_private: settingKinds.flag(
    false,
    "Whether webhooks may reach private addresses, such as this machine.",
  ),
};

export const WEBHOOK_SETTINGS: SettingSection<typeof rows> = { name: "webhooks", before: "oidc", rows };
