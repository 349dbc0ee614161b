import { accentOf } from "../lib/accent.ts";
import { remembered } from "../lib/remembered.ts";
import { COLOURS, RADIUS, SPACE, TYPE } from "../lib/tokens.ts";

/** Text of a <style> or <script>, whose hash stands in the policy of its page. */
export type Inline = { text: string; hash: string };

export const inline = (text: string): Inline => ({
  text,
  hash: `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`,
});

const SHOWN = ["ground", "card", "ink", "soft", "line", "warn", "right"] as const;
const schemeOf = (scheme: keyof typeof COLOURS, shade: string): string =>
  `${SHOWN.map((name) => `--${name}:${COLOURS[scheme][name]}`).join(";")};--shade:${shade}`;
const LIGHT = schemeOf("light", "0 1px 2px #1018280f,0 8px 24px #10182814");
const DARK = schemeOf("dark", "0 1px 2px #0006,0 8px 24px #0006");

const RULES = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;background:var(--ground);color:var(--ink);font:${TYPE.size.md}/1.6 ${TYPE.family}}
.page{width:100%;max-width:48rem;margin:0 auto;padding:clamp(${SPACE.lg},4vw,2.5rem) clamp(${SPACE.md},4vw,${SPACE.xl}) max(3rem,env(safe-area-inset-bottom))}
.narrow{max-width:32rem;padding-top:clamp(${SPACE.lg},12vh,8rem)}
.site{display:flex;align-items:center;gap:${SPACE.xs};margin:0 0 ${SPACE.lg};font-weight:600;overflow-wrap:anywhere}
.site svg{flex:none;width:1.75rem;height:1.75rem}.site img{flex:none;height:2.25rem;max-width:9rem;object-fit:contain}
.site rect{fill:var(--accent)}.site path{fill:none;stroke:var(--on-accent);stroke-linecap:round;stroke-linejoin:round}
.card{background:var(--card);border:1px solid var(--line);border-radius:${RADIUS.lg};box-shadow:var(--shade);padding:clamp(${SPACE.lg},5vw,2.25rem)}
h1{font-size:clamp(1.35rem,1.2rem + .8vw,1.625rem);line-height:1.25;font-weight:${TYPE.weight};letter-spacing:-.011em;margin:0 0 .5rem;overflow-wrap:anywhere;text-wrap:balance}
:lang(zh) h1,:lang(ja) h1{letter-spacing:0}:lang(ja){word-break:auto-phrase}
p{margin:0;overflow-wrap:anywhere;text-wrap:pretty}p+p{margin-top:${SPACE.sm}}
.soft{color:var(--soft)}p+h1{margin-top:.25rem}
@media print{body{background:none}.card{box-shadow:none}}
`.replaceAll("\n", "");

/** The style of pages with links or forms. */
export const CONTROLS = inline(
  `
.warn{color:var(--warn)}.right{color:var(--right)}
a{color:var(--accent-ink);text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible{outline:3px solid var(--accent-ink);outline-offset:2px}
form{margin:1.5rem 0 0}
.message{margin:${SPACE.md} 0 0;padding:.125rem 0 .125rem ${SPACE.md};border-inline-start:3px solid var(--line);white-space:pre-wrap}
label{display:block;font-size:${TYPE.size.sm};font-weight:600}
input,select,textarea{display:block;width:100%;min-height:2.75rem;margin-top:.375rem;padding:.5rem .75rem;border:1px solid var(--soft);border-radius:${RADIUS.md};background:var(--ground);color:var(--ink);font:inherit}
.button,button{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.75rem;margin-top:${SPACE.lg};padding:.5rem ${SPACE.lg};border:1px solid var(--accent-ink);border-radius:${RADIUS.md};background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.button:hover,button:hover{box-shadow:0 0 0 3px color-mix(in srgb,var(--accent-ink) 22%,transparent)}
@media(max-width:480px){form button{width:100%}}
@media(prefers-reduced-motion:no-preference){.button,button{transition:box-shadow .12s}}
`.replaceAll("\n", ""),
);

/** The style of pages that lead to an imprint or privacy notice. */
export const FOOTER = inline(
  `footer{display:flex;flex-wrap:wrap;gap:${SPACE.sm} ${SPACE.lg};margin-top:${SPACE.lg};font-size:${TYPE.size.sm}}footer a{color:var(--soft);line-height:1.75rem}`,
);

const REMEMBERED = 8;
/** @param accentColor `#` and six hexadecimal digits */
export const styleFor = remembered(
  (accentColor: string): Inline => {
    const { fill, onFill, light, dark } = accentOf(accentColor);
    return inline(
      `:root{color-scheme:light dark;--accent:${fill};--on-accent:${onFill};--accent-ink:${light};${LIGHT}}` +
        `@media(prefers-color-scheme:dark){:root{--accent-ink:${dark};${DARK}}}${RULES}`,
    );
  },
  { most: REMEMBERED },
);
