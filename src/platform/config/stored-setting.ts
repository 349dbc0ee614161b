import type { RowFields } from "../db/schema.ts";
export type StoredSetting = RowFields<"settings">;

export type SettingChange = RowFields<"settings_history">;
