/** Tabs of a link's page besides its clicks, in its address. */
const TABS = ["settings", "history"] as const;
export type LinkTab = (typeof TABS)[number];

export const readLinkTab = (value: unknown): LinkTab | undefined => TABS.find((known) => known === value);
