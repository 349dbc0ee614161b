/** What each may do with what a team owns. */
export const MEMBERS = ["viewer", "editor", "manager"] as const;
export const ALL = ["stranger", ...MEMBERS, "admin"] as const;
export type Who = (typeof ALL)[number];
export type Way = "hidden" | "refused" | "let in";

export const READS: Record<Who, Way> = {
  stranger: "hidden",
  viewer: "let in",
  editor: "let in",
  manager: "let in",
  admin: "let in",
};
export const WRITES: Record<Who, Way> = { ...READS, viewer: "refused" };
export const MANAGES: Record<Who, Way> = { ...WRITES, editor: "refused" };
