export type SharedEntry = {
  linkId: number;
  code: string;
  createdAt: number;
  expiresAt: number | null;
  passwordHash: string | null;
  maxDownloads: number | null;
  downloads: number;
  entryId: number;
  accountId: number;
  kind: "folder" | "file";
};
