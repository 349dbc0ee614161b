/** The addresses of the page of settings: a search, or a group. */
export const GROUPS = [
  "general",
  "branding",
  "links",
  "analytics",
  "privacy",
  "files",
  "mail",
  "sign-in",
  "advanced",
] as const;

export type SettingGroup = (typeof GROUPS)[number];

export function readSettingSearch({ q, group }: Record<string, unknown>): {
  q?: string;
  group?: SettingGroup;
} {
  const known = GROUPS.find((one) => one === group);
  return { ...(typeof q === "string" && q !== "" && { q }), ...(known && { group: known }) };
}
