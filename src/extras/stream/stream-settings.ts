import { settingKinds, type SettingSection } from "../../platform/settings/env-settings.ts";

const rows = {
  /** May contain a password: never log it. */
  url: settingKinds.httpUrl(
    "Gets a copy of click details: http://user:password@host:8123/database. Empty: none.",
  ),
};

export const STREAM_SETTINGS: SettingSection<typeof rows> = { name: "clickhouse", rows };
