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
  "manifest-src 'self'",
  "worker-src 'self'",
  // The reference of the API; previews of PDF files, sandboxed.
  "frame-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Around what stands there in development. */
const PLACEHOLDER = ["<!--waymark-->", "<!--/waymark-->"] as const;

/** Text of the button for OpenID Connect (null: none; empty: a usual one), and whether a password does it. */
export type WaysToSignIn = { oidc: string | null; password: boolean };

export type PagePlace = {
  /** `routes.frontend_prefix` and `routes.admin_prefix` */
  prefix: string;
  admin: string;
  /** Path below the prefix, such as `/links/docs`. */
  path: string;
  instanceName: string;
  /** `features.accent_color` */
  accentColor: string;
  /** Changes with every icon. */
  icons: string;
  isSetUp: boolean;
  /** `features.enforce_link_passwords` */
  asksPasswords: boolean;
  /** Mails with links into the panel can be sent. */
  sendsMails: boolean;
  signIn: WaysToSignIn;
};

const up = (levels: number): string => (levels === 0 ? "./" : "../".repeat(levels));
const slashesIn = (path: string): number => path.split("/").length - 1;

const attribute = (text: string): string => text.replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/**
 * `html`: the built page with its placeholder. `preloads`: names of scripts below the prefix. `asked`: paths below the
 * admin prefix whose answers the page needs at once.
 */
export function panelPage(
  html: string,
  { preloads, asked }: { preloads: readonly string[]; asked: readonly string[] },
  { prefix, path, ...place }: PagePlace,
): string {
  const root = up(slashesIn(prefix));
  const content = JSON.stringify({ root, ...place });
  const base = up(slashesIn(path) - 1);
  const { instanceName, icons, admin } = place;
  const early = [
    ...preloads.map((name) => `<link rel="modulepreload" href="${name}" crossorigin />`),
    ...asked.map(
      (name) =>
        `<link rel="preload" as="fetch" href="${attribute(root + admin.slice(1) + name)}" crossorigin />`,
    ),
  ];
  const head = `<base href="${base}" />
    <meta name="waymark" content="${attribute(content)}" />
    <title>${attribute(instanceName)}</title>
    <link rel="icon" href="mark?v=${icons}" />
    <link rel="apple-touch-icon" href="icon?v=${icons}" />
    <link rel="manifest" href="manifest.webmanifest" />${early.map((link) => `\n    ${link}`).join("")}`;
  const [begin, end] = PLACEHOLDER;
  return html.slice(0, html.indexOf(begin)) + head + html.slice(html.indexOf(end) + end.length);
}
