/** Texts that look like a name, or that Unicode or a collation folds to it, and are not it. */

export const VICTIM = "kiss-fi";

/** Each differs from the name above in one place. */
export const LOOKALIKES: Readonly<Record<string, string>> = {
  "U+212A, sign of kelvin": "\u212aiss-fi",
  "U+017F, long s": "ki\u017fs-fi",
  "U+0131, i without a dot": "k\u0131ss-fi",
  "U+0130, I with a dot": "K\u0130SS-FI",
  "U+00DF, sharp s": "ki\u00df-fi",
  "U+1E9E, capital sharp s": "KI\u1e9e-FI",
  "U+FB01, ligature fi": "kiss-\ufb01",
  "full width": "\uff4biss-fi",
  "full width capital": "\uff2bISS-FI",
  "mathematical letter": "\u{1d424}iss-fi",
  "Cyrillic letter": "\u043aiss-fi",
  "letter with accent": "k\u00ecss-fi",
  "combining mark": "ki\u0300ss-fi",
  "full width hyphen": "kiss\uff0dfi",
  "zero width space": "kiss\u200b-fi",
  "zero width joiner": "kiss\u200d-fi",
  "soft hyphen": "kiss\u00ad-fi",
  "byte order mark": "\ufeffkiss-fi",
  "word joiner": "kiss-fi\u2060",
  "control character": "kiss-fi\u0001",
};
