/** Global Privacy Control and Do Not Track. */
export const asksNotToTrack = (headers: Pick<Headers, "get">): boolean =>
  headers.get("sec-gpc") === "1" || headers.get("dnt") === "1";
