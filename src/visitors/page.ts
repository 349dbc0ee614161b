/** Pages for visitors, without scripts. `text` escapes everything from outside. */

/** Safe in a page. */
export type Html = { html: string };

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
export const text = (plain: string): string => plain.replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2024;--soft:#5f6873;--line:#e2e6ea;--ground:#f5f6f8;--card:#fff;--accent:#1757c2;--warn:#b3261e;--right:#1a7f37}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a0a8b2;--line:#30363d;--ground:#14171a;--card:#1d2125;--accent:#8ab4f8;--warn:#f2b8b5;--right:#7ee2a8}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:clamp(1rem,6vw,4rem) 1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:clamp(1rem,4vw,2rem)}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 .25rem;overflow-wrap:anywhere}
p{margin:0}.soft{color:var(--soft);font-size:.9rem}.warn{color:var(--warn);margin-top:.75rem}.right{color:var(--right);margin-top:.75rem}
a{color:var(--accent)}a:focus-visible,button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav{margin-bottom:.75rem;font-size:.9rem;overflow-wrap:anywhere}
ul{list-style:none;margin:1rem 0 0;padding:0;border-top:1px solid var(--line)}
li{border-bottom:1px solid var(--line)}
li a{display:flex;gap:1rem;justify-content:space-between;align-items:baseline;padding:.65rem .25rem;text-decoration:none}
li a:hover{background:var(--ground)}li bdi{overflow-wrap:anywhere;min-width:0}
li span{color:var(--soft);font-size:.85rem;white-space:nowrap}
.button,button{display:inline-block;margin-top:1.25rem;padding:.6rem 1.25rem;border:0;border-radius:8px;background:var(--accent);color:var(--card);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
label{display:block;margin-top:1rem;font-size:.9rem;color:var(--soft)}
input{width:100%;margin-top:.25rem;padding:.6rem .75rem;border:1px solid var(--soft);border-radius:8px;background:var(--ground);color:var(--ink);font:inherit}
`;

const styleHash = new Bun.CryptoHasher("sha256").update(STYLE).digest("base64");

const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

type Extras = {
  /** Shown below the title by previews. */
  description?: string;
  /** Navigated to at once. A download leaves the page in place. */
  next?: string;
};

export const htmlPage = (
  title: string,
  body: Html,
  { description = "", next }: Extras = {},
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta property="og:title" content="${text(title)}">
<meta property="og:description" content="${text(description)}">${
  next === undefined ? "" : `\n<meta http-equiv="refresh" content="0; url=${text(next)}">`
}
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body><main><div class="card">
${body.html}
</div></main></body>
</html>
`;

/** Reveals nothing of the protected content. `problem`: why the last try was refused. */
export const passwordPage = (what: "link" | "share", problem: string | null): string =>
  htmlPage("Password needed", {
    html: `<h1>Password needed</h1>
<p class="soft">This ${what} is protected by a password.</p>
${problem === null ? "" : `<p class="warn" role="alert">${text(problem)}</p>`}
<form method="post">
<label>Password<input type="password" name="password" required autofocus autocomplete="current-password" maxlength="1024"></label>
<button>Open</button>
</form>`,
  });

/** After a right password. `href` leads on. */
export const rightPage = (href: string): string =>
  htmlPage(
    "Password accepted",
    {
      html: `<h1>Password accepted</h1>
<p class="right" role="status">The link opens by itself; if it does not, use the button.</p>
<a class="button" rel="nofollow" href="${text(href)}">Open</a>`,
    },
    { next: href },
  );

export const messagePage = (title: string, sentence: string): string =>
  htmlPage(title, { html: `<h1>${text(title)}</h1>\n<p class="soft">${text(sentence)}</p>` });

export const answerPage = (
  html: string,
  status: number,
  request: Request,
  more: Record<string, string> = {},
): Response =>
  new Response(request.method === "HEAD" ? null : html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": PAGE_POLICY,
      "Cache-Control": "private, no-store",
      "X-Robots-Tag": "noindex, nofollow",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      ...more,
    },
  });
