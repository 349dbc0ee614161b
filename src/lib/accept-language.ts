/** The longest tag that RFC 5646 (4.4.1) asks for. */
const LONGEST_LANGUAGE = 35;

/** The first language of Accept-Language in its canonical form, such as `de-AT`; null without a known one. */
export function languageOf(acceptLanguage: string): string | null {
  const tag = /^[\w-]+/.exec(acceptLanguage.trimStart())?.[0] ?? "";
  try {
    const { baseName } = new Intl.Locale(tag);
    return baseName.length <= LONGEST_LANGUAGE ? baseName : null;
  } catch {
    return null;
  }
}
