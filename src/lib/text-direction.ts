/**
 * Characters that steer the direction of text, for classes of regular expressions. Embeddings, overrides and isolates
 * reach over what others wrote: with one, `gpj.exe` shows as `exe.jpg`. The marks U+200E, U+200F and U+061C act like an
 * invisible letter of their direction, and names in Arabic and Hebrew have them.
 */
export const REORDERING = String.raw`\u202a-\u202e\u2066-\u2069`;
