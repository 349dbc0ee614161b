export const PRESET_KINDS = ["view", "utm"] as const;
export type PresetKind = (typeof PRESET_KINDS)[number];
