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
  /** The text in force before, masked for a sensitive setting. */
  oldValue: string | null;
  newValue: string | null;
  /** Epoch milliseconds. */
  changedAt: number;
  changedBy: string;
};
