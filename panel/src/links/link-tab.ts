/** Tabs of a link's page besides the link itself, in its address. */
export type LinkTab = "history";

export const readLinkTab = (value: unknown): LinkTab | undefined => (value === "history" ? value : undefined);
