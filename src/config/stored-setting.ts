/** Settings and their history as the database holds them. */
export type StoredSetting = {
  key: string;
  value: string;
  /** Epoch milliseconds. */
  updatedAt: number;
  updatedBy: string;
};

export type SettingChange = {
  id: number;
  key: string;
  /** The texts that were in force before and after, masked where the setting is sensitive. */
  oldValue: string | null;
  newValue: string | null;
  /** Epoch milliseconds. */
  changedAt: number;
  changedBy: string;
};
