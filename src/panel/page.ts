/**
 * The page of the panel. Its addresses are relative, so the panel works under every prefix and behind a proxy that adds
 * a path.
 */

export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Components set styles of single elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  // The reference of the API; previews of PDF files, sandboxed.
  "frame-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const PLACEHOLDER = /<!--waymark-->/;

export type PagePlace = {
  /** `routes.frontend_prefix` and `routes.admin_prefix` */
  prefix: string;
  admin: string;
  /** Path below the prefix, such as `/links/docs`. */
  path: string;
  instanceName: string;
  isSetUp: boolean;
  /** `features.enforce_link_passwords` */
  asksPasswords: boolean;
};

const up = (levels: number): string => (levels === 0 ? "./" : "../".repeat(levels));
const slashesIn = (path: string): number => path.split("/").length - 1;

const attribute = (text: string): string => text.replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** `html`: the built page with its placeholder. */
export function panelPage(html: string, { prefix, path, ...place }: PagePlace): string {
  const content = JSON.stringify({ root: up(slashesIn(prefix)), ...place });
  const base = up(slashesIn(path) - 1);
  return html.replace(
    PLACEHOLDER,
    () => `<base href="${base}" />\n    <meta name="waymark" content="${attribute(content)}" />`,
  );
}
