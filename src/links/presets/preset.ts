export const PRESET_KINDS = ["view", "report", "utm"] as const;
export type PresetKind = (typeof PRESET_KINDS)[number];
