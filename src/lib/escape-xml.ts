/** Also replaces what XML can't hold. */
export const escapeXml = (text: string): string =>
  text.replace(/[\uFFFE\uFFFF]/g, "\uFFFD").replace(/[&<>"'\r]/g, (one) => `&#${one.charCodeAt(0)};`);
