/** The media type of a Content-Type in lower case, without its parameters; undefined without one. */
export const bareMediaType = (contentType: string | null | undefined): string | undefined =>
  contentType?.replace(/;.*/s, "").trim().toLowerCase();
