/** What a verified recipient of a share did. */
export type VisitAction = "open" | "download" | "archive";

export type RecipientVisit = {
  id: number;
  email: string;
  action: VisitAction;
  /** Of the file or folder. */
  name: string | null;
  at: number;
};

export type DoneVisit = Omit<RecipientVisit, "id"> & { linkId: number };
